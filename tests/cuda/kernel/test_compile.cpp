// Every kernel compiles for the supported chips, without a device, and keeps its variables in
// registers.
#include <gtest/gtest.h>

#include <regex>

#include "onefold/cuda/kernels.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;
using cuda_backend::KernelKey;

std::vector<DType> all_types() {
  return {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) DType::name,
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  };
}

// One for each way in which kernels treat types; `make test-long` compiles the others.
// `make test` compiles kernels of one type, `make test-long` of all: a type takes half a minute.
constexpr DType some_types[] = {f32};
std::vector<DType> other_types() {
  auto types = all_types();
  std::erase_if(types, [](DType t) { return std::ranges::count(some_types, t) != 0; });
  return types;
}

// Says what is wrong with a module's machine code; empty: nothing.
std::string flaws_of(std::span<const cuda_backend::Kernel> module, const std::string& chip) {
  const std::string options[] = {"--ptxas-options=-v"};
  const auto made = jit::Nvrtc::get().compile(cuda_backend::source_of(module), chip,
                                              jit::device_headers(), options);
  if (made.image.empty()) return made.log;
  const std::regex spills("([0-9]+) bytes spill stores");
  std::string flaws;
  for (std::sregex_iterator i(made.log.begin(), made.log.end(), spills), end; i != end; ++i) {
    if ((*i)[1] != "0") flaws += (*i)[0].str() + "\n";
  }
  if (!std::regex_search(made.log, spills)) flaws += "no report of registers:\n" + made.log;
  return flaws;
}

std::string flaws_of(const KernelKey& key, const std::string& chip) {
  const cuda_backend::Kernel one[] = {{key, cuda_backend::shape_of(key, chip)}};
  return flaws_of(one, chip);
}

void check(DType t, const std::vector<std::string>& requests, const std::string& chip) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  std::vector<uint32_t> done;
  for (const std::string& ops : requests) {
    const Accumulators set = needs_of(parse_ops(ops));
    if (std::find(done.begin(), done.end(), set.bits) != done.end()) continue;
    done.push_back(set.bits);
    using kernel::Stage;
    for (const auto stage : {Stage::first, Stage::wide, Stage::bins, Stage::single, Stage::small}) {
      if (!kernel::has_launch(t, set, stage)) continue;
      EXPECT_EQ(flaws_of({.dtype = t, .set = set, .stage = stage}, chip), "")
          << ops << " " << name_of(t) << " " << chip << " stage " << static_cast<int>(stage);
    }
  }
}

const std::vector<std::string> single = {"sum",    "norm1", "norm2",         "min",
                                         "argmax", "ptp",   "count_nonzero", "dot"};
const std::vector<std::string> several = {
    "var", "mean,min,max", "sum,norm1,norm2", "sum,norm1,norm2,norminf",
    "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,argmax,norm1,norm2"};

class CompiledAxes : public testing::TestWithParam<DType> {};

// Kernels of exact words may spill a few registers where answers are rounded.
TEST_P(CompiledAxes, OfEveryWalk) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const std::string ops : {"sum", "var", "argmax", "any", "dot"}) {
    const auto rows = parse_ops(ops);
    for (const kernel::OpSet answers : {kernel::OpSet{0}, cuda_backend::bits_of(rows)}) {
      for (const auto walk : {kernel::Walk::nest}) {
        const KernelKey key{
            .dtype = GetParam(), .set = needs_of(rows), .ops = answers, .walk = walk};
        EXPECT_EQ(flaws_of(key, "sm_90"), "") << ops << " " << static_cast<int>(walk);
      }
    }
  }
}

// Kernels with masks, and kernels of pairs. Some spill registers where answers are rounded.
TEST_P(CompiledAxes, ThatSelectAndOfPairs) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  const auto compile = [](const KernelKey& key) {
    const cuda_backend::Kernel one[] = {{key, cuda_backend::shape_of(key, "sm_90")}};
    const auto made =
        jit::Nvrtc::get().compile(cuda_backend::source_of(one), "sm_90", jit::device_headers());
    EXPECT_FALSE(made.image.empty()) << made.log;
  };
  using kernel::Walk;
  const auto var = parse_ops("var,argmax");
  for (const auto walk :
       {Walk::nest, Walk::any_rows, Walk::long_rows, Walk::columns, Walk::undecided,
        Walk::even_columns, Walk::single_columns, kernel::rows_by(3)}) {
    // Integers have no undecided answers.
    if (walk == Walk::undecided && !is_floating(GetParam())) continue;
    compile({.dtype = GetParam(),
             .set = needs_of(var),
             .ops = cuda_backend::bits_of(var),
             .walk = walk,
             .selects = true});
  }
  for (const char* ops : {"corr", "mae,max_abs_diff"}) {
    compile({.dtype = GetParam(), .set = needs_of(parse_ops(ops)), .walk = Walk::nest});
  }
}

