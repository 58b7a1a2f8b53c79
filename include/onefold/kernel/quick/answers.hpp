// Answers rounded of totals, an answer a lane: by quick numbers where sums are of floats, by exact
// ones else.
#pragma once

#include "onefold/kernel/answer/answers.hpp"
#include "onefold/kernel/quick/totals.hpp"
#include "onefold/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// What an op sees of totals of whole numbers, counts and extremes.
template <class T, uint32_t ops, bool selects>
struct SeenTotals {
  using All = Totals<T, ops, selects>;
  const All& totals;
  Size n;
  NanPolicy nan;
  Correction correction;

  ONEFOLD_KERNEL Tally tally() const {
    Tally t{.n = n};
    if constexpr (All::asked.nan) t.nan = totals.nan.n;
    if constexpr (All::asked.infinite) {
      t.positive_infinity = totals.positive_infinity.n;
      t.negative_infinity = totals.negative_infinity.n;
    }
    // Where elements are counted, a NaN that is omitted is not.
    if (!selects && nan == NanPolicy::omit) t.n -= t.nan;
    return t;
  }
  ONEFOLD_KERNEL Tally dot_tally() const { return tally(); }
  ONEFOLD_KERNEL Int128 whole(Accumulator a) const {
    if constexpr (!Floating<T>) {
      if constexpr (All::asked.sum) {
        if (a == (All::pairs ? Accumulator::dot : Accumulator::sum)) return totals.sum.v;
      }
      if constexpr (All::asked.sumabs) {
        if (a == Accumulator::sumabs) return totals.sumabs.v;
      }
      if constexpr (All::asked.sumsq) {
        if (a == Accumulator::sumsq) return totals.whole_square.v;
      }
    }
    return 0;
  }
  ONEFOLD_KERNEL ExactSum limbs(Accumulator a) const {
    const Int128 v = whole(a);
    return {Leading(static_cast<Uint128>(v < 0 ? -v : v)), v < 0};
  }
  // Of at most 16 bits: n Q < 2^96, and the factor is below 2^30.
  ONEFOLD_KERNEL Leading spread(uint32_t factor) const {
    const Int128 s = whole(Accumulator::sum), q = whole(Accumulator::sumsq);
    return Leading(static_cast<Uint128>(static_cast<Int128>(n) * q - s * s) * factor);
  }
  ONEFOLD_KERNEL Size counted(Accumulator) const {  // zeros: no other counts have totals
    if constexpr (All::asked.zeros) return totals.zeros.n;
    return 0;
  }
  // Whether an extreme is of any element.
  template <class E>
  ONEFOLD_KERNEL bool some(const E& e) const {
    return e.some() && (!selects || Floating<T> || n != 0);
  }
  template <class E>
  ONEFOLD_KERNEL Extreme extreme_of_lane(const E& e) const {
    if constexpr (same_type<E, Nothing>) {
      return {};
    } else {
      const Size at = !some(e) ? none : All::asked.index ? Size{e.at} : 0;
      Extreme x = extreme_of(at, e.nan_at == ~0u ? none : Size{e.nan_at}, nan);
      if (!x.nan && !x.empty) x.value = real_of_key<T>(e.key);
      return x;
    }
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    return a == Accumulator::least ? extreme_of_lane(totals.least)
                                   : extreme_of_lane(totals.greatest);
  }
};

// Stores an answer of type `t` as it is in memory; the place is at a multiple of its size.
template <DType t, class M>
ONEFOLD_KERNEL void put_typed(M m, const Place<M>& place, Size answer, uint64_t bits,
                              Status status) {
  constexpr unsigned bytes = bytes_of(t);
  if constexpr (is_floating(t)) change_empty(place.empty_nan, t, bits, status);
  using Word = typename detail::Bits<bytes>::type;
  m.template as<Word>(place.value)[answer] = static_cast<Word>(bits);
  if (place.has_status) place.status[answer] = static_cast<uint8_t>(status);
}

// What becomes of totals of n elements.
struct Making {
  QuickFormula formula;
  double inverse = 0;  // of n, where nothing else is done to a sum
  bool number = true;  // else quick numbers do not hold what it says
  bool nan = false;    // that it is, whatever the elements are
};
// Where elements are selected, n is known only now.
template <class Op, bool selects>
ONEFOLD_KERNEL Making making_of(const Formulas& formulas, int k, Size n, NanPolicy nan,
                                const Correction& correction) {
  if constexpr (!selects) {
    return {formulas.of[k], formulas.inverse[k], true, false};
  } else {
    Named many;
    many.n = n;
    many.nan = nan;
    many.correction = correction;
    const Recipe r = Op::finish(many);
    Making made;
    made.number = quick_formula(r, n, made.formula);
    // A recipe says NaN also of a shift, which it leaves to exact words.
    made.nan = r.kind == Real::Kind::nan && (n == 0 || correction.shift == 0);
    QuickFormula only;
    only.elements = made.formula.elements;
    only.n = made.formula.n;
    if (made.formula == only && only.n != 1) made.inverse = 1 / only.n;
    return made;
  }
}

