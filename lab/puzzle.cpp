#include "lab/puzzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "lab/example.hpp"
#include "lab/kernel_flaws.hpp"
#include "lab/kernel_judge.hpp"
#include "lab/report_text.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::jit {
std::span<const Header> lab_puzzles();  // the build makes it from lab/puzzle/
}

namespace onefold::lab {
namespace {

constexpr const char* puzzle_budget = "100000000";

// Returns lengths of inputs: whole blocks, others with a partial last warp, and a short one.
std::vector<Size> lengths(const Puzzle& p, std::mt19937_64& random) {
  const auto between = [&](Size least, Size most) { return least + random() % (most - least + 1); };
  const auto uneven = [&](Size n) { return n % 32 == 0 ? n + 1 : n; };
  if (const Size most = p.fact("most")) {
    return {most / 32 * 32, uneven(between(most / 2, most - 1)), uneven(between(33, most - 1)),
            between(1, 31)};
  }
  return {256 * between(1, 4), uneven(between(257, 1022)), 2048 * between(2, 3),
          uneven(between(4500, 5900)), between(1, 31)};
}

Puzzle parsed(const jit::Header& file) {
  const std::string_view path(file.name);
  Puzzle p;
  p.options["launch"] = "solve<<<({n}+255)/256, 256>>>(x, y, n)";
  p.name = path.substr(path.rfind('/') + 1, path.size() - path.rfind('/') - 4);
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//: ")) {
      p.text += line + '\n';
      continue;
    }
    const std::string first = line.substr(4, line.find(' ', 4) - 4),
                      rest = line.substr(line.find(' ', 4) + 1);
    if (p.goal.empty()) {
      p.facts["number"] = std::stoul(first);
      p.goal = rest;
    } else if (first == "args" || first == "launch") {
      p.options[first] = rest;
    } else if (first == "wants") {
      std::istringstream words(rest);
      words >> p.wants;
      for (std::string word; words >> word;) {
        std::istringstream numbers(word.substr(word.find('=') + 1));
        const std::string name = word.substr(0, word.find('='));
        for (uint64_t v = 0; numbers >> v; numbers.get()) {
          name == "picture" ? p.picture.push_back(v) : void(p.facts[name] = v);
        }
      }
    } else {
      p.hints.push_back(line.substr(4));
    }
  }
  const std::string size = p.wants == "sums" ? "({n}+255)/256" : "{n}";
  // Behind the kernel, so that lines keep their numbers.
  std::string launch = p.options["launch"];
  for (std::size_t at = 0; (at = launch.find("{n}")) != launch.npos;) launch.replace(at, 3, "n");
  p.text += "// Launched as " + launch + ".\n";
  p.options.try_emplace("args", "x:i32[{n}]=rand, y:i32[" + size + "], n={n}");
  return p;
}

// Returns the elements of x from which y[k] follows.
//   n   as the kernel is given it
//   of  elements of a group; 0: all are one
std::vector<Size> reads(const std::string& wants, Size k, Size n, Size of) {
  const auto range = [&](Size from, Size to) {
    std::vector<Size> all;
    for (; from < std::min(to, n); ++from) all.push_back(from);
    return all;
  };
  if (wants == "turned") return {k % n * n + k / n};
  if (wants == "softmax") {
    std::vector<Size> row = range(0, n);
    for (Size& j : row) j += k / n * n;
    return row;
  }
  if (wants == "sums") return range(k * of, of == 0 ? n : (k + 1) * of);
  const Size first = of == 0 ? k : k / of * of;
  if (wants == "prefix") return range(first, k + 1);
  if (wants == "window") return range(k == first ? k : k - 1, std::min(k + 2, first + of));
  if (wants == "neighbour") {
    const Size next = k + 1 == first + of ? first : k + 1;
    return next < n ? std::vector<Size>{k, next} : std::vector<Size>{k};
  }
  return {k};
}
Size wanted_size(const std::string& wants, Size n, Size of, Size x) {
  return wants != "sums" ? x : of == 0 ? 1 : (n + of - 1) / of;
}

// Returns a term of what y must contain: element j of the inputs, all but the last array.
double term(const Puzzle& p, const std::vector<KernelArgument>& a, Size j) {
  double v = element_value(a[0], j);
  if (p.two()) {
    const double w = element_value(a[1], j);
    v = p.fact("times") != 0 ? v * w : v + w;
  }
  return v;
}

double wanted(const Puzzle& p, const std::vector<KernelArgument>& a, Size k, Size n) {
  const std::vector<Size> from = reads(p.wants, k, n, p.fact("of"));
  double v = static_cast<double>(p.fact("add")), most = 0;
  const bool softmax = p.wants == "softmax";
  if (softmax) {
    for (const Size j : from) most = std::max(most, term(p, a, j));
  }
  for (const Size j : from) v += softmax ? std::exp(term(p, a, j) - most) : term(p, a, j);
  return softmax ? std::exp(term(p, a, k) - most) / v : v;
}

