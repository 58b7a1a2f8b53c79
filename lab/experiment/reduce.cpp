#include "lab/experiment/reduce.hpp"

#include <algorithm>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/gpu.hpp"
#include "onefold/error.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/system/process.hpp"

namespace onefold::lab {
namespace {

using Inputs = std::map<Size, std::vector<int32_t>>;

void simulate_all(ReduceResult& result, const Inputs& inputs, int threads) {
  parallel(result.rows.size(), threads, [&](std::size_t k) {
    ReduceRow& row = result.rows[k];
    row.outcome = simulate(*row.rung, row.twin, row.setting, inputs.at(row.setting.n)).value();
  });
}

void measure(GpuMachine& gpu, ReduceRow& row, const std::vector<int32_t>& x, int replays) {
  if (!row.rung->has_kernel() && row.rung->queue == nullptr) {
    row.outcome = simulate(*row.rung, row.twin, row.setting, x).value();
    return;
  }
  const Timed timed = gpu.run(*row.rung, row.twin, row.setting, replays).value();
  row.outcome = timed.outcome;
  if (timed.ms > 0) {
    row.outcome.ms = timed.ms;
    // A single block reads only its own elements, whatever n is.
    const bool one = row.twin && row.rung->twin.grid == Grid::one;
    const Size read = one ? std::min<Size>(row.setting.n, row.outcome.block) : row.setting.n;
    row.outcome.gbps = timed.gbps * static_cast<double>(read) /
                       static_cast<double>(std::max<Size>(row.setting.n, 1));
  }
  if (!row.outcome.correct && !row.outcome.report.has(sim::FlawKind::wrong_result)) {
    row.outcome.report.flaws.push_back({.kind = sim::FlawKind::wrong_result, .times = 1});
  }
}

}  // namespace

const char* name_of(Type type) {
  constexpr const char* names[] = {"i32", "i64", "f32", "f64"};
  return names[static_cast<int>(type)];
}

const char* name_of(Op op) {
  constexpr const char* names[] = {"sum", "min", "max"};
  return names[static_cast<int>(op)];
}

ReduceResult reduce(const ReduceOptions& o) {
  if (!o.machine.empty() && o.machine != "gpu" && o.machine != "sim") {
    refuse("machine", o.machine, "choose one of gpu, sim");
  }
  const std::string why = o.machine == "sim" ? "--machine sim" : why_no_gpu();
  if (o.machine == "gpu" && !why.empty()) {
    throw Error(ErrorCode::no_backend,
                "lab reduce: no GPU can be used: " + why + "; use --machine sim");
  }
  std::optional<GpuMachine> gpu;
  if (why.empty()) gpu.emplace();
  ReduceResult result = rows_of(o, gpu ? gpu->facts().multiprocessors : 0);
  if (gpu) {
    result.chip = gpu->facts().name;
  } else if (o.machine.empty()) {
    result.notes.insert(result.notes.begin(), "simulated, because no GPU can be used: " + why);
  }
  Inputs inputs;
  for (const ReduceRow& row : result.rows) {
    if (!inputs.contains(row.setting.n)) {
      inputs[row.setting.n] = elements(row.setting.n, row.setting.seed);
    }
  }
  if (gpu) {
    if (result.replays > 0) result.limit_gbps = gpu->read_limit(Size{1} << 30, result.replays);
    std::optional<Size> taken;
    for (ReduceRow& row : result.rows) {
      if (taken != row.setting.n) gpu->take_input(inputs.at(row.setting.n), row.setting);
      taken = row.setting.n;
      measure(*gpu, row, inputs.at(row.setting.n), result.replays);
    }
    if (o.counters) profile(result, o, find_ncu(), system::own_program(), gpu->facts().chip);
  } else {
    simulate_all(result, inputs, o.threads);
    if (o.counters) {
      result.notes.emplace_back(
          "--counters: ncu measures only a GPU; for a simulated one, the table already has the "
          "counters");
    }
  }
  for (const ReduceRow& row : result.rows) {
    if (row.twin) continue;
    result.agree = result.agree && row.outcome.correct;
    result.flawless = result.flawless && row.outcome.correct && row.outcome.report.flaws.empty();
  }
  return result;
}

const Experiment reduce_experiment{
    .name = "reduce",
    .idea = "every reduction kernel of the texts, corrected and as published, step by step faster",
    .question = "Why is each reduction kernel faster than the one before it?",
    .prediction = "a sum reads each element once: no kernel can beat a plain read",
    .lesson =
        "Diverge less, read neighbours, keep many loads in flight, and synchronise seldom: then a "
        "sum is as fast as a read.",
    .show = [](const ExperimentOptions& options) {
      const ReduceResult r = reduce({.seed = given(options, "seed", "1"),
                                     .machine = given(options, "machine", ""),
                                     .chip = given(options, "chip", ""),
                                     .threads = threads_of(options)});
      return Shown{to_json(r), to_table(r), r.flawless};
    }};

}  // namespace onefold::lab
