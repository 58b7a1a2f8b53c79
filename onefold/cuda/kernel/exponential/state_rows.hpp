// The words of slices that merge with those of other parts (core/exponential/state.hpp).
//
//   grid    a team of up to a warp takes a part of a slice
//   reads   a part twice: its greatest element says which bins are kept
//   writes  .limbs: the words of part p of slice s at p slices + s
#pragma once

#include "onefold/core/exponential/state.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/exponential/numbers.hpp"
#include "onefold/cuda/kernel/exponential/teams.hpp"

namespace onefold::kernel {

inline constexpr Size state_words = sizeof(ExponentialState) / 8;
// Elements of a part: terms are below 2^112, and as many of them below 2^128.
inline constexpr Size most_of_states = Size{1} << 16;

struct StateWords {
  uint64_t word[state_words];
};
template <class M>
ONEFOLD_KERNEL void write_state(const Out<M, uint64_t>& to, Size place, const ExponentialState& s) {
  const auto all = bit_cast<StateWords>(s);
  ONEFOLD_UNROLL
  for (Size w = 0; w < state_words; ++w) to[place * state_words + w] = all.word[w];
}

// The bits of floats as integers of the same order; -0 is below +0.
template <class T>
struct OrderedFloat {
  using Key = Either<sizeof(T) == 8, int64_t, int32_t>;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr Key greatest = static_cast<Key>(format.infinity()) - 1, least = ~greatest;

  ONEFOLD_KERNEL static Key key(T v) {
    const auto bits = static_cast<uint64_t>(bit_cast<bits_of<T>>(v));
    const auto magnitude = static_cast<Key>(bits & (format.sign() - 1));
    return (bits & format.sign()) != 0 ? ~magnitude : magnitude;
  }
  ONEFOLD_KERNEL static double value(Key k) {
    const uint64_t bits =
        k < 0 ? format.sign() | static_cast<uint64_t>(~k) : static_cast<uint64_t>(k);
    return wide_of(bit_cast<T>(static_cast<bits_of<T>>(bits)));
  }
};

template <class T, class M>
struct StateRows {
  using Ordered = OrderedFloat<T>;
  using Key = typename Ordered::Key;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, false, M> teams{m, in, scratch};

