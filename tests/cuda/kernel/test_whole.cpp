// The library's kernel on the simulated machine gathers the same words as the processor.
#include <gtest/gtest.h>

#include <limits>

#include "cuda/kernel/kernels.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

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
                          .skip = pick(r, 0, 16),
                          .skip_y = pick(r, 0, 16),
                          .deeper = round != 0,
                          .alone = round == 1,
                          .few = round >= 2,
                          .enough = static_cast<unsigned>(pick(r, 0, 4))};
      const KernelResult got = k.run(x, other, how, {});
      ASSERT_EQ(got.state, portable_state(k.set, x, other))
          << k.name << " " << describe(generator, k.dtype, n, seed) << " skip " << how.skip;
      ASSERT_EQ(text_of(got.flaws), "") << k.name;
      for (const uint32_t c : got.counters) ASSERT_EQ(c, 0u) << k.name;
    }
  }
}

// Each array begins anywhere in a cache line, and may or may not reach the next line.
TEST_P(Whole, BeginsAnywhereInALine) {
  const Kernel& k = GetParam();
  const std::size_t line = 128 / bytes_of(k.dtype);
  Random r(5);
  for (std::size_t skip = 0; skip < line; ++skip) {
    for (const std::size_t n : {line - skip, line - skip + 1, line + 1024 * (skip % 3)}) {
      const Data x = generate("random_bits", k.dtype, n, skip);
      const Data other = generate("normal", k.dtype, n, skip);
      const Data* const y = k.set.has(Accumulator::dot) ? &other : nullptr;
      const KernelRun how{
          .grid = 2, .skip = skip, .skip_y = pick(r, 0, line - 1), .few = skip % 2 == 0};
      const KernelResult got = k.run(x, y, how, {});
      ASSERT_EQ(got.state, portable_state(k.set, x, y)) << n << " from " << skip;
      ASSERT_EQ(text_of(got.flaws), "") << n << " from " << skip;
    }
  }
}

// A window's largest load, at every exponent.
class WholeOfFloats : public Whole {};

TEST_P(WholeOfFloats, TakesTheLargestOfEveryExponent) {
  const Kernel& k = GetParam();
  constexpr std::size_t n = 700;
  const int step = k.dtype == f64 ? 3 : 1;
  for (int e = 0; e < exponents(k.dtype); e += step) {
    const Data x = largest(k.dtype, e, e % 2 != 0, n);
    const Data y = largest(k.dtype, exponents(k.dtype) - 1 - e, false, n);
    const Data* other = k.set.has(Accumulator::dot) ? &y : nullptr;
    const KernelResult got = k.run(x, other, {.grid = 1}, {});
    ASSERT_EQ(got.state, portable_state(k.set, x, other)) << k.name << " exponent " << e;
  }
}

// Infinities are replaced by numbers that do not change sums.
TEST_P(WholeOfFloats, CountsAnInfinityBesideNothingElse) {
  const Kernel& k = GetParam();
  const uint64_t negative_zero = uint64_t{1} << (8 * bytes_of(k.dtype) - 1);
  const uint64_t infinity = largest(k.dtype, exponents(k.dtype) - 1, false, 1).bits(0) + 1;
  for (const std::size_t n : {1, 31, 300, 5000}) {
    Data x(k.dtype, n);
    for (std::size_t i = 0; i < n; ++i) x.set(i, negative_zero);
    x.set(n / 2, infinity);
    const Data* other = k.set.has(Accumulator::dot) ? &x : nullptr;
    for (const bool few : {false, true}) {
      const KernelResult got = k.run(x, other, {.grid = 2, .skip = few ? 15u : 0u, .few = few}, {});
      ASSERT_EQ(got.state, portable_state(k.set, x, other)) << k.name << " " << n << " " << few;
    }
  }
}

std::string name_of_kernel(const testing::TestParamInfo<Kernel>& info) {
  return std::string(info.param.name) + "_" + name_of(info.param.dtype);
}
std::vector<Kernel> float_kernels() {
  return all_of({f64_kernels(), f32_kernels(), f16_kernels(), bf16_kernels()});
}
INSTANTIATE_TEST_SUITE_P(Floats, WholeOfFloats, testing::ValuesIn(float_kernels()), name_of_kernel);
INSTANTIATE_TEST_SUITE_P(Kernels, Whole,
                         testing::ValuesIn(all_of({float_kernels(), bytes_kernels(),
                                                   halves_kernels(), words_kernels(),
                                                   longs_kernels()})),
                         name_of_kernel);

// If a lane's first element is NaN, the lane's other elements still count.
TEST(WholeExtremes, AreFoundBesideNan) {
  for (std::size_t nan = 0; nan < 8; ++nan) {
    Data x(f32, 128);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x.set(i, bit_cast<uint32_t>(i % 8 == nan ? std::numeric_limits<float>::quiet_NaN()
                                               : static_cast<float>(i)));
    }
    const auto check = [&](auto kernel, uint32_t set) {
      EXPECT_EQ(kernel(x, nullptr, {.grid = 1}, {}).state,
                portable_state(Accumulators(set), x, nullptr))
          << set << " " << nan;
    };
    check(simulate_whole<float, argmin_set, 2, 2>, argmin_set);
    check(simulate_whole<float, argmax_set, 1, 1>, argmax_set);
    check(simulate_whole<float, ptp_set, 2, 2>, ptp_set);
  }
}

}  // namespace
