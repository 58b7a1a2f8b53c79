// Where a quantile lies among n sorted numbers.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

// How a quantile between two numbers is defined, with NumPy's names.
enum class QuantileMethod : uint8_t {
  // Here h = q (n - 1) has a fraction.
  linear,    // x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h])
  lower,     // x[floor h]
  higher,    // x[ceil h]
  nearest,   // the nearer number; of two equally near ones, the one of even rank
  midpoint,  // halfway between the two
  // Of Hyndman and Fan (1996), types 1 to 3: a number, or halfway between two if q n is whole.
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  // The same, types 4, 5, 6, 8 and 9: as linear, with h below, from 0 to n - 1.
  interpolated_inverted_cdf,  // q n - 1
  hazen,                      // q n - 1/2
  weibull,                    // q (n + 1) - 1
  median_unbiased,            // q (n + 1/3) - 2/3
  normal_unbiased             // q (n + 1/4) - 5/8
};

// q = part / of, exactly; `of` is a power of 10 up to 10^37, or below 2^89.
struct QuantileLevel {
  Uint128 part = 1, of = 2;  // 0 <= part <= of
  QuantileMethod method = QuantileMethod::linear;
};

// The value is x + (y - x) * rest / of, for the numbers x of rank `rank` and y of rank + 1.
struct QuantilePlace {
  Size rank = 0;
  Uint128 rest = 0, of = 1;  // of <= 8 * 10^37, so 3 * of < 2^128
};

namespace detail {

// n * part / of: the quotient and the remainder.
struct PartOfRank {
  uint64_t whole;
  Uint128 rest;
};
ONEFOLD_FN constexpr PartOfRank part_of_rank(uint64_t n, Uint128 part, Uint128 of) {
  if (((part | of) >> 32) == 0 && n >> 32 == 0) {
    const uint64_t product = static_cast<uint64_t>(part) * n, d = static_cast<uint64_t>(of);
    return {product / d, product % d};
  }
#if !defined(__CUDA_ARCH__)
  if (part >> 64 == 0) {
    const Uint128 product = part * n;
    return {static_cast<uint64_t>(product / of), product % of};
  }
#endif
  PartOfRank share{0, 0};  // so far, for the leading bits of n; 3 * of < 2^128
  for (int bit = bit_length(n) - 1; bit >= 0; --bit) {
    share.whole *= 2;
    share.rest = share.rest + share.rest;
    if ((n >> bit & 1) != 0) share.rest = share.rest + part;
    while (share.rest >= of) {
      share.rest = share.rest - of;
      ++share.whole;
    }
  }
  return share;
}

// The place h = (m q - c) / d, from 0 to n - 1.
ONEFOLD_FN constexpr QuantilePlace place_between(const QuantileLevel& q, Size n, uint64_t m,
                                                 unsigned c, unsigned d) {
  const PartOfRank h = part_of_rank(m, q.part, q.of);
  if (h.whole < c) return {};
  const uint64_t above = h.whole - c;
  if (above / d >= n - 1) return {n - 1, 0, 1};
  if (h.rest == 0) return {above / d, above % d, d};
  return {above / d, q.of * (above % d) + h.rest, q.of * d};
}

// The place of a type of Hyndman and Fan.
ONEFOLD_FN constexpr QuantilePlace place_by_type(const QuantileLevel& q, Size n) {
  const PartOfRank h = part_of_rank(n, q.part, q.of);  // q n
  switch (q.method) {
    case QuantileMethod::inverted_cdf:
      return {h.rest > 0 || h.whole == 0 ? h.whole : h.whole - 1, 0, 1};
    case QuantileMethod::averaged_inverted_cdf:
      if (h.rest > 0 || h.whole == 0) return {h.whole, 0, 1};
      return h.whole == n ? QuantilePlace{n - 1, 0, 1} : QuantilePlace{h.whole - 1, 1, 2};
    case QuantileMethod::closest_observation: {
      // The rank nearest to q n - 1, from 0; of two equally near ones the odd one.
      const PartOfRank twice = part_of_rank(2 * n, q.part, q.of);
      if (twice.whole < 3) return {};
      const uint64_t down = (twice.whole - 3) / 2;
      const bool tie = twice.rest == 0 && twice.whole % 2 == 1;
      const Size rank = tie && down % 2 == 1 ? down : down + 1;
      return {rank < n ? rank : n - 1, 0, 1};
    }
    case QuantileMethod::interpolated_inverted_cdf:
      return place_between(q, n, n, 1, 1);
    case QuantileMethod::hazen:
      return place_between(q, n, 2 * n, 1, 2);
    case QuantileMethod::weibull:
      return place_between(q, n, n + 1, 1, 1);
    case QuantileMethod::median_unbiased:
      return place_between(q, n, 3 * n + 1, 2, 3);
    default:
      return place_between(q, n, 8 * n + 2, 5, 8);
  }
}

}  // namespace detail

//   n  > 0
ONEFOLD_FN constexpr QuantilePlace place_of(const QuantileLevel& q, Size n) {
  if (q.method > QuantileMethod::midpoint) return detail::place_by_type(q, n);
  const detail::PartOfRank h = detail::part_of_rank(n - 1, q.part, q.of);
  QuantilePlace place{h.whole, h.rest, q.of};
  if (place.rest == 0 || q.method == QuantileMethod::linear) return place;
  if (q.method == QuantileMethod::midpoint) return {place.rank, 1, 2};
  const Uint128 other = place.of - place.rest;
  const bool up = q.method == QuantileMethod::nearest
                      ? place.rest > other || (place.rest == other && place.rank % 2 == 1)
                      : q.method == QuantileMethod::higher;
  return {place.rank + (up ? 1 : 0), 0, 1};
}

}  // namespace onefold
