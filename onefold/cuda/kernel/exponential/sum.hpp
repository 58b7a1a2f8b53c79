// Sums of e^x over parts of a slice.
//
//   rough, quick  one f64 an element, to 4 sums, which after 32 additions go to a pair of f64
//   pairs         two f64 an element, to one sum, which goes to another pair after 128 or
//                 512 additions
//   range         elements below -700 count as e^-700, those above 640 as e^640: 2^100 of them do
//                 not overflow, and a sum with one of them is out of range
#pragma once

#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/kernel/exponential/numbers.hpp"

namespace onefold::kernel {

// Where the elements of a part lie, and which of them a thread has.
struct SlicePart {
  int64_t x = 0, out = 0;  // of the slice's first element
  Size slice = 0, first = 0, end = 0;
  unsigned member = 0;  // of its team
};

// Calls vector(v, i) with Vector16s of elements from the i-th on, or element(v, i, k), k = 0 to 3
// in turn, for the elements that the thread has; and settle() whenever each k had `most` elements.
// Several loads are on their way at once.
template <unsigned most, class T, class M, class V, class E, class S>
ONEFOLD_KERNEL void each_element(M m, const Exponential<M, T>& in, const SlicePart& at, V vector,
                                 E element, S settle) {
  const unsigned team = in.team;
  if (in.wide) {
    constexpr unsigned size = Vector16<T>::size;
    constexpr unsigned at_once = sizeof(T) == 8 ? 2 : 16 / size;
    constexpr unsigned rounds = most / 4;
    const auto from = m.by_vector(in.nest.x + at.x);
    const Size end = at.end / size, step = Size{at_once} * team;
    Size i = at.first / size + at.member;
    ONEFOLD_NO_UNROLL
    while (i + (at_once - 1) * Size{team} < end) {
      ONEFOLD_NO_UNROLL
      for (unsigned r = 0; r < rounds && i + (at_once - 1) * Size{team} < end; ++r, i += step) {
        Vector16<T> some[at_once];
        ONEFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) some[u] = from[i + u * Size{team}];
        ONEFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) vector(some[u], (i + u * Size{team}) * size);
      }
      settle();
    }
    ONEFOLD_NO_UNROLL
    for (; i < end; i += team) {
      const Vector16<T> v = from[i];
      vector(v, i * size);
    }
    settle();
    return;
  }
  constexpr unsigned at_once = 4;
  const auto x = in.nest.x + at.x;
  const int64_t stride = in.stride();
  Size i = at.first + at.member;
  ONEFOLD_NO_UNROLL
  while (i + (at_once - 1) * Size{team} < at.end) {
    ONEFOLD_NO_UNROLL
    for (unsigned r = 0; r < most && i + (at_once - 1) * Size{team} < at.end;
         ++r, i += at_once * Size{team}) {
      T some[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        some[u] = x[static_cast<int64_t>(i + u * Size{team}) * stride];
      }
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) element(some[u], i + u * Size{team}, u);
    }
    settle();
  }
  ONEFOLD_NO_UNROLL
  for (; i < at.end; i += team) {
    const T v = x[static_cast<int64_t>(i) * stride];
    element(v, i, 0u);
  }
  settle();
}

// Sums within these bounds are exact enough, and where an element was counted as e^-700 its share
// of the sum is below half of the least f32.
ONEFOLD_KERNEL bool is_near(double sum) { return 0x1p-850 < sum && sum < 0x1p865; }

// Returns the sum of e^x of the thread's elements of a part.
template <Exponentials how, class T, class M>
ONEFOLD_KERNEL DoublePair sum_of_part(M m, const Exponential<M, T>& in, const SlicePart& at,
                                      [[maybe_unused]] const SharedTables<M>& tables) {
  using L = ExponentialLane;
  constexpr unsigned size = Vector16<T>::size;
  DoublePair total{0, 0};
  if constexpr (how == Exponentials::pairs) {
    DoublePair some{0, 0};
    const auto add = [&](T v) {
      add_quickly(some, pair_exp<L>(within_range(wide_of(v)), 0, tables));
    };
    each_element<128>(
        m, in, at,
        [&](const Vector16<T>& v, Size) {
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < size; ++k) add(v.v[k]);
        },
        [&](T v, Size, unsigned) { add(v); },
        [&] {
          add_pair(total, some);
          some = {0, 0};
        });
  } else {
    using X = decltype(number_of(T{}));
    double s[4] = {0, 0, 0, 0};
    each_element<32>(
        m, in, at,
        [&](const Vector16<T>& v, Size) {
          X x[size];
          double e[size];
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < size; ++k) x[k] = within_range(number_of(v.v[k]));
          exponentials<how>(x, e);
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < size; ++k) s[k % 4] += e[k];
        },
        [&](T v, Size, unsigned k) {
          const X x[1] = {within_range(number_of(v))};
          double e[1];
          exponentials<how>(x, e);
          s[k] += e[0];
        },
        [&] {
          add_pair(total, {(s[0] + s[1]) + (s[2] + s[3]), 0});
          s[0] = s[1] = s[2] = s[3] = 0;
        });
  }
  return total;
}

// Adds up the sums of teams, of which thread i of the block gets that of team i; called by all of
// its threads.
template <Exponentials how, class M>
ONEFOLD_KERNEL DoublePair sum_of_team(M m, DoublePair mine, unsigned team, bool across) {
  constexpr bool pair = how == Exponentials::pairs;
  const auto high = shared<double, int{exponential_threads}, struct highs_>(m);
  constexpr int lows = pair ? int{exponential_threads} : 1;
  const auto low = shared<double, lows, struct lows_>(m);
  const unsigned t = static_cast<unsigned>(m.thread()),
                 teams = static_cast<unsigned>(m.threads()) / team;
  if constexpr (!pair) mine.high += mine.low;
  if (!across) {
    ONEFOLD_NO_UNROLL
    for (unsigned d = (team < 32 ? team : 32) / 2; d != 0; d /= 2) {
      const double h = m.shuffle_xor(mine.high, d);
      if constexpr (pair) {
        const double l = m.shuffle_xor(mine.low, d);
        add_pair(mine, {h, l});
      } else {
        mine.high += h;
      }
    }
  }
  // Sums of whole warps, of smaller teams, or of single threads are left.
  const unsigned together = across ? 1 : team < 32 ? team : 32, some = team / together;
  if (t % together == 0) {
    high[t / together] = mine.high;
    if constexpr (pair) low[t / together] = mine.low;
  }
  m.sync();
  DoublePair sum{0, 0};
  if (m.branch(t < teams)) {
    const unsigned first = across ? t : t * some, apart = across ? teams : 1;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < some; ++k) {
      const double h = high[first + k * apart];
      double l = 0;
      if constexpr (pair) l = low[first + k * apart];
      add_pair(sum, {h, l});
    }
  }
  return sum;
}

}  // namespace onefold::kernel
