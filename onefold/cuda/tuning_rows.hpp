// The rows of tuning.hpp, with their evidence.
//
//   figures  shares of a plain read at 4 GiB of N(0,1) on an H200, unless a row says otherwise;
//            those in brackets are of another shape, as loads/warps/blocks/waves, or of the row's
//            with one change. All are in bench/results/gpu_whole.md
#pragma once

#include <optional>

#include "onefold/cuda/tuning.hpp"

namespace onefold::cuda_backend::tuning {

template <class E>
constexpr uint32_t bit(E e) {
  return uint32_t{1} << static_cast<int>(e);
}
constexpr uint32_t first = bit(kernel::Stage::first), wide = bit(kernel::Stage::wide),
                   bins = bit(kernel::Stage::bins), single = bit(kernel::Stage::single),
                   small = bit(kernel::Stage::small), digits = bit(kernel::Stage::digits);
constexpr uint32_t of_f64 = bit(DType::f64), of_f32 = bit(DType::f32), of_f16 = bit(DType::f16),
                   of_bf16 = bit(DType::bf16), of_longs = bit(DType::i64) | bit(DType::u64);
constexpr uint32_t products = bit(Fold::products), near_sums = bit(Fold::near_sums),
                   counts = bit(Fold::counts), extremes = bit(Fold::extremes),
                   sums = bit(Fold::sums), others = bit(Fold::others);
constexpr Accumulators sum = Accumulator::sum, magnitudes = Accumulator::sumabs,
                       squares = Accumulator::sumsq, tally = Accumulator::tally,
                       either = Accumulator::least | Accumulator::greatest,
                       any_x = Accumulator::sum | Accumulator::sumabs, any_sum = any_x | squares;
constexpr int kib = 1 << 10;

// The least number of tiles of 4 loads for a block with a ring, which begins and ends slowly. At
// 0.5 GiB: sum bf16 0.904 (with several waves 0.807 to 0.889), dot 0.945 (0.923), describe f32
// 0.823 (0.738 to 0.790).
constexpr unsigned by_ring = 96;

inline constexpr Tuning rows[] = {
    // Products of floats: loads of both arrays are in flight.
    //                 f32     f64     bf16    f16
    //   N(0,1)        0.992   0.982   0.992   0.988
    //   random bits   0.961   0.526   0.812
    {.stages = first,
     .types = of_f16 | of_bf16,
     .folds = products,
     .shape = {.warps = 4, .loads = 4, .blocks = 3, .waves = 128, .tiles = by_ring}},
    {.stages = first,
     .folds = products,
     .shape = {.warps = 4, .loads = 4, .blocks = 5, .waves = 128},
     .newer_blocks = 4},
    // f64: 0.531 (2 blocks of 6 warps: 0.515).
    {.stages = bins,
     .types = of_f64,
     .folds = products,
     .shape = {.loads = 4, .blocks = 5},
     .newer_blocks = 4,
     .room = {.way = Room::fewer, .warps = 3, .beside = kib, .waves_each = 1}},
    {.stages = bins,
     .folds = products,
     .shape = {.loads = 4, .blocks = 5},
     .newer_blocks = 4,
     .room = {.way = Room::fewer, .warps = 4, .beside = kib, .waves_each = 1}},
    {.stages = single,
     .types = of_f64,
     .folds = products,
     .shape = {.loads = 4, .blocks = 5, .waves = 128},
     .newer_blocks = 4,
     .room = {.way = Room::fewer, .warps = 3, .beside = kib}},
    {.stages = single,
     .types = of_f16,
     .folds = products,
     .shape = {.loads = 2, .blocks = 5, .waves = 128},
     .newer_blocks = 4,
     .room = {.way = Room::fewer, .warps = 4, .beside = kib}},
    {.stages = single,
     .types = of_bf16,
     .folds = products,
     .shape = {.loads = 4, .blocks = 4, .waves = 128},
     .room = {.way = Room::fewer, .warps = 4, .beside = kib}},
    {.stages = single,
     .folds = products,
     .shape = {.loads = 4, .blocks = 5, .waves = 128},
     .newer_blocks = 4,
     .room = {.way = Room::fewer, .warps = 4, .beside = kib}},

    // Short arrays are cut into small parts, since one warp's instructions take most of the time:
    // f32 sum of 2^10 elements 2.0 us (with 8 loads 2.3), of 2^14 2.6 (2.9), of 2^20 4.2 (with 2
    // loads 5.6). One block of at most 8 warps folds 2^12 elements.
    {.stages = small,
     .folds = near_sums,
     .shape = {.loads = 4, .blocks = 1, .waves = 8, .tiles = 1},
     .room = {.way = Room::fewer, .warps = 8}},
    // One block of at most 16 warps folds 2^13 f32: argmax 2.3 us (blocks of 8 warps: 2.6). 2^14
    // f32 take 2.7 us (with 2 loads 2.9).
    {.stages = small,
     .folds = extremes,
     .shape = {.warps = 16, .loads = 4, .blocks = 1, .waves = 8, .tiles = 1}},
    {.stages = small,
     .types = of_f64,
     .folds = sums,
     .shape = {.warps = 4, .loads = 4, .blocks = 1, .waves = 8, .tiles = 1},
     .room = {.way = Room::all, .warps = 1}},
    {.stages = small,
     .types = of_f32 | of_bf16,
     .folds = sums,
     .shape = {.warps = 4, .loads = 2, .blocks = 1, .waves = 8, .tiles = 1},
     .room = {.way = Room::all, .warps = 4}},
    {.stages = small,
     .types = of_f64,
     .folds = counts,
     .shape = {.warps = 4, .loads = 4, .blocks = 1, .waves = 8, .tiles = 1}},
    {.stages = small,
     .types = ~of_f64 & ~of_f32 & ~of_bf16,
     .shape = {.warps = 4, .loads = 2, .blocks = 1, .waves = 8, .tiles = 1}},
    {.stages = small,
     .folds = counts,
     .shape = {.warps = 4, .loads = 2, .blocks = 1, .waves = 8, .tiles = 1}},
    {.stages = small, .shape = {.warps = 0}},

    // For chips with few FP64 lanes; figures of an H200, 1 GiB: N(0,1), and the same with 1 element
    // in 1,000 times 1e12.
    //                        N(0,1)   times 1e12   another shape
    //   sum f32              0.95     0.82         4/4/6/64: 0.94, 0.80
    //   sum f16              0.96     0.96         4/4/6/64: 0.95, 0.95
    //   sum bf16, 4/4/8/64   0.97     0.81
    //   var f32              0.66     0.36         2/4/5/64: 0.51, 0.27
    //   var bf16             0.67     0.25         4/4/3/64: 0.65, 0.25
    {.stages = digits,
     .types = of_f16,
     .has = squares,
     .shape = {.warps = 4, .loads = 4, .blocks = 4, .tiles = 24}},
    {.stages = digits, .types = of_f16, .shape = {.warps = 8, .waves = 32, .tiles = 24}},
    {.stages = digits,
     .has = squares,
     .shape = {.warps = 4, .loads = 4, .blocks = 4, .tiles = 24},
     .room = {.way = Room::shared, .warps = 4, .beside = 2 * kib}},
    {.stages = digits,
     .types = of_bf16,
     .shape = {.warps = 4, .loads = 4, .blocks = 6, .tiles = 24},
     .room = {.way = Room::shared, .warps = 4, .beside = 2 * kib}},
    {.stages = digits,
     .shape = {.warps = 8, .waves = 32, .tiles = 24},
     .room = {.way = Room::shared, .warps = 8, .beside = 2 * kib}},

    // `any` of f32 elements, 2^24 and 2^28: 17.6 and 238.8 us (2 blocks: 18.0 and 238.0; 4/8/4/64:
    // 17.9 and 241.2). f64 needs more than 64 registers.
    {.types = of_f64, .folds = counts, .shape = {.warps = 8, .blocks = 3}},
    {.folds = counts, .shape = {.warps = 8, .blocks = 4}},
    // 64-bit integers: squares or magnitudes with other sums need up to 158 registers after sm_90.
    {.types = of_longs,
     .folds = others,
     .any = any_sum,
     .more_than = 3,
     .newer = true,
     .shape = {.warps = 4, .blocks = 3}},
    // Integers 0.990 to 0.999, extremes 0.986 to 0.991 (4/8/4/64 and 8/4/4/64: 0.003 to 0.010
    // less). argmax f32 of 2^24 and 2^28 takes 19.3 and 237.7 us; with 4 blocks 19.1 and 237.0, but
    // then kernels for halves spill registers on sm_80.
    {.folds = extremes | others},

    // f16 sumsq 0.979, var 0.925, describe (4 blocks) 0.752 (4/4/7/64: 0.957, 0.914).
    {.types = of_f16,
     .has = squares,
     .more_than = 5,
     .shape = {.warps = 4, .blocks = 4, .waves = 32}},
    {.types = of_f16, .has = squares, .shape = {.warps = 4, .blocks = 5}},
    // f16 sum: 8/8/2/64 has 0.945, 4/4/7/128 0.984.
    {.types = of_f16, .shape = {.warps = 8, .blocks = 3}},

    // Sums of f32 and bf16 of any size; all in one run. 2^28 f32 take 237 us (8/4/4: 241).
    //                    N(0,1)   lognormal   random bits
    //   f32              1.000    0.994       0.969
    //   f32, 20 waves    0.993    0.987       0.970
    //   bf16             0.993    0.974       0.875
    //   bf16, 63 waves   0.993    0.980       0.825
    //   bf16, 8/4/5/60   0.993    0.954       0.769
    {.stages = single,
     .types = of_bf16,
     .folds = near_sums,
     .shape = {.blocks = 3, .waves = 24, .tiles = 24},
     .room = {.way = Room::fewer, .warps = 8, .beside = 4 * kib}},
    {.stages = single,
     .folds = near_sums,
     .shape = {.blocks = 5, .waves = 64, .tiles = 24},
     .room = {.way = Room::fewer, .warps = 4, .beside = 4 * kib}},

    // bf16 sumsq 0.981, var (4 blocks) 0.908, describe 0.699 (64 waves: 0.688). Sums of bf16:
    //   this row    0.982; of lognormal data 0.967
    //   4/8/3/60    0.984; of lognormal data 0.935
    //   4/4/7/128   0.957
    //   one wave    0.977
    {.stages = first,
     .types = of_bf16,
     .has = squares,
     .more_than = 5,
     .shape = {.warps = 4, .blocks = 4, .waves = 32}},
    {.stages = first,
     .types = of_bf16,
     .has = squares,
     .within = squares | tally,
     .shape = {.warps = 4, .blocks = 5},
     .newer_blocks = 4},  // sm_100 needs one register more
    {.stages = first, .types = of_bf16, .has = squares, .shape = {.warps = 4, .blocks = 4}},
    {.stages = first,
     .types = of_bf16,
     .shape = {.warps = 4, .loads = 4, .blocks = 5, .waves = 60, .tiles = by_ring}},
    // With 7 and 5 blocks on a multiprocessor a thread may have 72 and 96 registers, and the end of
    // the kernel needs a few more.
    {.stages = single,
     .types = of_bf16,
     .has = squares,
     .shape = {.warps = 4, .blocks = 4},
     .room = {.way = Room::all, .warps = 4, .beside = 2 * kib}},
    {.stages = single,
     .types = of_bf16,
     .shape = {.warps = 4, .loads = 4, .blocks = 6, .waves = 128},
     .room = {.way = Room::all, .warps = 4, .beside = 2 * kib}},
    {.stages = single, .types = of_bf16, .shape = {.warps = 0}},

    //                 sum f32   sumsq f32   var f32   sum f64   var f64
    //   these rows    0.989     0.980       0.974     0.995     0.960
    //   32 waves      0.971     0.964       0.961     0.981     0.948
    //   128 waves     0.979
    // With 5, 4, 3 blocks a thread may have 96, 128, 168 registers; chips from sm_100 on need a few
    // more for squares.
    // Sums of f64: 35 waves are a multiple of the 7 warps that later add listed tiles, so those get
    // equal shares.
    //   waves         35      40      60
    //   random bits   0.803   0.793   0.769
    //   N(0,1)        0.993   0.996   0.997
    // f32 sum of 2^26 elements takes 68.5 us with 24 tiles, 76.5 with 8.
    // describe of f32 0.952, of f64 0.918 (8 loads, 3 blocks: 0.947, 0.901).
    {.stages = first,
     .has = squares,
     .any = either,
     .shape = {.warps = 4, .loads = 4, .blocks = 5, .waves = 30, .tiles = by_ring},
     .newer_blocks = 4},
    {.stages = first,
     .has = squares,
     .within = squares | sum | tally,
     .shape = {.warps = 4, .blocks = 5, .tiles = 24},
     .newer_blocks = 4},
    {.stages = first,
     .has = squares,
     .shape = {.warps = 4, .blocks = 4, .tiles = 24},
     .newer_blocks = 3},
    {.stages = first,
     .types = of_f64,
     .within = sum | tally,
     .shape = {.warps = 4, .blocks = 5, .waves = 35, .tiles = 24}},
    {.stages = first,
     .types = of_f64,
     .within = magnitudes | tally,
     .shape = {.warps = 4, .blocks = 5, .waves = 35, .tiles = 24}},
    {.stages = first,
     .types = of_f64,
     .shape = {.warps = 4, .blocks = 4, .waves = 35, .tiles = 24}},
    {.stages = first, .folds = near_sums, .shape = {.warps = 4, .blocks = 5, .tiles = 24}},
    {.stages = first, .shape = {.warps = 4, .blocks = 4, .tiles = 24}},

    // With extremes, tiles are small like those of the first launch: lognormal describe f32 0.642
    // (4 blocks: 0.612, 3: 0.609), f64 0.722 (30 waves: 0.697).
    {.stages = wide,
     .types = of_f64,
     .any = either,
     .shape = {.warps = 4, .loads = 4, .blocks = 4, .waves = 16}},
    {.stages = wide,
     .any = either,
     .more_than = 6,
     .shape = {.warps = 4, .loads = 4, .blocks = 5, .waves = 30},
     .newer_blocks = 4},
    {.stages = wide, .any = either, .shape = {.warps = 4, .loads = 4, .blocks = 4, .waves = 30}},
    {.stages = wide, .types = of_f64, .shape = {.warps = 4, .blocks = 4, .waves = 16}},
    // lognormal sumsq f32 0.939 (4 blocks: 0.923).
    {.stages = wide,
     .within = squares | tally,
     .shape = {.warps = 4, .blocks = 5, .waves = 32},
     .newer_blocks = 4},
    // With 4 blocks a thread has too few registers on sm_80.
    {.stages = wide, .has = any_x, .shape = {.warps = 4, .blocks = 3, .waves = 32}},
    {.stages = wide, .shape = {.warps = 4, .blocks = 4, .waves = 32}},

    // For f64 only a few warps have bins; they also add the elements that other warps' windows
    // cannot hold.
    {.stages = single,
     .types = of_f64,
     .has = squares,
     .any = any_x,
     .within = any_sum | tally,
     .shape = {.warps = 8, .loads = 4, .blocks = 2, .waves = 2, .tiles = 1},
     .room = {.way = Room::shared, .warps = 8, .beside = 2 * kib}},
    {.stages = single,
     .types = of_f64,
     .within = any_sum | tally,
     .newer = true,
     .shape = {.warps = 8, .loads = 4, .blocks = 2, .waves = 2, .tiles = 1},
     .room = {.way = Room::shared, .warps = 8, .beside = 2 * kib}},
    {.stages = single,
     .types = of_f64,
     .within = any_sum | tally,
     .shape = {.warps = 8, .loads = 8, .blocks = 2, .waves = 2, .tiles = 1},
     .room = {.way = Room::shared, .warps = 8, .beside = 2 * kib}},
    // Bins here are rarely needed, so only as many warps have some as there is room for. Long
    // launches have more than one wave, so that the hardware balances blocks.
    {.stages = single,
     .has = squares,
     .more_than = 5,
     .shape = {.blocks = 3, .tiles = 24},
     .room = {.way = Room::fewer, .warps = 4, .beside = 4 * kib, .waves_each = 1}},
    {.stages = single,
     .has = squares,
     .shape = {.blocks = 4, .tiles = 24},
     .newer_blocks = 3,
     .room = {.way = Room::fewer, .warps = 4, .beside = 4 * kib, .waves_each = 1}},
    {.stages = single,
     .more_than = 5,
     .shape = {.blocks = 3, .waves = 16, .tiles = 24},
     .room = {.way = Room::fewer, .warps = 4, .beside = 4 * kib}},
    {.stages = single,
     .shape = {.blocks = 4, .waves = 16, .tiles = 24},
     .room = {.way = Room::fewer, .warps = 4, .beside = 4 * kib}},

    // Bins fill the shared memory, and their blocks live as long as the launch. Tiles are those of
    // the first launch. Random bits: sum f32 0.947 (16 warps: 0.921), bf16 in four waves 0.867 (one
    // wave: 0.837).
    {.stages = bins,
     .types = of_bf16,
     .within = Accumulators(~squares.bits),
     .shape = {.warps = 4, .loads = 4, .blocks = 6},
     .room = {.way = Room::all, .warps = 4, .beside = kib, .waves_each = 4}},
    {.stages = bins,
     .most_bin_bytes = 128,
     .shape = {.warps = 4, .blocks = 5},
     .room = {.way = Room::all, .warps = 4, .beside = kib, .waves_each = 1}},
    // sumsq f32 0.706 (8 warps: 0.488).
    {.stages = bins,
     .types = of_bf16,
     .within = Accumulators(~squares.bits),
     .shape = {.loads = 4},
     .room = {.way = Room::filled, .warps = 16}},
    {.stages = bins, .types = of_bf16, .room = {.way = Room::filled, .warps = 16}},
    {.stages = bins,
     .types = of_f64,
     .has = squares,
     .any = either,
     .shape = {.loads = 4},
     .room = {.way = Room::halved, .warps = 16}},
    {.stages = bins, .types = of_f64, .room = {.way = Room::halved, .warps = 16}},
    {.stages = bins,
     .has = squares,
     .any = either,
     .shape = {.loads = 4},
     .room = {.way = Room::filled, .warps = 16}},
    {.stages = bins, .room = {.way = Room::filled, .warps = 16}}};

// The largest array, in bytes, that one launch folds: by the first row that fits.
struct LaunchLimit {
  uint32_t stages = ~0u, types = ~0u, folds = ~0u;
  int most_blocks = 1 << 10;
  bool few_bins = false;  // not every warp has bins
  Size bytes;
  bool each_multiprocessor = false;  // `bytes` is for each multiprocessor
};
inline constexpr LaunchLimit launch_limits[] = {
    // argmax of 2^21 f32 5.4 us (as larger arrays: 6.2), of 2^22 7.5 (8.0; with 256 blocks 5.8 and
    // 7.6); of 2^20 f64 5.9 (7.0).
    {.stages = small, .folds = extremes, .bytes = Size{1} << 24},
    // f32: 2^18 elements 3.1 us (as larger arrays: 3.4), 2^20 4.2 (4.4), 2^21 5.7 (5.7).
    {.stages = small, .folds = near_sums, .bytes = Size{1} << 22},
    // norm2 of 2^14 f32 3.2 us.
    {.stages = small, .bytes = Size{1} << 18},
    // One launch saves one or two that rarely find anything to do and take 1.3 us each, and its end
    // is quicker. Sums of f32 and bf16 have one that is quicker at any size.
    {.stages = single, .folds = near_sums, .bytes = ~Size{0}},
    // 2^18 elements 13.6 us (three launches: 14.8), random bits 18.8 (22.9); 2^20 elements 20.4
    // (16.9), random bits 22.8 (30.0).
    {.stages = single, .types = of_f64, .folds = products, .bytes = Size{1} << 21},
    // Few warps have bins: 2^22 elements take 11.5 us (three launches: 15.1), but 2^23 of lognormal
    // data 33 (25).
    {.stages = single,
     .types = of_f64,
     .few_bins = true,
     .bytes = Size{1} << 18,
     .each_multiprocessor = true},
    {.stages = single, .most_blocks = 3, .bytes = Size{1} << 23},
    {.stages = single, .bytes = Size{1} << 26}};

}  // namespace onefold::cuda_backend::tuning
