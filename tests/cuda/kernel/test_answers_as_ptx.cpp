// NVRTC's PTX of the code that rounds answers, run on the simulated machine: its answers are the
// processor's. NVRTC once gave one place on the stack to two numbers that were both in use.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cuda/kernel/simulate.hpp"
#include "lab/kernel_run.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

struct Case {
  std::string ops;   // in the order of kernels
  const char* type;  // in C++
  DType dtype;
};
class AnswersAsPtx : public testing::TestWithParam<Case> {};

constexpr std::size_t arrays = 24;

// Block b rounds the answers of state b.
std::string source_of(const Case& c, const Plan& plan) {
  const kernel::OpSet ops = cuda_backend::bits_of(plan.ops);
  return fmt::format(
      R"(#include "onefold/cuda/kernel/axes.hpp"
#include "onefold/machine/gpu.cuh"
using namespace onefold;
extern "C" __global__ void __launch_bounds__(256) answers(const int64_t* states, uint64_t* values,
                                                          uint8_t* statuses) {{
  using State = kernel::StateOf<{0}, {1}u>;
  const auto words = shared<int64_t, State::words, struct words_>(Gpu{{}});
  const auto b = blockIdx.x;
  for (unsigned k = threadIdx.x; k < State::words; k += blockDim.x) {{
    words[k] = states[b * State::words + k];
  }}
  __syncthreads();
  kernel::Results<Gpu, {2}u> results{{}};
  results.nan = NanPolicy::propagate;
  results.correction.numerator = 1;
  results.correction.is_given = true;
  for (int k = 0; k < {3}; ++k) {{
    results.place[k] = {{reinterpret_cast<uint8_t*>(values + b * {3} + k), statuses + b * {3} + k,
                        DType::f64, true}};
  }}
  kernel::answer<{0}, {1}u, {2}u>(Gpu{{}}, words, results);
}}
)",
      c.type, plan.needs.bits, ops, plan.ops.size());
}

std::string ptx_of(const std::string& source) {
  const std::string options[] = {"--gpu-architecture=compute_90", "-std=c++20", "--fmad=false",
                                 "-default-device", "--device-int128"};
  const auto made =
      jit::Nvrtc::get().to_ptx(source, "answers.cu", options, jit::device_headers(), "");
  EXPECT_NE(made.ptx, "") << made.log;
  return made.ptx;
}

template <class T>
lab::KernelArgument array(const char* name, DType t, const std::vector<T>& values) {
  lab::KernelArgument a{.name = name, .is_array = true, .dtype = t, .typed = true};
  a.n = values.size();
  a.written = !values.empty();
  a.data.resize(values.size() * sizeof(T));
  std::memcpy(a.data.data(), values.data(), a.data.size());
  return a;
}

void compare(const Case& c) {
  Plan plan;
  plan.dtype = c.dtype;
  plan.correction = 1;
  plan.ops = parse_ops(c.ops);
  plan.results.assign(plan.ops.size(), DType::f64);
  plan.needs = needs_of(plan.ops);
  plan.layout = layout_of(plan.needs, plan.dtype);
  const bool two = (cuda_backend::bits_of(plan.ops) & kernel::two_arrays) != 0;
  std::vector<int64_t> states;
  std::vector<Rounded> expected;
  Random r(7);
  const auto names = generators(c.dtype);
  for (std::size_t k = 0; k < arrays; ++k) {
    const std::size_t n = pick_log(r, 2, 400);
    const Data x = generate(names[k % names.size()], c.dtype, n, r()),
               y = generate(names[k / 3 % names.size()], c.dtype, n, r());
    const auto words = portable_state(plan.needs, x, two ? &y : nullptr);
    states.insert(states.end(), words.begin(), words.end());
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      expected.push_back(finish(plan, op, words.data()));
    }
  }
  lab::KernelOptions o{.file = "answers.ptx"};
  o.text = ptx_of(source_of(c, plan));
  o.launches =
      lab::kernel_launches(fmt::format("answers<<<{}, 256, {}>>>(states, values, statuses)", arrays,
                                       kernel::pool_bytes(digits_of_moments<double>)));
  o.arguments = {array("states", DType::i64, states),
                 array("values", DType::u64, std::vector<uint64_t>(expected.size())),
                 array("statuses", DType::u8, std::vector<uint8_t>(expected.size()))};
  o.schedules = 1;
  o.budget = 500'000'000;
  const lab::KernelResult got = lab::run_kernel(o);
  EXPECT_EQ(got.failure, "");
  for (const std::string& flaw : got.flaws) ADD_FAILURE() << flaw;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    uint64_t bits;
    std::memcpy(&bits, got.arguments[1].data.data() + 8 * k, 8);
    const auto status = static_cast<Status>(got.arguments[2].data[k]);
    EXPECT_EQ(status, expected[k].status) << k;
    if (status == Status::ok) EXPECT_EQ(bits, expected[k].bits) << k << " of " << c.ops;
  }
}

