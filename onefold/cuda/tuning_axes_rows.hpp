// The rows of tuning.hpp for kernels that fold along axes, with their evidence.
#pragma once

#include "onefold/cuda/tuning_rows.hpp"

namespace onefold::cuda_backend::tuning {

// Blocks of 8 warps that a multiprocessor runs at once, for kernels that fold along axes: a thread
// has 128 registers with 2 blocks, 64 with 4, 48 with 5. The first row that fits is used; kernels
// with more words of totals than it allows would keep registers on the stack (kernel_sass --axes
// 1).
struct AxesTuning {
  uint32_t walks = ~0u, types = ~0u;
  std::optional<bool> selects = {}, pairs = {};
  int most_words = 1 << 10;  // of an answer's totals (kernel::total_words_of)
  int blocks;
};
constexpr uint32_t of_segments = bit(kernel::Walk::segments) | bit(kernel::Walk::long_segments),
                   lean = bit(kernel::Walk::even_columns) | bit(kernel::Walk::single_columns) |
                          bit(kernel::Walk::long_rows) |
                          (bit(kernel::Walk::any_rows) - bit(kernel::Walk::even_rows));
inline constexpr AxesTuning axes_rows[] = {
    // 5 blocks have 40 warps and 160 KiB of tiles, a fifth of them being loaded; 6 are as fast
    // (decision 10).
    {.walks = of_segments, .selects = false, .most_words = 2, .blocks = 5},
    {.walks = of_segments, .selects = false, .most_words = 4, .blocks = 4},
    // f32, rows of 7 elements: 0.72; with 3 blocks 0.68.
    {.walks = bit(kernel::Walk::short_rows), .most_words = 4, .blocks = 4},
    // mse and corr of two f32 under a mask, rows of 64: 0.76 to 0.93; with 128 registers 0.52 to
    // 0.65. Without a mask, corr, cov and slope: 0.83 to 0.89; with 128 registers 0.90 to 0.93
    // (decision 10).
    {.walks = lean, .selects = true, .pairs = true, .most_words = 6, .blocks = 4},
    {.walks = lean, .pairs = true, .most_words = 4, .blocks = 4},
    // sum of rows of 1,024: f32 0.97, f64 0.93. Four ops of f32 (mean,var,min,max) have 5 words and
    // 56 to 64 registers.
    {.walks = lean, .types = of_f64, .pairs = false, .most_words = 5, .blocks = 4},
    {.walks = lean, .types = ~of_f64, .pairs = false, .most_words = 7, .blocks = 4},
    // These any_rows and columns have eight loads of 16 bytes in flight.
    //   blocks              2      3      4
    //   rows of 1,024 f32   0.85   0.85   0.59
    //   rows of 1,024 f64   0.71   0.69   0.45
    //   columns (N, 64)     0.88   0.87   0.88
    {.blocks = 2}};

// `two`, `four`: from so many loads in an even row on, a lane takes two or four of them. Then fewer
// lanes share a row, so that merging is shorter and more lanes round an answer; but a lane's loads
// lie further apart. The first row that fits is used.
struct LaneTuning {
  uint32_t types = ~0u;
  std::optional<bool> selects = {}, pairs = {}, sums = {};
  int least_words = 0;  // of an answer's totals
  Size two, four;
};
inline constexpr LaneTuning lane_rows[] = {
    //                                      by this row   by the last row of this table
    //   mean,var,min,max, rows of 256 f32    0.900         0.661
    //   rows of 64 f16                       0.534         0.317
    //   rows of 64 bf16                      0.509         0.313
    //   min,max,sum, rows of 64 f64          0.569         0.440
    {.pairs = false, .least_words = 5, .two = 8, .four = 32},
    //                                by this row   by the last row
    //   sum, rows of 64              0.892         0.762
    //   sum, rows of 256             0.957         0.889
    //   var, rows of 64              0.897         0.778
    //   var, rows of 256             0.962         0.927
    //   sum, rows of 64, H100        0.894         0.959
    //   sum, rows of 256, H100       0.943         0.988
    // Not for max of rows of 64: 0.859 (0.942); nor for masked sums of rows of 256: 0.899 (0.947).
    {.types = of_bf16, .selects = false, .pairs = false, .sums = true, .two = 8, .four = 32},
    {.two = 16, .four = ~Size{0}}};

// Size from which a whole array is folded as one long row: by the first row that fits; else never.
// One H200: by the kernels for whole arrays -> by a long row (decision 7). Other folds lose 1 to
// 12 % on most data: sum f32 0.964 -> 0.945, dot bf16 0.948 -> 0.865.
//   share of a plain read, 1 GiB
//               N(0,1)           1 in 1,000 times 1e12   random bits
//   var f32     0.900 -> 0.955   0.203 -> 0.952
//   var bf16    0.827 -> 0.927   0.264 -> 0.927
//   var f64     0.867 -> 0.923   0.318 -> 0.924          0.312 -> 0.151
//   sumsq f32   0.926 -> 0.952
//   microseconds
//               2^10         2^16         2^18          2^20           2^24
//   var f32     5.6 -> 3.6   7.7 -> 6.2                 9.3 -> 7.2     24.7 -> 23.3
//   var f64                               9.6 -> 10.5   12.0 -> 11.3
//   sumsq f32                                           4.3 -> 7.1     19.2 -> 22.9
struct LongRow {
  uint32_t types = ~0u;
  Accumulators has = {};
  Size bytes;
};
inline constexpr LongRow long_row_sizes[] = {
    {.types = of_f64, .has = sum | squares, .bytes = Size{1} << 23},
    {.has = sum | squares, .bytes = 0},
    {.has = squares, .bytes = Size{1} << 28}};

}  // namespace onefold::cuda_backend::tuning
