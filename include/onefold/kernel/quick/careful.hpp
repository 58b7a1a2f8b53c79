// What totals leave open, once more by a warp: sums as three f64 and a bound (exact/quick.inl).
#pragma once

#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool selects = false>
struct Careful {
  static constexpr Asked asked = asked_of<T>(ops);
  using Number = Quick<OneLane>;

  template <class M>
  ONEFOLD_KERNEL static void meet(M m, Number& q) {
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) {
      q.add(Number{m.shuffle_xor(q.high, d), m.shuffle_xor(q.low, d), m.shuffle_xor(q.rest, d),
                   m.shuffle_xor(q.lost, d)});
    }
    q.settle();
  }

  // Adds the product of element e of two arrays; whether it is there.
  template <class M>
  ONEFOLD_KERNEL static bool add_product(Number& sum, const NestInput<M, T>& input, const Spot& at,
                                         Size e) {
    const Spot s = element_at<true, selects>(input, e);
    if (selects && !is_there(input, at, s)) return false;
    const T x = input.x[at.x + s.x], y = input.y[at.y + s.y];
    if (selects && input.chosen.omit && (is_a_nan(x) || is_a_nan(y))) return false;
    const double v = f64_of(x), w = f64_of(y), p = v * w;
    sum.add(p);
    if constexpr (sizeof(T) == 8) {
      const double rest = fused(v, w, -p);
      sum.add(rest == 0 ? -0.0 : rest);
      // What stands below the smallest f64.
      if (absolute(p) < 0x1p-960 && v != 0 && w != 0) sum.lost += 0x1p-1074;
    }
    return true;
  }

  // By a warp: writes the answers to all ops that are rounded, of the answer that begins at `at`;
  // false, if one of them is not decided.
  template <class M>
  ONEFOLD_KERNEL_COLD static bool put_all(M m, const NestInput<M, T>& input, Spot at,
                                          const Formulas& formulas,
                                          const Results<M, ops>& results) {
    Number sum = Number::nothing(), sumabs = sum, square = sum;
    const auto lane = static_cast<unsigned>(m.lane());
    Size n = selects ? 0 : input.elements;
    // The initial element is one more.
    const Size one_more = selects && input.chosen.initial ? 1 : 0;
    ONEFOLD_NO_UNROLL
    for (Size e = lane; e < input.elements + one_more; e += 32) {
      if constexpr (asked.pairs) {
        n += add_product(sum, input, at, e) && selects ? 1 : 0;
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
      n += selects ? 1 : 0;
      const double v = f64_of(x);
      if constexpr (asked.sum || asked.moment) sum.add(v);
      if constexpr (asked.sumabs) sumabs.add(absolute(v));
      if constexpr (asked.sumsq) {
        const double p = v * v;
        square.add(p);
        if constexpr (sizeof(T) == 8) {
          square.add(fused(v, v, -p));
          // What stands below the smallest f64.
          if (v != 0 && p < 0x1p-960) square.lost += 0x1p-1074;
        }
      }
    }
    meet(m, sum);
    meet(m, sumabs);
    meet(m, square);
    if constexpr (selects) {
      ONEFOLD_NO_UNROLL
      for (unsigned d = 16; d > 0; d /= 2) n += m.shuffle_xor(n, d);
    }
    bool all = true;
    int k = 0;
    const Size answer = input.answer + static_cast<Size>(at.step);
    const auto one = [&]<class Op>() {
      if constexpr (is_rounded<T, Op>()) {
        constexpr Recipe::Name name = recipe_of<Op>().numerator.name;
        const Number& first = name == Recipe::Name::sumsq    ? square
                              : name == Recipe::Name::sumabs ? sumabs
                                                             : sum;
        const Making made = making_of<Op, selects>(formulas, k, n, results.nan, results.correction);
        Decided d = decide_there<T, quick_steps<T, ops>()>(made.formula, first, square);
        if constexpr (selects) d.decided = d.decided && made.number && n != 0;
        all = all && d.decided;
        if (d.decided && lane == 0) {
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