TEST_P(AnswersAsPtx, AreThoseOfTheProcessor) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << jit::Nvrtc::get().library().why;
  compare(GetParam());
}

struct CType {
  const char* type;
  DType dtype;
};
constexpr CType types[] = {{"float", DType::f32},     {"double", DType::f64},
                           {"bfloat16", DType::bf16}, {"int32_t", DType::i32},
                           {"int64_t", DType::i64},   {"float16", DType::f16},
                           {"uint8_t", DType::u8}};

// Which numbers share a place depends on all that is inlined beside them.
class LongAnswersAsPtx : public testing::TestWithParam<unsigned> {};

TEST_P(LongAnswersAsPtx, OfRandomSetsAreThoseOfTheProcessor) {
  if (!jit::Nvrtc::get().usable()) GTEST_SKIP() << jit::Nvrtc::get().library().why;
  Random r(GetParam());
  for (int k = 0; k < 40; ++k) {
    const CType& type = types[r() % std::size(types)];
    const bool two = r() % 2 == 0;
    const uint64_t least = 1 + r() % 8;
    std::string ops;
    for (const OpRow& op : op_rows()) {
      const kernel::OpSet bits = cuda_backend::bits_of(parse_ops(op.name));
      if ((bits >> 31 != 0) == two && r() % 8 < least)
        ops += (ops.empty() ? "" : ",") + std::string(op.name);
    }
    if (!ops.empty()) compare({ops, type.type, type.dtype});
    if (HasFailure()) GTEST_FAIL() << ops << " of " << type.type;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, LongAnswersAsPtx, testing::Range(0u, 20u));

// Sets of every kind of type.
std::vector<Case> sets() {
  std::vector<Case> all;
  for (const auto& [type, dtype] : std::span(types).first(5)) {
    for (const char* set : {"corr,cov,intercept,slope", "average,cosine,mse", "mean,norm2,std,var",
                            "cosine,cov", "cov,slope", "mean,var"}) {
      all.push_back({set, type, dtype});
    }
  }
  return all;
}
// All ops alone, of two types.
std::vector<Case> ops() {
  std::vector<Case> all;
  for (const auto& [type, dtype] : std::span(types).first(5)) {
    if (dtype != DType::f32 && dtype != DType::f64) continue;
    for (const OpRow& op : op_rows()) all.push_back({op.name, type, dtype});
  }
  return all;
}
std::string name_of_case(const testing::TestParamInfo<Case>& of) {
  std::string s = of.param.ops;
  std::replace(s.begin(), s.end(), ',', '_');
  return s + "_" + std::string(name_of(of.param.dtype));
}
INSTANTIATE_TEST_SUITE_P(Of, AnswersAsPtx, testing::ValuesIn(sets()), name_of_case);
INSTANTIATE_TEST_SUITE_P(LongOf, AnswersAsPtx, testing::ValuesIn(ops()), name_of_case);

}  // namespace
