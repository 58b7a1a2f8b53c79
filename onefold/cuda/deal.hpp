// Decides how a device folds the answers of a loop nest: which kernel (walk), how many lanes,
// blocks and parts.
#pragma once

#include <optional>

#include "onefold/cuda/kernel/schedule/deal.hpp"
#include "onefold/cuda/launch.hpp"

namespace onefold::cuda_backend {

using NestInput = kernel::NestInput<HostArguments, std::byte>;

struct LaunchDeal {
  kernel::Walk walk = kernel::Walk::nest;
  kernel::Deal deal;
  unsigned blocks = 0, warps = kernel::block_warps;
  bool digits = false;  // sums are computed by digits (quick/digits.hpp) instead of f64
};

// Divides a fold among blocks: one block for each part of an answer.
//   deal   has the numbers of this launch's answers
LaunchDeal deal_of_blocks(const Plan& plan, const NestInput& input, const kernel::Deal& deal,
                          Size all);

// Returns whether a walk gathers totals in registers, whose rounding may stay unproven; and whether
// these ops may leave answers undecided.
bool has_totals(kernel::Walk walk);
bool may_be_undecided(DType t, kernel::OpSet ops);
// Returns whether walks compute the sums of these ops by digits.
//   few_f64   the device has few lanes of f64
bool sums_by_digits(DType t, kernel::OpSet ops, bool few_f64);

inline Size quotient(Size n, Size d) { return (n + d - 1) / d; }  // rounded up

// Returns whether a lane can load `w` elements along `axis` at once, everywhere in an array whose
// strides are number `array`. `copies` rows of the first folded axis are treated as one row.
bool has_loads(const NestInput& input, int array, uint64_t first, Size bytes, Size w, unsigned axis,
               Size copies = 1);

// Divide even rows and even columns; nothing if some loads would not be whole, or if there are too
// few answers for all warps.
//   words    number of words of a lane's total
//   all      number of multiprocessors
//   selects  not all elements count
std::optional<LaunchDeal> deal_of_even_rows(const Plan& plan, const NestInput& input, int words,
                                            Size all, bool selects);
std::optional<LaunchDeal> deal_of_even_columns(const Plan& plan, const NestInput& input, int words,
                                               Size all);

// Makes the formula of quick numbers for each op; false if totals cannot answer all ops.
//   elements  of an answer; if `selects`, kernels make formulas, and any number serves
bool make_formulas(const Plan& plan, Size elements, const Results& results, bool selects,
                   kernel::Formulas& formulas);

// Divides a fold by totals in registers; nothing if totals cannot answer the ops, or if the nest
// lacks the contiguous elements that they need.
//   all      number of multiprocessors
//   selects  not all elements count
//   few_f64  the device has few FP64 lanes
std::optional<LaunchDeal> quick_deal(const Plan& plan, const Nest& nest, const NestInput& input,
                                     const Results& results, Size all, bool selects, bool few_f64);

// Returns how many elements all segments have together; windows share some, counted for each.
Size elements_of_segments(const NestInput& input);
// Divides a fold of segments, one answer each. It uses exact words if totals cannot answer the ops,
// or if the array has 2^31 elements or more.
//   all   number of multiprocessors
LaunchDeal deal_of_segments(const Plan& plan, const NestInput& input, const Results& results,
                            Size all);
// Divides windows of a rule among tiles; nothing if tiles cannot fold them, or segments are as
// quick.
std::optional<LaunchDeal> deal_of_windows(const Plan& plan, const NestInput& input,
                                          const Results& results);

}  // namespace onefold::cuda_backend
