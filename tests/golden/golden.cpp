// Prints hashes of a million folds, by op: the same on every machine, instruction set and compiler.
//
//   golden [--quick] [--check=FILE] [--ops=sum,mean] [--target=NAME] [--threads=N] [--device]
//
//   line      op, hash of its first 3,000 folds, and of all 30,000 (--quick: only the first)
//   golden    the last line, if no ops are named: the hash of these lines, sorted
//   --check   prints only this last line, and lines that the file lacks; if there are any, the exit
//             status is 1
//   --device  a GPU answers the folds that it takes, the processor the others
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace {

using namespace onefold;
using namespace onefold::golden;

struct Arguments {
  bool quick = false, device = false;
  std::string file, target, ops;
  int threads = 0;
};

Arguments parse(int argc, char** argv) {
  Arguments result;
  for (const std::string& a : std::vector<std::string>(argv + 1, argv + argc)) {
    if (a == "--quick") result.quick = true;
    if (a == "--device") result.device = true;
    if (a.starts_with("--check=")) result.file = a.substr(8);
    if (a.starts_with("--target=")) result.target = a.substr(9);
    if (a.starts_with("--threads=")) result.threads = std::stoi(a.substr(10));
    if (a.starts_with("--ops=")) result.ops = "," + a.substr(6) + ",";
  }
  return result;
}

// Answers a fold on the device if it takes the fold, and counts that.
Answer answer(const Drawn& f, const Arguments& arguments, int& on_device) {
  Options options = f.options;
  options.threads = arguments.threads;
  options.target = arguments.target;
  const std::string op(f.op);
  if (arguments.device) {
    Options there = f.options;
    there.device = cuda();
    try {
      const Answer got = f.answers(op, there)[op];
      ++on_device;
      return got;
    } catch (const Error&) {  // then the processor answers, or has an error of its own
    }
  }
  return f.answers(op, options)[op];
}

// Prints a line, unless the file has it. Returns whether it has another one, or none.
bool print_line(const std::string& op, const Hashes& h, const Arguments& arguments) {
  const std::string first = hex(h.first), all = arguments.quick ? "" : hex(h.all);
  const auto lines = read(arguments.file);
  const auto line = lines.find(op);
  const bool same = line != lines.end() && line->second[0] == first &&
                    (arguments.quick || line->second[1] == all);
  const bool last = op == "golden";
  if (!same || last) {
    std::printf("%s %s%s%s", op.c_str(), first.c_str(), arguments.quick ? "" : " ", all.c_str());
    if (!arguments.file.empty()) {
      std::printf(same ? ", as %s has it" : ", but %s has another or none", arguments.file.c_str());
    }
    std::printf("\n");
  }
  return !arguments.file.empty() && !same;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  int different = 0, on_device = 0;
  std::map<std::string, Hashes> found;
  for (const std::string_view name : op_names()) {
    const std::string op(name);
    const bool asked = arguments.ops.find("," + op + ",") != std::string::npos;
    if (!arguments.ops.empty() && !asked) continue;
    const Hashes h = hashes_of(op, arguments.quick ? first_folds : all_folds,
                               [&](const Drawn& f) { return answer(f, arguments, on_device); });
    found[op] = h;
    different += print_line(op, h, arguments) ? 1 : 0;
  }
  if (arguments.ops.empty()) {
    Hash first, all;
    for (const auto& [op, h] : found) first.add(h.first), all.add(h.all);
    different += print_line("golden", {first.value, all.value}, arguments) ? 1 : 0;
  }
  if (arguments.device) std::printf("%d folds by the device\n", on_device);
  return different == 0 ? 0 : 1;
}
