// A Recipe is the formula of an op, found before any data are read: `finish` runs on statistics
// (term.hpp) instead of numbers. So one function defines how exact words and how certified totals
// (exact/quick.hpp) become an answer, and one recipe serves all answers of a fold.
#pragma once

#include "onefold/core/exact/quick_formula.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/core/term.hpp"

namespace onefold {

// A Real whose numerator is a statistic instead of a number: (-1)^negative * numerator /
// (n * left), or the square root of that if `root`.
struct Recipe {
  struct Numerator {
    Statistic of = Statistic::nothing;
    uint32_t factor = 1;  // multiplies n Q - S^2 or n P - Sx Sy
  };
  Real::Kind kind = Real::Kind::finite;
  Status status = Status::ok;
  bool negative = false;
  bool root = false;
  bool index = false;      // the extreme's index instead of its value
  bool corrected = false;  // a ratio of moments is the estimate from a sample
  bool of_mean = false;    // n is divided by twice
  QuickFormula::Count count = QuickFormula::Count::none;
  Numerator numerator;
  Uint128 n = 1, left = 1;

  // Returns whether the recipe computes a number. If not, every answer is a NaN or a status,
  // whatever the elements are, and exact words give it.
  ONEFOLD_FN constexpr bool useful() const {
    return kind == Real::Kind::finite && numerator.of != Statistic::nothing;
  }
  ONEFOLD_FN static constexpr Recipe of_kind(Real::Kind kind, Status status = Status::ok) {
    Recipe r;
    r.kind = kind;
    r.status = status;
    return r;
  }
  ONEFOLD_FN static constexpr Recipe nan() { return of_kind(Real::Kind::nan); }
  ONEFOLD_FN static constexpr Recipe infinity(bool = false) {
    return of_kind(Real::Kind::infinite);
  }
  ONEFOLD_FN static constexpr Recipe bad(Status s) { return of_kind(Real::Kind::bad, s); }
  ONEFOLD_FN static constexpr Recipe zero(bool = false) { return {}; }
  // Returns the recipe of an answer that counts zeros or elements.
  ONEFOLD_FN static constexpr Recipe integer(QuickFormula::Count count) {
    Recipe r;
    r.count = count;
    if (count != QuickFormula::Count::none) r.numerator.of = total_of(Term::zero);
    return r;
  }
  ONEFOLD_FN static constexpr Recipe integer(Size) {
    return integer(QuickFormula::Count::elements);
  }
  ONEFOLD_FN static constexpr Recipe integer(Numerator extreme) {
    Recipe r;
    r.index = true;
    r.numerator = extreme;
    return r;
  }
  friend bool operator==(const Recipe& a, const Recipe& b) {
    return a.kind == b.kind && a.status == b.status && a.negative == b.negative &&
           a.root == b.root && a.index == b.index && a.corrected == b.corrected &&
           a.of_mean == b.of_mean && a.count == b.count && a.numerator.of == b.numerator.of &&
           a.numerator.factor == b.numerator.factor && a.n == b.n && a.left == b.left;
  }
};

// Returns whether a statistic is a total, other than a count of zeros, or n Q - S^2. Quick numbers
// can evaluate these.
ONEFOLD_FN constexpr bool is_sum(Statistic s) {
  return (is_total(s) && s != total_of(Term::zero)) || s == Statistic::variance;
}

ONEFOLD_FN constexpr Recipe difference(const Recipe&, const Recipe&) {
  Recipe r;
  r.numerator.of = Statistic::ptp;
  return r;
}
ONEFOLD_FN constexpr Recipe larger_magnitude(const Recipe&, const Recipe&) {
  Recipe r;
  r.numerator.of = Statistic::norminf;
  return r;
}

// Converts the recipe into a formula for quick numbers, with n = `elements`. Returns false if they
// cannot hold its numbers.
ONEFOLD_FN constexpr bool quick_formula(const Recipe& r, Size elements, QuickFormula& f) {
  const Uint128 most = Uint128{1} << 53;
  if (!r.useful() || r.n >= most || r.left >= most || elements >= Size{1} << 32) return false;
  f = {.spread = is_over_freedom(r.numerator.of),
       .root = r.root,
       .corrected = r.corrected,
       .elements = static_cast<double>(elements),
       .factor = static_cast<double>(r.numerator.factor),
       .n = static_cast<double>(static_cast<Size>(r.n)),
       .left = static_cast<double>(static_cast<Size>(r.left)),
       .count = r.count};
  return true;
}

}  // namespace onefold
