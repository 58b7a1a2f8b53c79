// The rows of tuning.hpp for kernels that fold along axes, with their evidence.
#pragma once

#include "backend/cuda/tuning_rows.hpp"

namespace onefold::cuda_backend::tuning {

// How many blocks of 8 warps a multiprocessor runs of a kernel that folds along axes: a thread has
// 128 registers with 2, 64 with 4, 48 with 5. The first row that holds; more words of totals would
// put registers on the stack in the loop of the loads (kernel_sass --axes 1).
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
    // 40 warps: 160 KiB of tiles, a fifth of them in flight; with 6 blocks the same (decision 42).
    {.walks = of_segments, .selects = false, .most_words = 2, .blocks = 5},
    {.walks = of_segments, .selects = false, .most_words = 4, .blocks = 4},
    // f32 rows of 7 0.72, with 3 blocks 0.68.
    {.walks = bit(kernel::Walk::short_rows), .most_words = 4, .blocks = 4},
    // mse and corr of two f32 under a mask, rows of 64: 0.52 to 0.65 before, 0.76 to 0.93 with 64
    // registers; without a mask corr, cov and slope reach 0.83 to 0.89 with them, 0.90 to 0.93 with
    // 128 (decision 50).
    {.walks = lean, .selects = true, .pairs = true, .most_words = 6, .blocks = 4},
    {.walks = lean, .pairs = true, .most_words = 4, .blocks = 4},
    // sum of rows of 1,024: f32 0.97, f64 0.93. Four ops of f32 (mean,var,min,max) have 5 words and
    // 56 to 64 registers.
    {.walks = lean, .types = of_f64, .pairs = false, .most_words = 5, .blocks = 4},
    {.walks = lean, .types = ~of_f64, .pairs = false, .most_words = 7, .blocks = 4},
    // Any rows and columns have eight loads of 16 bytes a lane. With 2 / 3 / 4 blocks: f32 rows of
    // 1,024 0.85 / 0.85 / 0.59, of f64 0.71 / 0.69 / 0.45; (N, 64) columns 0.88 / 0.87 / 0.88.
    {.blocks = 2}};

// From how many loads of an even row on a lane takes two or four of them. The more it takes, the
// fewer lanes must meet, and the more of them round an answer; but their loads lie further apart.
// The first row that holds.
struct LaneTuning {
  uint32_t types = ~0u;
  std::optional<bool> selects = {}, pairs = {}, sums = {};
  int least_words = 0;  // of an answer's totals
  Size two, four;
};
inline constexpr LaneTuning lane_rows[] = {
    // mean,var,min,max: rows of 256 f32 0.900, with the last row 0.661; of 64 f16 0.534 and 0.317,
    // of 64 bf16 0.509 and 0.313. min,max,sum of 64 f64 0.569 and 0.440.
    {.pairs = false, .least_words = 5, .two = 8, .four = 32},
    // Rows of 64 / 256: sum 0.892 / 0.957, with the last row 0.762 / 0.889; var 0.897 / 0.962 and
    // 0.778 / 0.927. One H100: sum 0.894 / 0.943 and 0.959 / 0.988. Not max of 64, 0.859 and 0.942;
    // not sums of 256 under a mask, 0.899 and 0.947.
    {.types = of_bf16, .selects = false, .pairs = false, .sums = true, .two = 8, .four = 32},
    {.two = 16, .four = ~Size{0}}};

// From how many bytes on a whole array is one long row: the first row that holds; else never. One
// H200, 1 GiB, whole kernels and long row (decision 55):
//   var f32 0.900 and 0.955, 1 of 1,000 times 1e12 0.203 and 0.952; bf16 0.827 and 0.927, 0.264 and
//   0.927; f64 0.867 and 0.923, 0.318 and 0.924, random bits 0.312 and 0.151. sumsq f32 0.926 and
//   0.952. Others lose 1 to 12 % on most data: sum f32 0.964 and 0.945, dot bf16 0.948 and 0.865.
//   us of var f32 of 2^10, 2^16, 2^20, 2^24 5.6, 7.7, 9.3, 24.7 and 3.6, 6.2, 7.2, 23.3; f64 of
//   2^18, 2^20 9.6, 12.0 and 10.5, 11.3; sumsq f32 of 2^20, 2^24 4.3, 19.2 and 7.1, 22.9.
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
