// Computes again the slices that rows.hpp has noted: by pairs, then by integers.
//
//   grid     again_blocks; a block has a slice at a time
//   sums     exact ones in shared memory, to which all threads add
//   answers  one thread of a block computes those that pairs leave undecided, 512 at a time
#pragma once

#include "onefold/core/layer_norm/exact.hpp"
#include "onefold/cuda/kernel/exponential/block.hpp"
#include "onefold/cuda/kernel/layer_norm/rows.hpp"
#include "onefold/cuda/kernel/number/digit_pool.hpp"
#include "onefold/cuda/kernel/undecided.hpp"

namespace onefold::kernel {

template <class T, class M>
struct NormAgain {
  using L = ExponentialLane;
  using Sum = accumulator::sum<T>;
  using Squares = accumulator::sumsq<T>;
  using Number = LongIntegerOf<M, digits_of_norms<T>>;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr int sum_limbs = Sum::limbs, all_limbs = Sum::limbs + Squares::limbs;

  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  BlockNumbers<again_threads, M> block{m};
  NormFactor<T, M> weight{m, in.weight, in.weight_f32, in.weights, 1};
  NormFactor<T, M> bias{m, in.bias, in.bias_f32, in.biases, 0};
  Shared<M, int64_t> limb = shared<int64_t, all_limbs, struct norm_limbs_>(m);
  Shared<M, int64_t> open = shared<int64_t, int{again_threads}, struct norm_open_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL T element(const SlicePart& at, Size i) const {
    const T v = in.nest.x[at.x + static_cast<int64_t>(i) * in.stride()];
    return v;
  }
  // Calls f(x, i) for the elements of the thread.
  template <class F>
  ONEFOLD_KERNEL void each(const SlicePart& at, F f) const {
    ONEFOLD_NO_UNROLL
    for (Size i = t(); i < in.length(); i += again_threads) f(wide_of(element(at, i)), i);
  }
  ONEFOLD_KERNEL void put(const SlicePart& at, Size i, uint64_t bits) const {
    in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = of_bits<T>(bits);
  }

  // Of slices with elements that are no numbers: the mean is NaN, the mean square NaN or infinite.
  ONEFOLD_KERNEL void without_sums(const SlicePart& at, bool has_nan) const {
    each(at, [&](double x, Size i) {
      const double y = x * 0 * weight(i);
      const bool nan = in.is_centred() || has_nan || y != y;
      const bool negative = bit_cast<uint64_t>(y) >> 63 != 0;
      put(at, i, nan ? format.nan() : negative ? format.sign() : 0);
    });
  }

  // By pairs. Deviations of equal elements are exactly 0.
  ONEFOLD_KERNEL NormRow row_of(const SlicePart& at, double pivot, bool equal) const {
    DeviationSums<T, true> mine{pivot};
    unsigned added = 0;
    ONEFOLD_NO_UNROLL
    for (Size i = t(); i < in.length(); i += again_threads) {
      mine.add(element(at, i), 0);
      if (++added % 256 == 0) mine.settle();
    }
    mine.settle();
    const Deviations all{block.pairs(mine.all.sum), block.pairs(mine.all.squares)};
    const bool exact = equal && in.is_centred();
    return norm_row(all, pivot, {in.inverse_n, in.inverse_n_low}, in.eps, in.is_centred(),
                    pair_deviation_error, sizeof(T) == 8 && !exact ? 0x1p-1070 : 0);
  }

  // Computes an element by pairs; false: not proven.
  ONEFOLD_KERNEL bool by_pairs(const SlicePart& at, Size i, const NormRow& row) const {
    uint64_t bits = 0;
    if (!row.is_known || !normalized<T, true>(wide_of(element(at, i)), weight(i), bias(i), row,
                                              in.is_centred(), bits)) {
      return false;
    }
    put(at, i, bits);
    return true;
  }
  // Writes the thread's elements from the i-th on until one is not proven; returns that one, or a
  // place beyond the slice.
  ONEFOLD_KERNEL Size next_open(const SlicePart& at, Size i, const NormRow& row) const {
    ONEFOLD_NO_UNROLL
    while (i < in.length() && by_pairs(at, i, row)) i += again_threads;
    return i;
  }

  ONEFOLD_KERNEL void add_exactly(const SlicePart& at) const {
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(t()); k < all_limbs; k += static_cast<int>(again_threads)) {
      limb[k] = int64_t{0};
    }
    m.sync();
    ONEFOLD_NO_UNROLL
    for (Size i = t(); i < in.length(); i += again_threads) {
      const T v = element(at, i);
      Sum::lift([&](int k, int64_t digit) { m.add(limb, k, digit); }, v, 0);
      Squares::lift([&](int k, int64_t digit) { m.add(limb, sum_limbs + k, digit); }, v, 0);
    }
    m.sync();
    if (t() == 0) {
      carry_limbs(limb, sum_limbs);
      carry_limbs(limb + sum_limbs, Squares::limbs);
    }
  }
  // Computes the open elements of all threads by integers; called by one.
  ONEFOLD_KERNEL_COLD void by_integers(const SlicePart& at, const NormRow& row) const {
    if constexpr (M::pools_digits) PooledDigits<M, digits_of_norms<T>>::open();
    const ExactNorm<T, Number> exact(digits_in(limb, sum_limbs),
                                     digits_in(limb + sum_limbs, Squares::limbs), in.length(),
                                     in.eps, in.is_centred());
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < again_threads; ++k) {
      const int64_t i = open[k];
      if (i < 0) continue;
      const auto place = static_cast<Size>(i);
      const double x = wide_of(element(at, place)), w = weight(place), b = bias(place);
      PairElement<L> near{0, 0, L::infinity()};
      if (row.is_known) near = pair_normalized<L>(x, w, b, row, in.is_centred());
      put(at, place, exact.element(x, w, b, near));
    }
  }

  ONEFOLD_KERNEL void slice(Size number) const {
    const Spot spot = answer_at<true>(in.nest, number);
    const SlicePart at{.x = spot.x, .out = spot.y, .slice = number};
    const double first = wide_of(element(at, 0)), pivot = in.is_centred() ? first : 0;
    bool has_nan = false, has_infinity = false, differs = false;
    each(at, [&](double x, Size) {
      has_nan = has_nan || x != x;
      has_infinity = has_infinity || L::abs(x) == L::infinity();
      differs = differs || x != first;
    });
    has_nan = block.any(has_nan);
    if (block.any(has_infinity) || has_nan) return without_sums(at, has_nan);
    const bool equal = !block.any(differs);
    const NormRow row = row_of(at, pivot, equal);
    Size i = next_open(at, t(), row);
    if (!block.any(i < in.length())) return;
    add_exactly(at);
    ONEFOLD_NO_UNROLL
    do {
      open[t()] = i < in.length() ? static_cast<int64_t>(i) : int64_t{-1};
      m.sync();
      if (t() == 0) by_integers(at, row);
      m.sync();
      if (i < in.length()) i = next_open(at, i + again_threads, row);
    } while (block.any(i < in.length()));
  }
};

}  // namespace onefold::kernel
