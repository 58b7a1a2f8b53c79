// Computes undecided answers again, by a warp or a block: sums as three f64 and a bound
// (exact/quick.inl).
#pragma once

#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects = false>
struct Careful {
  static constexpr Asked asked = asked_of<T>(ops);
  using Number = Quick<OneLane>;

  // How far pairs are apart is exact, or wants a status. Moments go to exact words at once.
  static constexpr bool helps =
      !(asked.apart && Floating<T>)&&(ops & by_digits) == 0 && (asked.pairs || asked.terms.empty());
  using Fraction = typename LaneAnswers<T, ops, selects>::Fraction;

  // The sums of one lane, or of several merged lanes.
  struct Found {
    Number sum = Number::nothing(), sumabs = Number::nothing(), square = Number::nothing();
    enum : int {
      of_pairs = asked.terms.count(),
      of_number = 4,
      words = (3 + of_pairs) * of_number + 1
    };
    Number pair[of_pairs == 0 ? 1 : of_pairs];  // sums of the terms of pairs
    Size n = 0;                                 // of selected elements
    ONEFOLD_KERNEL Found() {
      for (Number& q : pair) q = Number::nothing();
    }
    template <class P>
    ONEFOLD_KERNEL void store(P to) const {
      store(sum, to);
      store(sumabs, to + of_number);
      store(square, to + 2 * of_number);
      ONEFOLD_UNROLL
      for (int k = 0; k < of_pairs; ++k) store(pair[k], to + (3 + k) * of_number);
      to[words - 1] = static_cast<int64_t>(n);
    }
    template <class P>
    ONEFOLD_KERNEL void add_stored(P from) {
      sum.add(load(from));
      sumabs.add(load(from + of_number));
      square.add(load(from + 2 * of_number));
      ONEFOLD_UNROLL
      for (int k = 0; k < of_pairs; ++k) pair[k].add(load(from + (3 + k) * of_number));
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
    if (sizeof(T) == 8 && absolute(p) < 0x1p-960 && a != 0 && b != 0) sum.lost += 0x1p-1074;
  }
  // An element of each of two arrays, whether it is there or not.
  struct Loaded {
    T x, y;
    bool there = false;
  };
  template <class Input>
  ONEFOLD_KERNEL static Loaded load_pair(const Input& input, const Spot& at, Size e) {
    Loaded l;
    if (e >= input.elements) return l;
    const Spot s = element_at<true, selects>(input, e);
    if (selects && !is_there(input, at, s)) return l;
    const T x = input.x[at.x + s.x], y = input.y[at.y + s.y];
    l = {x, y, true};
    return l;
  }
  // Adds what is made of a pair; whether it is there.
  ONEFOLD_KERNEL static bool add_pair(Found& f, const Loaded& l, bool omit) {
    if (!l.there || (selects && omit && (is_a_nan(l.x) || is_a_nan(l.y)))) return false;
    const double v = f64_of(l.x), w = f64_of(l.y);
    each_term<asked.terms>([&]<Term t>() {
      constexpr bool is_f64 = sizeof(T) < (Floating<T> ? 8 : 4);  // every product
      constexpr Factors factors = factors_of(t);
      Number& to = f.pair[asked.terms.place_of(t)];
      static_assert(factors.b != Factor::square, "moments go to exact words");
      const double a = value_of<factors.a>(v, w, 0), b = value_of<factors.b>(v, w, 0);
      if constexpr (!factors.is_product()) {
        to.add(a);
      } else if constexpr (is_f64) {
        to.add(a * b);
      } else {
        add_product(to, a, b);
      }
    });
    if constexpr (asked.sum) add_product(f.sum, v, w);
    if constexpr (asked.sumsq || asked.sumabs) {
      const auto d = two_sum<OneLane>(v, -w);
      if constexpr (asked.sumsq) {
        add_product(f.square, d.sum, d.sum);
        add_product(f.square, 2 * d.sum, d.rest);
        add_product(f.square, d.rest, d.rest);
      }
      if constexpr (asked.sumabs) {
        f.sumabs.add(absolute(d.sum));
        f.sumabs.add(d.sum < 0 ? -d.rest : d.rest);
      }
    }
    return true;
  }

