// Checks canonical words before anything is computed from them, so that no sum outgrows its room
// and no variance is negative. Words that pass may still belong to no data.
//
//   counts    of NaN, infinities and zeros are no more than elements
//   room      a sum of N elements is below 2^(bits of one element + bits of N)
//   squares   N sum x^2 >= (sum x)^2 (Cauchy and Schwarz), both sides equal if N is 1
//   extremes  are elements of their type, at indices of the ranges; least <= greatest
#include <algorithm>

#include "onefold/core/accumulator.hpp"
#include "onefold/core/exact/long_integer.hpp"
#include "onefold/core/formula/statistics.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/engine/state/state.hpp"

namespace onefold {
namespace {

// The input: canonical words of one state.
struct Words {
  const State::Impl& kind;
  Size count;
  const int64_t* words;

  const int64_t* at(Accumulator a) const {
    const int offset = kind.layout.offset[static_cast<int>(a)];
    return offset < 0 ? nullptr : words + offset;
  }
};

// How many elements each sum has at most.
struct Counts {
  Size elements;     // finite; 0 if all are -0
  Size products;     // of pairs; 0 if all are -0
  Size pairs;        // without NaN
  Size differences;  // of pairs of finite elements
  const int64_t* tally = nullptr;

  Size of(Accumulator a) const {
    switch (a) {
      case Accumulator::dot:
        return products;
      case Accumulator::sumabsdiff:
        return differences;
      case Accumulator::left_sum:
      case Accumulator::left_sumsq:
      case Accumulator::right_sum:
      case Accumulator::right_sumsq:
        return pairs;
      default:
        return elements;
    }
  }
};

// Subtracts a count from `left`; returns false if `left` is smaller.
bool take(Size& left, int64_t count) {
  if (count < 0 || static_cast<Size>(count) > left) return false;
  left -= static_cast<Size>(count);
  return true;
}

// Checks the counts of tally or dot.
//   finite  receives the number of finite elements or products
//   summed  receives 0 if all of them are -0, otherwise `finite`
template <class A>
const char* check_tally(const Words& s, const int64_t* w, Size& finite, Size& summed) {
  using T = typename A::Element;
  finite = s.count;
  if (static_cast<Size>(w[A::n]) != s.count) return "the counts of elements differ";
  for (int k = A::n + 1; k < A::not_negative_zero; ++k) {
    if (!take(finite, w[k])) return "there are more NaN and infinities than elements";
  }
  const bool flag = w[A::not_negative_zero] != 0;
  if (!Floating<T> && (finite != s.count || flag)) return "integers cannot be NaN or infinite";
  const Size numbers = s.count - static_cast<Size>(w[A::nan]);
  if (flag && numbers == 0) return "all elements are NaN, but one is a number";
  if (Floating<T> && !flag && numbers != finite) return "all numbers are -0, but one is infinite";
  summed = Floating<T> && !flag ? 0 : finite;
  return nullptr;
}

template <class T>
const char* check_pairs(const Words& s, const int64_t* w, Counts& c) {
  using Pairs = accumulator::pairs<T>;
  if (static_cast<Size>(w[Pairs::n]) != s.count) return "the counts of elements differ";
  if (!take(c.pairs, w[Pairs::nan])) return "there are more NaN than pairs";
  c.differences = c.pairs;
  if (!take(c.differences, w[Pairs::infinite]) || w[Pairs::same_infinity] < 0 ||
      w[Pairs::same_infinity] > w[Pairs::right_infinite] ||
      w[Pairs::right_infinite] > w[Pairs::infinite]) {
    return "there are more infinities than pairs";
  }
  return !Floating<T> && c.differences != s.count ? "integers cannot be NaN or infinite" : nullptr;
}

template <class T>
const char* check_counts(const Words& s, Counts& c) {
  Size finite = s.count, products;
  if ((c.tally = s.at(Accumulator::tally)) != nullptr) {
    if (const char* why = check_tally<accumulator::tally<T>>(s, c.tally, finite, c.elements)) {
      return why;
    }
  }
  if (const int64_t* w = s.at(Accumulator::zeros); w != nullptr && !take(finite, w[0])) {
    return "there are more zeros than elements";
  }
  if (const int64_t* w = s.at(Accumulator::dot)) {
    if (const char* why = check_tally<accumulator::dot<T>>(s, w, products, c.products)) return why;
  }
  const int64_t* const pairs = s.at(Accumulator::pairs);
  return pairs == nullptr ? nullptr : check_pairs<T>(s, pairs, c);
}

// Checks that limbs are those of a sum of n elements.
const char* check_room(const AccumulatorRow& row, const int64_t* w, Size n) {
  const int64_t top = w[row.limbs - 1];
  const char* const beyond = "the sum is too large for its elements";
  if (n == 0) {
    return std::all_of(w, w + row.limbs, [](int64_t v) { return v == 0; }) ? nullptr : beyond;
  }
  if (top < -(int64_t{1} << 31) || top >= int64_t{1} << 31) return beyond;
  if (row.base != int64_t{1} << 32) return nullptr;
  // Limbs have room for 64 bits above one element.
  const auto d = find_digits(w, row.limbs);
  if (d.zero() || 32 * d.high + bit_length(uint64_t{d(d.high)}) <=
                      32 * (row.limbs - 2) + bit_length(uint64_t{n})) {
    return nullptr;
  }
  return beyond;
}

bool never_negative(Accumulator a) {
  return a == Accumulator::sumabs || a == Accumulator::sumsq || a == Accumulator::sumfourth ||
         a == Accumulator::left_sumsq || a == Accumulator::right_sumsq ||
         a == Accumulator::sumabsdiff;
}

const char* check_limbs(const Words& s, const Counts& c) {
  bool places = false;
  for (int k = 0; k < every_accumulator; ++k) {
    const auto a = static_cast<Accumulator>(k);
    const int64_t* const w = s.at(a);
    if (w == nullptr) continue;
    const AccumulatorRow& row = row_of(a, s.kind.dtype);
    places |= row.indexed;
    if (row.limbs == 0) continue;
    if (const char* why = check_room(row, w, c.of(a))) return why;
    if (never_negative(a) && w[row.limbs - 1] < 0) return "a sum of nonnegative terms is negative";
  }
  if (s.at(Accumulator::decimal) != nullptr && s.kind.dtype != DType::f64) {
    return "decimal sums need the type f64";
  }
  return s.kind.indexed && !places ? "the state has indices, but no accumulator uses them"
                                   : nullptr;
}

// Checks the sum A of n numbers against the sum B of their squares.
template <class A, class B>
const char* check_squares(const Words& s, Accumulator a, Accumulator b, const Counts& c) {
  const int64_t *const x = s.at(a), *const y = s.at(b);
  if (x == nullptr || y == nullptr) return nullptr;
  using Number = LongInteger<std::max(2 * A::limbs + 2, B::limbs + 3)>;
  const Number sum(find_digits(x, A::limbs)), squares(find_digits(y, B::limbs));
  const Size n = c.of(a);
  const Number spread = formula::cross(Number(Uint128{n}), squares, sum, sum);
  if (spread.negative) return "the variance is negative";
  return n == 1 && !spread.zero() ? "one element has several values" : nullptr;
}

template <class T>
const char* check_variances(const Words& s, const Counts& c) {
  using enum Accumulator;
  using Squares = accumulator::sumsq<T>;
  const char* why = check_squares<accumulator::sum<T>, Squares>(s, sum, sumsq, c);
  if (why == nullptr) why = check_squares<accumulator::sumabs<T>, Squares>(s, sumabs, sumsq, c);
  if (why == nullptr) {
    why = check_squares<Squares, accumulator::sumfourth<T>>(s, sumsq, sumfourth, c);
  }
  if (why == nullptr) {
    why = check_squares<accumulator::left_sum<T>, accumulator::left_sumsq<T>>(s, left_sum,
                                                                              left_sumsq, c);
  }
  if (why != nullptr) return why;
  return check_squares<accumulator::right_sum<T>, accumulator::right_sumsq<T>>(s, right_sum,
                                                                               right_sumsq, c);
}

// Checks one extreme. If there are no elements, its key is `identity`.
template <class T>
const char* check_extreme(const Words& s, const Counts& c, const int64_t* w, int64_t identity) {
  const auto index = static_cast<Size>(w[extreme_index]),
             nan_index = static_cast<Size>(w[extreme_nan_index]);
  for (const Size i : {index, nan_index}) {
    if (i == none) continue;
    const bool covered = s.kind.indexed ? s.kind.ranges.has(i) : i == 0 && s.count > 0;
    if (!covered) return "an index lies outside the ranges";
  }
  if (!Floating<T> && nan_index != none) return "integers cannot be NaN or infinite";
  if (index == none) {
    if (w[extreme_key] != identity) return "there is an extreme, but no element";
    if (nan_index == none && s.count != 0) return "an extreme is missing";
  } else {
    const T x = from_order_key<T>(w[extreme_key]);
    if (order_key(x) != w[extreme_key]) return "an extreme is not a value of the element type";
    if constexpr (Floating<T>) {
      if (decode(x).nan) return "an extreme is NaN";
    }
  }
  if (c.tally == nullptr) return nullptr;
  const int64_t nan = c.tally[accumulator::tally<T>::nan];
  if ((nan_index != none) != (nan != 0)) return "the NaNs do not match their count";
  if ((index != none) != (static_cast<Size>(nan) != s.count)) {
    return "the numbers do not match their count";
  }
  return nullptr;
}

template <class T>
const char* check_extremes(const Words& s, const Counts& c) {
  const int64_t* const low = s.at(Accumulator::least);
  const int64_t* const high = s.at(Accumulator::greatest);
  if (s.kind.indexed && s.kind.ranges.elements() < s.count) {
    return "there are more elements than the ranges cover";
  }
  for (const auto& [w, a] : {std::pair{low, Accumulator::least}, {high, Accumulator::greatest}}) {
    if (w == nullptr) continue;
    int64_t empty[4] = {};
    row_of(a, s.kind.dtype).clear(empty);
    if (const char* why = check_extreme<T>(s, c, w, empty[extreme_key])) return why;
  }
  if (low == nullptr || high == nullptr) return nullptr;
  if (low[extreme_nan_index] != high[extreme_nan_index])
    return "the indices of the first NaN differ";
  if ((low[extreme_index] == -1) != (high[extreme_index] == -1)) return "one extreme is missing";
  if (low[extreme_index] == -1) return nullptr;
  if (low[extreme_key] > high[extreme_key]) return "the least element is above the greatest";
  const bool same = low[extreme_key] == high[extreme_key];
  return s.kind.indexed && same != (low[extreme_index] == high[extreme_index])
             ? "the extremes and their indices disagree"
             : nullptr;
}

// Checks the greatest difference: floats are an f64 and what rounding it left over.
template <class T>
const char* check_greatest_difference(const Words& s, const Counts& c) {
  const int64_t* const w = s.at(Accumulator::maxabsdiff);
  if (w == nullptr) return nullptr;
  if (c.differences == 0 && (w[0] != 0 || w[1] != 0)) return "there is a difference, but no pair";
  if constexpr (!Floating<T>) {
    return w[1] == 0 ? nullptr : "a difference is not a valid number";
  } else {
    const double high = bit_cast<double>(w[0]), low = bit_cast<double>(w[1]);
    const bool right = w[0] >= 0 && low - low == 0 && high + low == high;
    return right ? nullptr : "a difference is not a valid number";
  }
}

}  // namespace

const char* why_invalid(const State::Impl& kind, Size count, const int64_t* words) {
  const Words s{kind, count, words};
  return visit(kind.dtype, [&]<class T>() -> const char* {
    Counts c{count, count, count, count};
    const char* why = check_counts<T>(s, c);
    if (why == nullptr) why = check_limbs(s, c);
    if (why == nullptr) why = check_variances<T>(s, c);
    if (why == nullptr) why = check_extremes<T>(s, c);
    return why != nullptr ? why : check_greatest_difference<T>(s, c);
  });
}

}  // namespace onefold
