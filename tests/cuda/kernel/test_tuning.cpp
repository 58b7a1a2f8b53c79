// Rows of tuning: each is used by some kernel, and fits the supported chips.
#include <gtest/gtest.h>

#include <set>

#include "onefold/cuda/kernel/schedule/ring.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/cuda/shipped.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace {

using namespace onefold;
using cuda_backend::KernelKey;
using kernel::Stage;

// Calls f(key, chip) for every kernel that some fold launches.
template <class F>
void for_each_kernel(F&& f) {
  for (const cuda_backend::Chip& chip : cuda_backend::known_chips()) {
    for (int t = 0; t < dtype_count; ++t) {
      for (uint32_t set = 1; set < uint32_t{1} << accumulator_count; ++set) {
        for (int stage = 0; stage < 6; ++stage) {
          const KernelKey key{.dtype = static_cast<DType>(t),
                              .set = Accumulators(set),
                              .stage = static_cast<Stage>(stage)};
          const bool dot = key.set.has(Accumulator::dot);
          if (dot && key.set != Accumulators(Accumulator::dot)) continue;
          if (kernel::has_launch(key.dtype, key.set, key.stage)) f(key, chip);
        }
      }
    }
  }
}

TEST(Tuning, HasARowForEveryKernelWhoseBinsFit) {
  for_each_kernel([](const KernelKey& key, const cuda_backend::Chip& chip) {
    const auto shape = cuda_backend::shape_of(key, chip.name, chip.shared_bytes);
    if (shape.warps == 0) return;
    const unsigned ring = !kernel::has_ring(key.dtype, key.set, key.stage)
                              ? 0
                              : static_cast<unsigned>(shape.warps) *
                                    static_cast<unsigned>(kernel::ring_bytes(key.set, shape.loads));
    EXPECT_LE(cuda_backend::shared_bytes_of(key, shape) + ring, chip.shared_bytes)
        << name_of(key.dtype) << " " << key.set.bits << " on " << chip.name;
    EXPECT_LE(shape.warps, 16);
    EXPECT_GE(shape.waves, shape.blocks);
    EXPECT_GE(shape.blocks, 1);
  });
}

// Every row is needed: without it some kernel would have another launch configuration.
TEST(Tuning, TakesEveryRowForSomeKernel) {
  std::set<const cuda_backend::Tuning*> taken;
  for_each_kernel([&](const KernelKey& key, const cuda_backend::Chip& chip) {
    taken.insert(cuda_backend::tuning_of(key, chip.name, chip.shared_bytes));
    taken.insert(cuda_backend::tuning_of(key, chip.name, 16 << 10));
    taken.insert(cuda_backend::tuning_of(key, chip.name, 6 << 10));
  });
  int row = 0;
  for (const cuda_backend::Tuning& one : cuda_backend::tunings()) {
    EXPECT_TRUE(taken.contains(&one)) << "row " << row;
    ++row;
  }
}

TEST(Tuning, LetsNoLaunchTakeAllThatLacksBins) {
  const KernelKey key{
      .dtype = f64, .set = Accumulator::sum | Accumulator::tally, .stage = Stage::small};
  EXPECT_EQ(cuda_backend::most_bytes_of(key, cuda_backend::shape_of(key), 132), Size{1} << 18);
  EXPECT_EQ(cuda_backend::most_bytes_of(key, cuda_backend::shape_of(key, "sm_90", 16 << 10), 132),
            0u);
}

TEST(Tuning, GivesAWalkAsManyBlocksAsItsTotalsLeaveRegistersFor) {
  const auto blocks = [](const char* ops, DType t, kernel::Walk walk, bool selects = false) {
    const auto rows = parse_ops(ops);
    return cuda_backend::shape_of({.dtype = t,
                                   .set = needs_of(rows),
                                   .ops = cuda_backend::bits_of(rows),
                                   .walk = walk,
                                   .selects = selects})
        .blocks;
  };
  using enum kernel::Walk;
  EXPECT_EQ(blocks("sum", f32, segments), 5);
  EXPECT_EQ(blocks("var", f64, segments), 4);
  EXPECT_EQ(blocks("sum", f32, long_segments, true), 2);
  EXPECT_EQ(blocks("sum", f32, short_rows), 4);
  EXPECT_EQ(blocks("sum", f32, even_rows), 4);
  EXPECT_EQ(blocks("sum", f32, kernel::rows_by(5)), 4);
  EXPECT_EQ(blocks("mean,var,min,max", f32, long_rows), 4);
  EXPECT_EQ(blocks("mean,var,min,max", f64, single_columns), 2);
  EXPECT_EQ(blocks("corr", f32, even_columns), 2);
  EXPECT_EQ(blocks("corr", f32, even_columns, true), 4);
  EXPECT_EQ(blocks("sum", f32, any_rows), 2);
  EXPECT_EQ(blocks("sum", f32, columns), 2);
}

TEST(KernelName, TellsAProfilerWhatItFolds) {
  const auto name = [](const char* ops, DType t, Stage stage, bool rounded = true) {
    const auto rows = parse_ops(ops);
    return cuda_backend::function_name({.dtype = t,
                                        .set = needs_of(rows),
                                        .ops = rounded ? cuda_backend::bits_of(rows) : 0,
                                        .stage = stage});
  };
  EXPECT_EQ(name("sum", f32, Stage::first), "onefold_sum_f32_whole");
  EXPECT_EQ(name("mean,var", f64, Stage::bins), "onefold_mean_var_f64_whole_bins");
  EXPECT_EQ(name("max", i8, Stage::small), "onefold_max_i8_whole_small");
  EXPECT_EQ(name("sum", bf16, Stage::single, false), "onefold_state_sum_tally_bf16_whole_single");
  EXPECT_EQ(name("sum,mean,std,var,min", f32, Stage::wide), "onefold_5ops_f32_whole_wide");
}

}  // namespace
