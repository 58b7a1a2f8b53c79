// The experiment `reduce`: every reduction kernel of the texts, one row a rung and a twin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/counters.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {

// As the command line has them; empty: the default.
struct ReduceOptions {
  std::vector<std::string> rungs{};  // all
  std::string n{};                   // 2^16 simulated, 2^24 on a GPU
  std::string block{};               // 256
  std::string grid{};   // blocks where a rung leaves it open: 16 simulated, 16 a multiprocessor
  std::string sweep{};  // block, grid or n: more than one row a rung
  std::string type = "i32";
  std::string op = "sum";
  std::string offset = "0";  // bytes that the input is off a 256-byte border
  std::string seed = "1";
  std::string machine{};    // gpu or sim: gpu if usable
  std::string chip{};       // sm_90
  std::string schedules{};  // 2
  std::string replays{};    // 9; 0: each rung runs once and is not timed
  bool counters = false;    // of ncu, beside those predicted; n is then 2^20
  int threads = 0;
};

struct ReduceRow {
  const Entry* rung = nullptr;
  bool twin = false;
  Setting setting{};
  Outcome outcome{};
  std::vector<Compared> profile{};  // with --counters
};

struct ReduceResult {
  bool simulated = true;
  std::string chip{};
  Setting setting{};  // of the first row
  int replays = 9;
  std::optional<double> limit_gbps{};  // best plain read of the same run
  std::string sweep{};
  std::vector<std::string> notes{};  // rungs left out, and options that do not apply
  std::vector<ReduceRow> rows{};
  bool agree = true;     // all corrected rungs gave the same answer, within what floats allow
  bool flawless = true;  // all corrected rungs are right and free of flaws
};

// Throws bad_option, naming what is legal, before any work; no_backend for a GPU that is not
// usable.
ReduceResult reduce(const ReduceOptions& options);

// The rows that these options ask for, none of them run. 0 multiprocessors: the simulated machine.
ReduceResult rows_of(const ReduceOptions& options, int multiprocessors);

// What a machine cannot know is absent: times of a simulated one, counters of a GPU, the place of a
// wrong result. A flaw's lanes are threads of its block.
std::string to_json(const ReduceResult& result);
// Of lines no longer than `columns`; 0: any length.
std::string to_table(const ReduceResult& result, std::size_t columns = 0);

// Puts ncu's figures of each row's launches beside what the simulated machine predicts, by running
// `program` again under ncu. What cannot be done becomes a note.
void profile(ReduceResult& result, const ReduceOptions& options, const std::string& ncu,
             const std::string& program, std::string_view chip);
std::string profile_table(const ReduceResult& result);

// Names as the command line has them.
const char* name_of(Type type);
const char* name_of(Op op);

}  // namespace onefold::lab
