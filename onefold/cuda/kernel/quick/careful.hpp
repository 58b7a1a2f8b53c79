// Computes undecided answers again, by a warp or a block: sums as three f64 and a bound
// (exact/quick.inl).
//
//   terms    an element has two words, and so has a product of two factors: what they leave out is
//            below 2^-100 of it
//   origin   variances and moments do not depend on where 0 is: their terms are powers of
//            deviations from the answer's first element, so that numbers far from 0 are decided,
//            and equal ones, too
#pragma once

#include "onefold/cuda/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, bool selects = false>
struct Careful {
  static constexpr NeededTotals needed = needed_totals<T>(ops);
  using Number = Quick<OneLane>;

  // How far pairs are apart is exact, or wants a status.
  static constexpr bool helps = !(needed.apart && Floating<T>)&&(ops & by_digits) == 0;
  using Fraction = typename LaneAnswers<T, ops, selects>::Fraction;

  // Sums about 0, and sums that formulas of several read, which are about an origin.
  static constexpr Terms plain = terms_answered<T, ops>(),
                         formula = needed.formula |
                                   (Floating<T> && subtracts(ops) ? Term::x | Term::xx : Terms());

  // The sums of one lane, or of several merged lanes: first those about 0.
  struct Found {
    enum : int {
      plain_terms = plain.count(),
      terms = plain_terms + formula.count(),
      of_number = 4,
      words = terms * of_number + 1
    };
    Number sum[terms == 0 ? 1 : terms];
    Size n = 0;  // of selected elements
    ONEFOLD_KERNEL Found() {
      for (Number& q : sum) q = Number::nothing();
    }
    ONEFOLD_KERNEL Number& at(Term t) { return sum[plain.place_of(t)]; }
    ONEFOLD_KERNEL Number& of_formula(Term t) { return sum[plain_terms + formula.place_of(t)]; }
    ONEFOLD_KERNEL const Number& of_formula(Term t) const {
      return sum[plain_terms + formula.place_of(t)];
    }
    template <class P>
    ONEFOLD_KERNEL void store(P to) const {
      ONEFOLD_UNROLL
      for (int k = 0; k < terms; ++k) store(sum[k], to + k * of_number);
      to[words - 1] = static_cast<int64_t>(n);
    }
    template <class P>
    ONEFOLD_KERNEL void add_stored(P from) {
      ONEFOLD_UNROLL
      for (int k = 0; k < terms; ++k) sum[k].add(load(from + k * of_number));
      const int64_t count = from[words - 1];
      n += static_cast<Size>(count);
    }

