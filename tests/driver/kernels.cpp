#include "driver/kernels.hpp"

#include <regex>

#include "driver/lent_results.hpp"
#include "onefold/cuda/kernel/whole.hpp"

namespace onefold::test {
namespace {

// A kernel's arguments as the engine passes them.
template <class T>
using PassedInput = kernel::Input<HostArguments, T>;
using PassedWorkspace = kernel::Workspace<HostArguments>;
template <kernel::OpSet ops>
using PassedResults = kernel::Results<HostArguments, ops>;

// The tests' own launch configuration, since the engine's is tuned for a chip.
constexpr int loads = 2, warps = 2;

template <class T, uint32_t set, kernel::OpSet ops, kernel::Stage stage>
std::string run(unsigned grid, unsigned, unsigned, const void* const* arguments) {
  using namespace kernel;
  using State = StateOf<T, set>;
  const auto& in = *static_cast<const PassedInput<T>*>(arguments[0]);
  const auto& w = *static_cast<const PassedWorkspace*>(arguments[1]);
  const auto& r = *static_cast<const PassedResults<ops>*>(arguments[2]);
  Stages stages = *static_cast<const Stages*>(arguments[3]);
  stages.warps = stages.bin_warps = warps;
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const Lent<T> x(gpu, "x", in.x, in.n);
    const Lent<T> y(gpu, "y", in.y, State::has(Accumulator::dot) ? in.n : 0);
    const Lent<uint32_t> counted(gpu, "counters", w.counters, undecided_row + 1);
    const Lent<int64_t> words(gpu, "words", w.words,
                              std::size_t{State::words} * replicas + arrival_words);
    const Lent<int64_t> rivals(gpu, "rivals", w.rivals,
                               std::max(stages.before(Stage::bins) + stages.grid[2], grid) *
                                   std::size_t{most_rival_words});
    const Lent<uint32_t> lists(gpu, "lists", w.lists,
                               std::size_t{2} * stages.stride() + stages.grid[0]);
    const LentResults<ops> results(gpu, r, 1, State::words);
    const Input<Sim, T> input{.x = x.at(), .y = y.at(), .n = in.n, .first = in.first};
    const kernel::Workspace<Sim> workspace{
        .counters = counted.at(), .words = words.at(), .rivals = rivals.at(), .lists = lists.at()};
    constexpr int bins = has_bins(dtype_of<T>, Accumulators(set), stage)
                             ? bin_bytes(dtype_of<T>, Accumulators(set))
                             : 0;
    sim::launch(gpu, {.grid = grid, .block = 32 * warps, .shared_bytes = 32 * warps * bins}, [&] {
      whole<T, set, loads, warps, ops, stage>(Sim{}, input, workspace, results.at, stages);
    });
  }
  return text_of(gpu.report());
}

// Adds a kernel under the name that the engine gives it.
template <class T, uint32_t set, kernel::OpSet ops, kernel::Stage stage>
void add(Kernels& all, const char* type) {
  const std::string words = std::string(type) + ", " + std::to_string(set) + "u, " +
                            std::to_string(ops) + "u, kernel::Stage(" +
                            std::to_string(static_cast<int>(stage)) + ")";
  all[words] = {{sizeof(PassedInput<T>), sizeof(PassedWorkspace), sizeof(PassedResults<ops>),
                 sizeof(kernel::Stages)},
                run<T, set, ops, stage>};
}

constexpr kernel::OpSet bit(kernel::OpIndex op) { return kernel::bit_of(op); }

// Adds kernels for chips with few FP64 lanes.
template <class T>
void add_digits(Kernels& all, const char* type) {
  using enum kernel::Stage;
  constexpr uint32_t sum_set = (Accumulator::sum | Accumulator::tally).bits;
  add<T, sum_set, 0, digits>(all, type);
  add<T, sum_set, bit(kernel::OpIndex::sum_), digits>(all, type);
  add<T, sum_set, bit(kernel::OpIndex::mean_), digits>(all, type);
  constexpr uint32_t var_set = sum_set | Accumulators(Accumulator::sumsq).bits;
  add<T, var_set, 0, digits>(all, type);
  add<T, var_set, bit(kernel::OpIndex::var_), digits>(all, type);
}

Kernels all_kernels() {
  using enum kernel::Stage;
  constexpr uint32_t sum_set = (Accumulator::sum | Accumulator::tally).bits;
  constexpr uint32_t least_set = Accumulators(Accumulator::least).bits;
  constexpr uint32_t var_set = (Accumulator::sum | (Accumulator::sumsq | Accumulator::tally)).bits;
  constexpr uint32_t dot_set = Accumulators(Accumulator::dot).bits;
  constexpr kernel::OpSet sum = bit(kernel::OpIndex::sum_), argmin = bit(kernel::OpIndex::argmin_);
  Kernels all;
  add<double, sum_set, 0, first>(all, "double");
  add<double, sum_set, 0, bins>(all, "double");
  add<double, sum_set, 0, single>(all, "double");
  add<double, sum_set, 0, small>(all, "double");
  add<double, sum_set, sum, first>(all, "double");
  add<double, sum_set, sum, bins>(all, "double");
  add<double, sum_set, sum, single>(all, "double");
  add<double, sum_set, sum, small>(all, "double");
  add<double, var_set, 0, small>(all, "double");
  add<double, var_set, bit(kernel::OpIndex::var_), small>(all, "double");
  add<float, var_set, bit(kernel::OpIndex::var_), small>(all, "float");
  add<int32_t, least_set, 0, first>(all, "int32_t");
  add<int32_t, least_set, 0, small>(all, "int32_t");
  add<int32_t, least_set, argmin, first>(all, "int32_t");
  add<int32_t, least_set, argmin, small>(all, "int32_t");
  // Lengths of windows in lists.
  add<int32_t, sum_set, 0, first>(all, "int32_t");
  add<int32_t, sum_set, 0, small>(all, "int32_t");
  add<int64_t, sum_set, 0, first>(all, "int64_t");
  add<int64_t, sum_set, 0, small>(all, "int64_t");
  add<float, dot_set, 0, first>(all, "float");
  add<float, dot_set, 0, single>(all, "float");
  add_digits<float>(all, "float");
  add_digits<bfloat16>(all, "onefold::bfloat16");
  add_digits<float16>(all, "onefold::float16");
  add_axes(all);
  add_axes_of_pairs(all);
  add_masked(all);
  add_more_masked(all);
  add_ops_of_pairs(all);
  add_moments(all);
  add_wide_ops_of_pairs(all);
  add_more_ops_of_pairs(all);
  add_even_nests(all);
  add_even_of_more(all);
  add_digit_kernels(all);
  add_segments(all);
  add_ranks(all);
  add_labels(all);
  add_weighted(all);
  add_scans(all);
  add_products(all);
  add_exponentials(all);
  add_quantiles(all);
  return all;
}

}  // namespace

