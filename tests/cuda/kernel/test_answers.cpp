// Answers that a kernel rounds on the simulated machine have the processor's bits and statuses.
#include <gtest/gtest.h>

#include "cuda/kernel/simulate.hpp"
#include "onefold/cuda/kernels.hpp"
#include "scaled.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

constexpr kernel::OpSet bit(kernel::OpIndex op) { return kernel::bit_of(op); }

using Run = KernelResult (*)(const Data&, const Data*, const KernelRun&, const Rounding&);

struct Request {
  const char* name;
  DType dtype;
  kernel::OpSet ops;
  Run run;
};

constexpr kernel::OpSet dot_of_two = bit(kernel::OpIndex::dot_);
constexpr kernel::OpSet one_array =
    (kernel::OpSet{1} << kernel::listed::count_until(kernel::listed::Op::end, 1)) - 1;
constexpr uint32_t all_needs = (uint32_t{1} << accumulator_count) - 1,
                   dot_needs = Accumulators(Accumulator::dot).bits,
                   least_needs = Accumulators(Accumulator::least).bits,
                   greatest_needs = Accumulators(Accumulator::greatest).bits,
                   sum_needs = (Accumulator::sum | Accumulator::tally).bits,
                   count_needs = (Accumulator::zeros | Accumulator::tally).bits;
constexpr kernel::OpSet counts = bit(kernel::OpIndex::all_) | bit(kernel::OpIndex::count_) |
                                 bit(kernel::OpIndex::count_inf_) |
                                 bit(kernel::OpIndex::count_nan_);

// clang-format off
#define REQUESTS(T)                                                                              \
  {"sum", dtype_of<T>, bit(kernel::OpIndex::sum_),                                               \
   simulate_whole<T, sum_needs, 1, 1, bit(kernel::OpIndex::sum_)>},                              \
  {"min", dtype_of<T>, bit(kernel::OpIndex::min_),                                               \
   simulate_whole<T, least_needs, 1, 2, bit(kernel::OpIndex::min_)>},                            \
  {"argmax", dtype_of<T>, bit(kernel::OpIndex::argmax_),                                         \
   simulate_whole<T, greatest_needs, 1, 2, bit(kernel::OpIndex::argmax_)>},                      \
  {"ptp", dtype_of<T>, bit(kernel::OpIndex::ptp_),                                               \
   simulate_whole<T, least_needs | greatest_needs, 1, 2, bit(kernel::OpIndex::ptp_)>},           \
  {"count_nonzero", dtype_of<T>, bit(kernel::OpIndex::count_nonzero_),                           \
   simulate_whole<T, count_needs, 1, 2, bit(kernel::OpIndex::count_nonzero_)>},                  \
  {"counts", dtype_of<T>, counts, simulate_whole<T, count_needs, 1, 2, counts>},                 \
  {"dot", dtype_of<T>, dot_of_two, simulate_whole<T, dot_needs, 1, 2, dot_of_two>},              \
  {"all", dtype_of<T>, one_array,                                                                \
   simulate_whole<T, all_needs ^ dot_needs, 1, 2, one_array>},
const Request requests[] = {
    REQUESTS(double) REQUESTS(float) REQUESTS(float16) REQUESTS(bfloat16) REQUESTS(int8_t)
    REQUESTS(int64_t) REQUESTS(uint64_t) REQUESTS(Bool8)
};
// clang-format on

// The processor's answers, from the same elements.
std::vector<Rounded> expected_answers(const Request& q, const Data& x, const Data* y,
                                      const Rounding& rounding) {
  Plan plan;
  plan.dtype = x.dtype();
  plan.nan = rounding.nan;
  plan.correction = rounding.correction;
  plan.results = rounding.results;
  for (const OpRow& op : op_rows()) {
    if (kernel::asks(q.ops, cuda_backend::index_of(op))) plan.ops.push_back(&op);
  }
  plan.needs = needs_of(plan.ops);
  plan.layout = layout_of(plan.needs, plan.dtype);
  const std::vector<int64_t> state = portable_state(plan.needs, x, y);
  std::vector<Rounded> answers;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    answers.push_back(finish(plan, k, state.data()));
  }
  return answers;
}

// Returns the table's types, or sometimes other legal ones.
std::vector<DType> some_results(kernel::OpSet ops, DType t, Random& r) {
  std::vector<DType> results;
  for (const OpRow& op : op_rows()) {
    if (!kernel::asks(ops, cuda_backend::index_of(op))) continue;
    const DType own = op.about->result.of(t);
    const DType floats[] = {f16, bf16, f32, f64}, integers[] = {i8, i32, i64, u8, u64};
    results.push_back(r() % 3 != 0                      ? own
                      : is_integer(own) && r() % 2 == 0 ? integers[r() % std::size(integers)]
                                                        : floats[r() % std::size(floats)]);
  }
  return results;
}

