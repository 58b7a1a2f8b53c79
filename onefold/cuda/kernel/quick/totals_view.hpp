// Answers that follow exactly from totals: integers, counts, extremes.
#pragma once

#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/quick/totals.hpp"

namespace onefold::kernel {

// The view that an op gets of totals that are integers, counts or extremes.
template <class T, OpSet ops, bool selects>
struct TotalsView {
  using All = LaneTotals<T, ops, selects>;
  const All& totals;
  Size n;
  NanPolicy nan;
  Correction correction;

  ONEFOLD_KERNEL Tally tally() const {
    Tally t{.n = n};
    if constexpr (All::needed.nan) t.nan = totals.nan.n;
    if constexpr (All::needed.infinite) {
      t.positive_infinity = totals.positive_infinity.n;
      t.negative_infinity = totals.negative_infinity.n;
    }
    // If elements are counted, omitted NaN are not among them.
    if (!selects && nan == NanPolicy::omit) t.n -= t.nan;
    return t;
  }
  ONEFOLD_KERNEL Tally dot_tally() const { return tally(); }
  ONEFOLD_KERNEL PairTally pair_tally() const { return {.n = n}; }
  ONEFOLD_KERNEL Real greatest_difference() const {
    if constexpr (All::needed.apart) return Real::integer(uint64_t{totals.apart.bits});
    return {};
  }
  ONEFOLD_KERNEL Int128 whole(Accumulator a) const {
    Int128 v = 0;
    if constexpr (!All::integers.empty()) {
      each_term<All::integers>([&]<Term t>() {
        if (a == accumulator_of(t)) v = totals.whole.at(t);
      });
    }
    return v;
  }
  ONEFOLD_KERNEL SignedMagnitude limbs(Accumulator a) const {
    const Int128 v = whole(a);
    return {Leading(static_cast<Uint128>(v < 0 ? -v : v)), v < 0};
  }
  // For elements of at most 16 bits: n Q < 2^96, and the factor is below 2^30.
  ONEFOLD_KERNEL Leading spread(uint32_t factor) const {
    const Int128 s = whole(Accumulator::sum), q = whole(Accumulator::sumsq);
    return Leading(static_cast<Uint128>(static_cast<Int128>(n) * q - s * s) * factor);
  }
  ONEFOLD_KERNEL Size counted(Accumulator) const {  // zeros are the only count with a total
    if constexpr (All::needed.zeros()) return totals.zeros.n;
    return 0;
  }
  template <class E>
  ONEFOLD_KERNEL Extreme extreme_of_lane(const E& e) const {
    if constexpr (same_type<E, NoTotal>) {
      return {};
    } else {
      Size at = n == 0 ? none : 0, nan_at = e.has_nan() ? 0 : none;
      if constexpr (All::needed.index) {
        if (n != 0) at = e.at;
        if (Floating<T> && e.has_nan()) nan_at = e.nan_at;
      }
      Extreme x = extreme_of(at, nan_at, nan);
      if (!x.nan && !x.empty) x.value = real_of_key<T>(order_key(e.value()));
      return x;
    }
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    return a == Accumulator::least ? extreme_of_lane(totals.least)
                                   : extreme_of_lane(totals.greatest);
  }
};

// Computes an op's answer from such totals.
template <class Op, DType type, class T, OpSet ops, bool selects>
ONEFOLD_KERNEL Rounded exact_answer(const TotalsView<T, ops, selects>& seen) {
  constexpr NeededTotals needed = LaneTotals<T, ops, selects>::needed;
  if constexpr (has_recipe<Op> && (needed.least || needed.greatest)) {
    // The answer is an element, or its index.
    constexpr Recipe r = recipe_of<Op>();
    const auto of = [&](const auto& e) -> Rounded {
      constexpr bool placed = recipe_of<Op>().index;
      if constexpr (same_type<decltype(e), const NoTotal&>) {
        return {};
      } else {
        if (e.has_nan() && seen.nan != NanPolicy::omit) {
          if (seen.nan == NanPolicy::raise) return {0, Status::nan_found};
          if constexpr (placed) return {e.nan_at, Status::ok};
          return {float_format(dtype_of<T>).nan(), Status::ok};
        }
        if (selects && seen.n == 0) return {0, Status::empty_input};
        if constexpr (placed) return {e.at, Status::ok};
        if constexpr (type == dtype_of<T>) {
          return {bit_cast<bits_of<T>>(e.value()), Status::ok};
        } else {
          return round(real_of_key<T>(order_key(e.value())), type);
        }
      }
    };
    if constexpr (r.numerator.of == Statistic::least) return of(seen.totals.least);
    if constexpr (r.numerator.of == Statistic::greatest) return of(seen.totals.greatest);
  }
  return round<Taking<steps_of<T, ops>()>>(Op::finish(seen), type);
}

}  // namespace onefold::kernel
