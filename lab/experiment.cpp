#include "lab/experiment.hpp"

#include <algorithm>

#include "lab/experiment/option.hpp"
#include "lab/gpu.hpp"
#include "onefold/error.hpp"
#include "onefold/system/process.hpp"

namespace onefold::lab {

namespace {

#define ONEFOLD_ENTRY(name) &name##_experiment,
constexpr const Experiment* entries[] = {
#include "generated/experiments.list"
};
#undef ONEFOLD_ENTRY

// Returns why `e` cannot run with these options; empty if it can.
std::string why_not(const Experiment& e, const ExperimentOptions& options) {
  const std::string machine = given(options, "machine", "");
  if (!machine.empty() && machine != "gpu" && machine != "sim") {
    refuse("machine", machine, "choose one of gpu, sim");
  }
  if (machine == "sim") {
    return e.only_time ? "it measures times, which a simulated machine does not have" : "";
  }
  const std::string why = why_no_gpu();
  if (why.empty() || (machine.empty() && !e.only_time)) return "";
  return (e.only_time ? "it measures times, but no GPU can be used: " : "no GPU can be used: ") +
         why + (e.only_time ? "" : "; use --machine sim");
}

void check_names(const Experiment& e, const ExperimentOptions& options) {
  const std::string all = std::string("machine chip seed threads ") + e.options;
  const std::string legal = ' ' + all + ' ';
  for (const auto& [name, value] : options) {
    if (legal.find(' ' + name + ' ') != legal.npos) continue;
    std::string sentence = "lab " + std::string(e.name) + " takes";
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find(' ', at), all.size());
      if (end > at) sentence += " --" + all.substr(at, end - at);
      at = end + 1;
    }
    refuse("option", "--" + name, sentence);
  }
}

}  // namespace

std::span<const Experiment* const> experiments() { return entries; }

const Experiment* find_experiment(std::string_view name) {
  for (const Experiment* e : experiments()) {
    if (e->name == name) return e;
  }
  return nullptr;
}

sim::Chip chip_of(const ExperimentOptions& options) {
  const std::string name = given(options, "chip", "sm_90");
  if (const sim::Chip* const chip = sim::find_chip(name)) return *chip;
  refuse("chip", name, "choose one of cc10, cc12, cc20, sm_90");
}

uint64_t seed_of(const ExperimentOptions& options) {
  return number("seed", given(options, "seed", "1"), 0, ~uint64_t{0} >> 1);
}

Shown run_experiment(const Experiment& e, const ExperimentOptions& options) {
  check_names(e, options);
  const std::string replays = given(options, "replays", "");
  if (e.run != nullptr && !replays.empty() && replays != "0") {
    refuse("replays", replays,
           "write 0, which runs each kernel once, at the sizes of the simulated machine");
  }
  if (const std::string why = why_not(e, options); !why.empty()) {
    throw Error(ErrorCode::no_backend, "lab " + std::string(e.name) + ": " + why);
  }
  if (e.show != nullptr) return e.show(options);
  const bool gpu = given(options, "machine", "") != "sim" && why_no_gpu().empty();
  const bool counters = options.contains("counters");
  const int threads = threads_of(options);
  const auto bench = !gpu || counters   ? simulated_workbench(chip_of(options), threads)
                     : !replays.empty() ? bare_workbench(threads)
                                        : gpu_workbench(threads);
  Findings found;
  if (gpu && counters) {
    const jit::DeviceFacts facts = GpuMachine().facts();
    found = counted(e, options,
                    {.ncu = find_ncu(),
                     .program = system::own_program(),
                     .gpu = facts.name,
                     .chip = facts.chip});
  } else {
    found = e.run(*bench, options);
    if (counters)
      found.remarks.emplace_back(
          "--counters: left out, because ncu measures only a GPU and this run is simulated; add "
          "--machine gpu");
  }
  Shown shown{findings_json(e, *bench, found), findings_table(e, *bench, found)};
  for (const Point& p : found.points) shown.flawless = shown.flawless && p.correct;
  return shown;
}

int threads_of(const ExperimentOptions& options) {
  return static_cast<int>(number("threads", given(options, "threads", "0"), 0, 65536));
}

Shown run_experiments(std::span<const Experiment* const> list, const ExperimentOptions& options) {
  Shown all{.json = "{\"experiments\": [\n", .table = ""};
  const char* between = "";
  for (const Experiment* e : list) {
    Shown one;
    if (const std::string why = why_not(*e, options); why.empty()) {
      one = run_experiment(*e, options);
    } else {
      one.json = skipped_json(*e, why);
      one.table = std::string(e->name) + ": skipped: " + why + "\n";
    }
    all.json += between + one.json;
    all.table += (*between == '\0' ? "" : "\n") + one.table;
    all.flawless = all.flawless && one.flawless;
    between = ",\n";
  }
  all.json += "]}\n";
  return all;
}

}  // namespace onefold::lab
