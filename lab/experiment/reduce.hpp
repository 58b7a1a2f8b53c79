// The experiment `reduce`: all reduction kernels of the tutorials; a row for each rung and twin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/counters.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {

// Options as on the command line; empty: the default, given at the right.
struct ReduceOptions {
  std::vector<std::string> rungs{};  // all
  std::string n{};                   // 2^16 simulated, 2^24 on a GPU
  std::string block{};               // 256
  std::string grid{};   // blocks if a rung leaves them open: 16 simulated, 16 a multiprocessor
  std::string sweep{};  // block, grid or n: gives a rung more than one row
  std::string type = "i32";
  std::string op = "sum";
  std::string offset = "0";  // bytes from a multiple of 256 to the input
  std::string seed = "1";
  std::string machine{};    // gpu or sim; by default gpu, if there is a usable one
  std::string chip{};       // sm_90
  std::string schedules{};  // 2
  std::string replays{};    // 9; 0: each rung runs once and is not timed
  bool counters = false;    // compare with ncu's counters; n is then 2^20
  int threads = 0;
};

struct ReduceRow {
  const Entry* rung = nullptr;
  bool twin = false;
  Setting setting{};
  Outcome outcome{};
  std::vector<Compared> profile{};  // filled by --counters
};

struct ReduceResult {
  bool simulated = true;
  std::string chip{};
  Setting setting{};  // the first row's setting
  int replays = 9;
  std::optional<double> limit_gbps{};  // the best plain read in the same run
  std::string sweep{};
  std::vector<std::string> notes{};  // rungs that are left out, and options that do not apply
  std::vector<ReduceRow> rows{};
  bool agree = true;     // all corrected rungs gave the same answer, up to rounding of floats
  bool flawless = true;  // all corrected rungs are right and free of flaws
};

// Throws bad_option, naming what is legal, before any work; no_backend if a GPU was asked for and
// none is usable.
ReduceResult reduce(const ReduceOptions& options);

// Returns the rows that these options select, without running them. 0 multiprocessors: simulated.
ReduceResult rows_of(const ReduceOptions& options, int multiprocessors);

// Facts that a machine cannot know are left out: times on the simulated one, counters on a GPU, the
// index of a wrong result. A flaw's lanes are threads of its block.
std::string to_json(const ReduceResult& result);
// Makes a table whose lines have at most `columns` characters; 0: any length.
std::string to_table(const ReduceResult& result, std::size_t columns = 0);

// Runs `program` again under ncu, and compares each row's counters with the predictions. What
// cannot be done becomes a note.
void profile(ReduceResult& result, const ReduceOptions& options, const std::string& ncu,
             const std::string& program, std::string_view chip);
std::string profile_table(const ReduceResult& result);

// Returns "at n = 1000: wrong_result", for the first awkward length and block at which a published
// kernel shows its flaw. Empty if the row already has flaws, or is no published kernel.
std::string flaws_elsewhere(const ReduceRow& row);

// Names as on the command line.
const char* name_of(Type type);
const char* name_of(Op op);

}  // namespace onefold::lab