  // Calls f(a, b) with the numbers of the lanes of a team.
  template <class N, class F>
  ONEFOLD_KERNEL N of_team(N mine, F f) const {
    ONEFOLD_NO_UNROLL
    for (unsigned d = in.team / 2; d != 0; d /= 2) mine = f(mine, m.shuffle_xor(mine, d));
    return mine;
  }
  ONEFOLD_KERNEL uint32_t sum_of(uint32_t mine) const {
    return of_team(mine, [](uint32_t a, uint32_t b) { return a + b; });
  }
  // Returns the counts and extremes of a part; all threads call it.
  ONEFOLD_KERNEL ExponentialState survey(const SlicePart& at, bool active) const {
    Key greatest = Ordered::least, least = Ordered::greatest;
    uint32_t nan = 0, highest = 0, lowest = 0;
    const auto see = [&](T v) {
      const Key k = Ordered::key(v);
      if (Ordered::least <= k && k <= Ordered::greatest) {
        greatest = k > greatest ? k : greatest;
        least = k < least ? k : least;
      } else {
        highest += k == Ordered::greatest + 1 ? 1 : 0;
        lowest += k == Ordered::least - 1 ? 1 : 0;
        nan += k > Ordered::greatest + 1 || k < Ordered::least - 1 ? 1 : 0;
      }
    };
    if (m.branch(active)) {
      each_element<~0u>(
          m, in, at,
          [&](const Vector16<T>& v, Size) {
            ONEFOLD_UNROLL
            for (unsigned k = 0; k < Vector16<T>::size; ++k) see(v.v[k]);
          },
          [&](T v, Size, unsigned) { see(v); }, [] {});
    }
    ExponentialState s;
    greatest = of_team(greatest, [](Key a, Key b) { return a > b ? a : b; });
    least = of_team(least, [](Key a, Key b) { return a < b ? a : b; });
    if (m.any((nan | highest | lowest) != 0)) {
      s.nan = sum_of(nan);
      s.highest = sum_of(highest);
      s.lowest = sum_of(lowest);
    }
    if (active) s.finite = at.end - at.first - s.count();
    if (s.finite != 0) {
      s.greatest = Ordered::value(greatest);
      s.least = Ordered::value(least);
    }
    return s;
  }
  // Calls f(x) for the thread's elements.
  template <class F>
  ONEFOLD_KERNEL void each(const SlicePart& at, F f) const {
    if (in.wide) {
      constexpr unsigned size = Vector16<T>::size;
      const auto from = m.by_vector(in.nest.x + at.x);
      ONEFOLD_NO_UNROLL
      for (Size i = at.first / size + at.member; i < at.end / size; i += in.team) {
        const Vector16<T> v = from[i];
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) f(wide_of(v.v[k]));
      }
    } else {
      const auto x = in.nest.x + at.x;
      ONEFOLD_NO_UNROLL
      for (Size i = at.first + at.member; i < at.end; i += in.team) {
        const T v = x[static_cast<int64_t>(i) * in.stride()];
        f(wide_of(v));
      }
    }
  }
  // Adds the terms of a part to its bins; all threads call it.
  ONEFOLD_KERNEL void add(const SlicePart& at, bool active, ExponentialState& s,
                          const SharedTables<M>& tables) const {
    Uint128 bin[state_bins] = {};
    uint32_t at_greatest = 0;
    const double top = base_of(s.greatest), greatest = s.greatest;
    if (m.branch(active)) {
      each(at, [&](double x) {
        if (!(OneLane::abs(x) < OneLane::infinity())) return;
        const double base = base_of(x);
        const auto d = two_sum<OneLane>(x, -base);
        const auto e = pair_exp<ExponentialLane>(d.sum, d.rest, tables);
        const Uint128 units = units_of(e.sum, e.rest);
        const int which = bin_of(top, base);
        at_greatest += x == greatest ? 1 : 0;
        // Most elements are near to the greatest one.
        if (which == 0) bin[0] += units;
        if (which == 1) bin[1] += units;
        if (which < 2) return;
        ONEFOLD_UNROLL
        for (int k = 2; k < state_bins; ++k) {
          if (k == which) bin[k] += units;
        }
      });
    }
    s.at_greatest = sum_of(at_greatest);
    ONEFOLD_UNROLL
    for (int k = 0; k < state_bins; ++k) {
      if (!m.any(bin[k] != 0)) continue;
      ONEFOLD_NO_UNROLL
      for (unsigned d = in.team / 2; d != 0; d /= 2) {
        const uint64_t low = m.shuffle_xor(static_cast<uint64_t>(bin[k]), d),
                       high = m.shuffle_xor(static_cast<uint64_t>(bin[k] >> 64), d);
        bin[k] += (static_cast<Uint128>(high) << 64) | low;
      }
      s.bin[k][0] = static_cast<uint64_t>(bin[k]);
      s.bin[k][1] = static_cast<uint64_t>(bin[k] >> 64);
    }
  }
  ONEFOLD_KERNEL void run() const {
    const auto tables = shared_tables(m);
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    ExponentialState s = survey(at, active);
    add(at, active, s, tables);
    if (m.branch(active && at.member == 0)) {
      const Size part = at.first / in.part;
      write_state<M>(in.limbs, part * in.nest.answers + static_cast<Size>(at.out), s);
    }
  }
};

// Merges the states of .parts parts of each slice.
//
//   grid    a team of up to a warp takes a slice
//   reads   .words, as StateRows writes them
//   writes  .limbs, the words of slices; of other functions .out and .status, their answers
template <class T, class M>
struct MergedStates {
  M m;
  const Exponential<M, T>& in;

  ONEFOLD_KERNEL ExponentialState state_at(Size place) const {
    StateWords all;
    ONEFOLD_UNROLL
    for (Size w = 0; w < state_words; ++w) {
      const uint64_t word = in.words[place * state_words + w];
      all.word[w] = word;
    }
    return bit_cast<ExponentialState>(all);
  }
  ONEFOLD_KERNEL void run() const {
    const auto tables = shared_tables(m);
    const auto t = static_cast<unsigned>(m.thread());
    const unsigned member = t % in.team, count = static_cast<unsigned>(m.threads()) / in.team;
    const Size slice = Size{m.block()} * count + t / in.team, slices = in.nest.answers;
    const bool active = slice < slices;
    ExponentialState s;
    if (m.branch(active)) {
      ONEFOLD_NO_UNROLL
      for (Size p = member; p < in.parts; p += in.team) merge(s, state_at(p * slices + slice));
    }
    ONEFOLD_NO_UNROLL
    for (unsigned d = in.team / 2; d != 0; d /= 2) {
      auto all = bit_cast<StateWords>(s);
      ONEFOLD_UNROLL
      for (Size w = 0; w < state_words; ++w) all.word[w] = m.shuffle_xor(all.word[w], d);
      merge(s, bit_cast<ExponentialState>(all));
    }
    if (!m.branch(active && member == 0)) return;
    if (in.function == RowFunction::logsumexp_state) {
      write_state<M>(in.limbs, slice, s);
      return;
    }
    uint64_t bits = 0;
    const Status status = answer_of_state<T>(s, in.function == RowFunction::logmeanexp_of_states,
                                             in.nan, tables, &bits);
    in.put(static_cast<int64_t>(slice), of_bits<T>(bits), status);
  }
};

}  // namespace onefold::kernel
