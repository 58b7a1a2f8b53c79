// What no data can give, among words that are canonical each for itself. Every fact here is a
// consequence of data: what passes may still have none, but no answer is absurd.
//
//   N        finite elements, zeros left out where they are counted; x: elements as integers, in
//            units of the type's smallest subnormal; S, A, Q: sums of x, |x|, x^2
//   source   N Q >= A^2 >= S^2 (Cauchy and Schwarz); A <= Q <= A^2, |x| being integers; x, |x| and
//            x^2 are odd together
#include <algorithm>
#include <optional>

#include "api/state.hpp"
#include "plan/natural.hpp"

namespace onefold {
namespace {

// Every |x| is at most this power of two.
template <class T>
constexpr int largest_bits() {
  constexpr DType t = dtype_of<T>;
  if (is_floating(t)) return value_bits<T>;
  if (kind_of(t) == Kind::boolean) return 0;
  return static_cast<int>(8 * bytes_of(t)) - (kind_of(t) == Kind::signed_integer ? 1 : 0);
}

// What is known of the elements by their counts; without a tally they may be anything.
struct Counts {
  Size n = 0;         // elements
  Size finite = 0;    // at most
  Size not_zero = 0;  // and finite, at most
  bool tallied = false;
  Size nan = 0, positive_infinity = 0, negative_infinity = 0;  // where tallied
  std::optional<Size> zeros;
  bool all_negative_zero = false;  // where tallied: all but the NaN are
};

// Takes what is counted from `left`; false: there are not so many.
bool take(Size& left, int64_t count) {
  if (count < 0 || static_cast<Size>(count) > left) return false;
  left -= static_cast<Size>(count);
  return true;
}

template <class T>
const char* check_counts(const State::Impl& s, Counts& c) {
  c.n = c.finite = s.count;
  if (const int64_t* w = s.at(Accumulator::tally)) {
    using Tally = accumulator::tally<T>;
    if (static_cast<Size>(w[Tally::n]) != s.count) return "the counts of elements differ";
    if (!take(c.finite, w[Tally::nan]) || !take(c.finite, w[Tally::positive_infinity]) ||
        !take(c.finite, w[Tally::negative_infinity])) {
      return "there are more NaN and infinities than elements";
    }
    c.tallied = true;
    c.nan = static_cast<Size>(w[Tally::nan]);
    c.positive_infinity = static_cast<Size>(w[Tally::positive_infinity]);
    c.negative_infinity = static_cast<Size>(w[Tally::negative_infinity]);
    const bool flag = w[Tally::not_negative_zero] != 0;
    if (!Floating<T> && (c.finite != c.n || flag)) return "integers that are none";
    if (flag && c.nan == c.n) return "a NaN that is a number";
    c.all_negative_zero = Floating<T> && !flag;
    if (c.all_negative_zero && c.finite + c.nan != c.n) return "an infinity that is -0";
  }
  c.not_zero = c.finite;
  if (const int64_t* w = s.at(Accumulator::zeros)) {
    c.zeros = static_cast<Size>(w[0]);
    if (!take(c.not_zero, w[0])) return "there are more zeros than elements";
    if (c.all_negative_zero && c.not_zero != 0) return "a -0 that is not zero";
  }
  if (c.all_negative_zero) c.not_zero = 0;
  return nullptr;
}

// What the sums say of each other.
template <class T>
const char* check_sums(const State::Impl& s, const Counts& c) {
  const Natural n = natural(c.not_zero);
  std::optional<Integer> sum;
  std::optional<Natural> abs, squares;
  if (const int64_t* w = s.at(Accumulator::sum)) sum = limbs_of<accumulator::sum<T>>(w);
  for (const auto& [a, to] :
       {std::pair{Accumulator::sumabs, &abs}, {Accumulator::sumsq, &squares}}) {
    const int64_t* w = s.at(a);
    if (w == nullptr) continue;
    const Integer v = a == Accumulator::sumabs ? limbs_of<accumulator::sumabs<T>>(w)
                                               : limbs_of<accumulator::sumsq<T>>(w);
    if (v.negative) return "a sum of what is never negative is";
    if (c.zeros && c.tallied && less(v.magnitude, n))
      return "elements that are not zero are missing";
    *to = v.magnitude;
  }
  const Natural most = natural(1, largest_bits<T>());
  if (sum && less(n * most, sum->magnitude)) return "the sum is beyond its elements";
  if (abs && less(n * most, *abs)) return "the sum of magnitudes is beyond its elements";
  if (squares && less(n * most * most, *squares))
    return "the sum of squares is beyond its elements";
  if (sum && abs && less(*abs, sum->magnitude)) return "the sum is beyond that of magnitudes";
  if (sum && squares && less(n * *squares, sum->magnitude * sum->magnitude)) {
    return "the variance is negative";
  }
  if (abs && squares) {
    if (less(n * *squares, *abs * *abs)) return "the magnitudes are beyond their squares";
    if (less(*abs * *abs, *squares) || less(*squares, *abs)) {
      return "the squares are not those of the magnitudes";
    }
  }
  const bool parity = sum ? odd(sum->magnitude) : abs ? odd(*abs) : squares && odd(*squares);
  if ((abs && odd(*abs) != parity) || (squares && odd(*squares) != parity)) {
    return "one sum is odd and another even";
  }
  return nullptr;
}

template <class T>
Integer integer_of_key(int64_t key) {
  const Numeric v = numeric(from_order_key<T>(key));
  return {natural(v.mantissa, v.shift), v.negative};
}

// One extreme; `identity` is its key where there is no element.
template <class T>
const char* check_extreme(const State::Impl& s, const Counts& c, const int64_t* w,
                          int64_t identity) {
  const auto index = static_cast<Size>(w[extreme_index]),
             nan_index = static_cast<Size>(w[extreme_nan_index]);
  for (const Size i : {index, nan_index}) {
    if (i == none) continue;
    const bool covered =
        s.indexed ? std::any_of(s.ranges.begin(), s.ranges.end(),
                                [&](const Range& r) { return r.first <= i && i < r.second; })
                  : i == 0 && s.count > 0;
    if (!covered) return "an index lies outside the ranges";
  }
  if (s.indexed && index != none && index == nan_index) return "a NaN that is a number";
  if (!Floating<T> && nan_index != none) return "integers that are none";
  if (index == none) {
    if (w[extreme_key] != identity) return "an extreme without an element";
    if (nan_index == none && s.count != 0) return "an extreme is missing";
  } else {
    const T x = from_order_key<T>(w[extreme_key]);
    if (order_key(x) != w[extreme_key]) return "an extreme that is none of its type";
    if constexpr (Floating<T>) {
      if (decode(x).nan) return "an extreme that is NaN";
    }
  }
  if (c.tallied && (nan_index != none) != (c.nan != 0)) return "the NaN are not those counted";
  if (c.tallied && (index != none) != (c.nan != c.n)) return "the numbers are not those counted";
  return nullptr;
}

// What the two extremes say of each other, and of the counts and sums.
template <class T>
const char* check_extremes(const State::Impl& s, const Counts& c) {
  const int64_t* const low = s.at(Accumulator::least);
  const int64_t* const high = s.at(Accumulator::greatest);
  Size covered = 0;
  for (const auto& [first, last] : s.ranges) covered += last - first;
  if (s.indexed && covered < s.count) return "there are more elements than the ranges cover";
  for (const auto& [w, a] : {std::pair{low, Accumulator::least}, {high, Accumulator::greatest}}) {
    if (w == nullptr) continue;
    int64_t empty[4] = {};
    row_of(a, s.dtype).clear(empty);
    if (const char* why = check_extreme<T>(s, c, w, empty[extreme_key])) return why;
    if (static_cast<Size>(w[extreme_index]) == none) continue;
    const int64_t key = w[extreme_key];
    const int64_t zero = order_key(T{}), negative_zero = Floating<T> ? ~zero : zero;
    if (c.all_negative_zero && key != negative_zero) return "a -0 that is not zero";
    if (c.zeros && *c.zeros != 0 && (a == Accumulator::least ? key > zero : key < negative_zero)) {
      return "zeros beyond the extremes";
    }
    if constexpr (Floating<T>) {
      if (!c.tallied) continue;
      const Decoded d = decode(from_order_key<T>(key));
      const bool least = a == Accumulator::least;
      const bool end = d.infinite && d.negative == least;
      if (end != ((least ? c.negative_infinity : c.positive_infinity) != 0)) {
        return "the infinities are not those counted";
      }
    }
  }
  if (low == nullptr || high == nullptr) return nullptr;
  if (low[extreme_nan_index] != high[extreme_nan_index]) return "two first NaN";
  if ((low[extreme_index] == -1) != (high[extreme_index] == -1)) return "one extreme is missing";
  if (low[extreme_index] == -1) return nullptr;
  if (low[extreme_key] > high[extreme_key]) return "the least element is beyond the greatest";
  if (s.indexed &&
      (low[extreme_key] == high[extreme_key]) != (low[extreme_index] == high[extreme_index])) {
    return "one element is two extremes";
  }
  const int64_t* const w = s.at(Accumulator::sum);
  if (w == nullptr || !c.tallied || c.finite + c.nan != c.n) return nullptr;
  const Integer sum = limbs_of<accumulator::sum<T>>(w);
  const Natural n = natural(c.finite);
  Integer floor = integer_of_key<T>(low[extreme_key]), top = integer_of_key<T>(high[extreme_key]);
  floor.magnitude = floor.magnitude * n;
  top.magnitude = top.magnitude * n;
  if (less(sum, floor) || less(top, sum)) return "the mean is beyond the extremes";
  return nullptr;
}

template <class T>
const char* check_dot(const State::Impl& s) {
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
  const Natural n = natural(Floating<T> && !flag ? 0 : finite);
  const Natural most = natural(1, largest_bits<T>());
  if (less(n * most * most, limbs_of<Dot>(w).magnitude)) return "the sum is beyond its products";
  return nullptr;
}

// One side of the pairs: N Q >= S^2, as of one array.
template <class T>
const char* check_side(const State::Impl& s, Accumulator sum, Accumulator squares) {
  const int64_t* const w = s.at(sum);
  const int64_t* const q = s.at(squares);
  if (q != nullptr && limbs_of<accumulator::sumsq<T>>(q).negative) {
    return "a sum of what is never negative is";
  }
  if (w == nullptr || q == nullptr) return nullptr;
  const Natural root = limbs_of<accumulator::sum<T>>(w).magnitude;
  const Natural square = limbs_of<accumulator::sumsq<T>>(q).magnitude;
  return less(natural(s.count) * square, root * root) ? "the variance is negative" : nullptr;
}

template <class T>
const char* check_pairs(const State::Impl& s) {
  const int64_t* const w = s.at(Accumulator::pairs);
  if (w == nullptr) return nullptr;
  using Pairs = accumulator::pairs<T>;
  Size left = s.count;
  if (static_cast<Size>(w[Pairs::n]) != s.count) return "the counts of pairs differ";
  if (!take(left, w[Pairs::nan]) || !take(left, w[Pairs::infinite]) ||
      w[Pairs::right_infinite] > w[Pairs::infinite] ||
      w[Pairs::same_infinity] > w[Pairs::right_infinite]) {
    return "there are more NaN and infinities than pairs";
  }
  if (!Floating<T> && left != s.count) return "integers that are none";
  if (const char* why = check_side<T>(s, Accumulator::left_sum, Accumulator::left_sumsq))
    return why;
  if (const char* why = check_side<T>(s, Accumulator::right_sum, Accumulator::right_sumsq)) {
    return why;
  }
  if (const int64_t* d = s.at(Accumulator::sumabsdiff)) {
    if (limbs_of<accumulator::sumabsdiff<T>>(d).negative)
      return "a sum of what is never negative is";
  }
  const int64_t* const p = s.at(Accumulator::dot);
  const int64_t* const x = s.at(Accumulator::left_sumsq);
  const int64_t* const y = s.at(Accumulator::right_sumsq);
  if (p == nullptr || x == nullptr || y == nullptr) return nullptr;
  const Natural product = limbs_of<accumulator::dot<T>>(p).magnitude;
  const Natural both =
      limbs_of<accumulator::sumsq<T>>(x).magnitude * limbs_of<accumulator::sumsq<T>>(y).magnitude;
  return less(both, product * product) ? "the products are beyond the squares" : nullptr;
}

}  // namespace

const char* contradiction(const State::Impl& s) {
  bool places = false;
  for (int a = 0; a < every_accumulator; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    const int64_t* const w = s.at(accumulator);
    if (w == nullptr) continue;
    const AccumulatorRow& row = row_of(accumulator, s.dtype);
    places |= row.indexed;
    if (!row.possible(w, s.count)) return "a count or sum is beyond the elements";
  }
  if (s.indexed && !places) return "places are kept of nothing";
  return visit(s.dtype, [&]<class T>() -> const char* {
    Counts c;
    if (const char* why = check_counts<T>(s, c)) return why;
    if (const char* why = check_sums<T>(s, c)) return why;
    if (const char* why = check_extremes<T>(s, c)) return why;
    if (const char* why = check_dot<T>(s)) return why;
    return check_pairs<T>(s);
  });
}

}  // namespace onefold
