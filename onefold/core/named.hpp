// Placeholders for the numbers that an op's `finish` reads. With them `finish` returns a Recipe,
// which is the op's formula, before any data are read.
#pragma once

#include "onefold/core/gathered.hpp"

namespace onefold {

// The view that `finish` gets instead of words: n elements, of which none is a NaN or an infinity.
struct Named {
  using Number = Recipe;
  struct Sum {
    Recipe::Numerator magnitude;
    bool negative = false;
  };
  // Stands for the number of zeros. An op that reads another count is answered from exact words.
  struct Counted {
    using Count = QuickFormula::Count;
    bool zeros = false;
    ONEFOLD_FN constexpr Count named(Count c) const { return zeros ? c : Count::none; }
    ONEFOLD_FN constexpr operator Count() const { return named(Count::zeros); }
    ONEFOLD_FN friend constexpr Count operator-(Size, Counted c) { return c.named(Count::others); }
    ONEFOLD_FN friend constexpr Count operator!=(Size, Counted c) {
      return c.named(Count::some_others);
    }
    ONEFOLD_FN friend constexpr Count operator==(Counted c, int) {
      return c.named(Count::no_zeros);
    }
  };
  struct Extreme {
    Recipe value;
    Recipe::Numerator index;
    bool empty = false, nan = false;
    ONEFOLD_FN constexpr bool is_bad(NanPolicy) const { return false; }
  };
  Size n = 0;
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;

  ONEFOLD_FN static constexpr Statistic statistic_of(Accumulator a) {
    switch (a) {
      case Accumulator::sum:
        return total_of(Term::x);
      case Accumulator::sumabs:
        return total_of(Term::magnitude);
      case Accumulator::sumsq:
        return total_of(Term::xx);
      case Accumulator::dot:
        return total_of(Term::xy);
      case Accumulator::least:
        return Statistic::least;
      case Accumulator::greatest:
        return Statistic::greatest;
      case Accumulator::sumabsdiff:
        return total_of(Term::distance);
      default:
        return Statistic::nothing;
    }
  }
  ONEFOLD_FN constexpr Tally tally() const { return {.n = n}; }
  ONEFOLD_FN constexpr Tally dot_tally() const { return tally(); }
  ONEFOLD_FN constexpr Sum limbs(Accumulator a) const { return {{statistic_of(a), 1}}; }
  ONEFOLD_FN constexpr Counted counted(Accumulator a) const { return {a == Accumulator::zeros}; }
  ONEFOLD_FN constexpr Recipe::Numerator spread(uint32_t factor) const {
    return {Statistic::variance, factor};
  }
  ONEFOLD_FN constexpr PairTally pair_tally() const { return {.n = n}; }
  ONEFOLD_FN constexpr Recipe::Numerator squared_difference() const {
    return {total_of(Term::squared_difference), 1};
  }
  ONEFOLD_FN constexpr Sum common_spread(uint32_t factor) const {
    return {{Statistic::covariance, factor}};
  }
  ONEFOLD_FN constexpr Recipe::Numerator total_spread(uint32_t factor) const {
    return {Statistic::total_variance, factor};
  }
  template <Statistic is>
  ONEFOLD_FN constexpr Recipe statistic() const {
    Recipe r;
    r.numerator.of = is;
    r.corrected = is_moment(is) && is_of_sample(correction);
    return r;
  }
  ONEFOLD_FN constexpr Recipe greatest_difference() const {
    return statistic<Statistic::greatest_difference>();
  }
  ONEFOLD_FN constexpr Extreme extreme(Accumulator a) const {
    Extreme e;
    e.index = e.value.numerator = {statistic_of(a), 1};
    return e;
  }
};

// Returns true if panels and kernels compute all that a recipe says. They never change a sign,
// divide only sums, spreads and counts of pairs, and take roots only of numbers that are never
// negative.
ONEFOLD_FN constexpr bool is_computed(const Recipe& r) {
  const Statistic of = r.numerator.of;
  const bool never_negative =
      of == Statistic::variance || of == Statistic::total_variance ||
      (is_total(of) && of != total_of(Term::magnitude) && factors_of(term_of(of)).never_negative());
  const bool divides = is_sum(of) || is_over_freedom(of);
  return !r.negative && (!r.root || never_negative) && (divides || (r.n == 1 && r.left == 1));
}

// Returns whether the op's `finish` returns a formula with placeholders.
template <class Op>
inline constexpr bool has_recipe = false;
template <class Op>
requires requires(const Named& n, Recipe& r) { r = Op::finish(n); }
inline constexpr bool has_recipe<Op> = true;

// Returns the recipe of an op. It is empty if panels and kernels would compute something else; then
// exact words answer.
template <class Op>
ONEFOLD_FN constexpr Recipe recipe_for(const Named& n) {
  Recipe r = Op::finish(n);
  if (r.kind == Real::Kind::finite && !is_computed(r)) r.numerator.of = Statistic::nothing;
  return r;
}

}  // namespace onefold
