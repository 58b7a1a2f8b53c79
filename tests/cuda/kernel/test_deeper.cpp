// Data whose tiles the first launch gives up: later launches add each of these tiles exactly
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "cuda/kernel/kernels.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

// Makes `outer` data in which stretches of `inner` data are an eighth of all elements.
Data stretches(std::string_view outer, std::string_view inner, DType t, std::size_t n,
               uint64_t seed) {
  Data x = generate(outer, t, n, seed);
  const Data y = generate(inner, t, n, seed + 1);
  Random r(seed);
  for (std::size_t i = pick_log(r, 1, n); i < n; i += 7 * pick_log(r, 1, n)) {
    const std::size_t end = std::min(n, i + pick_log(r, 1, n));
    for (; i < end; ++i) x.set(i, y.bits(i));
  }
  return x;
}

const Kernel kernels[] = {
    {"sum_f64", DType::f64, Accumulators(sum_set), simulate_whole<double, sum_set, 2, 2>},
    {"sum_f32", DType::f32, Accumulators(sum_set), simulate_whole<float, sum_set, 2, 2>},
    {"norm2_f64", DType::f64, Accumulators(norm2_set), simulate_whole<double, norm2_set, 2, 2>},
    {"norm2_f32", DType::f32, Accumulators(norm2_set), simulate_whole<float, norm2_set, 1, 2>},
    {"var_f64", DType::f64, Accumulators(var_set), simulate_whole<double, var_set, 2, 2>},
    {"var_f32", DType::f32, Accumulators(var_set), simulate_whole<float, var_set, 2, 2>},
    {"sum_bf16", DType::bf16, Accumulators(sum_set), simulate_whole<bfloat16, sum_set, 2, 2>},
    {"var_bf16", DType::bf16, Accumulators(var_set), simulate_whole<bfloat16, var_set, 1, 2>},
    {"describe_bf16", DType::bf16, Accumulators(describe_set),
     simulate_whole<bfloat16, describe_set, 1, 2>},
    {"describe_f64", DType::f64, Accumulators(describe_set),
     simulate_whole<double, describe_set, 2, 2>},
    {"describe_f32", DType::f32, Accumulators(describe_set),
     simulate_whole<float, describe_set, 2, 2>},
    {"dot_f64", DType::f64, Accumulators(dot_set), simulate_whole<double, dot_set, 2, 2>},
    {"dot_f32", DType::f32, Accumulators(dot_set), simulate_whole<float, dot_set, 1, 2>},
    {"dot_bf16", DType::bf16, Accumulators(dot_set), simulate_whole<bfloat16, dot_set, 1, 2>},
    {"dot_f16", DType::f16, Accumulators(dot_set), simulate_whole<float16, dot_set, 1, 2>},
};

class KernelDeeper : public testing::TestWithParam<Kernel> {};

// Folds every pair of kinds of data, in several launches or one; calls look(outer, inner, result).
template <class F>
void fold_pairs(const Kernel& k, bool alone, F&& look) {
  Random r(11);
  const std::string_view kinds[] = {"normal", "lognormal3", "random_bits", "any_bits", "binades60"};
  for (const std::string_view outer : kinds) {
    for (const std::string_view inner : kinds) {
      const std::size_t n = alone ? pick_log(r, 1, 9000) : pick(r, 1000, 9000);
      const uint64_t seed = r();
      const Data x = stretches(outer, inner, k.dtype, n, seed);
      const KernelRun how{.grid = static_cast<unsigned>(pick(r, 1, 9)),
                          .schedule = static_cast<unsigned>(pick(r, 1, 3)),
                          .skip = pick(r, 0, 4),
                          .skip_y = pick(r, 0, 4),
                          .launches = 2,
                          .alone = alone,
                          .few = alone && r() % 2 == 0,
                          .enough = static_cast<unsigned>(pick(r, 0, 6))};
      const Data other = stretches(inner, outer, k.dtype, n, seed + 7);
      const Data* const y = k.set.has(Accumulator::dot) ? &other : nullptr;
      const KernelResult got = k.run(x, y, how, {});
      ASSERT_EQ(got.state, portable_state(k.set, x, y))
          << outer << " with " << inner << " n=" << n << " seed=" << seed << " grid=" << how.grid;
      ASSERT_EQ(text_of(got.flaws), "");
      for (const uint32_t c : got.counters) ASSERT_EQ(c, 0u);
      look(outer, inner, got);
    }
  }
}

