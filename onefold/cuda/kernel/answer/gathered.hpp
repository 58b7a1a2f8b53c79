// The view that an op's `finish` gets of a state in shared memory. The state's sums are carried
// before (normalize.hpp).
#pragma once

#include "onefold/core/moment_numbers.hpp"
#include "onefold/cuda/kernel/answer/normalize.hpp"
#include "onefold/cuda/kernel/answer/ops.hpp"
#include "onefold/cuda/kernel/number/digit_pool.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// Has the same members as onefold::Gathered.
template <class M, class T, uint32_t set>
struct Gathered {
  using State = StateOf<T, set>;
  using Limbs = Digits<Shared<M, int64_t>>;
  template <int N>
  using Long = LongIntegerOf<M, N>;
  enum : int {
    found_words = (takes_two<T, set>() ? every_accumulator : accumulator_count) * found_columns
  };
  // Where n Q - S^2 is stored as a Leading: its digits, then its exponent and sticky bit.
  enum : int { spread_exponent = Leading::size, spread_sticky, spread_words };

  Shared<M, int64_t> words;
  Shared<M, int> found;
  Shared<M, uint32_t> difference;
  NanPolicy nan;
  Correction correction;

  template <class F>
  ONEFOLD_KERNEL static constexpr void for_limbs(F f) {
#define ONEFOLD_ENTRY(name)                                           \
  if constexpr (State::has(Accumulator::name)) {                      \
    if constexpr (requires { accumulator::name<T>::limbs; }) {        \
      f.template operator()<accumulator::name<T>>(Accumulator::name); \
    }                                                                 \
  }
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
  }
  ONEFOLD_KERNEL static constexpr unsigned count_limbs() {
    unsigned n = 0;
    for_limbs([&]<class A>(Accumulator) { ++n; });
    return n;
  }
  ONEFOLD_KERNEL Limbs digits(Accumulator a, int n) const {
    const int at = static_cast<int>(a) * found_columns;
    const int low = found[at + found_low], high = found[at + found_high],
              negative = found[at + found_negative];
    return {.limb = words + State::offset(a),
            .n = n,
            .low = low,
            .high = high,
            .negative = negative != 0};
  }

  ONEFOLD_KERNEL Tally tally() const {
    return tally_of<accumulator::tally<T>>(words + State::offset(Accumulator::tally), nan);
  }
  ONEFOLD_KERNEL Tally dot_tally() const {
    return tally_of<accumulator::dot<T>>(words + State::offset(Accumulator::dot), nan);
  }
  ONEFOLD_KERNEL SignedMagnitude limbs(Accumulator a) const {
    const int at = static_cast<int>(a) * found_columns;
    SignedMagnitude s;
    const int exponent = found[at + found_exponent], sticky = found[at + found_sticky],
              negative = found[at + found_negative];
    for (int k = 0; k < 6; ++k) {
      const int digit = found[at + found_digits + k];
      s.magnitude.digit[k] = static_cast<uint32_t>(digit);
    }
    s.magnitude.exponent = exponent;
    s.magnitude.sticky = sticky != 0;
    s.negative = negative != 0;
    return s;
  }
  ONEFOLD_KERNEL Leading spread(uint32_t) const {
    Leading r;
    for (int k = 0; k < Leading::size; ++k) r.digit[k] = difference[k];
    const uint32_t exponent = difference[spread_exponent], sticky = difference[spread_sticky];
    r.exponent = static_cast<int>(exponent);
    r.sticky = sticky != 0;
    return r;
  }
  ONEFOLD_KERNEL Size counted(Accumulator a) const {
    const int64_t n = words[State::offset(a)];
    return static_cast<Size>(n);
  }
  ONEFOLD_KERNEL PairTally pair_tally() const {
    return pair_tally_of(words + State::offset(Accumulator::pairs), nan);
  }
  // Returns the digits of accumulator A, whose limbs are canonical.
  template <class A>
  ONEFOLD_KERNEL Limbs digits(Accumulator a) const {
    return digits(a, A::limbs);
  }
  // Returns the long products and quotients for ops of two arrays. Called by one thread.
  ONEFOLD_KERNEL PairNumbers<T, Gathered> numbers() const { return {*this}; }
  ONEFOLD_KERNEL Leading squared_difference() const { return numbers().squared_difference(); }
  ONEFOLD_KERNEL SignedMagnitude common_spread(uint32_t factor) const {
    return numbers().common_spread(factor);
  }
  ONEFOLD_KERNEL Leading total_spread(uint32_t factor) const {
    return numbers().total_spread(factor);
  }
  template <Statistic is>
  ONEFOLD_KERNEL Real statistic() const {
    if constexpr (is_moment(is)) {
      return MomentNumbers<T, Gathered>(*this, powers_of<is>).template statistic<is>();
    } else {
      return numbers().template statistic<is>();
    }
  }
  ONEFOLD_KERNEL Real greatest_difference() const {
    const int at = State::offset(Accumulator::maxabsdiff);
    const int64_t high = words[at], low = words[at + 1];
    return real_of_difference<T>(high, low);
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    const int at = State::offset(a);
    const int64_t key = words[at], index = words[at + 1], nan_index = words[at + 2];
    Extreme e = extreme_of(static_cast<Size>(index), static_cast<Size>(nan_index), nan);
    if (!e.nan && !e.empty) e.value = real_of_key<T>(key);
    return e;
  }

  // Stores n Q - S^2 in `difference`. Called by a block.
  ONEFOLD_KERNEL_COLD static void subtract(M m, Gathered g) {
    // S^2 has twice as many digits as S; Q, n and the correction need five more.
    constexpr int most = 2 * accumulator::sum<T>::limbs + 8;
    auto column = shared<int64_t, 2 * most, struct column_>(m);
    auto carried = shared<uint32_t, most, struct carried_>(m);
    const auto t = static_cast<unsigned>(m.thread());
    const Limbs s = g.digits(Accumulator::sum, accumulator::sum<T>::limbs),
                q = g.digits(Accumulator::sumsq, accumulator::sumsq<T>::limbs);
    const ColumnRange range = spread_columns(s, q);
    const Size n = g.tally().n;
    ONEFOLD_NO_UNROLL
    for (int k = range.begin + static_cast<int>(t); k < range.end;
         k += static_cast<int>(m.threads())) {
      const Column c = spread_column(s, q, n, k);
      column[2 * (k - range.begin)] = c.high;
      column[2 * (k - range.begin) + 1] = static_cast<int64_t>(c.low);
    }
    m.sync();
    if (t == 0) {
      const auto at = [&](int k) {
        const int64_t high = column[2 * (k - range.begin)], low = column[2 * (k - range.begin) + 1];
        return Column{high, static_cast<uint64_t>(low)}.value();
      };
      const Leading r = carry_columns(at, range, static_cast<uint32_t>(g.correction.denominator),
                                      accumulator::sumsq<T>::unit, carried);
      for (int k = 0; k < Leading::size; ++k) g.difference[k] = r.digit[k];
      g.difference[spread_exponent] = static_cast<uint32_t>(r.exponent);
      g.difference[spread_sticky] = r.sticky ? 1u : 0u;
    }
    m.sync();
  }
};

}  // namespace onefold::kernel