// Checks the cost of a solution. A thread's number of instructions depends on the compiler; a
// thread that adds a block's elements alone takes more than twice those of a tree.
//   x, y  elements of an input, and of what is wanted
std::string cost_of(const Puzzle& p, const KernelResult& r, Size n, Size x, Size y) {
  const sim::Counters& c = r.report.counters;
  const KernelLaunch& l = r.launches[0];
  const Size grid = dim(l.grid).count(), threads = grid * dim(l.block).count();
  const auto above = [](uint64_t count, uint64_t most, const std::string& what) {
    return count <= most ? std::string()
                         : fmt::format("{} {}, but at most {} are allowed", count, what, most);
  };
  const auto a_block = [&](uint64_t count, const char* limit, const char* what) {
    const uint64_t most = p.fact(limit);
    const std::string s = most == 0 ? "" : above(count, most * grid, what);
    return s.empty() ? s : fmt::format("{}, {} for each block", s, most);
  };
  // Lanes that leave a loop at its end load separately, and compilers unroll differently.
  const auto sectors = [&](const sim::Traffic& t, Size elements, const char* what) {
    const Size filled = (elements + 7) / 8;
    return !p.facts.contains("sectors")
               ? ""
               : above(t.count, filled * p.fact("sectors") / 100 + 8 * grid,
                       fmt::format("sectors are {} where the elements fill {}", what, filled));
  };
  // Trees and shuffles have 1.2 to 1.6 times the average, a lane that adds its warp's elements
  // alone has at least 2.9. Threads without an element may return at once, so this is checked only
  // for whole blocks.
  // `last`: the last block adds the results of the others.
  const uint64_t few = p.fact("last") * (grid + 2);
  if (p.fact("balanced") != 0 && n % 256 == 0 && r.longest > few &&
      (r.longest - few) * threads > 2 * r.steps) {
    return fmt::format(
        "one thread executes {} instructions, but the average is {}; at most twice the average is "
        "allowed",
        r.longest, r.steps / threads);
  }
  const Size inputs = p.two() ? 2 : 1, warps = inputs * ((x + 31) / 32);
  for (const std::string& s :
       {a_block(c.barrier_rounds, "barriers", "barriers"),
        a_block(c.shared_load.count + c.shared_store.count, "wavefronts",
                "wavefronts of shared memory, because of bank conflicts"),
        a_block(c.divergent_branches, "divergent", "divergent branches"),
        a_block(c.atomics, "atomics", "atomics (those of a warp count as one)"),
        sectors(c.global_load, inputs * x, "loaded"), sectors(c.global_store, y, "stored"),
        above(c.global_load.requests, p.fact("loads", 2) * warps + 16 * grid,
              fmt::format("loads by warps, where {} would do", warps)),
        above(r.longest, p.fact("steps", 300) + 8 * grid,
              "instructions by one thread (threads should share the work)")}) {
    if (!s.empty()) return s;
  }
  return "";
}

std::string why_wrong(const KernelResult& r) {
  if (verdict_of(r) != Verdict::budget || r.report.flaws[0].at.line == 0 ||
      r.report.flaws[0].threads.empty())
    return why(r);
  const sim::Flaw& f = r.report.flaws[0];
  return fmt::format(
      "no_progress: the budget of {} steps is used up: thread {} of block {} is in the loop at {}, "
      "which does not end or takes too many steps",
      puzzle_budget, f.threads[0], f.block, place_of(f.at));
}

