// What totals leave open, once more by a warp: sums as three f64 and a bound (exact/quick.inl).
#pragma once

#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops>
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

  // By a warp: writes the answers to all ops that are rounded, of the answer that begins at `at`;
  // false, if one of them is not decided.
  template <class M>
  ONEFOLD_KERNEL_COLD static bool put_all(M m, const NestInput<M, T>& input, Spot at,
                                          const Formulas& formulas,
                                          const Results<M, ops>& results) {
    Number sum = Number::nothing(), sumabs = sum, square = sum;
    const auto lane = static_cast<unsigned>(m.lane());
    ONEFOLD_NO_UNROLL
    for (Size e = lane; e < input.elements; e += 32) {
      const T x = input.x[at.x + element_at<false>(input, e).x];
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
    bool all = true;
    int k = 0;
    const Size answer = input.answer + static_cast<Size>(at.step);
    const auto one = [&]<class Op>() {
      if constexpr (is_rounded<T, Op>()) {
        constexpr Recipe::Name name = recipe_of<Op>().numerator.name;
        const Number& first = name == Recipe::Name::sumsq    ? square
                              : name == Recipe::Name::sumabs ? sumabs
                                                             : sum;
        const Decided d = decide_there<T>(formulas.of[k], first, square);
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
