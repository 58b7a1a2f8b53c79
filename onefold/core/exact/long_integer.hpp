// Integers with a bounded number of digits, for products of sums and quotients of such products.
// The same code runs on a processor and, in one thread, on a device.
//
//   N        the number of 32-bit digits of the longest intermediate result; the caller gives it
//   Store    the memory for them, which begins as 0: in the number itself, or somewhere else
//   product  row by row; zero digits of the shorter factor take no time
//   source   Knuth, TAOCP 2, 4.3.1, algorithm D (long division)
#pragma once

#include "onefold/core/exact/digits.hpp"

namespace onefold {

template <int N>
struct DigitStore {
  uint32_t digit[N] = {};
  ONEFOLD_FN constexpr uint32_t& operator[](int k) { return digit[k]; }
  ONEFOLD_FN constexpr uint32_t operator[](int k) const { return digit[k]; }
};

// (-1)^negative times the first `size` digits, the lowest first; the highest of them is not 0.
template <int N, class Store = DigitStore<N>>
struct LongInteger {
  Store digit;
  int size = 0;
  bool negative = false;

  ONEFOLD_FN constexpr LongInteger() {}
  ONEFOLD_FN constexpr explicit LongInteger(Uint128 v) {
    for (; v != 0; v >>= 32) digit[size++] = static_cast<uint32_t>(v);
  }
  // Without the lowest `drop` digits, which are 0.
  template <class P>
  ONEFOLD_FN constexpr explicit LongInteger(const Digits<P>& d, int drop = 0)
      : size(d.zero() ? 0 : d.high + 1 - drop), negative(!d.zero() && d.negative) {
    ONEFOLD_ROLLED
    for (int k = d.low; k <= d.high; ++k) digit[k - drop] = d(k);
  }
  ONEFOLD_FN constexpr bool zero() const { return size == 0; }
  ONEFOLD_FN constexpr void trim(int from) {
    size = from;
    while (size > 0 && digit[size - 1] == 0) --size;
    if (size == 0) negative = false;
  }
  ONEFOLD_FN constexpr int lowest() const {
    int k = 0;
    while (k < size && digit[k] == 0) ++k;
    return k;
  }
  ONEFOLD_FN constexpr LongInteger operator-() const {
    LongInteger r = *this;
    r.negative = !negative && !zero();
    return r;
  }
  // Returns the number with so many zero digits added below it.
  ONEFOLD_FN constexpr LongInteger shifted(int digits) const {
    LongInteger r;
    r.negative = negative;
    ONEFOLD_ROLLED
    for (int k = 0; k < size; ++k) r.digit[k + digits] = digit[k];
    r.trim(size == 0 ? 0 : size + digits);
    return r;
  }
};

template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr LongInteger<N, S> operator*(const LongInteger<N, S>& a,
                                                              const LongInteger<N, S>& b) {
  LongInteger<N, S> r;
  const int low = b.lowest();
  ONEFOLD_ROLLED
  for (int i = 0; i < a.size; ++i) {
    const uint32_t one = a.digit[i];
    if (one == 0) continue;
    uint64_t c = 0;
    ONEFOLD_ROLLED
    for (int j = low; j < b.size; ++j) {
      c += uint64_t{one} * b.digit[j] + r.digit[i + j];
      r.digit[i + j] = static_cast<uint32_t>(c);
      c >>= 32;
    }
    if (c != 0) r.digit[i + b.size] = static_cast<uint32_t>(c);
  }
  r.negative = a.negative != b.negative;
  r.trim(a.size + b.size < N ? a.size + b.size : N);
  return r;
}

// Returns whether |a| < |b|.
template <int N, class S>
ONEFOLD_FN constexpr bool less_in_magnitude(const LongInteger<N, S>& a,
                                            const LongInteger<N, S>& b) {
  if (a.size != b.size) return a.size < b.size;
  ONEFOLD_ROLLED
  for (int k = a.size; k-- > 0;) {
    if (a.digit[k] != b.digit[k]) return a.digit[k] < b.digit[k];
  }
  return false;
}

template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr LongInteger<N, S> operator+(const LongInteger<N, S>& a,
                                                              const LongInteger<N, S>& b) {
  const bool swap = less_in_magnitude(a, b);
  const LongInteger<N, S>& large = swap ? b : a;
  const LongInteger<N, S>& lesser = swap ? a : b;
  const bool minus = a.negative != b.negative;
  LongInteger<N, S> r;
  int64_t c = 0;
  int k = 0;
  ONEFOLD_ROLLED
  for (; k < large.size; ++k) {
    const int64_t d = lesser.digit[k];
    c += int64_t{large.digit[k]} + (minus ? -d : d);
    r.digit[k] = static_cast<uint32_t>(c);
    c >>= 32;
  }
  if (c != 0) r.digit[k++] = static_cast<uint32_t>(c);
  r.negative = large.negative;
  r.trim(k);
  return r;
}
template <int N, class S>
ONEFOLD_FN constexpr LongInteger<N, S> operator-(const LongInteger<N, S>& a,
                                                 const LongInteger<N, S>& b) {
  return a + -b;
}

// Returns a with its sign turned if b is negative.
template <int N, class S>
ONEFOLD_FN constexpr LongInteger<N, S> turned_by(LongInteger<N, S> a, const LongInteger<N, S>& b) {
  a.negative = !a.zero() && a.negative != b.negative;
  return a;
}

// Out of line also because NVRTC 13.0 gave its result the place of `v` on the stack, where `v` was
// the caller's variable, and then read digits that it had overwritten.
template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr Leading leading(const LongInteger<N, S>& v, int unit) {
  if (v.zero()) return Leading();
  return leading_digits([&](int k) { return v.digit[k]; }, v.lowest(), v.size - 1, unit);
}

// Returns the magnitude of a / (b 2^unit), b not 0, as leading bits, of which at least 128 are
// right, and whether there is a remainder.
template <int N, class S>
ONEFOLD_FN ONEFOLD_COLD constexpr Leading quotient(const LongInteger<N, S>& a,
                                                   const LongInteger<N, S>& b, int unit) {
  if (a.zero()) return Leading();
  // The divisor gets two digits, to guess each digit of the quotient; the dividend five more.
  const int more_of_b = b.size < 2 ? 1 : 0, wanted = b.size + more_of_b + 5;
  const int more_of_a = a.size < wanted ? wanted - a.size : 0;
  const int shift = 32 - bit_length(uint64_t{b.digit[b.size - 1]});
  const auto moved = [&](const LongInteger<N, S>& v, int digits) {
    LongInteger<N, S> r;
    uint32_t below = 0;
    int k = 0;
    ONEFOLD_ROLLED
    for (; k < v.size; ++k) {
      const uint64_t two = static_cast<uint64_t>(v.digit[k]) << shift;
      r.digit[k + digits] = static_cast<uint32_t>(two) | below;
      below = static_cast<uint32_t>(two >> 32);
    }
    r.size = v.size + digits;
    if (below != 0) r.digit[r.size++] = below;
    return r;
  };
  const LongInteger<N, S> v = moved(b, more_of_b);
  LongInteger<N, S> u = moved(a, more_of_a);
  const int n = v.size, count = u.size + 1 - n;
  LongInteger<N, S> q;
  ONEFOLD_ROLLED
  for (int j = count; j-- > 0;) {
    const uint64_t above = j + n < N ? u.digit[j + n] : 0;
    const uint64_t top = above << 32 | u.digit[j + n - 1];
    uint64_t guess = top / v.digit[n - 1], rest = top % v.digit[n - 1];
    while (guess >> 32 != 0 || guess * v.digit[n - 2] > (rest << 32 | u.digit[j + n - 2])) {
      --guess;
      rest += v.digit[n - 1];
      if (rest >> 32 != 0) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    ONEFOLD_ROLLED
    for (int k = 0; k < n; ++k) {
      carry += guess * v.digit[k];
      const int64_t d = int64_t{u.digit[j + k]} - static_cast<uint32_t>(carry) + borrow;
      u.digit[j + k] = static_cast<uint32_t>(d);
      borrow = d >> 32;
      carry >>= 32;
    }
    const int64_t d = static_cast<int64_t>(above) - static_cast<int64_t>(carry) + borrow;
    uint32_t left = static_cast<uint32_t>(d);
    if (d < 0) {
      --guess;
      uint64_t c = 0;
      ONEFOLD_ROLLED
      for (int k = 0; k < n; ++k) {
        c += uint64_t{u.digit[j + k]} + v.digit[k];
        u.digit[j + k] = static_cast<uint32_t>(c);
        c >>= 32;
      }
      left += static_cast<uint32_t>(c);
    }
    if (j + n < N) u.digit[j + n] = left;
    q.digit[j] = static_cast<uint32_t>(guess);
  }
  q.trim(count);
  u.trim(u.size);
  Leading r = leading(q, unit + 32 * (more_of_b - more_of_a));
  r.sticky = r.sticky || !u.zero();
  return r;
}

}  // namespace onefold