  // Elements `first`, `first` + step, .. of the answer that begins at `at`; by a warp, of which all
  // lanes then have what all of them found.
  //   Input   a NestInput, or the part of one that is read here
  template <class M, class Input>
  ONEFOLD_KERNEL_COLD static void gather(M m, const Input& input, Spot at, Size first, Size step,
                                         Found& f) {
    if constexpr (asked.pairs) {  // the next one comes while this one is added
      Loaded next = load_pair(input, at, first);
      ONEFOLD_NO_UNROLL
      for (Size e = first; e < input.elements; e += step) {
        const Loaded now = next;
        next = load_pair(input, at, e + step);
        f.n += add_pair(f, now, input.chosen.omit) ? 1 : 0;
      }
    }
    // The initial element is one more.
    const Size one_more = selects && input.chosen.initial ? 1 : 0;
    ONEFOLD_NO_UNROLL
    for (Size e = first; !asked.pairs && e < input.elements + one_more; e += step) {
      T x;
      if (e < input.elements) {
        const Spot s = element_at<false, selects>(input, e);
        if (selects && !is_there(input, at, s)) continue;
        const T one = input.x[at.x + s.x];
        x = one;
      } else {
        x = bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits));
      }
      if (selects && input.chosen.omit && is_a_nan(x)) continue;
      ++f.n;
      const double v = f64_of(x);
      if constexpr (asked.sum || asked.moment) f.sum.add(v);
      if constexpr (asked.sumabs) f.sumabs.add(absolute(v));
      if constexpr (asked.sumsq) {
        const double p = v * v;
        f.square.add(p);
        if constexpr (sizeof(T) == 8) {
          f.square.add(fused(v, v, -p));
          // What stands below the smallest f64.
          if (v != 0 && p < 0x1p-960) f.square.lost += 0x1p-1074;
        }
      }
    }
    meet_all(m, f);
  }
  // Merges what the lanes of a warp have found; all of them then have it.
  template <class M>
  ONEFOLD_KERNEL_COLD static void meet_all(M m, Found& f) {
    meet(m, f.sum);
    meet(m, f.sumabs);
    meet(m, f.square);
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < Found::of_pairs; ++k) meet(m, f.pair[k]);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) f.n += m.shuffle_xor(f.n, d);
  }

  // Of two words of each sum, which leave out 2^-106 of them; what the third one lost is known.
  struct TwoWords {
    static constexpr Terms terms = asked.terms;
    Number sum[asked.terms.count()];
    ONEFOLD_KERNEL const Number& at(Term t) const { return sum[asked.terms.place_of(t)]; }
  };
  template <Statistic is>
  ONEFOLD_KERNEL static Decided<Fraction> decide_careful(const Found& f, const Making& made) {
    TwoWords s;
    ONEFOLD_UNROLL
    for (int k = 0; k < Found::of_pairs; ++k) s.sum[k] = f.pair[k].normal();
    // What each sum lost beside what its terms may sum up to; NaN where that is 0: undecided.
    const TermBounds sizes(s, made.formula.elements, 1);
    double e = 0;
    each_term<asked.terms>([&]<Term t>() { e += s.at(t).lost / sizes(t); });
    e = e * (1 + 0x1p-20) + 0x1p-94;
    return decide_wide_formula<Fraction, is, !Floating<T>>(s, made.formula, e);
  }

  // Writes the answers to all ops that are rounded, by lane 0; false, if one of them is not
  // decided.
  template <class M, class Input>
  ONEFOLD_KERNEL_COLD static bool put_all(M m, const Input& input, Spot at, Found f,
                                          const Formulas& formulas,
                                          const Results<M, ops>& results) {
    f.sum.settle();
    f.sumabs.settle();
    f.square.settle();
    const Size n = selects ? f.n : input.elements;
    bool all = true;
    int k = 0;
    const Size answer = input.answer + static_cast<Size>(at.step);
    const auto one = [&]<class Op>() {
      if constexpr (is_rounded<T, Op>()) {
        constexpr Statistic of = recipe_of<Op>().numerator.of;
        const bool squares = of == total_of(Term::xx) || of == total_of(Term::squared_difference),
                   magnitudes = of == total_of(Term::magnitude) || of == total_of(Term::distance);
        const Number& first = squares ? f.square : magnitudes ? f.sumabs : f.sum;
        const Making made = making_of<Op, selects>(formulas, k, n, results.nan, results.correction);
        Decided<Fraction> d{};
        if constexpr (is_of_terms(of)) {
          d = decide_careful<of>(f, made);
        } else if constexpr (is_sum(of)) {
          d = decide_there<Fraction, quick_steps<T, ops>()>(made.formula, first, f.square);
        }
        if constexpr (selects) d.decided = d.decided && made.number && n != 0;
        all = all && d.decided;
        if (d.decided && m.lane() == 0) {
          put_typed<dtype_of<Fraction>>(m, results.place[k], answer,
                                        bits_of_answer<Fraction>(d.value), Status::ok);
        }
      }
      ++k;
    };
    each_op<ops>(one);
    return all;
  }
};

}  // namespace onefold::kernel
