// Statistics of finite elements (term.hpp) from words, on the processor: relations of two arrays
// (onefold/core/pair_numbers.hpp), moments of one (onefold/core/moment_numbers.hpp).
//
//   short    most data need few digits: zero digits below all elements are left out, and a number
//            of 48 digits is cleared and copied in a ninth of the time of f64's 418
#include "onefold/core/moment_numbers.hpp"

#include <algorithm>

namespace onefold {
namespace {

constexpr int short_digits = 48;

// The sums' digits, found once.
struct Found {
  Size n;
  Correction correction;
  Digits<const int64_t*> power[4] = {};
  // All sums of powers k are multiples of 2^(32 k low) and below 2^(32 k high).
  int low = 1 << 20, high = 0;

  Tally tally() const { return {.n = n}; }
  template <class A>
  const Digits<const int64_t*>& digits(Accumulator a) const {
    using enum Accumulator;
    return power[a == sum ? 0 : a == sumsq ? 1 : a == sumcube ? 2 : 3];
  }
  void add(int k, const Digits<const int64_t*>& d) {
    power[k - 1] = d;
    if (d.zero()) return;
    low = std::min(low, d.low / k);
    high = std::max(high, d.high / k + 1);
  }
};

template <Statistic is>
Real moment_of_words(const Gathered& g) {
  constexpr int powers = powers_of<is>;
  return visit(g.dtype, [&]<class T>() {
    Found found{g.tally().n, g.correction};
    found.add(1, g.digits<accumulator::sum<T>>(Accumulator::sum));
    found.add(2, g.digits<accumulator::sumsq<T>>(Accumulator::sumsq));
    found.add(3, g.digits<accumulator::sumcube<T>>(Accumulator::sumcube));
    if (powers == 4) found.add(4, g.digits<accumulator::sumfourth<T>>(Accumulator::sumfourth));
    if (found.high == 0) {  // all elements are 0
      return is_zero_of_equals(is) ? Real::zero() : Real::nan();
    }
    // The squared third moment has 6 times an element's digits, n^4 8, its sums and a quotient 12;
    // an estimate n^4 once more.
    const int more = is_of_sample(g.correction) ? 28 : 20;
    if (6 * (found.high - found.low) + more <= short_digits) {
      const MomentNumbers<T, Found, short_digits> s(found, powers, found.low);
      return s.template statistic<is>();
    }
    return MomentNumbers<T, Found>(found, powers, found.low).template statistic<is>();
  });
}

template <class T>
PairNumbers<T, Gathered> numbers(const Gathered& g) {
  return {g};
}

}  // namespace

Leading Gathered::squared_difference() const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).squared_difference(); });
}
SignedMagnitude Gathered::common_spread(uint32_t factor) const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).common_spread(factor); });
}
Leading Gathered::total_spread(uint32_t factor) const {
  return visit(dtype, [&]<class T>() { return numbers<T>(*this).total_spread(factor); });
}
Real Gathered::greatest_difference() const {
  const int64_t* const w = at(Accumulator::maxabsdiff);
  return visit(dtype, [&]<class T>() { return real_of_difference<T>(w[0], w[1]); });
}
template <Statistic is>
Real Gathered::statistic() const {
  if constexpr (is_moment(is)) {
    return moment_of_words<is>(*this);
  } else {
    return visit(dtype, [&]<class T>() { return numbers<T>(*this).template statistic<is>(); });
  }
}
template Real Gathered::statistic<Statistic::correlation>() const;
template Real Gathered::statistic<Statistic::cosine>() const;
template Real Gathered::statistic<Statistic::slope>() const;
template Real Gathered::statistic<Statistic::intercept>() const;
template Real Gathered::statistic<Statistic::weighted_mean>() const;
template Real Gathered::statistic<Statistic::skewness>() const;
template Real Gathered::statistic<Statistic::kurtosis>() const;
template Real Gathered::statistic<Statistic::pearson>() const;
template Real Gathered::statistic<Statistic::third_moment>() const;
template Real Gathered::statistic<Statistic::fourth_moment>() const;

}  // namespace onefold