   private:
    template <class P>
    ONEFOLD_KERNEL static void store(const Number& q, P to) {
      to[0] = bit_cast<int64_t>(q.high);
      to[1] = bit_cast<int64_t>(q.low);
      to[2] = bit_cast<int64_t>(q.rest);
      to[3] = bit_cast<int64_t>(q.lost);
    }
    template <class P>
    ONEFOLD_KERNEL static Number load(P from) {
      const int64_t high = from[0], low = from[1], rest = from[2], lost = from[3];
      return {bit_cast<double>(high), bit_cast<double>(low), bit_cast<double>(rest),
              bit_cast<double>(lost)};
    }
  };
  template <class M>
  ONEFOLD_KERNEL static void meet(M m, Number& q) {
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) {
      q.add(Number{m.shuffle_xor(q.high, d), m.shuffle_xor(q.low, d), m.shuffle_xor(q.rest, d),
                   m.shuffle_xor(q.lost, d)});
    }
  }

  // Adds a b, exactly but for what stands below the smallest f64.
  ONEFOLD_KERNEL static void add_product(Number& sum, double a, double b) {
    const double p = a * b, rest = fused(a, b, -p);
    sum.add(p);
    sum.add(rest == 0 ? -0.0 : rest);
    lose_small(sum, p, a != 0 && b != 0);
  }
  // Counts what a product's words leave out below the smallest f64.
  ONEFOLD_KERNEL static void lose_small(Number& sum, double product, bool is_there) {
    if (sizeof(T) == 8 && absolute(product) < 0x1p-960 && is_there) sum.lost += 0x1p-1072;
  }
  // Adds the terms that formulas read, of an element of each array.
  ONEFOLD_KERNEL static void add_terms(Found& f, const Wide& x, const Wide& y) {
    constexpr bool squares = formula.has(Term::xxxx);
    const Wide square = squares ? product_of(x, x) : Wide{0};
    each_term<formula>([&]<Term t>() {
      constexpr bool is_f64 = needed.pairs && sizeof(T) < (Floating<T> ? 8 : 4);  // every product
      constexpr Factors of = factors_of(t);
      Number& to = f.of_formula(t);
      const Wide a = value_of<of.a>(x, y, square), b = value_of<of.b>(x, y, square);
      if constexpr (is_f64 || (needed.pairs && !of.is_product())) {
        to.add(of.is_product() ? a.high * b.high : a.high);
      } else if constexpr (needed.pairs) {
        add_product(to, a.high, b.high);
      } else {
        const Wide p = of.is_product() ? product_of(a, b) : a;
        to.add(p.high);
        if (p.low != 0) to.add(p.low);
        lose_small(to, p.high, of.is_product() && x.high != 0);
      }
    });
  }
  // Adds an element of each array; of a single one, y is not read.
  ONEFOLD_KERNEL static void add_element(Found& f, T x, T y, double origin) {
    const double v = f64_of(x), w = f64_of(y);
    const auto d = two_sum<OneLane>(v, needed.pairs ? -w : -origin);
    each_term<plain>([&]<Term t>() {
      Number& to = f.at(t);
      if constexpr (t == Term::x) {
        to.add(v);
      } else if constexpr (t == Term::magnitude) {
        to.add(absolute(v));
      } else if constexpr (t == Term::distance) {
        to.add(absolute(d.sum));
        to.add(d.sum < 0 ? -d.rest : d.rest);
      } else if constexpr (t == Term::squared_difference) {
        add_product(to, d.sum, d.sum);
        add_product(to, 2 * d.sum, d.rest);
        add_product(to, d.rest, d.rest);
      } else {
        static_assert(t == Term::xx || t == Term::xy, "a term that no lane adds up by itself");
        const double factor = t == Term::xx ? v : w;
        if constexpr (sizeof(T) < 8) {
          to.add(v * factor);
        } else {
          add_product(to, v, factor);
        }
      }
    });
    if constexpr (needed.pairs) {
      add_terms(f, {v}, {w});
    } else if constexpr (!formula.empty()) {
      add_terms(f, {d.sum, d.rest}, {0});
    }
  }

  // An element of each array, whether it is there or not.
  struct Loaded {
    T x, y;
    bool there = false;
  };
  template <class Input>
  ONEFOLD_KERNEL static Loaded load(const Input& input, const Spot& at, Size e) {
    Loaded l;
    if (e >= input.elements) {  // the initial element is one more
      if (selects && !needed.pairs) {
        l.x = bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits));
        l.there = true;
      }
      return l;
    }
    const Spot s = element_at<needed.pairs, selects>(input, e);
    if (selects && !is_there(input, at, s)) return l;
    const T x = input.x[at.x + s.x];
    l.x = x;
    if constexpr (needed.pairs) {
      const T y = input.y[at.y + s.y];
      l.y = y;
    }
    l.there = true;
    return l;
  }
  // The answer's first element; 0 if it does not count, or is no number.
  template <class Input>
  ONEFOLD_KERNEL static double origin_of(const Input& input, const Spot& at) {
    if (needed.pairs || formula.empty() || input.elements == 0) return 0;
    const Loaded l = load(input, at, 0);
    const double v = l.there ? f64_of(l.x) : 0;
    return absolute(v) < OneLane::infinity() ? v : 0;
  }

  // Elements `first`, `first` + step, .. of the answer that begins at `at`; by a warp, of which all
  // lanes then have what all of them found.
  //   Input   a NestInput, or the part of one that is read here
  template <class M, class Input>
  ONEFOLD_KERNEL_COLD static void gather(M m, const Input& input, Spot at, Size first, Size step,
                                         Found& f) {
    const double origin = origin_of(input, at);
    const Size end = input.elements + (selects && !needed.pairs && input.chosen.initial ? 1 : 0);
    Loaded next = load(input, at, first);  // the next one comes while this one is added
    ONEFOLD_NO_UNROLL
    for (Size e = first; e < end; e += step) {
      const Loaded now = next;
      next = load(input, at, e + step);
      const bool omits = selects && input.chosen.omit;
      if (!now.there || (omits && (is_a_nan(now.x) || (needed.pairs && is_a_nan(now.y))))) continue;
      ++f.n;
      add_element(f, now.x, now.y, origin);
    }
    meet_all(m, f);
  }
  // Merges what the lanes of a warp have found; all of them then have it.
  template <class M>
  ONEFOLD_KERNEL_COLD static void meet_all(M m, Found& f) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < Found::terms; ++k) meet(m, f.sum[k]);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) f.n += m.shuffle_xor(f.n, d);
  }

  // Two words of each sum, which leave out 2^-106 of it; what the third one lost is known.
  struct TwoWords {
    static constexpr Terms terms = formula;
    Number sum[formula.count()];
    ONEFOLD_KERNEL explicit TwoWords(const Found& f) {
      each_term<formula>([&]<Term t>() { sum[terms.place_of(t)] = f.of_formula(t).normal(); });
    }
    ONEFOLD_KERNEL const Number& at(Term t) const { return sum[terms.place_of(t)]; }
    // What each sum lost beside what its n terms may sum up to; NaN where that is 0: undecided.
    ONEFOLD_KERNEL double relative_error(double n) const {
      const TermBounds sizes(*this, n, 1);
      double e = 0;
      each_term<terms>([&]<Term t>() { e += at(t).lost / sizes(t); });
      return e * (1 + 0x1p-20) + 0x1p-94;
    }
    ONEFOLD_KERNEL bool is_constant() const {
      return at(Term::xx).single() && at(Term::xx).high == 0;
    }
  };
  template <Statistic is, bool root>
  ONEFOLD_KERNEL static RoundingTest<Fraction> decide_careful(const Found& f,
                                                              const AnswerFormula& made) {
    const TwoWords s(f);
    if (is_raw_moment(is)) return {};  // these sums are about the first element
    if (!needed.pairs && s.is_constant()) {
      return {static_cast<Nearest<Fraction>>(is_zero_of_equals(is) ? 0 : no_number()), true};
    }
    return decide_wide_formula<Fraction, is, root, !Floating<T>>(
        s, made.formula, s.relative_error(made.formula.elements));
  }

  // Writes the answers to all ops that are rounded, by lane 0; false, if one of them is not
  // decided.
  template <class M, class Input>
  ONEFOLD_KERNEL_COLD static bool put_all(M m, const Input& input, Spot at, Found f,
                                          const Formulas& formulas,
                                          const Results<M, ops>& results) {
    each_term<plain>([&]<Term t>() { f.at(t).settle(); });
    const Size n = selects ? f.n : input.elements;
    bool all = true;
    int k = 0;
    const Size answer = input.answer + static_cast<Size>(at.step);
    const auto one = [&]<class Op>() {
      if constexpr (is_rounded<T, Op>()) {
        constexpr Statistic of = recipe_of<Op>().numerator.of;
        const AnswerFormula made =
            answer_formula<Op, selects>(formulas, k, n, results.nan, results.correction);
        RoundingTest<Fraction> d{};
        if constexpr (is_of_terms(of) || of == Statistic::variance) {
          d = decide_careful<of, recipe_of<Op>().root>(f, made);
        } else if constexpr (is_total(of)) {
          d = decide_there<Fraction, quick_steps<T, ops>()>(made.formula, f.at(term_of(of)));
        }
        if constexpr (selects) d.decided = d.decided && made.number && n != 0;
        all = all && d.decided;
        if (d.decided && m.lane() == 0) {
          const uint64_t bits = d.value == d.value ? bits_of_answer<Fraction>(d.value)
                                                   : float_format(dtype_of<Fraction>).nan();
          put_typed<dtype_of<Fraction>>(m, results.place[k], answer, bits, Status::ok);
        }
      }
      ++k;
    };
    each_op<ops>(one);
    return all;
  }
};

}  // namespace onefold::kernel