TEST(LongCompiledPairs, OfEveryWalk) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  const auto dot = parse_ops("dot");
  for (const DType t : {f64, f32, bf16}) {
    for (const auto walk :
         {kernel::Walk::any_rows, kernel::Walk::long_rows, kernel::Walk::short_rows,
          kernel::Walk::columns, kernel::Walk::even_columns, kernel::Walk::single_columns,
          kernel::rows_by(2)}) {
      const KernelKey key{
          .dtype = t, .set = needs_of(dot), .ops = cuda_backend::bits_of(dot), .walk = walk};
      const cuda_backend::Kernel one[] = {{key, cuda_backend::shape_of(key, "sm_90")}};
      const auto made =
          jit::Nvrtc::get().compile(cuda_backend::source_of(one), "sm_90", jit::device_headers());
      EXPECT_FALSE(made.image.empty()) << made.log;
    }
  }
}

TEST(LongCompiledScans, OfTypesOfAllSizes) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const DType t : {f64, f32, bf16, i64, i32, i8}) {
    for (const auto walk : {kernel::Walk::scan, kernel::Walk::short_scan}) {
      const auto ops = parse_ops(walk == kernel::Walk::scan || t != f32 ? "sum" : "mean");
      const KernelKey key{
          .dtype = t, .set = needs_of(ops), .ops = cuda_backend::bits_of(ops), .walk = walk};
      const cuda_backend::Kernel one[] = {{key, cuda_backend::shape_of(key, "sm_90")}};
      const auto made =
          jit::Nvrtc::get().compile(cuda_backend::source_of(one), "sm_90", jit::device_headers());
      EXPECT_FALSE(made.image.empty()) << made.log;
    }
  }
}

class CompiledExponentials : public testing::TestWithParam<DType> {};