class AnsweringOf : public testing::TestWithParam<Request> {};

TEST_P(AnsweringOf, GivesTheBitsOfTheProcessor) {
  const Request& q = GetParam();
  Random r(11);
  const Correction corrections[] = {0, 1, 0.5, -3, 0x1p-29, 2.125, 1000000};
  for (const std::string_view generator : generators(q.dtype)) {
    for (int round = 0; round < 3; ++round) {
      const std::size_t n = round == 0 ? pick(r, 0, 3) : pick_log(r, 1, 3000);
      const uint64_t seed = r();
      const Data x = generate(generator, q.dtype, n, seed);
      const Data y = generate(generator, q.dtype, n, seed + 1);
      const Data* other = (q.ops & kernel::two_arrays) != 0 ? &y : nullptr;
      const KernelRun how{.grid = static_cast<unsigned>(pick(r, 1, 3)),
                          .schedule = static_cast<unsigned>(pick(r, 1, 3)),
                          .skip = pick(r, 0, 16),
                          .alone = r() % 2 == 0,
                          .few = r() % 2 == 0};
      const Rounding rounding{.nan = static_cast<NanPolicy>(r() % 3),
                              .correction = corrections[r() % std::size(corrections)],
                              .results = some_results(q.ops, q.dtype, r)};
      const KernelResult got = q.run(x, other, how, rounding);
      const std::vector<Rounded> expected = expected_answers(q, x, other, rounding);
      ASSERT_EQ(got.answers.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_EQ(got.answers[k].bits, expected[k].bits)
            << "answer " << k << " of " << describe(generator, q.dtype, n, seed);
        ASSERT_EQ(name_of(got.answers[k].status), name_of(expected[k].status)) << k;
      }
      ASSERT_EQ(text_of(got.flaws), "") << q.name;
    }
  }
}

// If the array is a part of a longer one, indices exceed 2^31 and 2^32.
// Rounding steps that no op needs are not compiled.
TEST(Answering, KnowsWhatRoundingTakes) {
  using kernel::OpIndex;
  const auto steps = [](const RoundingSteps& s) {
    return std::string(s.quotient ? "/" : "") + (s.second_quotient ? "/" : "") +
           (s.root ? "r" : "") + (s.integers ? "i" : "");
  };
  EXPECT_EQ(steps(kernel::steps_of<float, bit(OpIndex::sum_)>()), "");
  EXPECT_EQ(steps(kernel::steps_of<int32_t, bit(OpIndex::sum_)>()), "i");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::max_)>()), "");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::ptp_)>()), "");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::argmax_)>()), "i");
  EXPECT_EQ(steps(kernel::steps_of<int8_t, bit(OpIndex::mean_)>()), "/");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::norm2_)>()), "r");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::rms_)>()), "/r");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::var_)>()), "//");
  EXPECT_EQ(steps(kernel::steps_of<double, bit(OpIndex::std_)>()), "//r");
  EXPECT_EQ(steps(kernel::steps_of<float, bit(OpIndex::sum_) | bit(OpIndex::rms_)>()), "/r");
}

TEST(Answering, CountsIndicesPastTheBordersOf32Bits) {
  constexpr kernel::OpSet ops = bit(kernel::OpIndex::argmin_) | bit(kernel::OpIndex::argmax_);
  constexpr uint32_t needs = (Accumulator::least | Accumulator::greatest).bits;
  Random r(5);
  for (const Size border : {Size{1} << 31, Size{1} << 32, Size{1} << 40}) {
    for (int round = 0; round < test::scaled(20); ++round) {
      const std::size_t n = pick_log(r, 1, 3000);
      const Data x = generate("normal", f32, n, r());
      const Rounding rounding{.results = {i64, i64}};
      const auto run = [&](Size first) {
        const KernelRun how{.grid = 2, .skip = pick(r, 0, 7), .first = first};
        const KernelResult got = simulate_whole<float, needs, 1, 2, ops>(x, nullptr, how, rounding);
        EXPECT_EQ(text_of(got.flaws), "");
        return got.answers;
      };
      const Size first = border - pick(r, 0, n);
      const std::vector<Rounded> here = run(0), there = run(first);
      for (std::size_t k = 0; k < 2; ++k) ASSERT_EQ(there[k].bits, here[k].bits + first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, AnsweringOf, testing::ValuesIn(requests), [](const auto& info) {
  return std::string(info.param.name) + "_" + name_of(info.param.dtype);
});

}  // namespace
