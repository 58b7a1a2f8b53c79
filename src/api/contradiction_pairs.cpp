// Finds words that no pairs of elements can give, though each word is canonical by itself.
//
//   N        pairs without NaN; x, y: their finite elements as integers (contradiction.hpp)
//   source   N sum x^2 >= (sum x)^2, and for products (sum xy)^2 <= sum x^2 sum y^2, for x and y as
//            they are and for x and y minus their means (Cauchy and Schwarz). d = |x - y| is an
//            integer: sum d <= sum d^2 <= (sum d)^2 <= N sum d^2, and sum d is odd if
//            sum (x - y) is odd
#include <optional>

#include "api/contradiction.hpp"
#include "onefold/accumulator.hpp"

namespace onefold {
namespace {

template <class T>
const char* check_dot(const HeldWords& s) {
  const int64_t* const w = s.at(Accumulator::dot);
  if (w == nullptr) return nullptr;
  using Dot = accumulator::dot<T>;
  Size finite = s.count;
  if (static_cast<Size>(w[Dot::n]) != s.count) return "the counts of pairs differ";
  for (const int k : {Dot::nan, Dot::invalid, Dot::positive_infinity, Dot::negative_infinity}) {
    if (!take(finite, w[k])) return "there are more NaN and infinities than pairs";
  }
  const bool flag = w[Dot::not_negative_zero] != 0;
  if (!Floating<T> && (finite != s.count || flag)) return "integers that are none";
  const auto nan = static_cast<Size>(w[Dot::nan]);
  if (flag && nan == s.count) return "a NaN that is a number";
  if (Floating<T> && !flag && finite + nan != s.count) return "an infinity that is -0";
  const Number products = *s.sum<Dot>(Accumulator::dot);
  const Product most{.n = Floating<T> && !flag ? 0 : finite, .shift = 2 * largest_bits<T>()};
  if (less(most, {1, &products})) {
    return "the sum is beyond its products";
  }
  return nullptr;
}

struct PairCounts {
  Size n = 0;       // pairs without NaN
  Size finite = 0;  // pairs without NaN and infinities
  bool all_finite() const { return finite == n; }
};

template <class T>
const char* check_counts(const HeldWords& s, const int64_t* w, PairCounts& c) {
  using Pairs = accumulator::pairs<T>;
  c.finite = s.count;
  if (static_cast<Size>(w[Pairs::n]) != s.count) return "the counts of pairs differ";
  if (!take(c.finite, w[Pairs::nan]) || !take(c.finite, w[Pairs::infinite]) ||
      w[Pairs::right_infinite] > w[Pairs::infinite] ||
      w[Pairs::same_infinity] > w[Pairs::right_infinite]) {
    return "there are more NaN and infinities than pairs";
  }
  if (!Floating<T> && c.finite != s.count) return "integers that are none";
  c.n = s.count - static_cast<Size>(w[Pairs::nan]);
  if (const int64_t* d = s.at(Accumulator::dot)) {
    using Dot = accumulator::dot<T>;
    const int64_t infinite =
        d[Dot::invalid] + d[Dot::positive_infinity] + d[Dot::negative_infinity];
    if (d[Dot::nan] != w[Pairs::nan]) return "the NaN are not those counted";
    if (infinite != w[Pairs::infinite]) return "the infinities are not those counted";
  }
  return nullptr;
}

// The sums that the state holds; x belongs to the first array.
struct PairSums {
  std::optional<Integer> x, y, xx, yy, xy;
  std::optional<Integer> differences;  // of |x - y|
};
template <class A>
void read_sum(const HeldWords& s, Accumulator a, std::optional<Integer>& to) {
  if (const std::optional<Number> v = s.sum<A>(a)) to = v->exact();
}
template <class T>
PairSums sums_of_pairs(const HeldWords& s) {
  PairSums sums;
  read_sum<accumulator::left_sum<T>>(s, Accumulator::left_sum, sums.x);
  read_sum<accumulator::right_sum<T>>(s, Accumulator::right_sum, sums.y);
  read_sum<accumulator::left_sumsq<T>>(s, Accumulator::left_sumsq, sums.xx);
  read_sum<accumulator::right_sumsq<T>>(s, Accumulator::right_sumsq, sums.yy);
  read_sum<accumulator::dot<T>>(s, Accumulator::dot, sums.xy);
  read_sum<accumulator::sumabsdiff<T>>(s, Accumulator::sumabsdiff, sums.differences);
  return sums;
}

// Checks the sums of one array. n: the largest possible number of finite elements.
template <class T>
const char* check_side(Size n, const std::optional<Integer>& sum,
                       const std::optional<Integer>& squares) {
  const Integer elements = integer(n), most = integer(1, largest_bits<T>());
  if (sum && less_in_magnitude(elements * most, *sum)) return "the sum is beyond its elements";
  if (!squares) return nullptr;
  if (squares->negative) return "a sum of what is never negative is";
  if (less_in_magnitude(elements * most * most, *squares)) {
    return "the sum of squares is beyond its elements";
  }
  if (!sum) return nullptr;
  if (less_in_magnitude(elements * *squares, *sum * *sum)) return "the variance is negative";
  return sum->odd() != squares->odd() ? "one sum is odd and another even" : nullptr;
}

// Checks the sums of products against the sums of both arrays.
const char* check_products(const PairSums& sums, const PairCounts& c) {
  const auto& [x, y, xx, yy, xy, differences] = sums;
  if (!xy) return nullptr;
  if (xx && yy && less(*xx * *yy, *xy * *xy)) return "the products are beyond the squares";
  if (!c.all_finite() || !x || !y) return nullptr;
  const Integer n = integer(c.n), between = n * *xy - *x * *y;
  if (xx && yy && less((n * *xx - *x * *x) * (n * *yy - *y * *y), between * between)) {
    return "the correlation is beyond 1";
  }
  // True for a single pair, or if one array is constant.
  const bool constant = c.n == 1 || (xx && (n * *xx - *x * *x).zero());
  return constant && !between.zero() ? "the products are not those of a constant" : nullptr;
}

const char* check_differences(const PairSums& sums, const PairCounts& c) {
  const auto& [x, y, xx, yy, xy, differences] = sums;
  if (!differences) return nullptr;
  if (differences->negative) return "a sum of what is never negative is";
  if (!c.all_finite()) return nullptr;
  const Integer& d = *differences;
  if (x && y) {
    const Integer least = *x - *y;
    if (less_in_magnitude(d, least)) return "the differences are below that of the sums";
    if (d.odd() != least.odd()) return "one sum is odd and another even";
  }
  if (xx && yy && xy) {
    const Integer squares = *xx + *yy - *xy - *xy, n = integer(c.n);
    if (less(squares, d) || less(d * d, squares) || less(n * squares, d * d)) {
      return "the differences are not those of the squares";
    }
  }
  return nullptr;
}

// Checks the greatest difference. If T is floating, it counts units of the smallest f64.
template <class T>
const char* check_greatest_difference(const int64_t* w, const PairSums& sums, const PairCounts& c) {
  Integer most = integer(static_cast<uint64_t>(w[0]));
  int shift = 0;
  if constexpr (Floating<T>) {
    const Decoded high = decode(bit_cast<double>(w[0])), low = decode(bit_cast<double>(w[1]));
    if (high.nan || high.negative || !low.finite()) return "a difference that is none";
    if (!high.finite()) return nullptr;
    const Integer rest = integer(low.mantissa, low.shift);
    most = integer(high.mantissa, high.shift) + (low.negative ? -rest : rest);
    if (most.negative) return "a difference that is none";
    shift = unit_of<T> - unit_of<double>;
  }
  if (c.finite == 0 && !most.zero()) return "a difference without a pair";
  if (!sums.differences) return nullptr;
  const Integer all = *sums.differences * integer(1, shift);
  return less(all, most) || less(integer(c.finite) * most, all)
             ? "the differences are not those of the greatest"
             : nullptr;
}

template <class T>
const char* check_pairs(const HeldWords& s) {
  const int64_t* const w = s.at(Accumulator::pairs);
  if (w == nullptr) return nullptr;
  PairCounts c;
  if (const char* why = check_counts<T>(s, w, c)) return why;
  const PairSums sums = sums_of_pairs<T>(s);
  if (const char* why = check_side<T>(c.n, sums.x, sums.xx)) return why;
  if (const char* why = check_side<T>(c.n, sums.y, sums.yy)) return why;
  if (const char* why = check_products(sums, c)) return why;
  if (const char* why = check_differences(sums, c)) return why;
  const int64_t* const greatest = s.at(Accumulator::maxabsdiff);
  return greatest == nullptr ? nullptr : check_greatest_difference<T>(greatest, sums, c);
}

}  // namespace

const char* contradiction_of_pairs(const HeldWords& s) {
  return visit(s.kind.dtype, [&]<class T>() -> const char* {
    if (const char* why = check_dot<T>(s)) return why;
    return check_pairs<T>(s);
  });
}

}  // namespace onefold
