// An experiment of the lab: a file of lab/experiment/ without an underscore in its name, which
// defines `const Experiment NAME_experiment`. experiment.list has them in the order of the course.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "lab/workbench.hpp"

namespace onefold::lab {

// Options by their names on the command line: machine, chip, n, seed, threads.
using ExperimentOptions = std::map<std::string, std::string, std::less<>>;

struct Findings {
  std::vector<Point> points{};
  std::optional<double> limit_gbps{};  // the speed of a device copy in the same run
  std::vector<std::string> remarks{};  // sentences with figures of this run
  std::string counted_on{};            // the GPU whose counters are compared
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
  const char* prediction = "";  // computed from the machine's own figures
  const char* lesson = "";
  bool only_time = false;    // options besides machine, chip, seed and threads
  const char* options = "";  // that it takes beside machine, chip, seed and threads
  Findings (*run)(Workbench& bench, const ExperimentOptions& options) = nullptr;
  // Used instead of `run` by experiments whose results have another form.
  Shown (*show)(const ExperimentOptions& options) = nullptr;
};

#define ONEFOLD_ENTRY(name) extern const Experiment name##_experiment;
#include "generated/experiments.list"
#undef ONEFOLD_ENTRY

std::span<const Experiment* const> experiments();

// Null if there is none of that name.
const Experiment* find_experiment(std::string_view name);

// Throws bad_option, naming what is legal, before any work; no_backend if the experiment needs a
// GPU and there is none.
Shown run_experiment(const Experiment& e, const ExperimentOptions& options);

// Runs all of these; those that need a GPU are marked as skipped if there is none.
Shown run_experiments(std::span<const Experiment* const> list, const ExperimentOptions& options);

// `--counters`: compares the points on the simulated machine with what ncu counts when `program`
// runs each once on a GPU of this name and chip ("sm_90"). What cannot be done becomes a remark.
struct Counting {
  std::string ncu, program, gpu, chip;
};
Findings counted(const Experiment& e, const ExperimentOptions& options, const Counting& how);

// The values of the options that every experiment has.
sim::Chip chip_of(const ExperimentOptions& options);
uint64_t seed_of(const ExperimentOptions& options);
int threads_of(const ExperimentOptions& options);

// Texts of findings.
nlohmann::ordered_json words_json(const Experiment& e);
std::string findings_json(const Experiment& e, const Workbench& bench, const Findings& f);
std::string skipped_json(const Experiment& e, const std::string& why);
std::string agreement_table(const Findings& f);
std::string findings_table(const Experiment& e, const Workbench& bench, const Findings& f);

}  // namespace onefold::lab
