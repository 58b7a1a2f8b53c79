// Finds words that no data can give, though each word is canonical by itself. The words of any data
// satisfy all facts below; words that satisfy all facts may still belong to no data.
//
//   N        finite elements, without zeros if these are counted; x: elements as integers, in units
//            of the type's smallest subnormal; S, A, Q: sums of x, |x|, x^2
//   source   N Q >= A^2 >= S^2 (Cauchy and Schwarz); A <= Q <= A^2, since |x| are integers; x, |x|,
//            x^2 are odd together; (high - x)(x - low) is never negative (Bhatia and Davis)
//   others   contradiction_moments.cpp, contradiction_pairs.cpp
#include <algorithm>
#include <optional>

#include "api/contradiction.hpp"
#include "onefold/accumulator.hpp"
#include "plan/natural.hpp"

namespace onefold {
namespace {

// What the counts say about the elements. Without a tally, NaN and infinities are not counted.
struct Counts {
  Size n = 0;         // elements
  Size finite = 0;    // an upper bound
  Size not_zero = 0;  // an upper bound of the finite elements that are not 0
  bool tallied = false;
  Size nan = 0, positive_infinity = 0, negative_infinity = 0;  // valid if tallied
  std::optional<Size> zeros;
  bool all_negative_zero = false;  // if tallied: all elements other than NaN are -0
};

template <class T>
const char* check_counts(const HeldWords& s, Counts& c) {
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

// The sums that the state holds.
struct SumsOfState {
  std::optional<Number> sum, abs, squares;
};

// Compares sums exactly, by integers of any length.
struct Exactly {
  using Number = onefold::Number;
  using Count = Size;
  const char* why = nullptr;  // the first fact that does not hold

  void refuse(bool wrong, const char* fact) {
    if (wrong && why == nullptr) why = fact;
  }
  void refuse_one(Size n, const Product& p, const Product& q, const char* fact) {
    if (n == 1) refuse(differ(p, q), fact);
  }
  static bool negative(const Number& v) { return v.negative(); }
  static bool parities_differ(const Number& a, const Number& b) { return a.odd() != b.odd(); }
  static Product value(const Number& a, const Number* b = nullptr) { return {1, &a, b}; }
  static Product times(Size n, const Number* a = nullptr, const Number* b = nullptr,
                       int shift = 0) {
    return {n, a, b, shift};
  }
  static bool less(const Product& p, const Product& q) { return onefold::less(p, q); }
};

#include "plan/sum_facts.inl"

template <class T>
const char* check_sums(const SumsOfState& sums, const Counts& c) {
  Exactly f;
  const auto held = [](const std::optional<Number>& v) { return v ? &*v : nullptr; };
  check_sums<T>(f, held(sums.sum), held(sums.abs), held(sums.squares), c.not_zero, c.tallied,
                c.tallied && c.zeros.has_value());
  return f.why;
}

// Checks the sum of decimals: only f64 has one, and it is 0 if no element is finite.
const char* check_decimals(const HeldWords& s, const Counts& c) {
  const int64_t* const w = s.at(Accumulator::decimal);
  if (w == nullptr) return nullptr;
  if (s.kind.dtype != DType::f64) return "decimals that no text spells";
  const bool zero = std::all_of(w, w + decimal::words, [](int64_t v) { return v == 0; });
  if (!zero && (c.finite == 0 || c.all_negative_zero)) return "a sum of no decimals";
  return nullptr;
}

// Checks one extreme; `identity` is its key if there are no elements.
template <class T>
const char* check_extreme(const HeldWords& s, const Counts& c, const int64_t* w, int64_t identity) {
  const auto index = static_cast<Size>(w[extreme_index]),
             nan_index = static_cast<Size>(w[extreme_nan_index]);
  for (const Size i : {index, nan_index}) {
    if (i == none) continue;
    const bool covered = s.kind.indexed ? s.kind.ranges.has(i) : i == 0 && s.count > 0;
    if (!covered) return "an index lies outside the ranges";
  }
  if (s.kind.indexed && index != none && index == nan_index) return "a NaN that is a number";
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

// Checks the two extremes against each other, and against counts and sums.
template <class T>
const char* check_extremes(const HeldWords& s, const Counts& c) {
  const int64_t* const low = s.at(Accumulator::least);
  const int64_t* const high = s.at(Accumulator::greatest);
  if (s.kind.indexed && s.kind.ranges.elements() < s.count)
    return "there are more elements than the ranges cover";
  for (const auto& [w, a] : {std::pair{low, Accumulator::least}, {high, Accumulator::greatest}}) {
    if (w == nullptr) continue;
    int64_t empty[4] = {};
    row_of(a, s.kind.dtype).clear(empty);
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
      // No finite element can lie beyond an infinite extreme.
      if (d.infinite && !end && c.finite != 0) return "the numbers are not those counted";
      if (!d.infinite && c.finite == 0) return "the numbers are not those counted";
    }
  }
  if (low == nullptr || high == nullptr) return nullptr;
  if (low[extreme_nan_index] != high[extreme_nan_index]) return "two first NaN";
  if ((low[extreme_index] == -1) != (high[extreme_index] == -1)) return "one extreme is missing";
  if (low[extreme_index] == -1) return nullptr;
  if (low[extreme_key] > high[extreme_key]) return "the least element is beyond the greatest";
  if (s.kind.indexed &&
      (low[extreme_key] == high[extreme_key]) != (low[extreme_index] == high[extreme_index])) {
    return "one element is two extremes";
  }
  return nullptr;
}

// A finite extreme.
template <class T>
std::optional<Integer> finite_extreme(const HeldWords& s, Accumulator a) {
  const int64_t* const w = s.at(a);
  if (w == nullptr || static_cast<Size>(w[extreme_index]) == none) return {};
  const Numeric v = numeric(from_order_key<T>(w[extreme_key]));
  if (!v.finite) return {};
  Integer x = integer(v.mantissa, v.shift);
  x.negative = v.negative && !x.zero();
  return x;
}

// The sums as long integers.
struct ExactSums {
  std::optional<Integer> sum, abs, squares;
  explicit ExactSums(const SumsOfState& s) {
    if (s.sum) sum = s.sum->exact();
    if (s.abs) abs = s.abs->exact();
    if (s.squares) squares = s.squares->exact();
  }
};

// Checks the sums against one extreme: it is itself an element, and no element lies beyond it.
const char* check_end(const ExactSums& sums, const Counts& c, const Integer& end, bool least) {
  const Integer all = integer(c.not_zero) * end;
  if (sums.sum && (least ? less(*sums.sum, all) : less(all, *sums.sum))) {
    return "the mean is beyond the extremes";
  }
  const bool one_sign = end.negative != least;  // of all elements
  const Integer& total = one_sign ? all : end;
  if (sums.abs && less_in_magnitude(*sums.abs, total)) {
    return "the magnitudes are below an extreme";
  }
  if (sums.squares && less_in_magnitude(*sums.squares, total * end)) {
    return "the squares are below that of an extreme";
  }
  if (one_sign && sums.sum && sums.abs && !equal_in_magnitude(*sums.sum, *sums.abs)) {
    return "the magnitudes of elements of one sign are not their sum";
  }
  return nullptr;
}

// Checks the sums against both extremes: all elements lie between them.
const char* check_between(const ExactSums& sums, const Counts& c, const Integer& low,
                          const Integer& high) {
  const auto& [sum, abs, squares] = sums;
  if (sum) {
    const Integer others = integer(c.finite - 1), n = integer(c.finite);
    if (less(low + others * high, *sum) || less(*sum, high + others * low)) {
      return "the mean is beyond the extremes";
    }
    if (squares && less((low + high) * *sum - n * low * high, *squares)) {
      return "the squares are beyond those of the extremes";
    }
  }
  const Integer n = integer(c.not_zero), &most = less_in_magnitude(low, high) ? high : low;
  if (abs && less_in_magnitude(n * most, *abs)) {
    return "the magnitudes are beyond those of the extremes";
  }
  if (squares && less_in_magnitude(n * most * most, *squares)) {
    return "the squares are beyond those of the extremes";
  }
  return nullptr;
}

template <class T>
const char* check_ends(const HeldWords& s, const SumsOfState& sums, const Counts& c) {
  if (!c.tallied) return nullptr;
  const std::optional<Integer> low = finite_extreme<T>(s, Accumulator::least),
                               high = finite_extreme<T>(s, Accumulator::greatest);
  if (!low && !high) return nullptr;
  const ExactSums exact(sums);
  const char* why = nullptr;
  if (low) why = check_end(exact, c, *low, true);
  if (high && why == nullptr) why = check_end(exact, c, *high, false);
  if (low && high && why == nullptr) why = check_between(exact, c, *low, *high);
  return why;
}

}  // namespace

const char* contradiction(const State::Impl& s) {
  return contradiction(HeldWords{.kind = s, .count = s.count, .words = s.words.data()});
}

const char* contradiction(const HeldWords& s) {
  bool places = false;
  for (int a = 0; a < every_accumulator; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    const int64_t* const w = s.at(accumulator);
    if (w == nullptr) continue;
    const AccumulatorRow& row = row_of(accumulator, s.kind.dtype);
    places |= row.indexed;
    if (!row.possible(w, s.count)) return "a count or sum is beyond the elements";
  }
  if (s.kind.indexed && !places) return "places are kept of nothing";
  return visit(s.kind.dtype, [&]<class T>() -> const char* {
    Counts c;
    if (const char* why = check_counts<T>(s, c)) return why;
    const SumsOfState sums{s.sum<accumulator::sum<T>>(Accumulator::sum),
                           s.sum<accumulator::sumabs<T>>(Accumulator::sumabs),
                           s.sum<accumulator::sumsq<T>>(Accumulator::sumsq)};
    if (const char* why = check_sums<T>(sums, c)) return why;
    const FiniteElements finite{c.finite, c.not_zero, c.tallied, c.tallied && c.zeros.has_value()};
    if (const char* why = contradiction_of_moments(s, finite)) return why;
    if (const char* why = check_decimals(s, c)) return why;
    if (const char* why = check_extremes<T>(s, c)) return why;
    if (const char* why = check_ends<T>(s, sums, c)) return why;
    return contradiction_of_pairs(s);
  });
}

}  // namespace onefold
