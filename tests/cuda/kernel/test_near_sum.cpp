// Sums of f32 and bf16 in one launch on the simulated machine, also without f64, then of f16, too:
// words and answers are the processor's, whichever method a warp uses for its parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/kernel/kernels.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using kernel::OpIndex;

constexpr kernel::OpSet bit(OpIndex op) { return kernel::bit_of(op); }

struct NearKernel {
  const char* name;
  const char* op;
  DType dtype;
  uint32_t set;
  unsigned part, warps;  // elements of a warp's part
  bool few;              // small parts, which warps take in turn
  bool digits;           // without f64
  KernelResult (*state)(const Data&, const Data*, const KernelRun&, const Rounding&);
  KernelResult (*answer)(const Data&, const Data*, const KernelRun&, const Rounding&);
};
template <class T, uint32_t set, int U, int warps, OpIndex op, bool digits = false>
constexpr NearKernel kernel_of(const char* name, const char* spelling) {
  return {name,
          spelling,
          dtype_of<T>,
          set,
          32 * kernel::Chunk<T, U>::elements,
          warps,
          U <= 4 && !digits,
          digits,
          simulate_whole<T, set, U, warps>,
          simulate_whole<T, set, U, warps, bit(op)>};
}
const NearKernel kernels[] = {
    kernel_of<float, sum_set, 4, 8, OpIndex::sum_>("near_sum", "sum"),
    kernel_of<float, sum_set, 1, 2, OpIndex::mean_>("few_mean", "mean"),
    kernel_of<float, norm1_set, 2, 4, OpIndex::norm1_>("few_norm1", "norm1"),
    kernel_of<float, sum_set, 8, 2, OpIndex::sum_>("sum", "sum"),
    kernel_of<float, norm1_set, 8, 1, OpIndex::norm1_>("norm1", "norm1"),
    kernel_of<bfloat16, sum_set, 4, 8, OpIndex::sum_>("few_sum_bf16", "sum"),
    kernel_of<bfloat16, sum_set, 4, 8, OpIndex::mean_>("few_mean_bf16", "mean"),
    kernel_of<bfloat16, norm1_set, 1, 2, OpIndex::norm1_>("few_norm1_bf16", "norm1"),
    kernel_of<bfloat16, sum_set, 8, 2, OpIndex::sum_>("sum_bf16", "sum"),
    kernel_of<bfloat16, norm1_set, 8, 1, OpIndex::norm1_>("norm1_bf16", "norm1"),
    kernel_of<float, sum_set, 8, 2, OpIndex::sum_, true>("digits", "sum"),
    kernel_of<float, sum_set, 1, 2, OpIndex::mean_, true>("digits_mean", "mean"),
    kernel_of<float, norm1_set, 8, 1, OpIndex::norm1_, true>("digits_norm1", "norm1"),
    kernel_of<bfloat16, sum_set, 8, 2, OpIndex::sum_, true>("digits_bf16", "sum"),
    kernel_of<bfloat16, sum_set, 4, 8, OpIndex::mean_, true>("digits_mean_bf16", "mean"),
    kernel_of<bfloat16, norm1_set, 1, 2, OpIndex::norm1_, true>("digits_norm1_bf16", "norm1"),
    kernel_of<float16, sum_set, 8, 2, OpIndex::sum_, true>("digits_f16", "sum"),
    kernel_of<float16, sum_set, 1, 2, OpIndex::mean_, true>("digits_mean_f16", "mean"),
    kernel_of<float16, norm1_set, 8, 1, OpIndex::norm1_, true>("digits_norm1_f16", "norm1"),
    kernel_of<float, norm2_set, 4, 2, OpIndex::norm2_, true>("digits_norm2", "norm2"),
    kernel_of<float, var_set, 4, 4, OpIndex::var_, true>("digits_var", "var"),
    kernel_of<float, norm1_set | norm2_set, 1, 1, OpIndex::rms_, true>("digits_rms", "rms"),
    kernel_of<bfloat16, norm2_set, 4, 2, OpIndex::norm2_, true>("digits_norm2_bf16", "norm2"),
    kernel_of<bfloat16, var_set, 2, 4, OpIndex::std_, true>("digits_std_bf16", "std"),
    kernel_of<float16, norm2_set, 4, 2, OpIndex::rms_, true>("digits_rms_f16", "rms"),
    kernel_of<float16, var_set, 2, 4, OpIndex::var_, true>("digits_var_f16", "var")};

