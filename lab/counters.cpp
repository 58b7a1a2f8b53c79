#include "lab/counters.hpp"

#include <algorithm>
#include <cmath>

namespace onefold::lab {
namespace {

using sim::Counters;

double percent(const sim::Traffic& t) { return 100 * each_of(t.bytes, t.moved); }
double each(const sim::Traffic& t) { return each_of(t.count, t.requests); }
sim::Traffic both(sim::Traffic a, const sim::Traffic& b) { return a += b; }

constexpr const char* sectors_loaded = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* sectors_stored = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* loads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* wavefronts_loaded = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* wavefronts_stored = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
constexpr const char* shared_loads = "smsp__inst_executed_op_shared_ld.sum";
constexpr const char* shared_stores = "smsp__inst_executed_op_shared_st.sum";
constexpr const char* dram_read = "dram__bytes_read.sum.per_second";
// The counter's name on Blackwell.
constexpr const char* dram_read_later = "dram__bytes_op_read.sum.per_second";
constexpr const char* duration = "gpu__time_duration.sum";

// That table also has the evidence for these: inst_integer and inst_control come on top of the
// source's loads and stores; wavefronts agree even if instructions do not.
constexpr const char* machine_instructions =
    "counted as machine instructions, which the source text does not show";
constexpr const char* memory_instructions =
    "the compiler loads arguments from constant memory, and keeps other values in registers";
constexpr const char* machine_branches =
    "counted as machine branches: the compiler predicates short conditions, and loops and early "
    "returns jump";
constexpr const char* predicated_off =
    "instructions whose lanes are all predicated off are counted too, but move no data";
constexpr const char* held_in_registers = "the compiler may keep the value in a register";

constexpr Metric all_metrics[] = {
    {.nvprof = "inst_per_warp",
     .ncu = "smsp__average_inst_executed_per_warp.ratio",
     .weight = "smsp__warps_launched.sum",
     .predict = [](const Counters& c) { return c.instructions_per_warp(); },
     .cause = machine_instructions},
    {.nvprof = "warp_execution_efficiency",
     .ncu = "smsp__thread_inst_executed_per_inst_executed.ratio",
     .weight = "smsp__inst_executed.sum",
     .predict = [](const Counters& c) { return c.active_lanes(); },
     .cause = machine_instructions},
    {.nvprof = "branch_efficiency",
     .ncu = "smsp__sass_average_branch_targets_threads_uniform.pct",
     .weight = "smsp__sass_branch_targets.sum",
     .predict =
         [](const Counters& c) { return 100 - 100 * each_of(c.divergent_branches, c.branches); },
     .cause = machine_branches},
    {.nvprof = "inst_compute_ld_st",
     .ncu = "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
     .predict = [](const Counters& c) { return double(c.accesses); },
     .cause = memory_instructions},
    {.nvprof = "inst_integer", .ncu = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"},
    {.nvprof = "inst_control", .ncu = "smsp__sass_thread_inst_executed_op_control_pred_on.sum"},
    {.nvprof = "gld_efficiency",
     .ncu = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     .weight = sectors_loaded,
     .predict = [](const Counters& c) { return percent(c.global_load); },
     .cause = held_in_registers},
    {.nvprof = "gst_efficiency",
     .ncu = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     .weight = sectors_stored,
     .predict = [](const Counters& c) { return percent(c.global_store); }},
    {.nvprof = "gld_transactions",
     .ncu = sectors_loaded,
     .predict = [](const Counters& c) { return double(c.global_load.count); },
     .cause = held_in_registers},
    {.nvprof = "gst_transactions",
     .ncu = sectors_stored,
     .predict = [](const Counters& c) { return double(c.global_store.count); }},
    {.nvprof = "gld_request",
     .ncu = loads,
     .predict = [](const Counters& c) { return double(c.global_load.requests); },
     .cause = held_in_registers},
    {.nvprof = "gld_transactions_per_request",
     .ncu = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     .weight = loads,
     .predict = [](const Counters& c) { return each(c.global_load); },
     .cause = held_in_registers},
    {.nvprof = "shared_load",
     .ncu = shared_loads,
     .predict = [](const Counters& c) { return double(c.shared_load.requests); },
     .cause = predicated_off},
    {.nvprof = "shared_store",
     .ncu = shared_stores,
     .predict = [](const Counters& c) { return double(c.shared_store.requests); },
     .cause = predicated_off},
    {.nvprof = "shared_load_transactions",
     .ncu = wavefronts_loaded,
     .predict = [](const Counters& c) { return double(c.shared_load.count); },
     .cause = held_in_registers},
    {.nvprof = "shared_store_transactions",
     .ncu = wavefronts_stored,
     .predict = [](const Counters& c) { return double(c.shared_store.count); },
     .cause = held_in_registers},
    {.nvprof = "shared_load_transactions_per_request",
     .ncu = wavefronts_loaded,
     .over = shared_loads,
     .predict = [](const Counters& c) { return each(c.shared_load); },
     .cause = predicated_off},
    {.nvprof = "shared_efficiency",
     .ncu = "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
     .weight = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
     .predict = [](const Counters& c) { return percent(both(c.shared_load, c.shared_store)); },
     .cause = held_in_registers},
    {.nvprof = "gld_throughput",
     .ncu = "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second",
     .weight = duration},
    {.nvprof = "dram_read_throughput", .ncu = dram_read, .weight = duration},
    {.nvprof = "stall_sync",
     .ncu = "smsp__warp_issue_stalled_barrier_per_warp_active.pct",
     .plus = "smsp__warp_issue_stalled_membar_per_warp_active.pct",
     .weight = duration},
    {.nvprof = "achieved_occupancy",
     .ncu = "sm__warps_active.avg.pct_of_peak_sustained_active",
     .weight = duration},
};

std::optional<double> of(const Figures& f, const char* name) {
  const auto it = f.find(name);
  if (it == f.end() && std::string_view(name) == dram_read) return of(f, dram_read_later);
  return it == f.end() ? std::nullopt : std::optional(it->second);
}

std::optional<double> measured(const Metric& m, std::span<const Figures> launches) {
  double sum = 0, weights = 0, under = 0;
  for (const Figures& f : launches) {
    const std::optional<double> value = of(f, m.ncu);
    const std::optional<double> more = m.plus ? of(f, m.plus) : 0.0;
    const std::optional<double> weight = m.weight ? of(f, m.weight) : 1.0;
    const std::optional<double> over = m.over ? of(f, m.over) : 0.0;
    if (!value || !more || !weight || !over) {
      // A ratio to 0 has no value: without stores there is no figure for stores.
      if (weight && *weight == 0) continue;
      return std::nullopt;
    }
    sum += (*value + *more) * *weight;
    weights += *weight;
    under += *over;
  }
  if (m.over) return each_of(sum, under);
  if (m.weight && weights == 0) return std::nullopt;
  return m.weight ? sum / weights : sum;
}

}  // namespace

std::span<const Metric> metrics() { return all_metrics; }

std::vector<std::string> ncu_names(std::string_view chip, bool predicted) {
  std::vector<std::string> names;
  const auto add = [&](const char* name) {
    if (name == nullptr) return;
    std::string text = name;
    if (chip.size() > 5 && text == dram_read) text = dram_read_later;  // from sm_100 on
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  };
  for (const Metric& m : all_metrics) {
    if (!predicted || m.predict != nullptr) add(m.ncu), add(m.weight), add(m.over), add(m.plus);
  }
  return names;
}

std::optional<double> Compared::difference() const {
  if (!predicted || !measured || *predicted == 0) return std::nullopt;
  return *measured / *predicted - 1;
}

bool Compared::differs() const {
  if (!predicted || !measured) return false;
  return std::abs(*measured - *predicted) > 0.05 * std::abs(*predicted);
}

std::vector<Compared> compare(const sim::Counters& predicted, std::span<const Figures> launches) {
  std::vector<Compared> rows;
  for (const Metric& m : all_metrics) {
    Compared c{.metric = &m};
    if (m.predict != nullptr) c.predicted = m.predict(predicted);
    if (!launches.empty()) c.measured = measured(m, launches);
    rows.push_back(c);
  }
  return rows;
}

}  // namespace onefold::lab