PuzzleTry try_of(const Puzzle& p, const std::string& file, const std::optional<std::string>& text,
                 Size n, uint64_t seed, bool as_written = false) {
  WrittenOptions written = example_options(launch_facts(p.options, 1), n, 256);
  written["seed"] = std::to_string(seed);
  written["budget"] = puzzle_budget;
  KernelOptions o = kernel_options(file, written);
  o.text = text;
  o.as_written = as_written;
  if (p.wants == "softmax") {  // a row whose largest element is far below that of others
    const std::span x(reinterpret_cast<float*>(o.arguments[0].data.data()), o.arguments[0].n);
    for (float& v : x.subspan(n, n)) v /= 4;
  }
  const KernelResult r = run_kernel(o);
  if (!r.clean()) {
    const bool no_flaws = !r.failure.empty() || r.report.flaws.empty();
    const std::string fix = no_flaws ? fix_of_failure(r.failure) : fix_of(r.report.flaws[0]);
    return {n, why_wrong(r), verdict_of(r), fix, r.printed, r.warnings};
  }
  if (!r.suppressed.empty()) {
    return {n, r.suppressed[0].text + "; suppressions are not allowed in a puzzle", Verdict::flaw};
  }
  const KernelArgument& y = *std::find_if(r.arguments.begin(), r.arguments.end(),
                                          [](const KernelArgument& a) { return a.name == "y"; });
  const Size x = o.arguments[0].n, size = wanted_size(p.wants, n, p.fact("of"), x);
  for (Size k = 0; k < size; ++k) {
    const double found = element_value(y, k);
    double want = wanted(p, o.arguments, k, n);
    if (y.dtype == DType::f32) want = double{static_cast<float>(want)};
    if (std::fabs(found - want) <= (is_floating(y.dtype) ? 1e-5 * want + 1e-30 : 0)) continue;
    const auto each = y.data.begin() + static_cast<std::ptrdiff_t>(k * bytes_of(y.dtype));
    const bool unwritten =
        y.unwritten != 0 && std::all_of(each, each + static_cast<std::ptrdiff_t>(bytes_of(y.dtype)),
                                        [](std::byte b) { return b == std::byte{0x5a}; });
    return {n,
            fmt::format("y[{}] is {} and should be {:.{}g}", k,
                        unwritten ? "never written" : element_text(y, k), want,
                        is_floating(y.dtype) ? 6 : 15),
            Verdict::expectation,
            {},
            r.printed,
            r.warnings};
  }
  const std::string cost = cost_of(p, r, n, x, size);
  return {n, cost, cost.empty() ? Verdict::clean : Verdict::expectation};
}

}  // namespace

std::span<const Puzzle> puzzles() {
  static const std::vector<Puzzle> all = [] {
    std::vector<Puzzle> read;
    for (const jit::Header& file : jit::lab_puzzles()) read.push_back(parsed(file));
    std::sort(read.begin(), read.end(),
              [](const Puzzle& a, const Puzzle& b) { return a.fact("number") < b.fact("number"); });
    return read;
  }();
  return all;
}

const Puzzle& find_puzzle(std::string_view name) {
  std::string there;
  for (const Puzzle& p : puzzles()) {
    if (p.name == name) return p;
    there += (there.empty() ? "" : ", ") + p.name;
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("lab puzzle: no puzzle is called \"{}\"; choose one of {}", name, there));
}

PuzzleVerdict check_puzzle(const Puzzle& p, const std::string& file, uint64_t seed,
                           const std::optional<std::string>& text) {
  PuzzleVerdict verdict{.seed = seed, .tries = {}};
  std::mt19937_64 random(seed);
  for (const Size n : lengths(p, random)) {
    const uint64_t elements = random() >> 32;
    PuzzleTry t = try_of(p, file, text, n, elements);
    // An optimiser moves or removes accesses that are wrong.
    if (t.verdict == Verdict::clean || t.verdict == Verdict::expectation) {
      PuzzleTry as_written = try_of(p, file, text, n, elements, true);
      if (as_written.verdict == Verdict::flaw) t = std::move(as_written);
    }
    verdict.tries.push_back(std::move(t));
    if (verdict.tries.back().verdict == Verdict::budget) break;  // the others would take as long
  }
  return verdict;
}

using Json = nlohmann::ordered_json;

std::string puzzles_json() {
  Json all = Json::array();
  for (const Puzzle& p : puzzles()) all.push_back({{"name", p.name}, {"goal", p.goal}});
  return text_of(all);
}

std::string to_json(const Puzzle& p) {
  const Size n = p.picture.at(0), of = p.picture.at(1), block = p.picture.at(2);
  const Size x = p.wants == "turned" ? n * n : p.wants == "softmax" ? 2 * n : n;
  const Size y = wanted_size(p.wants, n, of, x), a_block = std::max(of, block);
  Json picture{{"inputs", p.two() ? Json{"a", "b"} : Json{"x"}},
               {"x", x},
               {"y", y},
               {"block", block},
               {"threads", (x + a_block - 1) / a_block * block}};
  for (Size k = 0; k < y; ++k) picture["reads"].push_back(reads(p.wants, k, n, of));
  return text_of(Json{{"name", p.name},
                      {"goal", p.goal},
                      {"text", p.text},
                      {"hints", p.hints},
                      {"most", p.fact("most", Size{1} << 22)},
                      {"picture", std::move(picture)}});
}

std::string to_json(const Puzzle& p, const PuzzleVerdict& verdict) {
  Json j{{"name", p.name}, {"seed", verdict.seed}, {"solved", true}, {"tries", Json::array()}};
  for (const PuzzleTry& t : verdict.tries) {
    j["tries"].push_back({{"n", t.n}, {"wrong", t.wrong}, {"warnings", t.warnings}});
    if (!t.wrong.empty()) j["solved"] = false;
  }
  return text_of(j);
}

}  // namespace onefold::lab