// Rounds a number to T: a T, if `decided`. One text where a kernel has several ops; of one op it
// stands where it is needed, for a call spills a walk's registers.
struct Decided {
  double value;
  bool decided;
};
template <class T>
ONEFOLD_KERNEL Decided decide_here(const QuickFormula& f, const Quick<OneLane>& sum,
                                   const Quick<OneLane>& squares) {
  Decided d{};
  d.value = quick_number<OneLane>(f, sum, squares).template decide<T>(d.decided);
  return d;
}
template <class T>
ONEFOLD_KERNEL_COLD Decided decide_there(QuickFormula f, Quick<OneLane> sum,
                                         Quick<OneLane> squares) {
  return decide_here<T>(f, sum, squares);
}
template <class T, uint32_t ops>
ONEFOLD_KERNEL Decided decide(const QuickFormula& f, const Quick<OneLane>& sum,
                              const Quick<OneLane>& squares) {
  if constexpr (count_ops(ops) == 1) {
    return decide_here<T>(f, sum, squares);
  } else {
    return decide_there<T>(f, sum, squares);
  }
}
// x / n, where the nearest f64 tells the nearest T. A quotient by the inverse and a correction is
// exact, or one of the two f64 beside the exact one (Markstein, IBM J. 34(1)); so they lie on one
// side of every number half way between two T, if it is none itself.
template <class T>
ONEFOLD_KERNEL Decided divided(double x, double n, double inverse) {
  const double q = x * inverse, r = x == 0 ? x : fused(fused(-q, n, x), inverse, q),
               t = OneLane::narrow<T>(r), other = t + 2 * (r - t);
  const bool half_way = r != t && OneLane::narrow<T>(other) == other;
  return {t, OneLane::abs(t) < OneLane::infinity() && (!half_way || fused(-r, n, x) == 0)};
}
// A T that an f64 holds, as its bits.
template <class T>
ONEFOLD_KERNEL uint64_t bits_of_answer(double v) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<uint64_t>(v);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(static_cast<float>(v));
  } else if constexpr (dtype_of<T> == DType::bf16) {
    return bit_cast<uint32_t>(static_cast<float>(v)) >> 16;
  } else {
    const Real r = Real::of(v);
    return round_float<RoundingSteps{false, false, false, false}>(r, float_format(DType::f16));
  }
}

template <class T, uint32_t ops, bool selects = false>
struct LaneAnswers {
  using All = Totals<T, ops, selects>;
  using Seen = SeenTotals<T, ops, selects>;
  static constexpr Asked asked = All::asked;
  static constexpr uint64_t nan_bits = [] {
    if (!Floating<T>) return uint64_t{0};
    const FloatFormat f = float_format(dtype_of<T>);
    return (((uint64_t{1} << f.exponent_bits) - 1) << 1 | 1) << (f.mantissa_bits - 1);
  }();

  template <int words, bool tracked>
  ONEFOLD_KERNEL static Quick<OneLane> quick_of(const FloatSum<words, tracked>& s, double lost) {
    return {s.high, words == 2 ? s.low : 0.0, 0.0, tracked ? s.lost * (1 + 0x1p-20) : lost};
  }

  // Writes the answers that totals decide; whether they are all.
  template <class M>
  ONEFOLD_KERNEL static bool put_all(M m, const All& of_elements, const NestInput<M, T>& input,
                                     const Formulas& formulas, const Results<M, ops>& results,
                                     Size answer) {
    All totals = of_elements;
    Size n = input.elements;
    if constexpr (selects) {
      if constexpr (!All::pairs) {
        if (input.chosen.initial) {
          totals.add(bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits)), 0, true,
                     input.chosen.omit);
        }
      }
      n = totals.taken.n;
    }
    bool all = true;
    Bound bound{};
    if constexpr (Floating<T> && asked.sumsq) {
      bound =
          bound_of<All::Sums::words>(totals.square.high, static_cast<double>(n), formulas.depth);
    }
    int k = 0;
    const auto one = [&]<class Op>() {
      const Place<M>& place = results.place[k];
      constexpr DType type = Op::about.result.of(dtype_of<T>);
      if constexpr (is_rounded<T, Op>()) {
        const Making made = making_of<Op, selects>(formulas, k, n, results.nan, results.correction);
        all = put_rounded<Op, type>(m, totals, n, bound, made, results, place, answer) && all;
      } else {
        const Seen seen{totals, n, results.nan, results.correction};
        const Rounded r = exact<Op, type>(seen);
        put_typed<type>(m, place, answer, r.bits, r.status);
      }
      ++k;
    };
