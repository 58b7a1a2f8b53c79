// Prints hashes of a million folds, by op: the same on every machine, instruction set and compiler.
//
//   golden [--quick] [--check=FILE] [--target=NAME] [--threads=N]
//
//   line     op, hash of its first 3,000 folds, and of all 30,000 (--quick: only the first)
//   --check  prints only lines that the file lacks; if there are any, the exit status is 1
//
// Devices answer the same folds in driver/test_golden.cpp and gpu/test_golden.cpp.
#include <cstdio>
#include <string>
#include <vector>

#include "golden/golden.hpp"

int main(int argc, char** argv) {
  using namespace onefold;
  using namespace onefold::golden;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  bool quick = false;
  std::string file, target;
  int threads = 0;
  for (const std::string& a : arguments) {
    if (a == "--quick") quick = true;
    if (a.starts_with("--check=")) file = a.substr(8);
    if (a.starts_with("--target=")) target = a.substr(9);
    if (a.starts_with("--threads=")) threads = std::stoi(a.substr(10));
  }
  const auto expected = read(file);
  int different = 0;
  for (const std::string_view name : op_names()) {
    const std::string op(name);
    const Hashes h = hashes_of(op, quick ? first_folds : all_folds, [&](const Drawn& f) {
      Options options = f.options;
      options.threads = threads;
      options.target = target;
      return f.answers(op, options)[op];
    });
    if (file.empty()) {
      std::printf("%s %s %s\n", op.c_str(), hex(h.first).c_str(), hex(h.all).c_str());
      continue;
    }
    const auto line = expected.find(op);
    const bool known = line != expected.end();
    if (known && line->second[0] == hex(h.first) && (quick || line->second[1] == hex(h.all))) {
      continue;
    }
    std::printf(known ? "%s: %s %s, but %s has others\n" : "%s: %s %s is no line of %s\n",
                op.c_str(), hex(h.first).c_str(), hex(h.all).c_str(), file.c_str());
    ++different;
  }
  return different == 0 ? 0 : 1;
}