class NearSum : public testing::TestWithParam<NearKernel> {
 public:
  // Compares state and answer with the processor's, on as many blocks as there are parts for, or on
  // another number.
  void check(const Data& x, unsigned grid, std::size_t skip, const std::string& what) {
    const NearKernel& k = GetParam();
    const KernelRun how{.grid = grid,
                        .skip = skip,
                        .launches = 2,
                        .alone = !k.few && !k.digits,
                        .few = k.few,
                        .digits = k.digits};
    const std::vector<int64_t> expected = portable_state(Accumulators(k.set), x, nullptr);
    const KernelResult got = k.state(x, nullptr, how, {});
    ASSERT_EQ(got.state, expected) << what;
    ASSERT_EQ(text_of(got.flaws), "") << what;
    const KernelResult rounded = k.answer(x, nullptr, how, {.results = {k.dtype}});
    Plan plan;
    plan.dtype = k.dtype;
    plan.results = {k.dtype};
    plan.ops = parse_ops(k.op);
    plan.needs = Accumulators(k.set);
    plan.layout = layout_of(plan.needs, k.dtype);
    ASSERT_EQ(rounded.answers[0].bits, finish(plan, 0, expected.data()).bits) << what;
    ASSERT_EQ(text_of(rounded.flaws), "") << what;
  }
  unsigned grid_of(std::size_t n) const {
    return static_cast<unsigned>(n / (GetParam().part * GetParam().warps) + 1);
  }
};

TEST_P(NearSum, SumsAnyDataAsTheProcessorDoes) {
  const DType type = GetParam().dtype;
  Random r(3);
  for (const std::string_view generator : generators(type)) {
    for (int round = 0; round < 6; ++round) {
      const std::size_t n = round == 0 ? pick(r, 0, 9) : pick_log(r, 1, 9000);
      const uint64_t seed = r();
      const Data x = generate(generator, type, n, seed);
      const unsigned grid = round % 2 == 0 ? grid_of(n) : static_cast<unsigned>(pick(r, 1, 4));
      check(x, grid, pick(r, 0, 4), describe(generator, type, n, seed));
    }
  }
}

// One element that a window cannot hold, among many that it can, with every exponent: below the
// window, above the anchor, and outside of both windows.
TEST_P(NearSum, TakesOneElementOfAnyExponent) {
  constexpr std::size_t n = 3000;
  const DType type = GetParam().dtype;
  const int bits = float_format(type).mantissa_bits,
            sign = 8 * static_cast<int>(bytes_of(type)) - 1;
  Data x = generate("normal", type, n, 4);
  const uint64_t was = x.bits(1234);
  for (uint64_t e = 0; e < 256; e += 3) {
    for (const uint64_t mantissa : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << bits) - 1}) {
      x.set(1234, e << bits | mantissa | (e % 2) << sign);
      check(x, grid_of(n), 1, "exponent " + std::to_string(e));
    }
  }
  x.set(1234, was);
}

// The same data at every scale, with one sign and as large as possible: sums exceed the largest
// number, or reach down to the subnormals.
TEST_P(NearSum, HasRoomForTheLargestAtEveryExponent) {
  const DType type = GetParam().dtype;
  for (int e = 0; e < exponents(type); ++e) {
    check(largest(type, e, e % 2 != 0, 5000), grid_of(5000), 0, "exponent " + std::to_string(e));
  }
}

// The remainder of each element after the upper window is half its unit, of one sign, so the lower
// window's total is as large as possible. A few elements that the sample sees are far above.
TEST_P(NearSum, HasRoomForHalvesOfOneSign) {
  constexpr std::size_t n = 8192;
  for (const float large : {0x1p24f, 0x1p30f, 0x1p47f}) {
    for (const float one : {1.0f, 3.0f, 5.0f, -1.0f, -3.0f}) {
      const DType type = GetParam().dtype;
      Data x(type, n);
      for (std::size_t i = 0; i < n; ++i) {
        x.set(i, bit_cast<uint32_t>(i == 0 ? large : one) >> (type == bf16 ? 16 : 0));
      }
      check(x, grid_of(n), 0, std::to_string(large) + " and " + std::to_string(one));
    }
  }
}