TEST_P(KernelDeeper, TakesWhatIsGivenUpOnce) {
  const Kernel& k = GetParam();
  uint32_t warps = 0, blocks = 0;
  fold_pairs(k, false, [&](auto outer, auto inner, const KernelResult& got) {
    warps += got.given[0];
    blocks += got.given[2];
    if (k.set.has(Accumulator::sumsq) && outer == "any_bits" && k.dtype != DType::bf16) {
      ASSERT_GT(got.given[1], 0u);
    }
    if (outer == "normal" && inner == "normal") {
      ASSERT_EQ(got.given[0], 0u);
    }
  });
  EXPECT_GT(warps, 20u);
  EXPECT_GT(blocks, 5u);
}

// Does the same in one launch, in which windows or bins may add a chunk.
TEST_P(KernelDeeper, OrTakesItAlone) {
  const Kernel& k = GetParam();
  if (!kernel::has_launch(k.dtype, k.set, kernel::Stage::single)) GTEST_SKIP() << "has no such one";
  fold_pairs(k, true, [](auto&&...) {});
}

// Bins take a single range, and more than a thousand warps each take a part of it.
TEST(KernelDeeper, SharesOneRangeAmongAllWarps) {
  const auto spoilt = [](DType t, std::size_t n, std::size_t from, std::size_t to) {
    Data x = generate("normal", t, n, 1);
    const Data wild = generate("any_bits", t, to - from, 2);
    for (std::size_t i = from; i < to; ++i) x.set(i, wild.bits(i - from));
    return x;
  };
  const KernelRun how{.grid = 1200, .skip = 5, .skip_y = 9, .enough = 100'000};
  const Data x = spoilt(DType::bf16, 1'000'000, 1100, 1280);
  const KernelResult dot = simulate_whole<bfloat16, dot_set, 1, 2>(x, &x, how, {});
  EXPECT_EQ(dot.given[0], 1u);
  EXPECT_EQ(dot.state, portable_state(Accumulators(dot_set), x, &x));
  EXPECT_EQ(text_of(dot.flaws), "");
  const Data y = spoilt(DType::f32, 500'000, 560, 640);
  const KernelResult all = simulate_whole<float, describe_set, 1, 2>(y, nullptr, how, {});
  EXPECT_EQ(all.given[1], 1u);
  EXPECT_EQ(all.state, portable_state(Accumulators(describe_set), y, nullptr));
  EXPECT_EQ(text_of(all.flaws), "");
}

// Zeros are in the first launch's totals, and only NaN are left to later launches. Only those
// totals tell that there is a +0.
TEST(KernelDeeper, HasTheSignOfAZeroBesideNan) {
  const double zero = 0, nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t tile = 32 * 2 * 2;
  Data x = generate("normal", DType::f64, 47 * tile, 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.set(i, std::bit_cast<uint64_t>(i < 32 * tile ? zero : nan));
  }
  for (const unsigned enough : {0u, 100u}) {
    const KernelResult got =
        simulate_whole<double, sum_set, 2, 2>(x, nullptr, {.grid = 3, .enough = enough}, {});
    EXPECT_GT(got.given[0] + got.given[2], 0u);
    EXPECT_EQ(got.state, portable_state(Accumulators(sum_set), x, nullptr));
    EXPECT_EQ(text_of(got.flaws), "");
  }
}

class KernelBins : public testing::TestWithParam<Kernel> {};

// A warp adds more elements than bins hold without a flush, each as large as possible.
TEST_P(KernelBins, AreFlushedInTime) {
  const Kernel& k = GetParam();
  const std::size_t n = k.dtype == DType::f64 ? 150'000 : 600'000;
  Data x = generate("one_bin", k.dtype, n, 5);
  const Data wild = generate("random_bits", k.dtype, 1000, 6);
  for (std::size_t i = 0; i < wild.size(); ++i) x.set(i, wild.bits(i));
  const Data* const y = k.set.has(Accumulator::dot) ? &x : nullptr;
  const KernelResult got = k.run(x, y, {.grid = 1}, {});
  ASSERT_EQ(got.state, portable_state(k.set, x, y));
  ASSERT_EQ(text_of(got.flaws), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelDeeper, testing::ValuesIn(kernels),
                         [](const auto& info) { return std::string(info.param.name); });

// describe has the same bins as var, so it is left out.
std::vector<Kernel> with_bins() {
  std::vector<Kernel> some;
  for (const Kernel& k : kernels) {
    if (k.set.bits != describe_set) some.push_back(k);
  }
  return some;
}
INSTANTIATE_TEST_SUITE_P(Kernels, KernelBins, testing::ValuesIn(with_bins()),
                         [](const auto& info) { return std::string(info.param.name); });

// A machine on which the fence of one line does nothing.
uint32_t no_fence_at = 0;
std::set<uint32_t> fences;
struct Fenceless : Sim {
  void fence(sim::Caller at = sim::Caller::here()) const {
    const uint32_t line = at.site().line;
    fences.insert(line);
    if (line != no_fence_at) Sim::fence(at);
  }
};

// Every barrier and fence is needed: without it the machine finds a flaw in some run. Those of the
// rounding show in runs of other ops, and are left out here.
TEST(KernelDeeper, NeedsEachBarrierAndFence) {
  const Data wild = stretches("any_bits", "normal", DType::f64, 9000, 3);
  const Data tame = generate("normal", DType::f64, 3000, 4);
  Data many = generate("one_bin", DType::f64, 140'000, 5);
  for (std::size_t i = 0; i < 1000; ++i) many.set(i, wild.bits(i));
  const auto flaws = [&](std::optional<sim::Site> without, std::vector<sim::Site>* sites) {
    std::string text;
    const auto run = [&](auto kernel, const Data& x, KernelRun how, const Rounding& r = {}) {
      how.without = without;
      if (!text.empty()) return;
      const KernelResult got = kernel(x, nullptr, how, r);
      text += text_of(got.flaws);
      if (sites != nullptr)
        sites->insert(sites->end(), got.sync_sites.begin(), got.sync_sites.end());
    };
    run(simulate_whole<double, describe_set, 2, 2, 0, Fenceless>, wild, {.grid = 5, .enough = 3});
    run(simulate_whole<double, var_set, 2, 2, 0, Fenceless>, wild, {.grid = 5, .launches = 2});
    run(simulate_whole<double, var_set, 2, 2, 0, Fenceless>, tame, {.grid = 2, .launches = 2});
    run(simulate_whole<double, sum_set, 2, 2, 0, Fenceless>, wild,
        {.grid = 3, .launches = 2, .alone = true});
    run(simulate_whole<double, sum_set, 2, 2, 0, Fenceless>, tame, {.grid = 3, .alone = true});
    run(simulate_whole<double, sum_set, 2, 2, 0, Fenceless>, many, {.grid = 1});
    constexpr kernel::OpSet sum = kernel::bit_of(kernel::OpIndex::sum_);
    for (const bool alone : {false, true}) {
      run(simulate_whole<double, sum_set, 2, 2, sum, Fenceless>, tame, {.grid = 3, .alone = alone},
          {.results = {DType::f64}});
    }
    run(simulate_whole<double, sum_set, 2, 2, 0, Fenceless>, wild, {.grid = 3, .few = true});
    run(simulate_whole<double, norm2_set, 2, 2, 0, Fenceless>, wild, {.grid = 3, .few = true});
    return text;
  };
  std::vector<sim::Site> sites;
  ASSERT_EQ(flaws({}, &sites), "");
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  ASSERT_GT(sites.size(), 8u);
  for (const sim::Site& site : sites) {
    const std::string_view file = site.file;
    if (file.ends_with("answers.hpp") || file.ends_with("normalize.hpp")) continue;
    EXPECT_NE(flaws(site, nullptr), "") << site.file << ":" << site.line;
  }
  const std::set<uint32_t> lines = fences;
  ASSERT_EQ(lines.size(), 4u);
  for (const uint32_t line : lines) {
    no_fence_at = line;
    EXPECT_NE(flaws({}, nullptr), "") << "fence at line " << line;
  }
  no_fence_at = 0;
}

}  // namespace
