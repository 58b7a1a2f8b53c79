// Makes lab.html: puts the module, the kernels that it brings along and the page's parts together.
// Usage: make_page MODULE.js EXAMPLES.json PAGE.html
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "jit/nvrtc.hpp"
#include "lab/gpu.hpp"
#include "lab/ladder.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/puzzle.hpp"
#include "lab/rung_ptx.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr Size lengths[] = {1000, 4096, 5000, 65536};
constexpr unsigned blocks[] = {64, 128, 256, 512};

// Kernels with their PTX, each text once.
class Examples {
 public:
  void rung(const Entry& e, bool twin) {
    const auto block_of = [&](unsigned b) {
      return twin && e.twin.fixed_block != 0 ? e.twin.fixed_block : b;
    };
    Json variants = Json::array();
    std::map<unsigned, std::size_t> made;
    for (const unsigned b : blocks) {
      if (block_of(b) != b || e.kernel(Type::i32, Op::sum, b, twin) == nullptr) continue;
      // One text does for all blocks where it does not know theirs.
      const unsigned most = e.about.block_known ? b : 1024;
      if (!made.contains(most)) made[most] = number(rung_ptx(e, twin, most));
      for (const Size n : lengths) {
        const Setting s{.n = n, .block = b, .grid = 8};
        const Plan p = plan(e, twin, n, b, s.grid);
        if (p.steps.empty()) continue;  // too short for its whole blocks
        variants.push_back(
            {{"n", n}, {"block", b}, {"text", made[most]}, {"options", rung_options(p, s)}});
      }
    }
    add(twin ? "As published" : "The ladder", std::string(e.name) + (twin ? "_as_published" : ""),
        e.about.title, e.about.idea, std::move(variants));
  }
  // A kernel of a file; its place in the list comes back.
  Json& file(const char* group, const std::string& file, const std::string& kernel,
             const std::string& source, const WrittenOptions& options, const std::string& title,
             const std::string& idea) {
    const auto made = ptx::compile({.file = file, .text = source, .kernel = kernel});
    sources_[file] = source;
    add(group, kernel, title, idea,
        Json::array({{{"text", number(made.ptx)}, {"options", options}}}));
    return kernels_.back();
  }
  std::string json() const {
    return Json{{"kernels", kernels_}, {"texts", texts_}, {"sources", sources_}}.dump();
  }

 private:
  // NVRTC puts the folder that it runs in before each name.
  std::size_t number(std::string ptx) {
    const std::string here = '"' + std::filesystem::current_path().string() + '/';
    for (std::size_t at = 0; (at = ptx.find(here, at)) != ptx.npos;) {
      ptx.erase(at + 1, here.size() - 1);
    }
    const auto [at, fresh] = numbers_.try_emplace(ptx, texts_.size());
    if (fresh) {
      texts_.push_back(ptx);
      note_sources(ptx);
    }
    return at->second;
  }
  // The lab's texts among those that the PTX names.
  void note_sources(const std::string& ptx) {
    for (const jit::Header& h : gpu_headers()) {
      const std::string name = h.name;
      if (name.find("lab/rung/") == name.npos) continue;
      if (ptx.find('"' + name + '"') != ptx.npos) sources_[name] = h.text;
    }
  }
  void add(const char* group, const std::string& name, const std::string& title,
           const std::string& idea, Json variants) {
    if (variants.empty()) return;
    kernels_.push_back({{"group", group},
                        {"name", name},
                        {"title", title},
                        {"idea", idea},
                        {"variants", std::move(variants)}});
  }

  Json kernels_ = Json::array(), sources_ = Json::object();
  std::vector<std::string> texts_;
  std::map<std::string, std::size_t> numbers_;
};

