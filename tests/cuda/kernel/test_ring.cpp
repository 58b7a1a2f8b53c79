// The ring of buffers, into which tiles are copied while others are added.
#include <gtest/gtest.h>

#include "onefold/cuda/kernel/feed/feeds.hpp"
#include "onefold/cuda/kernel/schedule/ring.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/machine/sim.hpp"

namespace {

using namespace onefold;
using kernel::Stage;
constexpr int loads = 2, warps = 2;
constexpr Size tiles = 7, tile = 32 * loads * 4;

// Each warp adds up its tiles of two arrays; `without` is a wait to be left out.
struct Outcome {
  std::vector<uint32_t> sums;  // of each thread
  std::vector<sim::Flaw> flaws;
  std::vector<sim::Site> waits;
};
Outcome add_by_ring(unsigned schedule, std::optional<sim::Site> without = {}) {
  std::vector<float> data(tiles * tile);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = float(i);
  sim::Engine gpu({.schedule = schedule, .without = without});
  const auto x = gpu.allocate<float>("x", data.size(), data.data());
  const auto y = gpu.allocate<float>("y", data.size(), data.data());
  const auto out = gpu.allocate<uint32_t>("out", 32 * warps, nullptr);
  sim::launch(gpu, {.grid = 1, .block = 32 * warps}, [&] {
    const Sim m;
    const auto t = static_cast<unsigned>(m.thread());
    kernel::Ring<Sim, float, loads, warps, 2> ring(m, x, y);
    const auto bring = [&](Size i) {
      if (i < tiles) {
        ring.bring(m, 0, x, i);
        ring.bring(m, 1, y, i);
      }
      ring.brought(m);
    };
    uint32_t sum = 0;
    bring(t / 32);
    bring(t / 32 + warps);
    for (Size i = t / 32; i < tiles; i += warps) {
      ring.wait(m);
      const auto c = ring.take(0), d = ring.take(1);
      bring(i + 2 * warps);
      for (int k = 0; k < c.elements; ++k) {
        sum += uint32_t(c.element(k)) * (k % 2 == 0 ? 3 : 1) + uint32_t(d.element(k)) * 5;
      }
    }
    out[t] = sum;
  });
  Outcome o{.sums = std::vector<uint32_t>(32 * warps),
            .flaws = gpu.report().flaws,
            .waits = gpu.report().sync_sites};
  gpu.read(out, o.sums.data(), o.sums.size());
  return o;
}

TEST(KernelRing, BringsEachLaneItsPartOfEachTile) {
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    const Outcome o = add_by_ring(schedule);
    EXPECT_TRUE(o.flaws.empty());
    for (unsigned t = 0; t < 32 * warps; ++t) {
      uint32_t expected = 0;
      for (Size i = t / 32; i < tiles; i += warps) {
        for (unsigned k = 0; k < 4 * loads; ++k) {
          const auto v = static_cast<uint32_t>(i * tile + k / 4 * 128 + t % 32 * 4 + k % 4);
          expected += v * (k % 2 == 0 ? 8 : 6);
        }
      }
      EXPECT_EQ(o.sums[t], expected) << t;
    }
  }
}

TEST(KernelRing, NeedsItsWait) {
  const Outcome o = add_by_ring(1);
  ASSERT_EQ(o.waits.size(), 1u);
  EXPECT_FALSE(add_by_ring(1, o.waits[0]).flaws.empty());
}

// A block may have 48 KiB of arrays of fixed size.
TEST(KernelRing, IsOnlyWhereAWarpWaitsForOneThing) {
  for (uint32_t set = 1; set < uint32_t{1} << accumulator_count; ++set) {
    for (const DType t : {f16, bf16, f32, f64, i32}) {
      const Accumulators a(set);
      for (const Stage stage : {Stage::wide, Stage::single, Stage::small}) {
        EXPECT_FALSE(kernel::has_ring(t, a, stage));
      }
      EXPECT_FALSE(!is_floating(t) && kernel::has_ring(t, a, Stage::first));
      EXPECT_FALSE(t != bf16 && kernel::has_ring(t, a, Stage::bins));
      for (const Stage stage : {Stage::first, Stage::bins}) {
        const auto shape = cuda_backend::shape_of({.dtype = t, .set = a, .stage = stage});
        if (kernel::has_ring(t, a, stage)) {
          EXPECT_LE(shape.warps * kernel::ring_bytes(a, shape.loads), 40 << 10) << set;
        }
      }
    }
  }
  EXPECT_EQ(kernel::ring_bytes(Accumulator::dot, 4), 8 << 10);
  EXPECT_EQ(kernel::ring_bytes(Accumulator::sum, 4), 4 << 10);
}

}  // namespace
