// softmax and log_softmax of slices whose threads hold their elements, of types narrower than f64:
// as rows.hpp computes them, with one read, and one e^x for each element of softmax.
#pragma once

#include "onefold/cuda/kernel/exponential/elements.hpp"
#include "onefold/cuda/kernel/exponential/teams.hpp"

namespace onefold::kernel {

// What e^x is kept as: products of f32 with the sum decide elements of 16 bits.
template <class T>
struct KeptExponential {
  using type = float;
};
template <>
struct KeptExponential<float> {
  using type = double;
};

template <class T, bool is_log, class M>
struct HeldRows {
  using Kept = typename KeptExponential<T>::type;
  static constexpr unsigned size = Vector16<T>::size, count = held_exponentials;
  static constexpr bool keeps = !is_log;  // e^x, instead of x
  static constexpr Exponentials how = sizeof(T) == 4 ? Exponentials::quick : Exponentials::rough;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, true, M> teams{m, in, scratch};
  HeldElements<T, count, M> held{};
  Kept power[keeps ? count : 1][size] = {};

  // Returns the sum of e^x of the thread's elements: 18 additions in a row with those of its team.
  ONEFOLD_KERNEL double sum_of(const SlicePart& at) {
    double s[4] = {0, 0, 0, 0};
    held.load(m, in, at);
    held.each(at, in.team, [&](unsigned u, Size) {
      ONEFOLD_UNROLL
      for (unsigned first = 0; first < size; first += 4) {  // more would not fit the registers
        decltype(number_of(T{})) x[4];
        double e[4];
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < 4; ++k) {
          x[k] = within_range(number_of(held.v[u].v[first + k]));
        }
        exponentials<how>(x, e);
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < 4; ++k) {
          s[k] += e[k];
          if constexpr (keeps) power[u][first + k] = static_cast<Kept>(e[k]);
        }
      }
    });
    return (s[0] + s[1]) + (s[2] + s[3]);
  }
  // Writes the elements of the thread; returns whether all are proven.
  ONEFOLD_KERNEL bool elements(const SlicePart& at, double sum) const {
    // Sums of which e^x as f32 says too little: then elements are computed from x.
    const bool from_x = keeps && !SoftmaxElements<T, is_log>::takes_exponentials(sum);
    RowLog row;
    if (keeps && !from_x) {
      row.inverse_high = 1 / sum;
    } else {
      row = direct_logs(sum);
    }
    const SoftmaxElements<T, is_log> of(row);
    const auto rare = [&](T x, Size, T& to) { return of.rare(x, row, to); };
    if (from_x) {
      return answer_elements(
          m, in, at, [&](const auto& x, Size, auto& to) { return of.quick(x, to); }, rare);
    }
    return held.answer(
        m, in, at,
        [&](unsigned u, Size, T(&to)[size]) {
          if constexpr (keeps) return of.of_exponentials(power[u], to);
          return of.quick(held.v[u].v, to);
        },
        rare);
  }

  ONEFOLD_KERNEL void run() {
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    double mine = 0;
    if (m.branch(active)) mine = sum_of(at);
    const double sum = teams.sum_of(mine);
    bool bad = false;
    if (m.branch(active)) {
      if (sum != sum) {
        teams.spread_nan(at);
      } else {
        bad = !is_near(sum) || !elements(at, sum);
      }
    }
    teams.note_each(at, bad);
  }
};

}  // namespace onefold::kernel
