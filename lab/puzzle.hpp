// `onefold lab puzzle`: kernels that are wrong or slow, for users to mend, and their judge.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel_verdict.hpp"

namespace onefold::lab {

// What y must contain: one value, or one for each element, warp or block.
enum class PuzzleAnswer { plus_one, with_neighbour, sum_of_block, sum_of_warp, sum };

struct Puzzle {
  std::string_view name, goal;
  PuzzleAnswer answer{};
  unsigned a_block = 256;  // elements
  unsigned extra = 0;      // elements of y besides one for each block
  // The most that a block may have; 0: any number.
  uint64_t barriers = 0, wavefronts = 0, divergent = 0, atomics = 0;
  bool sectors_once = false;
  bool zeros = false;         // y[0] is 0 at the start; otherwise it is unwritten
  uint64_t steps = 300;       // of a thread, and a few a block: one thread cannot do all
  bool balanced = false;      // the busiest thread does at most twice the average
  const char* hints[3] = {};  // each tells more than the one before
};

std::span<const Puzzle> puzzles();
//   throws  bad_option, which names the existing puzzles
const Puzzle& find_puzzle(std::string_view name);
// The kernel to mend.
std::string text_of(const Puzzle& p);

struct PuzzleTry {
  Size n = 0;
  std::string wrong;  // one sentence; empty: nothing is wrong
  Verdict verdict = Verdict::clean;
};
struct PuzzleVerdict {
  uint64_t seed = 0;
  std::vector<PuzzleTry> tries;
};
// Runs the kernel `solve` of a file in blocks of 256 threads, at several lengths. Lengths and
// elements are random, from the seed.
//   text    the file's contents, if it need not be read
//   throws  as run_kernel
PuzzleVerdict check_puzzle(const Puzzle& p, const std::string& file, uint64_t seed,
                           const std::optional<std::string>& text = std::nullopt);

std::string puzzles_json();
std::string to_json(const Puzzle& p);  // with its text and hints
std::string to_json(const Puzzle& p, const PuzzleVerdict& verdict);

}  // namespace onefold::lab
