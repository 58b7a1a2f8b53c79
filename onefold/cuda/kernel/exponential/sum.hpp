// Sums of e^x over parts of a slice.
//
//   narrow types  one f64 an element, to 4 sums, which every 256 additions go to a pair of f64
//   f64           two f64 an element, to one sum, which goes to another one every 512 additions
//   range         elements below -700 count as e^-700, those above 700 as e^700
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

// Calls vector(v, i) with Vector16s of elements from the i-th on, or element(v, i), for the
// elements that the thread has. Several loads are on their way at once.
template <class T, class M, class V, class E>
ONEFOLD_KERNEL void each_element(M m, const Exponential<M, T>& in, const SlicePart& at, V vector,
                                 E element) {
  const unsigned team = in.team;
  if (in.wide) {
    constexpr Size size = Vector16<T>::size;
    constexpr unsigned at_once = sizeof(T) == 8 ? 2 : 16 / static_cast<unsigned>(size);
    const auto from = m.by_vector(in.nest.x + at.x);
    const Size end = at.end / size;
    Size i = at.first / size + at.member;
    ONEFOLD_NO_UNROLL
    for (; i + (at_once - 1) * Size{team} < end; i += at_once * Size{team}) {
      Vector16<T> some[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) some[u] = from[i + u * Size{team}];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) vector(some[u], (i + u * Size{team}) * size);
    }
    ONEFOLD_NO_UNROLL
    for (; i < end; i += team) {
      const Vector16<T> v = from[i];
      vector(v, i * size);
    }
    return;
  }
  constexpr unsigned at_once = 4;
  const auto x = in.nest.x + at.x;
  const int64_t stride = in.stride();
  Size i = at.first + at.member;
  ONEFOLD_NO_UNROLL
  for (; i + (at_once - 1) * Size{team} < at.end; i += at_once * Size{team}) {
    T some[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      some[u] = x[static_cast<int64_t>(i + u * Size{team}) * stride];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) element(some[u], i + u * Size{team}, u);
  }
  ONEFOLD_NO_UNROLL
  for (; i < at.end; i += team) {
    const T v = x[static_cast<int64_t>(i) * stride];
    element(v, i, 0u);
  }
}

// Returns x within -700 .. 700; NaN stays.
ONEFOLD_KERNEL double within_range(double x) {
  x = x < -700 ? -700 : x;
  return x > 700 ? 700 : x;
}
ONEFOLD_KERNEL float within_range(float x) {
  x = x < -700 ? -700 : x;
  return x > 700 ? 700 : x;
}

// The sum of e^x of some elements, of types narrower than f64.
struct QuickAdder {
  static constexpr unsigned most_added = 256;
  double s[4] = {0, 0, 0, 0};
  DoublePair total{0, 0};
  unsigned added = 0;  // to each of s, at most

  ONEFOLD_KERNEL void end_round(unsigned most) {
    added += most;
    if (added >= most_added) settle();
  }
  ONEFOLD_KERNEL void settle() {
    add_pair(total, {(s[0] + s[1]) + (s[2] + s[3]), 0});
    s[0] = s[1] = s[2] = s[3] = 0;
    added = 0;
  }
};

// The sum of pairs.
struct PairAdder {
  static constexpr unsigned most_added = 512;
  double high = 0, low = 0;
  DoublePair total{0, 0};
  unsigned added = 0;

  ONEFOLD_KERNEL void add(QuickPair<ExponentialLane> e) {
    const auto h = two_sum<ExponentialLane>(high, e.sum);
    high = h.sum;
    low += h.rest + e.rest;
    if (++added == most_added) settle();
  }
  ONEFOLD_KERNEL void settle() {
    add_pair(total, {high, low});
    high = low = 0;
    added = 0;
  }
};

// Returns the sum of e^x of the thread's elements of a part.
template <class T, class M>
ONEFOLD_KERNEL DoublePair sum_of_part(M m, const Exponential<M, T>& in, const SlicePart& at,
                                      [[maybe_unused]] const SharedTables<M>& tables) {
  using L = ExponentialLane;
  if constexpr (sizeof(T) == 8) {
    PairAdder sum;
    const auto add = [&](double x) { sum.add(pair_exp<L>(within_range(x), 0, tables)); };
    each_element(
        m, in, at,
        [&](const Vector16<T>& v, Size) {
          add(v.v[0]);
          add(v.v[1]);
        },
        [&](T v, Size, unsigned) { add(v); });
    sum.settle();
    return sum.total;
  } else {
    QuickAdder sum;
    constexpr unsigned size = Vector16<T>::size;
    each_element(
        m, in, at,
        [&](const Vector16<T>& v, Size) {
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < size; ++k) {
            sum.s[k % 4] += quick_exp<L>(within_range(wide_of(v.v[k])));
          }
          sum.end_round(size / 4);
        },
        [&](T v, Size, unsigned u) {
          sum.s[u] += quick_exp<L>(within_range(wide_of(v)));
          sum.end_round(1);
        });
    sum.settle();
    return sum.total;
  }
}

// Returns the sum over a thread's team, to all its threads; called by all threads of the block.
//   index    of the thread's team in the block
template <class M>
ONEFOLD_KERNEL DoublePair sum_of_team(M m, DoublePair mine, unsigned team, bool across,
                                      unsigned index) {
  const auto high = shared<double, int{exponential_threads}, struct highs_>(m);
  const auto low = shared<double, int{exponential_threads}, struct lows_>(m);
  const unsigned t = static_cast<unsigned>(m.thread());
  if (!across) {
    ONEFOLD_NO_UNROLL
    for (unsigned d = (team < 32 ? team : 32) / 2; d != 0; d /= 2) {
      const double h = m.shuffle_xor(mine.high, d), l = m.shuffle_xor(mine.low, d);
      // Both threads add in one order, so that they get the same sum.
      DoublePair a = (t & d) == 0 ? mine : DoublePair{h, l};
      add_pair(a, (t & d) == 0 ? DoublePair{h, l} : mine);
      mine = a;
    }
    if (team <= 32) return mine;
  }
  const unsigned apart = across ? static_cast<unsigned>(m.threads()) / team : 1,
                 some = across ? team : team / 32;
  const unsigned place = across ? t : t / 32, first = across ? index : index * some;
  m.sync();
  if (across || t % 32 == 0) {
    high[place] = mine.high;
    low[place] = mine.low;
  }
  m.sync();
  DoublePair sum{0, 0};
  ONEFOLD_NO_UNROLL
  for (unsigned k = 0; k < some; ++k) {
    const double h = high[first + k * apart], l = low[first + k * apart];
    add_pair(sum, {h, l});
  }
  return sum;
}

}  // namespace onefold::kernel
