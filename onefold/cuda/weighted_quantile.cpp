#include "onefold/cuda/weighted_quantile.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "onefold/cuda/quantile.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::WeightStep;

// Slices of more elements, where they are few, are read by several blocks.
constexpr Size least_long = Size{1} << 15;
// Long slices that are answered together: their sums take 1 MiB.
constexpr Size most_together = 128;

// Returns the most digits of keys of `bits` bits, by weights of any values.
unsigned most_digits(unsigned bits, DType weights, Size elements) {
  unsigned range = 64;
  if (is_floating(weights)) {
    const FloatFormat f = float_format(weights);
    range = (1u << f.exponent_bits) + static_cast<unsigned>(f.mantissa_bits);
  }
  const unsigned words = (range + static_cast<unsigned>(std::bit_width(elements)) + 31) / 32,
                 digit = kernel::weight_digit(words);
  return (bits + digit - 1) / digit;
}

// Whether a level may lie between two keys.
bool is_between(const QuantileLevel& level, bool repeated) {
  return repeated ? level.method != QuantileMethod::inverted_cdf
                  : level.method == QuantileMethod::averaged_inverted_cdf;
}

}  // namespace

WeightedQuantileLaunch::WeightedQuantileLaunch(Engine& engine, const Plan& plan,
                                               const WeightedInput& in,
                                               std::span<const Destination> answers,
                                               std::span<const QuantileLevel> levels)
    : engine_(engine),
      passes_(most_digits(8 * bytes_of(plan.dtype), plan.weighted->type, plan.elements)) {
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  is_long_ = !in.cut && in.elements > least_long && in.answers < 4 * all;
  KernelKey key;
  key.dtype = plan.dtype;
  key.walk = kernel::Walk::quantile_weights;
  key.wide = is_long_;
  kernel_ = engine.kernels().get(std::array{key})[0];
  WeightedQuantilesInput one{};
  one.in = in;
  one.nan = plan.nan;
  one.repeated = plan.weighted->repeated;
  const Size mean = in.cut ? in.elements * in.slices / std::max<Size>(in.answers, 1) : in.elements;
  one.together = mean <= 128 ? kernel::weight_threads / 32 : 1;
  inputs_ = by_levels(one, answers, levels);
}

void WeightedQuantileLaunch::queue(void* stream, Workspace& workspace) const {
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  for (WeightedQuantilesInput in : inputs_) {
    if (is_long_) {
      queue_long(in, stream, workspace);
      continue;
    }
    void* args[] = {&in};
    engine_.gpu().launch(kernel_,
                         {.grid = static_cast<unsigned>(
                              std::min((in.in.answers + in.together - 1) / in.together, 32 * all)),
                          .block = kernel::weight_threads,
                          .stream = stream},
                         args);
    workspace.spoilt = true;
  }
}

void WeightedQuantileLaunch::queue_long(WeightedQuantilesInput in, void* stream,
                                        Workspace& workspace) const {
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  const Size together = std::min(in.in.answers, most_together),
             wanted = std::clamp<Size>(4 * all / together, 1, in.in.elements / 4096);
  const Size words = 4 * together * kernel::weight_words, bins = 4 * together * kernel::weight_bins;
  in.spans = engine_.memory_of(workspace, std::bit_ceil(12 * together + words + bins));
  in.bins = in.spans + 8 * together;
  in.words = in.bins + bins;
  in.tickets = in.words + words;
  void* args[] = {&in};
  const auto launch = [&](WeightStep step, Size slices) {
    in.step = step;
    in.parts = step == WeightStep::clear ? 1 : static_cast<uint32_t>(wanted);
    engine_.gpu().launch(kernel_,
                         {.grid = static_cast<unsigned>(slices * in.parts),
                          .block = kernel::weight_threads,
                          .stream = stream},
                         args);
    workspace.spoilt = true;
  };
  for (in.first = 0; in.first < in.in.answers; in.first += together) {
    const Size slices = std::min(together, in.in.answers - in.first);
    launch(WeightStep::clear, slices);
    launch(WeightStep::survey, slices);
    for (in.l = 0; in.l < in.levels; ++in.l) {
      const unsigned sides = is_between(in.level[in.l], in.repeated) ? 2 : 1;
      for (in.side = 0; in.side < sides; ++in.side) {
        for (unsigned pass = 0; pass < passes_; ++pass) {
          in.begins = pass == 0;
          launch(WeightStep::count, slices);
        }
      }
    }
  }
}

}  // namespace onefold::cuda_backend
