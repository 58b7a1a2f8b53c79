// The product kernel on the simulated machine: the same words as the processor gathers.
#include <gtest/gtest.h>

#include "kernel/kernels.hpp"

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
                          .enough = static_cast<unsigned>(pick(r, 0, 4))};
      const KernelResult got = k.run(x, other, how, {});
      ASSERT_EQ(got.state, portable_state(k.set, x, other))
          << k.name << " " << describe(generator, k.dtype, n, seed) << " skip " << how.skip;
      ASSERT_EQ(text_of(got.flaws), "") << k.name;
      for (const uint32_t c : got.counters) ASSERT_EQ(c, 0u) << k.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Whole,
                         testing::ValuesIn(all_of({f64_kernels(), f32_kernels(), f16_kernels(),
                                                   bf16_kernels(), bytes_kernels(),
                                                   halves_kernels(), words_kernels(),
                                                   longs_kernels()})),
                         [](const auto& info) {
                           return std::string(info.param.name) + "_" + name_of(info.param.dtype);
                         });

}  // namespace
