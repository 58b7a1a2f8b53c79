// What walks leave undecided, once more by a warp or a block: sums as three f64 and a bound
// (exact/quick.inl).
#pragma once

#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects = false>
struct Careful {
  static constexpr Asked asked = asked_of<T>(ops);
  using Number = Quick<OneLane>;

  // Other numbers of two arrays need more than it has.
  static constexpr bool helps = !asked.relation && !asked.apart;

  // What one lane, or several that have met, found.
  struct Found {
    Number sum = Number::nothing(), sumabs = Number::nothing(), square = Number::nothing();
    Size n = 0;  // of selected elements
    enum : int { of_number = 4, words = 3 * of_number + 1 };
    template <class P>
    ONEFOLD_KERNEL void store(P to) const {
      store(sum, to);
      store(sumabs, to + of_number);
      store(square, to + 2 * of_number);
      to[3 * of_number] = static_cast<int64_t>(n);
    }
    template <class P>
    ONEFOLD_KERNEL void add_stored(P from) {
      sum.add(load(from));
      sumabs.add(load(from + of_number));
      square.add(load(from + 2 * of_number));
      const int64_t count = from[3 * of_number];
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
  // Adds what is made of element e of two arrays; whether it is there.
  template <class M>
  ONEFOLD_KERNEL static bool add_pair(Found& f, const NestInput<M, T>& input, const Spot& at,
                                      Size e) {
    const Spot s = element_at<true, selects>(input, e);
    if (selects && !is_there(input, at, s)) return false;
    const T x = input.x[at.x + s.x], y = input.y[at.y + s.y];
    if (selects && input.chosen.omit && (is_a_nan(x) || is_a_nan(y))) return false;
    const double v = f64_of(x), w = f64_of(y);
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
  template <class M>
  ONEFOLD_KERNEL_COLD static void gather(M m, const NestInput<M, T>& input, Spot at, Size first,
                                         Size step, Found& f) {
    // The initial element is one more.
    const Size one_more = selects && input.chosen.initial ? 1 : 0;
    ONEFOLD_NO_UNROLL
    for (Size e = first; e < input.elements + one_more; e += step) {
      if constexpr (asked.pairs) {
        f.n += add_pair(f, input, at, e) ? 1 : 0;
        continue;
      }
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
    meet(m, f.sum);
    meet(m, f.sumabs);
    meet(m, f.square);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) f.n += m.shuffle_xor(f.n, d);
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
        if constexpr (!is_sum(name)) {
          all = false;
          ++k;
          return;
        }
        const Making made = making_of<Op, selects>(formulas, k, n, results.nan, results.correction);
        Decided<T> d = decide_there<T, quick_steps<T, ops>()>(made.formula, first, f.square);
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
