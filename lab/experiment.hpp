// An experiment of the lab: a file of lab/experiment/ without an underscore in its name, which
// defines `const Experiment NAME_experiment`. experiment.list has them in the order of the course.
#pragma once

#include <map>
#include <span>

#include "lab/workbench.hpp"

namespace onefold::lab {

// As the command line has them, by name: machine, chip, n, seed, threads.
using ExperimentOptions = std::map<std::string, std::string, std::less<>>;

struct Findings {
  std::vector<Point> points{};
  std::optional<double> limit_gbps{};  // the device copy of the same run
  std::vector<std::string> remarks{};  // sentences with figures of this run
  std::string counted_on{};            // the GPU whose counters stand beside those predicted
};

// What a run prints.
struct Shown {
  std::string json, table;
  bool flawless = true;
};

struct Experiment {
  const char* name = "";
  const char* idea = "";  // one line
  const char* question = "";
  const char* prediction = "";  // from the machine's own figures
  const char* lesson = "";
  bool only_time = false;    // a simulated machine cannot answer it
  const char* options = "";  // that it takes beside machine, chip, seed and threads
  Findings (*run)(Workbench& bench, const ExperimentOptions& options) = nullptr;
  // Instead of `run`, where an experiment has a form of its own.
  Shown (*show)(const ExperimentOptions& options) = nullptr;
};

#define ONEFOLD_ENTRY(name) extern const Experiment name##_experiment;
#include "generated/experiments.list"
#undef ONEFOLD_ENTRY

std::span<const Experiment* const> experiments();

// Null if there is none of that name.
const Experiment* find_experiment(std::string_view name);

// Throws bad_option, naming what is legal, before any work; no_backend where only a GPU can answer
// and there is none.
Shown run_experiment(const Experiment& e, const ExperimentOptions& options);

// All of these; those that need a GPU are marked skipped where there is none.
Shown run_experiments(std::span<const Experiment* const> list, const ExperimentOptions& options);

// `--counters`: the points of the simulated machine, beside what ncu counts when `program` runs
// them once each on a GPU of this name and chip ("sm_90"). What cannot be done becomes a remark.
struct Counting {
  std::string ncu, program, gpu, chip;
};
Findings counted(const Experiment& e, const ExperimentOptions& options, const Counting& how);

// The values of options that every experiment has.
sim::Chip chip_of(const ExperimentOptions& options);
uint64_t seed_of(const ExperimentOptions& options);
int threads_of(const ExperimentOptions& options);

// Texts of findings.
std::string findings_json(const Experiment& e, const Workbench& bench, const Findings& f);
std::string skipped_json(const Experiment& e, const std::string& why);
std::string agreement_table(const Findings& f);
std::string findings_table(const Experiment& e, const Workbench& bench, const Findings& f);

}  // namespace onefold::lab
