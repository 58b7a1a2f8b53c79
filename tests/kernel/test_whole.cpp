// The product kernel on the simulated machine: the same words as the processor gathers.
#include <gtest/gtest.h>

#include "kernel/simulate.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

using Run = KernelResult (*)(const Data&, const Data*, const KernelRun&);

struct Kernel {
  const char* name;
  DType dtype;
  Accumulators set;
  Run run;
};

// clang-format off
constexpr uint32_t sum_set = (Accumulator::sum | Accumulator::tally).bits,
                   norm1_set = (Accumulator::sumabs | Accumulator::tally).bits,
                   norm2_set = (Accumulator::sumsq | Accumulator::tally).bits,
                   var_set = sum_set | norm2_set,
                   argmin_set = Accumulators(Accumulator::least).bits,
                   ptp_set = (Accumulator::least | Accumulator::greatest).bits,
                   count_set = (Accumulator::zeros | Accumulator::tally).bits,
                   dot_set = Accumulators(Accumulator::dot).bits,
                   describe_set = var_set | norm1_set | ptp_set | count_set;

#define KERNELS(T, dtype)                                                                      \
  {"sum", dtype, Accumulators(sum_set), simulate_whole<T, sum_set, 2, 2>},                     \
  {"norm1", dtype, Accumulators(norm1_set), simulate_whole<T, norm1_set, 1, 2>},               \
  {"norm2", dtype, Accumulators(norm2_set), simulate_whole<T, norm2_set, 2, 1>},               \
  {"var", dtype, Accumulators(var_set), simulate_whole<T, var_set, 2, 4>},                     \
  {"argmin", dtype, Accumulators(argmin_set), simulate_whole<T, argmin_set, 2, 2>},            \
  {"ptp", dtype, Accumulators(ptp_set), simulate_whole<T, ptp_set, 2, 2>},                     \
  {"count", dtype, Accumulators(count_set), simulate_whole<T, count_set, 1, 2>},               \
  {"dot", dtype, Accumulators(dot_set), simulate_whole<T, dot_set, 1, 2>},                     \
  {"describe", dtype, Accumulators(describe_set), simulate_whole<T, describe_set, 2, 2>},
const Kernel kernels[] = {
    KERNELS(double, DType::f64) KERNELS(float, DType::f32) KERNELS(int8_t, DType::i8)
};
// clang-format on

class Whole : public testing::TestWithParam<Kernel> {};

TEST_P(Whole, GathersWhatTheProcessorGathers) {
  const Kernel& k = GetParam();
  Random r(7);
  for (const std::string_view generator : generators(k.dtype)) {
    for (int round = 0; round < 4; ++round) {
      const std::size_t n = pick_log(r, 1, 6000);
      const uint64_t seed = r();
      const Data x = generate(generator, k.dtype, n, seed);
      const Data y = generate(generator, k.dtype, n, seed + 1);
      const Data* other = k.set.has(Accumulator::dot) ? &y : nullptr;
      const KernelRun how{.grid = static_cast<unsigned>(pick(r, 1, 4)),
                          .schedule = static_cast<unsigned>(pick(r, 1, 3)),
                          .skip = pick(r, 0, 16)};
      const KernelResult got = k.run(x, other, how);
      ASSERT_EQ(got.state, portable_state(k.set, x, other))
          << k.name << " " << describe(generator, k.dtype, n, seed) << " skip " << how.skip;
      ASSERT_EQ(text_of(got.flaws), "") << k.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Whole, testing::ValuesIn(kernels), [](const auto& info) {
  return std::string(info.param.name) + "_" + name_of(info.param.dtype);
});

}  // namespace
