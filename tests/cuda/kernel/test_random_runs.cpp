// Compares kernels on the simulated machine with `lift`, for random kernels, data, alignments,
// grids and schedules: cases that a hand-written list would miss.
#include <gtest/gtest.h>

#include "cuda/kernel/kernels.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

// The kernels of all tests; floats in the library's own shapes are more frequent.
std::vector<Kernel> kernels() {
  auto all = all_of({f64_kernels(), f32_kernels(), f16_kernels(), bf16_kernels(), bytes_kernels(),
                     halves_kernels(), words_kernels(), longs_kernels()});
  const Kernel shaped[] = {
      {"sum", DType::bf16, Accumulators(sum_set), simulate_whole<bfloat16, sum_set, 4, 4>},
      {"sum", DType::f32, Accumulators(sum_set), simulate_whole<float, sum_set, 4, 8>},
      {"sum", DType::f64, Accumulators(sum_set), simulate_whole<double, sum_set, 4, 4>},
      {"norm1", DType::f32, Accumulators(norm1_set), simulate_whole<float, norm1_set, 2, 4>},
      {"dot", DType::bf16, Accumulators(dot_set), simulate_whole<bfloat16, dot_set, 4, 4>},
      {"dot", DType::f16, Accumulators(dot_set), simulate_whole<float16, dot_set, 2, 4>},
      {"describe", DType::f32, Accumulators(describe_set),
       simulate_whole<float, describe_set, 4, 4>},
      {"describe", DType::bf16, Accumulators(describe_set),
       simulate_whole<bfloat16, describe_set, 8, 4>},
  };
  std::vector<Kernel> floats;
  for (const Kernel& k : all) {
    if (is_floating(k.dtype)) floats.push_back(k);
  }
  for (int copies = 0; copies < 3; ++copies) {
    all.insert(all.end(), floats.begin(), floats.end());
    all.insert(all.end(), std::begin(shaped), std::end(shaped));
  }
  return all;
}

// Makes data of one kind that contain stretches of another.
Data mixed(Random& r, DType t, std::size_t n) {
  const auto kinds = generators(t);
  Data x = generate(kinds[r() % kinds.size()], t, n, r());
  const Data inner = generate(kinds[r() % kinds.size()], t, n, r());
  if (n == 0 || r() % 3 == 0) return x;
  for (std::size_t i = pick_log(r, 1, n); i < n; i += 3 * pick_log(r, 1, n)) {
    const std::size_t end = std::min(n, i + pick_log(r, 1, n));
    for (; i < end; ++i) x.set(i, inner.bits(i));
  }
  return x;
}

void run_one(const std::vector<Kernel>& all, uint64_t seed) {
  Random r(seed);
  const Kernel& k = all[r() % all.size()];
  const std::size_t n = r() % 40 == 0 ? 0 : pick_log(r, 1, r() % 8 == 0 ? 60000 : 9000);
  const Data x = mixed(r, k.dtype, n), other = mixed(r, k.dtype, n);
  const Data* const y = k.set.has(Accumulator::dot) ? &other : nullptr;
  const std::size_t most = 128 / bytes_of(k.dtype) - 1;  // to any position in a cache line
  const KernelRun how{.grid = static_cast<unsigned>(pick_log(r, 1, 40)),
                      .schedule = static_cast<unsigned>(pick(r, 0, 5)),
                      .skip = pick(r, 0, most),
                      .skip_y = pick(r, 0, most),
                      .launches = static_cast<int>(pick(r, 1, 2)),
                      .deeper = r() % 4 != 0,
                      .alone = r() % 3 == 0,
                      .few = r() % 2 == 0,
                      .enough = static_cast<unsigned>(pick(r, 0, 6)),
                      .first = 0};
  const KernelResult got = k.run(x, y, how, {});
  SCOPED_TRACE(std::string(k.name) + " " + std::string(name_of(k.dtype)) + ", seed " +
               std::to_string(seed) + ", " + std::to_string(n) + " elements");
  EXPECT_EQ(got.state, portable_state(k.set, x, y));
  EXPECT_EQ(text_of(got.flaws), "");
  for (const uint32_t counter : got.counters) EXPECT_EQ(counter, 0u);
}

void run_all(uint64_t first, uint64_t count) {
  const auto all = kernels();
  for (uint64_t k = first; k < first + count && !testing::Test::HasFailure(); ++k) run_one(all, k);
}

TEST(RandomRuns, EqualTheProcessor) { run_all(1, 2000); }
TEST(LongRandomRuns, EqualTheProcessor) { run_all(10000, 100000); }

}  // namespace