// A warp has more parts than its sums can hold, so it adds them to the words in between.
TEST_P(NearSum, HasRoomForAnyNumberOfParts) {
  const std::size_t n =
      GetParam().warps * (std::size_t{32} * kernel::near_elements + GetParam().part);
  const DType type = GetParam().dtype;
  check(largest(type, type == f16 ? 28 : 140, true, n), 1, 0, "of one sign");
  check(generate("normal", GetParam().dtype, n, 7), 1, 3, "normal");
}

// All elements outside of the sample are as large as windows allow, and of one sign: lanes, warps
// and blocks hold as much as they have room for. Halves of a unit all go to the lower window.
TEST_P(NearSum, HasRoomForWhatTheSampleDoesNotSee) {
  const NearKernel& k = GetParam();
  const bool half = k.dtype == bf16;
  const std::size_t n = k.warps * (std::size_t{32} * kernel::near_elements);
  const std::size_t of_vector = half ? 8 : 4, step = n / of_vector / 4;
  const uint32_t top = 140, most = top + (half ? 13 : 6);  // exponents
  const uint32_t last = half ? 1u << 16 : 1u;
  for (const uint32_t one :
       {(most << 23) - last, (most - 48) << 23, (most - 47) << 23 | 1u << 22}) {
    for (const uint32_t sign : {0u, 1u << 31}) {
      Data x(k.dtype, n);
      for (std::size_t i = 0; i < n; ++i) {
        const bool seen = i / of_vector % step < 8;
        x.set(i, (seen ? top << 23 : one | sign) >> (half ? 16 : 0));
      }
      check(x, 1, 0, std::to_string(one) + " of sign " + std::to_string(sign));
    }
  }
}

TEST_P(NearSum, KnowsZerosBySign) {
  for (const std::size_t n : {0, 1, 3, 4, 31, 128, 700, 5000}) {
    const DType type = GetParam().dtype;
    const uint64_t negative_zero = uint64_t{1} << (8 * bytes_of(type) - 1);
    for (const uint64_t one : {uint64_t{0}, negative_zero, negative_zero >> 2}) {
      Data x(type, n);
      for (std::size_t i = 0; i < n; ++i) x.set(i, negative_zero);
      if (n != 0) x.set(n - 1, one);
      check(x, grid_of(n), n % 4, std::to_string(n));
      if (n > 1) x.set(0, one ^ negative_zero);
      check(x, grid_of(n), 0, std::to_string(n) + " that cancel");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, NearSum, testing::ValuesIn(kernels),
                         [](const auto& info) { return std::string(info.param.name); });

// Every barrier and fence is needed: without it the machine finds a flaw in some run.
TEST(NearSumBarriers, AreAllNeeded) {
  std::vector<Data> data;
  for (const char* kind : {"normal", "lognormal3", "any_bits"}) {
    data.push_back(generate(kind, f32, 3000, 5));
  }
  std::vector<sim::Site> sites;
  const auto flaws = [&](std::optional<sim::Site> without, std::vector<sim::Site>* found) {
    std::size_t all = 0;
    for (const Data& x : data) {
      for (const unsigned schedule : {1u, 2u, 3u}) {
        const KernelRun how{
            .grid = 3, .schedule = schedule, .launches = 2, .few = true, .without = without};
        const KernelResult got = kernels[0].state(x, nullptr, how, {});
        all += got.flaws.size();
        if (got.state != portable_state(Accumulators(sum_set), x, nullptr)) ++all;
        if (found != nullptr) {
          found->insert(found->end(), got.sync_sites.begin(), got.sync_sites.end());
        }
      }
    }
    return all;
  };
  ASSERT_EQ(flaws({}, &sites), 0u);
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  std::size_t here = 0;
  for (const sim::Site& site : sites) {
    if (std::string_view(site.file).find("end/near.hpp") == std::string_view::npos) continue;
    ++here;
    EXPECT_GT(flaws(site, nullptr), 0u) << site.file << ":" << site.line;
  }
  EXPECT_GT(here, 0u);
}

}  // namespace