const DeviceKernel* find_kernel(const std::string& image, const std::string& name) {
  static const Kernels all = all_kernels();
  const std::size_t at = image.find(" " + name + "(");
  if (at == std::string::npos) return nullptr;
  const std::string source = image.substr(at);
  // Type, set, loads, warps, ops, stage.
  static const std::regex whole(
      R"(kernel::whole<([\w:]+), (\w+), \d+, \d+, (\w+), (kernel::Stage\(\d\))>)");
  // Type, set, ops, walk.
  static const std::regex axes(
      R"(kernel::axes<([\w:]+), (\w+), (\w+), (kernel::Walk\(\d+\)(?:, true)?)>)");
  // Type, set, ops, walk.
  static const std::regex weighted(
      R"(kernel::weighted_answers<([\w:]+), (\w+), (\w+), (kernel::Walk\(\d+\), [\w, ]+)>)");
  // All parameters.
  static const std::regex others(
      R"(kernel::(ranks|label_sums|scan|matrix|exponential|layer_norm|count_bins|)"
      R"((?:weighted_)?quantiles)<([\w:, ()]+)>)");
  // Type.
  static const std::regex labels(R"(kernel::by_label<(\w+)>)");
  std::smatch m;
  if (source.find("kernel::number_keys(") != std::string::npos) return &all.at("keys");
  if (std::regex_search(source, m, weighted)) {
    const auto found =
        all.find(m[1].str() + ", " + m[2].str() + ", " + m[3].str() + ", " + m[4].str());
    return found == all.end() ? nullptr : &found->second;
  }
  if (std::regex_search(source, m, labels)) {
    const auto found = all.find(m[1].str() + ", labels");
    return found == all.end() ? nullptr : &found->second;
  }
  if (std::regex_search(source, m, others)) {
    const std::string name = m[1].str() == "label_sums" ? "label sums" : m[1].str();
    const auto found = all.find(m[2].str() + ", " + name);
    return found == all.end() ? nullptr : &found->second;
  }
  if (!std::regex_search(source, m, whole) && !std::regex_search(source, m, axes)) return nullptr;
  const auto found =
      all.find(m[1].str() + ", " + m[2].str() + ", " + m[3].str() + ", " + m[4].str());
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace onefold::test
