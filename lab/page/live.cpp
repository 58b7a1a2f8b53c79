#include "lab/page/live.hpp"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "lab/example.hpp"
#include "lab/gpu.hpp"
#include "lab/ladder.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/puzzle.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};

// Kernels with their texts; equal texts are stored once.
class Examples {
 public:
  explicit Examples(bool as_ptx) : as_ptx_(as_ptx) {}
  void rung(const Entry& e, bool twin) {
    Json by_block = Json::object();
    std::map<unsigned, std::size_t> made;
    for (const unsigned b : blocks) {
      if (block_of(e, twin, b) != b || e.kernel(Type::i32, Op::sum, b, twin) == nullptr) continue;
      // If the PTX does not depend on the block size, one PTX serves all sizes.
      const unsigned most = e.about.block_known ? b : 1024;
      if (!made.contains(most)) made[most] = number(rung_ptx(e, twin, most));
      by_block[std::to_string(b)] = made[most];
    }
    add(twin ? "As published" : "The ladder", std::string(e.name) + (twin ? "_as_published" : ""),
        e.about.title, e.about.idea, std::move(by_block), launch_facts(facts_of(e, twin)));
  }
  // Adds a kernel of a file; returns its entry in the list.
  //   a_thread  elements that each thread takes
  Json& file(const char* group, const std::string& file, const std::string& kernel,
             const std::string& source, const WrittenOptions& options, unsigned a_thread,
             const std::string& title, const std::string& idea) {
    const auto made = number(
        as_ptx_ ? ptx::compile({.file = file, .text = source, .kernel = kernel}).ptx : source);
    if (as_ptx_) sources_[file] = source;
    Json by_block = Json::object();
    const bool any = options.at("launch").find("{block}") != std::string::npos;
    for (const unsigned b : blocks) {
      if (any || b == 256) by_block[std::to_string(b)] = made;
    }
    add(group, kernel, title, idea, std::move(by_block), launch_facts(options, a_thread));
    return kernels_.back();
  }
  std::string json() const {
    return Json{{"kernels", kernels_}, {"texts", texts_}, {"sources", sources_}}.dump();
  }

 private:
  // NVRTC puts its working folder before each name.
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
  // Adds those of the lab's source files that the PTX names.
  void note_sources(const std::string& ptx) {
    for (const jit::Header& h : gpu_headers()) {
      const std::string name = h.name;
      if (name.find("lab/rung/") == name.npos) continue;
      if (ptx.find('"' + name + '"') != ptx.npos) sources_[name] = h.text;
    }
  }
  void add(const char* group, const std::string& name, const std::string& title,
           const std::string& idea, Json by_block, const std::string& facts) {
    kernels_.push_back({{"group", group},
                        {"name", name},
                        {"title", title},
                        {"idea", idea},
                        {"blocks", std::move(by_block)},
                        {"facts", facts}});
  }

  const bool as_ptx_;
  Json kernels_ = Json::array(), sources_ = Json::object();
  std::vector<std::string> texts_;
  std::map<std::string, std::size_t> numbers_;
};

// Kernels as the tutorials print them.
struct Printed {
  const char *file, *kernel;
  unsigned a_thread = 1;
  const char *shared = "", *arguments = "x, y, n";
};
constexpr Printed printed[] = {
    {"000", "reduction5", 2, ", 4096"},   {"001", "reduceNeighbored"},
    {"001", "reduceInterleaved"},         {"001", "reduceUnrollWarps8", 8},
    {"002", "reduce1", 1, ", 4096", "x"}, {"002", "reduce3", 1, ", 4096", "x"},
    {"003", "interleaved_global"},        {"004", "Reduction2_kernel", 8, ", 4096", "y, x, n"}};

// Escapes "</", which could end the element around it; only strings of JSON and scripts have it.
std::string inside_html(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != text.npos; at += 3) {
    text.insert(at + 1, "\\");
  }
  return text;
}

}  // namespace

std::string live_examples(bool as_ptx) {
  Examples all(as_ptx);
  for (const bool twin : {false, true}) {
    if (!as_ptx) break;  // a rung is a template of the lab's machine
    for (const Entry* e : reduce_ladder()) {
      if (!e->has_kernel() || (twin && !e->has_twin)) continue;
      all.rung(*e, twin);
    }
  }
  for (const Puzzle& p : puzzles()) {
    Json& k = all.file("Puzzles", p.name + ".cu", "solve", p.text, p.options, 1, p.goal, p.goal);
    const Json said = Json::parse(to_json(p));
    for (const char* of : {"most", "picture"}) k[of] = said[of];
    k["name"] = "puzzle_" + p.name;
    k["puzzle"] = p.name;
  }
  for (const Printed& t : printed) {
    const std::string file = std::string(t.file) + ".cu";
    Json& k = all.file("Printed texts", file, t.kernel, std::string(page_part(file)),
                       {{"launch", std::string(t.kernel) + "<<<{blocks}, {block}" + t.shared +
                                       ">>>(" + t.arguments + ")"},
                        {"args", "x:i32[{n}]=rand, y:i32[{blocks}], n={n}"}},
                       t.a_thread, t.kernel, "as " + file + " has it");
    k["name"] = std::string(t.file) + "_" + t.kernel;  // rungs may have equal names
  }
  return all.json();
}

std::string live_page(const std::string& module, const std::string& examples) {
  const bool served = module.empty();
  const std::map<std::string, std::string> marks{
      {"/*style*/", std::string(page_part("style.css")) + std::string(page_part("live.css"))},
      {"/*connect*/", served ? "'self'" : "data:"},
      {"/*module*/", served ? "" : inside_html(module + std::string(page_part("worker.js")))},
      {"/*examples*/", inside_html(examples)},
      {"/*script*/", std::string(page_part("live.js"))}};
  const std::string frame(page_part("live.html"));
  std::string out;
  for (std::size_t at = 0;;) {  // marks within inserted text are not replaced
    const std::size_t mark = frame.find("/*", at);
    out += frame.substr(at, mark - at);
    if (mark == frame.npos) return out;
    const std::size_t end = frame.find("*/", mark) + 2;
    out += marks.at(frame.substr(mark, end - mark));
    at = end;
  }
}

}  // namespace onefold::lab