// Kernels of the tutorials, as they were printed: file, kernel, what it is launched with.
struct Printed {
  const char *file, *kernel, *launch, *args;
};
constexpr Printed printed[] = {
    {"000", "reduction5", "reduction5<<<16, 256, 1024>>>(x, y, n)",
     "x:i32[8192]=rand, y:i32[16], n=8192"},
    {"001", "reduceNeighbored", "reduceNeighbored<<<32, 256>>>(x, y, n)",
     "x:i32[8192]=rand, y:i32[32], n=8192"},
    {"001", "reduceInterleaved", "reduceInterleaved<<<32, 256>>>(x, y, n)",
     "x:i32[8192]=rand, y:i32[32], n=8192"},
    {"001", "reduceUnrollWarps8", "reduceUnrollWarps8<<<4, 256>>>(x, y, n)",
     "x:i32[8192]=rand, y:i32[4], n=8192"},
    {"002", "reduce1", "reduce1<<<32, 256, 1024>>>(x)", "x:i32[8192]=rand"},
    {"002", "reduce3", "reduce3<<<32, 256, 1024>>>(x)", "x:i32[8192]=rand"},
    {"003", "interleaved_global", "interleaved_global<<<32, 256>>>(x, y, n)",
     "x:i32[8192]=rand, y:i32[32], n=8192"},
    {"004", "Reduction2_kernel", "Reduction2_kernel<<<4, 256, 1024>>>(y, x, n)",
     "x:i32[8192]=rand, y:i32[4], n=8192"},
};

std::string examples_json() {
  Examples all;
  for (const bool twin : {false, true}) {
    for (const Entry* e : reduce_ladder()) {
      // Barriers of bulk copies are not known to the machine of PTX.
      if (!e->has_kernel() || (twin && !e->has_twin) || e->name == "bulk_copy") continue;
      all.rung(*e, twin);
    }
  }
  for (const Puzzle& p : puzzles()) {
    const std::string name(p.name);
    Json& k = all.file("Puzzles", name + ".cu", "solve", text_of(p),
                       {{"launch", "solve<<<4, 256>>>(x, y, n)"},
                        {"args", "x:i32[1000]=rand, y:i32[1024]=zeros, n=1000"}},
                       name, std::string(p.goal));
    k["name"] = "puzzle_" + name;
    k["puzzle"] = name;
  }
  for (const Printed& t : printed) {
    const std::string file = std::string(t.file) + ".cu";
    Json& k =
        all.file("Printed texts", file, t.kernel, std::string(page_part(file)),
                 {{"launch", t.launch}, {"args", t.args}}, t.kernel, "as " + file + " has it");
    k["name"] = std::string(t.file) + "_" + t.kernel;  // rungs have such names too
  }
  return all.json();
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(path + " cannot be read");
  return text;
}
void write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}

// Nothing in JSON or a script but strings holds "</", which could end the element that it is in.
std::string inside_html(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3) {
    text.insert(at + 1, "\\");
  }
  return text;
}

std::string page(const std::string& module, const std::string& examples) {
  const std::string parts = ONEFOLD_SOURCE_DIR "/lab/browser/";
  const std::map<std::string, std::string> marks{
      {"/*style*/", std::string(page_part("style.css")) + read(parts + "page.css")},
      {"/*module*/", inside_html(module + read(parts + "worker.js"))},
      {"/*examples*/", inside_html(examples)},
      {"/*script*/", read(parts + "page.js")}};
  const std::string frame = read(parts + "page.html");
  std::string out;
  for (std::size_t at = 0;;) {  // what is put in is not looked at again
    const std::size_t mark = frame.find("/*", at);
    out += frame.substr(at, mark - at);
    if (mark == frame.npos) return out;
    const std::size_t end = frame.find("*/", mark) + 2;
    out += marks.at(frame.substr(mark, end - mark));
    at = end;
  }
}

}  // namespace
}  // namespace onefold::lab

int main(int count, char** words) {
  using namespace onefold::lab;
  if (count != 4)
    return fmt::print(stderr, "usage: make_page MODULE.js EXAMPLES.json PAGE.html\n"), 2;
  try {
    const std::string examples = examples_json();
    write(words[2], examples);
    write(words[3], page(read(words[1]), examples));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "make_page: {}\n", e.what());
    return 1;
  }
}