#define ONEFOLD_ENTRY(name) \
  if constexpr (asks(ops, OpIndex::name##_)) one.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    return all;
  }

  template <class Op, DType type>
  ONEFOLD_KERNEL static Rounded exact(const Seen& seen) {
    if constexpr (is_named<Op>() && (asked.least || asked.greatest)) {
      // An element as it is, or where it stands.
      constexpr Recipe r = recipe_of<Op>();
      const auto of = [&](const auto& e) -> Rounded {
        constexpr bool placed = recipe_of<Op>().index;
        if constexpr (same_type<decltype(e), const Nothing&>) {
          return {};
        } else {
          if (e.nan_at != ~0u && seen.nan != NanPolicy::omit) {
            if (seen.nan == NanPolicy::raise) return {0, Status::nan_found};
            return {placed ? uint64_t{e.nan_at} : nan_bits, Status::ok};
          }
          if (!seen.some(e)) return {0, Status::empty_input};
          if constexpr (placed) return {e.at, Status::ok};
          if constexpr (type == dtype_of<T>) {
            return {bit_cast<bits_of<T>>(from_order_key<T>(e.key)), Status::ok};
          } else {
            return round(real_of_key<T>(e.key), type);
          }
        }
      };
      if constexpr (r.numerator.name == Recipe::Name::least) return of(seen.totals.least);
      if constexpr (r.numerator.name == Recipe::Name::greatest) return of(seen.totals.greatest);
    }
    return round<steps_of<T, ops>()>(Op::finish(seen), type);
  }

  template <class Op, DType type, class M>
  ONEFOLD_KERNEL static bool put_rounded(M m, const All& totals, Size n, const Bound& bound,
                                         const Making& made, const Results<M, ops>& results,
                                         const Place<M>& place, Size answer) {
    const QuickFormula& f = made.formula;
    const double inverse = made.inverse;
    using R = T;
    static_assert(type == dtype_of<T>);
    constexpr Recipe recipe = recipe_of<Op>();
    constexpr Recipe::Name name = recipe.numerator.name;
    constexpr bool spread = name == Recipe::Name::spread;
    double high = 0;
    Decided d{};
    if constexpr (name == Recipe::Name::sumsq) {
      high = totals.square.high;
      d = decide<R, ops>(f, quick_of(totals.square, bound.squares), {});
    } else if constexpr (spread) {
      high = totals.square.high;
      d = decide<R, ops>(f, quick_of(totals.sum, bound.sum),
                         quick_of(totals.square, bound.squares));
    } else {
      const auto& s = [&]() -> const auto& {
        if constexpr (name == Recipe::Name::sum || name == Recipe::Name::dot) {
          return totals.sum;
        } else {
          return totals.sumabs;
        }
      }
      ();
      high = s.high;
      // Nothing was lost: one addition and one conversion round.
      if (f.n == 1 && s.lost == 0) {
        double v = s.high;
        if constexpr (All::Sums::words == 2) {
          if (s.low != 0) v += s.low;
        }
        d = {OneLane::narrow<R>(v), OneLane::abs(v) < OneLane::infinity()};
      } else if (sizeof(T) < 8 && inverse != 0 && s.lost == 0) {
        d = divided<R>(s.high, f.n, inverse);
      }
      if (!d.decided) d = decide<R, ops>(f, quick_of(s, 0), {});
    }
    if constexpr (selects) d.decided = d.decided && made.number;
    uint64_t bits = bits_of_answer<R>(d.value);
    if constexpr (sizeof(T) < 8) {
      // Sums of such elements do not overflow an f64: what is not finite was not from the start.
      const bool none_left = selects && results.nan == NanPolicy::omit;  // NaN
      if ((none_left || results.nan == NanPolicy::propagate) &&
          !(absolute(high) < OneLane::infinity())) {
        bits = spread || high != high ? nan_bits : bits_of_answer<R>(high);
        d.decided = true;
      }
    }
    if constexpr (selects) {
      if (n == 0 || (made.nan && high == high)) {
        bits = made.nan ? nan_bits : 0;
        d.decided = true;
      }
    }
    if (d.decided) put_typed<type>(m, place, answer, bits, Status::ok);
    return d.decided;
  }
};

}  // namespace onefold::kernel