TEST_P(CompiledExponentials, OfEveryWalk) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const auto walk : {kernel::Walk::logsumexp, kernel::Walk::softmax,
                          kernel::Walk::logsumexp_again, kernel::Walk::softmax_again,
                          kernel::Walk::logsumexp_state, kernel::Walk::logsumexp_merge}) {
    const KernelKey key{.dtype = GetParam(), .set = {}, .walk = walk};
    const cuda_backend::Kernel one[] = {{key, cuda_backend::shape_of(key, "sm_90")}};
    const auto made =
        jit::Nvrtc::get().compile(cuda_backend::source_of(one), "sm_90", jit::device_headers());
    EXPECT_FALSE(made.image.empty()) << made.log;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CompiledExponentials, testing::Values(bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(LongTypes, CompiledExponentials, testing::Values(f64, f32, f16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

class CompiledQuantiles : public testing::TestWithParam<DType> {};

TEST_P(CompiledQuantiles, OfEveryWalk) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  using enum kernel::Walk;
  const auto check = [t = GetParam()](kernel::Walk walk, bool masks, bool several) {
    const KernelKey key{.dtype = t, .set = {}, .walk = walk, .selects = masks, .wide = several};
    EXPECT_EQ(flaws_of(key, "sm_90"), "") << cuda_backend::function_name(key);
  };
  for (const bool masks : {false, true}) {
    for (const auto walk : {quantile_rows, quantile_bracket, quantile_pass, quantile_segments}) {
      check(walk, masks, false);
    }
    for (const auto walk : {quantile_bracket, quantile_segments}) check(walk, masks, true);
  }
  for (const auto walk : {quantile_sample, quantile_answers}) check(walk, false, false);
}

INSTANTIATE_TEST_SUITE_P(Types, CompiledQuantiles, testing::Values(f32),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(LongTypes, CompiledQuantiles, testing::Values(f64, bf16, f16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

class CompiledLabels : public testing::TestWithParam<DType> {};

// Those of f64 spill 28 bytes, where answers are rounded.
TEST_P(CompiledLabels, KeepSumsInRegisters) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const std::string ops : {"sum", "mean"}) {
    const auto rows = parse_ops(ops);
    const KernelKey key{.dtype = GetParam(),
                        .set = needs_of(rows),
                        .ops = cuda_backend::bits_of(rows),
                        .walk = kernel::Walk::label_sums};
    EXPECT_EQ(flaws_of(key, "sm_90"), "") << ops;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CompiledLabels, testing::Values(bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(LongTypes, CompiledLabels, testing::Values(f32, i32, i64),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(Types, CompiledAxes, testing::ValuesIn(some_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(LongTypes, CompiledAxes, testing::ValuesIn(other_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// All ops of f64 together have the widest totals that are merged in shared memory, of 48 KiB.
TEST(CompiledColumns, OfAllOpsFitSharedMemory) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  const auto ops = parse_ops(several.back());
  for (const bool selects : {false, true}) {
    const cuda_backend::Kernel one[] = {{.key = {.dtype = f64,
                                                 .set = needs_of(ops),
                                                 .ops = cuda_backend::bits_of(ops),
                                                 .walk = kernel::Walk::columns,
                                                 .selects = selects},
                                         .shape = {.blocks = 2}}};
    const auto made =
        jit::Nvrtc::get().compile(cuda_backend::source_of(one), "sm_90", jit::device_headers());
    EXPECT_FALSE(made.image.empty()) << made.log;
  }
}

// The launches of one fold, as they are compiled together.
TEST(CompiledModule, HoldsTheLaunchesOfAFold) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const std::string chip : {"sm_80", "sm_90"}) {
    const KernelKey key{.dtype = f64, .set = needs_of(parse_ops("var"))};
    const auto module = cuda_backend::module_of(
        key, [&](const KernelKey& k) { return cuda_backend::shape_of(k, chip); });
    EXPECT_EQ(module.size(), 3u);
    EXPECT_EQ(flaws_of(module, chip), "");
  }
}

class Compiled : public testing::TestWithParam<DType> {};
TEST_P(Compiled, EveryAccumulatorForSm90) { check(GetParam(), single, "sm_90"); }
TEST_P(Compiled, AnswersRoundedInPlace) {
  if (!jit::Nvrtc::get().usable()) {
    GTEST_SKIP() << "NVRTC was not found: " << jit::Nvrtc::get().library().why;
  }
  for (const std::string ops : {"sum", "std"}) {
    KernelKey key{GetParam(), needs_of(parse_ops(ops))};
    key.ops = cuda_backend::bits_of(parse_ops(ops));
    for (const auto stage : {kernel::Stage::first, kernel::Stage::single, kernel::Stage::small}) {
      if (!kernel::has_launch(key.dtype, key.set, stage)) continue;
      key.stage = stage;
      EXPECT_EQ(flaws_of(key, "sm_90"), "") << ops << " " << name_of(GetParam());
    }
  }
}
// Lists have numbers of tiles, so all launches must cut tiles alike.
TEST_P(Compiled, LaunchesOfAFoldHaveTheSameTiles) {
  for (const char* chip : {"sm_80", "sm_90", "sm_120"}) {
    for (uint32_t set = 1; set < uint32_t{1} << accumulator_count; ++set) {
      KernelKey key{.dtype = GetParam(), .set = Accumulators(set)};
      const int loads = cuda_backend::shape_of(key, chip).loads;
      for (const auto stage : {kernel::Stage::wide, kernel::Stage::bins}) {
        key.stage = stage;
        if (!kernel::has_launch(key.dtype, key.set, stage)) continue;
        ASSERT_EQ(cuda_backend::shape_of(key, chip).loads, loads) << name_of(key.dtype) << set;
      }
    }
  }
}
// Chips differ in what a thread may hold, not in what compiles.
TEST(LongCompiledForSm80, FloatsAndWideIntegers) {
  for (const DType t : {f32, i64}) check(t, single, "sm_80");
}
INSTANTIATE_TEST_SUITE_P(Types, Compiled, testing::ValuesIn(some_types),
                         [](const auto& info) { return std::string(name_of(info.param)); });
INSTANTIATE_TEST_SUITE_P(LongTypes, Compiled, testing::ValuesIn(other_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

class LongCompiled : public testing::TestWithParam<DType> {};
TEST_P(LongCompiled, EveryAccumulatorForSm80) { check(GetParam(), single, "sm_80"); }
TEST_P(LongCompiled, SetsOfAccumulators) {
  for (const char* chip : {"sm_80", "sm_90"}) check(GetParam(), several, chip);
}
TEST_P(LongCompiled, ForNewerChips) {
  for (const char* chip : {"sm_100", "sm_120"}) {
    check(GetParam(), single, chip);
    check(GetParam(), several, chip);
  }
}
INSTANTIATE_TEST_SUITE_P(Types, LongCompiled, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
