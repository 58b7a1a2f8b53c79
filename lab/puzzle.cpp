#include "lab/puzzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "lab/simulate.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::jit {
std::span<const Header> lab_puzzles();  // the build makes it from lab/puzzle/
}

namespace onefold::lab {
namespace {

constexpr unsigned block = 256;

// Returns lengths of inputs: whole blocks, others with a partial last warp, and a short one.
std::vector<Size> lengths(std::mt19937_64& random) {
  const auto between = [&](Size least, Size most) { return least + random() % (most - least + 1); };
  const auto uneven = [&](Size n) { return n % 32 == 0 ? n + 1 : n; };
  return {block * between(1, 4), uneven(between(block + 1, 4 * block - 2)), 2048 * between(2, 3),
          uneven(between(4500, 5900)), between(1, 31)};
}

constexpr Puzzle all[] = {
    {.name = "bounds",
     .goal = "any n: threads without an element",
     .answer = PuzzleAnswer::plus_one,
     .hints = {"Run it: onefold lab run FILE names the first element that is outside.",
               "A thread whose i is not below n has nothing to do.", "if (i < n) ..."}},
    {.name = "barrier",
     .goal = "find the missing barrier",
     .answer = PuzzleAnswer::with_neighbour,
     .sectors_once = true,
     .hints =
         {"Thread 31 reads what thread 32 of another warp writes.",
          "Between a write of one thread and its read by another of the block stands a barrier.",
          "__syncthreads() after s[t] = ..."}},
    {.name = "tail",
     .goal = "a sum of any length",
     .answer = PuzzleAnswer::sum_of_block,
     .hints = {"At n = 1000 the last block has 232 elements; what do its other threads leave in s?",
               "A thread that has left reaches no barrier, and wrote nothing.",
               "s[t] = i < n ? x[i] : 0, and no early return."}},
    {.name = "lockstep",
     .goal = "lanes of a warp that read one another's values",
     .answer = PuzzleAnswer::sum_of_warp,
     .a_block = 32,
     .balanced = true,
     .hints = {"volatile keeps the accesses; it puts none of them before another lane's.",
               "__syncwarp() is the barrier of a warp.",
               "One before each level, and not in an if that only some lanes enter."}},
    {.name = "coalesce",
     .goal = "load each sector once",
     .answer = PuzzleAnswer::sum_of_block,
     .a_block = 2048,
     .sectors_once = true,
     .hints = {"A warp's 32 loads of 4 bytes fill 4 sectors of 32 bytes if they are neighbours.",
               "At one k, what stands between the elements of thread 0 and thread 1?",
               "Element k * 256 + t rather than t * 8 + k."}},
    {.name = "banks",
     .goal = "a tree without bank conflicts",
     .answer = PuzzleAnswer::sum_of_block,
     .wavefronts = 70,
     .atomics = 1,
     .hints = {"Bank = word mod 32. At h = 16 the lanes of a warp touch words 0, 32, 64, ...",
               "Neighbouring threads should touch neighbouring words.",
               "h = 128, 64, ... and s[t] += s[t + h] for t < h."}},
    {.name = "divergence",
     .goal = "warps that work as a whole or not at all",
     .answer = PuzzleAnswer::sum_of_block,
     .divergent = 7,
     .atomics = 1,
     .hints = {"t % (2 * h) == 0 is true of some lanes of every warp.",
               "t < h is true of whole warps, but for the last five levels.",
               "h = 128, 64, ... and s[t] += s[t + h] for t < h."}},
    {.name = "atomic",
     .goal = "one launch, one atomic a block",
     .answer = PuzzleAnswer::sum,
     .atomics = 1,
     .zeros = true,
     .balanced = true,
     .hints = {"Two blocks read y[0], both add, both write: one sum is lost.",
               "What reads, adds and writes in one step?", "atomicAdd(&y[0], s[0])"}},
    {.name = "ticket",
     .goal = "let the last block see what the others wrote",
     .answer = PuzzleAnswer::sum,
     .extra = 1,
     .balanced = true,
     .hints = {"An atomic orders nothing beside itself: the ticket may be seen before the sum.",
               "What is written before __threadfence() is seen by who sees what comes after it.",
               "A fence before the ticket is drawn, and one after: to release, and to acquire."}},
    {.name = "shuffle",
     .goal = "beat the tree: at most 2 barriers and 20 wavefronts a block",
     .answer = PuzzleAnswer::sum_of_block,
     .barriers = 2,
     .wavefronts = 20,
     .atomics = 1,
     .hints =
         {"Lanes of a warp can hand values over without shared memory.",
          "__shfl_down_sync(~0u, v, h) is the v of the lane h further on.",
          "A warp adds by 5 shuffles, leaves its sum in s, and after one barrier the first warp "
          "adds those 8."}},
};

std::vector<int64_t> wanted(const Puzzle& p, const std::vector<int32_t>& x) {
  std::vector<int64_t> y;
  const Size n = x.size();
  for (Size i = 0; i < n; ++i) {
    const Size next = i % block == block - 1 ? i + 1 - block : i + 1;
    switch (p.answer) {
      case PuzzleAnswer::plus_one:
        y.push_back(int64_t{x[i]} + 1);
        break;
      case PuzzleAnswer::with_neighbour:
        y.push_back(int64_t{x[i]} + (next < n ? x[next] : 0));
        break;
      case PuzzleAnswer::sum_of_block:
      case PuzzleAnswer::sum_of_warp:
        if (i % p.a_block == 0) y.push_back(0);
        y.back() += x[i];
        break;
      case PuzzleAnswer::sum:
        if (i == 0) y.push_back(0);
        y[0] += x[i];
    }
  }
  return y;
}

// Checks the cost of a solution. A thread's number of instructions depends on the compiler; a
// thread that adds a block's elements alone takes more than twice those of a tree.
std::string cost_of(const Puzzle& p, const KernelResult& r, Size n, Size grid) {
  const sim::Counters& c = r.report.counters;
  const auto above = [](uint64_t count, uint64_t most, const std::string& what) {
    return count <= most ? std::string() : fmt::format("{} {}; at most {}", count, what, most);
  };
  const auto a_block = [&](uint64_t count, uint64_t most, const char* what) {
    const std::string s = most == 0 ? "" : above(count, most * grid, what);
    return s.empty() ? s : fmt::format("{}, {} a block", s, most);
  };
  // Trees and shuffles have 1.2 to 1.6 times the average, a lane that adds its warp's elements
  // alone has at least 2.9. Threads without an element may return at once, so this is checked only
  // for whole blocks.
  const uint64_t threads = grid * block;
  // Used where the last block adds the results of the others.
  const uint64_t few = 8 * p.extra * (grid + 2);
  if (p.balanced && n % block == 0 && r.longest > few &&
      (r.longest - few) * threads > 2 * r.steps) {
    return fmt::format("{} instructions of one thread where the average is {}; at most twice that",
                       r.longest, r.steps / threads);
  }
  // Lanes that leave a loop at its end load separately, and compilers unroll differently.
  const Size filled = (n + 7) / 8, warps = (n + 31) / 32;
  for (const std::string& s :
       {a_block(c.barrier_rounds, p.barriers, "barriers"),
        a_block(c.shared_load.count + c.shared_store.count, p.wavefronts, "wavefronts"),
        a_block(c.divergent_branches, p.divergent, "divergent branches"),
        a_block(c.atomics, p.atomics, "atomics"),
        p.sectors_once ? above(c.global_load.count, filled + filled / 4 + 8 * grid,
                               fmt::format("sectors are loaded where the elements fill {}", filled))
                       : "",
        above(c.global_load.requests, 2 * warps + 16 * grid,
              fmt::format("loads by warps, of elements of {} warps", warps)),
        above(r.longest, p.steps + 8 * grid, "instructions of one thread")}) {
    if (!s.empty()) return s;
  }
  return "";
}

PuzzleTry try_of(const Puzzle& p, const std::string& file, const std::optional<std::string>& text,
                 Size n, uint64_t seed) {
  const auto x = elements(n, seed);
  const Size per = p.answer == PuzzleAnswer::sum_of_warp ? block : p.a_block;
  const Size grid = (n + per - 1) / per;
  const auto y = wanted(p, x);
  // y has no spare room, except for lanes of the last block that have no element.
  const Size room = p.answer == PuzzleAnswer::sum           ? 1 + p.extra * grid
                    : p.answer == PuzzleAnswer::sum_of_warp ? grid * block / 32
                                                            : y.size();
  KernelOptions o;
  o.file = file;
  o.text = text;
  o.arguments = kernel_arguments(
      fmt::format("x:i32[{}]=rand, y:i32[{}]{}, n={}", n, room, p.zeros ? "=zeros" : "", n), seed);
  o.launches = {{.kernel = "solve",
                 .grid = {static_cast<unsigned>(grid), 1, 1},
                 .block = {block, 1, 1},
                 .arguments = {}}};
  o.budget = 100'000'000;
  const KernelResult r = run_kernel(o);
  if (!r.clean()) return {n, why(r), verdict_of(r)};
  if (!r.suppressed.empty()) {
    return {n, r.suppressed[0].text + "; nothing is allowed here", Verdict::flaw};
  }
  for (Size k = 0; k < y.size(); ++k) {
    int32_t found = 0;
    std::memcpy(&found, r.arguments[1].data.data() + k * sizeof found, sizeof found);
    if (found != y[k]) {
      return {n, fmt::format("y[{}] is {}, not {}", k, found, y[k]), Verdict::expectation};
    }
  }
  const std::string cost = cost_of(p, r, n, grid);
  return {n, cost, cost.empty() ? Verdict::clean : Verdict::expectation};
}

}  // namespace

std::span<const Puzzle> puzzles() { return all; }

const Puzzle& find_puzzle(std::string_view name) {
  std::string there;
  for (const Puzzle& p : all) {
    if (p.name == name) return p;
    there += (there.empty() ? "" : ", ") + std::string(p.name);
  }
  throw Error(ErrorCode::bad_option,
              fmt::format("lab puzzle: \"{}\" is not there; choose one of {}", name, there));
}

std::string text_of(const Puzzle& p) {
  for (const jit::Header& h : jit::lab_puzzles()) {
    if (std::string_view(h.name).ends_with("/" + std::string(p.name) + ".cu")) return h.text;
  }
  return "";
}

PuzzleVerdict check_puzzle(const Puzzle& p, const std::string& file, uint64_t seed,
                           const std::optional<std::string>& text) {
  PuzzleVerdict verdict{.seed = seed, .tries = {}};
  std::mt19937_64 random(seed);
  for (const Size n : lengths(random)) {
    verdict.tries.push_back(try_of(p, file, text, n, random() >> 32));
  }
  return verdict;
}

namespace {
using Json = nlohmann::ordered_json;
std::string text_of(const Json& j) {
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
}  // namespace

std::string puzzles_json() {
  Json all = Json::array();
  for (const Puzzle& p : puzzles()) all.push_back({{"name", p.name}, {"goal", p.goal}});
  return text_of(all);
}

std::string to_json(const Puzzle& p) {
  return text_of(
      Json{{"name", p.name}, {"goal", p.goal}, {"text", text_of(p)}, {"hints", p.hints}});
}

std::string to_json(const Puzzle& p, const PuzzleVerdict& verdict) {
  Json j{{"name", p.name}, {"seed", verdict.seed}, {"solved", true}, {"tries", Json::array()}};
  for (const PuzzleTry& t : verdict.tries) {
    j["tries"].push_back({{"n", t.n}, {"wrong", t.wrong}});
    if (!t.wrong.empty()) j["solved"] = false;
  }
  return text_of(j);
}

}  // namespace onefold::lab
