// Computes undecided answers again, by a warp or a block: sums are three f64 and an error bound
// (exact/quick.inl).
#pragma once

#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects = false>
struct Careful {
  static constexpr Asked asked = asked_of<T>(ops);
  using Number = Quick<OneLane>;

  // How far pairs are apart is exact, or wants a status.
  static constexpr bool helps = !asked.apart && (ops & by_digits) == 0;

  // The sums of one lane, or of several lanes after merging.
  struct Found {
    Number sum = Number::nothing(), sumabs = Number::nothing(), square = Number::nothing();
    enum : int {
      xy,
      xx,
      yy,
      x,
      y,
      of_pairs = asked.relation ? 5 : 0,
      of_number = 4,
      words = (3 + of_pairs) * of_number + 1
    };
    Number pair[asked.relation ? 5 : 1];  // sums for relations of two arrays
    Size n = 0;                           // number of selected elements
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

  // Adds a b, exactly except for bits below the smallest f64.
  ONEFOLD_KERNEL static void add_product(Number& sum, double a, double b) {
    const double p = a * b, rest = fused(a, b, -p);
    sum.add(p);
    sum.add(rest == 0 ? -0.0 : rest);
    if (sizeof(T) == 8 && absolute(p) < 0x1p-960 && a != 0 && b != 0) sum.lost += 0x1p-1074;
  }
  // An element, of each of two arrays, and whether it is there.
  struct Loaded {
    T x = {}, y = {};
    bool there = false;
  };
  template <class M>
  ONEFOLD_KERNEL static Loaded load(const NestInput<M, T>& input, const Spot& at, Size e) {
    Loaded l;
    if (e < input.elements) {
      const Spot s = element_at<asked.pairs, selects>(input, e);
      if (selects && !is_there(input, at, s)) return l;
      const T x = input.x[at.x + s.x];
      l = {x, x, true};
      if constexpr (asked.pairs) {
        const T y = input.y[at.y + s.y];
        l.y = y;
      }
    } else if (selects && !asked.pairs && input.chosen.initial && e == input.elements) {
      l = {bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits)), {}, true};  // one more
    }
    return l;
  }
  ONEFOLD_KERNEL static void add_pair(Found& f, double v, double w) {
    if constexpr (asked.relation) {  // products of up to 32 bits are f64
      f.pair[Found::xy].add(v * w);
      f.pair[Found::xx].add(v * v);
      f.pair[Found::yy].add(w * w);
      f.pair[Found::x].add(v);
      f.pair[Found::y].add(w);
    }
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
  }
  ONEFOLD_KERNEL static void add_one(Found& f, double v) {
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
  // Adds an element, or what is made of a pair, if it is there.
  ONEFOLD_KERNEL static void add(Found& f, const Loaded& l, bool omit) {
    if (!l.there || (selects && omit && (is_a_nan(l.x) || is_a_nan(l.y)))) return;
    ++f.n;
    if constexpr (asked.pairs) {
      add_pair(f, f64_of(l.x), f64_of(l.y));
    } else {
      add_one(f, f64_of(l.x));
    }
  }

  // Elements `first`, `first` + step, .. of the answer that begins at `at`; by a warp, of which all
  // lanes then have what all of them found. Four loads are under way: with one, a step waits 2 us.
  template <class M>
  ONEFOLD_KERNEL_COLD static void gather(M m, const NestInput<M, T>& input, Spot at, Size first,
                                         Size step, Found& f) {
    constexpr unsigned at_once = 4;
    const Size end = input.elements + (selects && input.chosen.initial ? 1 : 0);
    ONEFOLD_NO_UNROLL
    for (Size e = first; e < end; e += at_once * step) {
      Loaded some[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) some[u] = load(input, at, e + u * step);
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) add(f, some[u], input.chosen.omit);
    }
    meet(m, f.sum);
    meet(m, f.sumabs);
    meet(m, f.square);
    ONEFOLD_UNROLL
    for (int k = 0; k < Found::of_pairs; ++k) meet(m, f.pair[k]);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) f.n += m.shuffle_xor(f.n, d);
  }

  // Uses two words of each sum, which leaves out 2^-106 of it; the third word's error is known.
  template <Recipe::Name name>
  ONEFOLD_KERNEL static Decided<T> decide_careful(const Found& f, const Making& made) {
    PairTotals s;
    Total* const to[] = {&s.xy, &s.xx, &s.yy, &s.x, &s.y};
    double lost[5];
    ONEFOLD_UNROLL
    for (int k = 0; k < 5; ++k) {
      const Number q = f.pair[k].normal();
      *to[k] = {q.high, q.low};
      lost[k] = q.lost * (1 + 0x1p-20);
    }
    const double n = made.formula.elements, a = square_root(s.xx.high), b = square_root(s.yy.high),
                 root_n = square_root(n);
    double e = lost[Found::xy] / (a * b);
    const double more[] = {lost[Found::xx] / s.xx.high, lost[Found::yy] / s.yy.high,
                           lost[Found::x] / (root_n * a), lost[Found::y] / (root_n * b)};
    ONEFOLD_UNROLL
    for (const double one : more) e += one;  // NaN where something is 0: undecided
    return decide_relation<T, name, true>(s, made, e * (1 + 0x1p-20) + 0x1p-94);
  }

  // Writes the answers to all ops that are rounded, by lane 0; false, if one of them is not
  // decided.
  template <class M>
  ONEFOLD_KERNEL_COLD static bool put_all(M m, const NestInput<M, T>& input, Spot at, Found f,
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
        constexpr Recipe::Name name = recipe_of<Op>().numerator.name;
        const bool squares =
                       name == Recipe::Name::sumsq || name == Recipe::Name::squared_difference,
                   magnitudes =
                       name == Recipe::Name::sumabs || name == Recipe::Name::absolute_difference;
        const Number& first = squares ? f.square : magnitudes ? f.sumabs : f.sum;
        const Making made = making_of<Op, selects>(formulas, k, n, results.nan, results.correction);
        Decided<T> d{};
        if constexpr (is_relation(name)) {
          d = decide_careful<name>(f, made);
        } else if constexpr (is_sum(name)) {
          d = decide_there<T, quick_steps<T, ops>()>(made.formula, first, f.square);
        }
        if constexpr (selects) d.decided = d.decided && made.number && n != 0;
        all = all && d.decided;
        if (d.decided && m.lane() == 0) {
          put_typed<dtype_of<T>>(m, results.place[k], answer, bits_of_answer<T>(d.value),
                                 Status::ok);
        }
      }
      ++k;
    };
#define ONEFOLD_ENTRY(name) \
  if constexpr (asks(ops, OpIndex::name##_)) one.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    return all;
  }
};

}  // namespace onefold::kernel
