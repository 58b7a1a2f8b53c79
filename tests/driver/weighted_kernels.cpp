// Kernels for weights, on the simulated machine.
#include "driver/axes_kernels.hpp"
#include "onefold/cuda/kernel/weighted/undecided.hpp"

namespace onefold::test {
namespace {

// The range of an array that a nest reads, from its first element.
struct WeightedReach {
  int64_t low = 0;
  Size n = 0;
  WeightedReach(const auto& input, int array) {
    if (input.elements == 0 || input.answers == 0) return;
    int64_t high = 0;
    for (unsigned k = 0; k < input.kept + input.folded; ++k) {
      const kernel::WeightedAxis& a = input.axis[k];
      (a.stride[array] < 0 ? low : high) += a.stride[array] * static_cast<int64_t>(a.extent - 1);
    }
    n = static_cast<Size>(high - low) + 1;
  }
};

template <class T, uint32_t set, kernel::OpSet ops, kernel::Walk walk, bool repeated, bool wide>
std::string run(unsigned grid, unsigned threads, unsigned, const void* const* arguments) {
  using namespace kernel;
  const auto& in = *static_cast<const WeightedInput<HostArguments, T>*>(arguments[0]);
  const auto& s = *static_cast<const Scratch<HostArguments>*>(arguments[1]);
  const auto& r = *static_cast<const Results<HostArguments, ops>*>(arguments[2]);
  sim::Engine gpu({.schedule = 1, .count = false});
  {
    constexpr bool two = (ops & two_arrays) != 0;
    const WeightedReach of_x(in, 0), of_y(in, 1), of_w(in, 2), of_mask(in, 3);
    const auto from = [](uint64_t at, const WeightedReach& reach, Size bytes) {
      return at == 0 ? 0 : at + static_cast<Size>(reach.low) * bytes;
    };
    const Size count_bytes = repeated ? bytes_of(in.count_type) : 1;
    const Lent<T> x(gpu, "x", from(in.x, of_x, sizeof(T)), of_x.n),
        y(gpu, "y", from(in.y, of_y, sizeof(T)), two ? of_y.n : 0),
        w(gpu, "weights", from(in.w, of_w, sizeof(T)), repeated ? 0 : of_w.n);
    const Lent<uint8_t> counts(gpu, "counts", from(in.counts, of_w, 1),
                               repeated && of_w.n != 0 ? of_w.n + count_bytes - 1 : 0),
        mask(gpu, "mask", from(in.mask, of_mask, 1), in.masked ? of_mask.n : 0);
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
    const Size ends = in.cut ? in.answers / in.slices + 1 : 0;
    const Lent<int64_t> offsets(gpu, "offsets", in.offsets, in.narrow ? (ends + 1) / 2 : ends);
    const LentResults<ops> results(gpu, r, in.answers, 0);
    WeightedInput<Sim, T> input{.x = x.at() + -of_x.low,
                                .y = y.at() + -of_y.low,
                                .w = w.at() + -of_w.low,
                                .counts = counts.at() + -of_w.low,
                                .mask = mask.at() + -of_mask.low,
                                .count_type = in.count_type,
                                .masked = in.masked,
                                .omit = in.omit,
                                .beside = in.beside,
                                .wide = in.wide,
                                .answer_bits = in.answer_bits,
                                .parts = in.parts,
                                // More than arrays as small as these need.
                                .batch = in.parts != 1                     ? 1u
                                         : in.answer_bits == weighted_bits ? 1u
                                                                           : 2u,
                                .answers = in.answers,
                                .elements = in.elements,
                                .cut = in.cut,
                                .narrow = in.narrow,
                                .offsets = offsets.at(),
                                .slices = in.slices,
                                // Some are longer, where any may be.
                                .longest = ~in.longest == 0 ? in.longest : Size{100},
                                .index = in.index,
                                .kept = in.kept,
                                .folded = in.folded,
                                .axis = {}};
    for (unsigned k = 0; k < most_axes; ++k) input.axis[k] = in.axis[k];
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
  add<int32_t, bit(sum_) | bit(var_) | bit(sumsq_) | bit(count_nonzero_), true>(all, "int32_t");
  add<int64_t, bit(sum_) | bit(norm1_) | bit(ptp_), true>(all, "int64_t");
  add<bfloat16, bit(rms_) | bit(all_) | bit(count_nan_), true>(all, "onefold::bfloat16");
}

}  // namespace onefold::test
