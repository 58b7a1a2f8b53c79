// `onefold lab puzzle`: kernels that are wrong or slow, for users to mend, and their judge.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel_verdict.hpp"

namespace onefold::lab {

// Read from a file of puzzle/, whose lines `//:` have number and goal, `args` and `launch` as of
// `onefold lab run` with {n}, `wants`, and three hints; the rest is the kernel to mend.
struct Puzzle {
  std::string name, goal, text;
  std::string wants;                      // what y must contain: see `reads` in puzzle.cpp
  std::map<std::string, uint64_t> facts;  // of that, and limits of its cost
  WrittenOptions options;                 // args and launch
  std::vector<std::string> hints;         // each tells more than the one before
  std::vector<uint64_t> picture;          // n, elements of a group, threads of a block

  bool two() const { return options.at("args").starts_with("a:"); }  // inputs a and b, not x
  uint64_t fact(const char* of, uint64_t otherwise = 0) const {
    const auto at = facts.find(of);
    return at == facts.end() ? otherwise : at->second;
  }
};

std::span<const Puzzle> puzzles();
//   throws  bad_option, which names the existing puzzles
const Puzzle& find_puzzle(std::string_view name);

struct PuzzleTry {
  Size n = 0;
  std::string wrong;  // one sentence; empty: nothing is wrong
  Verdict verdict = Verdict::clean;
  std::string fix{}, printed{}, warnings{};
};
struct PuzzleVerdict {
  uint64_t seed = 0;
  std::vector<PuzzleTry> tries;
};
// Runs the kernel `solve` of a file at several lengths. Lengths and
// elements are random, from the seed.
//   text    the file's contents, if it need not be read
//   throws  as run_kernel
PuzzleVerdict check_puzzle(const Puzzle& p, const std::string& file, uint64_t seed,
                           const std::optional<std::string>& text = std::nullopt);

std::string puzzles_json();
// With its text and hints, and a picture of few elements: which of x each of y follows from.
std::string to_json(const Puzzle& p);
std::string to_json(const Puzzle& p, const PuzzleVerdict& verdict);

}  // namespace onefold::lab
