// Kernels for weights, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "driver/lent_weighted.hpp"
#include "onefold/cuda/kernel/weighted/undecided.hpp"

namespace onefold::test {
namespace {

template <class T, uint32_t set, kernel::OpSet ops, kernel::Walk walk, bool repeated, bool wide>
std::string run(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const WeightedInput<HostArguments, T>*>(arguments[0]);
  const auto& s = *static_cast<const Scratch<HostArguments>*>(arguments[1]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[2]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    const LentWeighted<T> lent(gpu, in, (ops & two_arrays) != 0);
    constexpr int words = [] {
      if constexpr (repeated) return int{RepeatedRecomputation<T, set, ops, Sim>::words_of_state};
      return int{WeightedRecomputation<T, ops, Sim>::words};
    }();
    const bool again = walk == Walk::undecided_weighted;
    const Lent<uint32_t> tickets(gpu, "tickets", s.tickets, 1024);
    const Lent<int64_t> left(gpu, "left", s.left,
                             again ? Size{grid} * words : (in.parts > 1 ? Size{1} << 20 : 0));
    const Lent<uint32_t> undecided(gpu, "undecided", s.undecided,
                                   undecided_words + (in.answers + 31) / 32);
    const LentResults<ops> results(gpu, r, in.answers, 0);
    WeightedInput<Sim, T> input = lent.input;
    // More than arrays as small as these need.
    input.batch = in.parts != 1 || in.answer_bits == weighted_bits ? 1 : 2;
    // Some are longer, where any may be.
    if (~in.longest != 0) input.longest = 100;
    const Scratch<Sim> scratch{
        .tickets = tickets.at(), .left = left.at(), .undecided = undecided.at()};
    sim::launch(gpu, {.grid = grid, .block = threads}, [&] {
      weighted_answers<T, set, ops, walk, repeated, wide>(Sim{}, input, scratch, results.at);
    });
  }
  return text_of(gpu.report());
}

template <class T, kernel::OpSet ops, bool repeated = false, bool wide = false>
void add(Kernels& all, const char* type) {
  const auto one = [&]<kernel::Walk walk>() {
    constexpr uint32_t set = repeated ? needs_of(ops) : 0;
    const std::string words = std::string(type) + ", " + std::to_string(set) + "u, " +
                              std::to_string(ops) + "u, kernel::Walk(" +
                              std::to_string(static_cast<int>(walk)) + "), " +
                              (repeated ? "true" : "false") + (wide ? ", true" : "");
    all[words] = {
        {sizeof(kernel::WeightedInput<HostArguments, T>), sizeof(kernel::Scratch<HostArguments>),
         sizeof(kernel::Results<HostArguments, ops>), 0},
        run<T, set, ops, walk, repeated, wide>};
  };
  one.template operator()<kernel::Walk::weighted>();
  one.template operator()<kernel::Walk::undecided_weighted>();
}
}  // namespace

void add_weighted(Kernels& all) {
  using enum kernel::OpIndex;
  add<float, bit(mean_) | bit(var_), false, true>(all, "float");
  add<float, bit(mse_) | bit(mae_)>(all, "float");
  add<float, bit(corr_) | bit(cov_) | bit(slope_) | bit(intercept_)>(all, "float");
  add<float, bit(var_)>(all, "float");
  add<float, bit(var_), false, true>(all, "float");
  add<float, bit(skewness_) | bit(kurtosis_)>(all, "float");
  add<double, bit(skewness_)>(all, "double");
  add<float, bit(kurtosis_pearson_) | bit(moment3_) | bit(moment4_)>(all, "float");
  add<double, bit(std_)>(all, "double");
  add<double, bit(rmse_)>(all, "double");
  add<bfloat16, bit(var_)>(all, "onefold::bfloat16");
  add<int32_t, bit(mean_) | bit(var_)>(all, "int32_t");
  add<int64_t, bit(var_)>(all, "int64_t");
  add<float, bit(mean_) | bit(std_), true, true>(all, "float");
  add<double, bit(sum_) | bit(norm2_) | bit(min_) | bit(argmax_) | bit(count_), true, true>(
      all, "double");
  add<float, bit(skewness_), true>(all, "float");
  add<float, bit(sem_) | bit(moment3_) | bit(raw_moment3_), true>(all, "float");
  add<float, bit(raw_moment4_), true>(all, "float");
  add<int32_t, bit(sum_) | bit(var_) | bit(sumsq_) | bit(count_nonzero_), true>(all, "int32_t");
  add<int64_t, bit(sum_) | bit(norm1_) | bit(ptp_), true>(all, "int64_t");
  add<bfloat16, bit(rms_) | bit(all_) | bit(count_nan_), true>(all, "onefold::bfloat16");
}

}  // namespace onefold::test
