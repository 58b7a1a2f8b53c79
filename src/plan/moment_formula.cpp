// Skewness and kurtosis of one array (onefold/moment_numbers.hpp), computed from words on the
// processor.
//
//   short    most data need few digits: zero digits below all elements are left out, and a number
//            of 48 digits has 192 bytes to clear and copy instead of 1,672 (418 digits, of f64)
#include "onefold/moment_numbers.hpp"

#include <algorithm>

namespace onefold {
namespace {

constexpr int short_digits = 48;

// The sums' digits, found once.
struct Found {
  Size n;
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

template <class F>
Real by_moments(const Gathered& g, int powers, const F& f) {
  return visit(g.dtype, [&]<class T>() {
    Found found{g.tally().n};
    found.add(1, g.digits<accumulator::sum<T>>(Accumulator::sum));
    found.add(2, g.digits<accumulator::sumsq<T>>(Accumulator::sumsq));
    found.add(3, g.digits<accumulator::sumcube<T>>(Accumulator::sumcube));
    if (powers == 4) found.add(4, g.digits<accumulator::sumfourth<T>>(Accumulator::sumfourth));
    if (found.high == 0) return Real::nan();  // all elements are 0
    // The squared third moment has 6 times an element's digits, n^4 8, its sums and a quotient 12.
    if (6 * (found.high - found.low) + 20 <= short_digits) {
      return f(MomentNumbers<T, Found, short_digits>(found, powers, found.low));
    }
    return f(MomentNumbers<T, Found>(found, powers, found.low));
  });
}

}  // namespace

Real Gathered::skewness() const {
  return by_moments(*this, 3, [](const auto& s) { return s.skewness(); });
}
Real Gathered::kurtosis() const {
  return by_moments(*this, 4, [](const auto& s) { return s.kurtosis(); });
}

}  // namespace onefold
