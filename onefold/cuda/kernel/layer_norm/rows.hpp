// rms_norm and layer_norm of slices by numbers of one f64, or of two for f64 and long slices. What
// that does not decide is noted, for again.hpp.
//
//   grid    teams of threads, one for each part of each slice, as exponential/rows.hpp has them
//   reads   once, if a thread can hold its elements; else twice
//   row     all threads of a team compute its numbers: that takes less than to wait for one of them
#pragma once

#include "onefold/cuda/kernel/exponential/teams.hpp"
#include "onefold/cuda/kernel/layer_norm/elements.hpp"

namespace onefold::kernel {

//   held   a thread holds its elements
//   pair   by two f64
template <class T, bool centred, bool held, class M>
struct NormRows {
  using L = ExponentialLane;
  static constexpr unsigned size = Vector16<T>::size;
  static constexpr bool pair = sizeof(T) >= 4, pivoted = centred && sizeof(T) != 4;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, true, M> teams{m, in, scratch};

  using Held = HeldElements<T, held_of_norms<T>, M>;
  ONEFOLD_KERNEL double pivot_of(const SlicePart& at) const {
    if constexpr (!pivoted) return 0;
    const T first = in.nest.x[at.x];
    const double v = wide_of(first);
    return v - v == 0 ? v : 0;
  }

  ONEFOLD_KERNEL Deviations deviations(const SlicePart& at, double pivot, Held& kept) const {
    DeviationSums<T, pair, pivoted, centred> sums{pivot};
    if constexpr (held) {
      kept.load(m, in, at);
      kept.each(at, in.team, [&](unsigned u, Size) { sums.add(kept.v[u]); });
      sums.settle();
    } else {
      each_element<32>(
          m, in, at, [&](const Vector16<T>& v, Size) { sums.add(v); },
          [&](T v, Size, unsigned k) { sums.add(v, k); }, [&] { sums.settle(); });
    }
    return sums.all;
  }
  // Adds up what the launch before has found of a slice's parts.
  ONEFOLD_KERNEL Deviations found(const SlicePart& at) const {
    Deviations all;
    const Size sums = 4 * at.slice * in.parts;
    ONEFOLD_NO_UNROLL
    for (Size k = at.member; k < in.parts; k += in.team) {
      const Size i = sums + 4 * k;
      const double s = in.sums[i], s_low = in.sums[i + 1], q = in.sums[i + 2],
                   q_low = in.sums[i + 3];
      add_pair(all.sum, {s, s_low});
      add_pair(all.squares, {q, q_low});
    }
    return all;
  }

  ONEFOLD_KERNEL static void merge(DoublePair& all, const DoublePair& other) {
    if constexpr (pair) {
      const auto s = two_sum<L>(all.high, other.high);
      all = {s.sum, (all.low + other.low) + s.rest};
    } else {
      all.high += other.high;
    }
  }
  ONEFOLD_KERNEL DoublePair across(const DoublePair& v, unsigned lanes) const {
    DoublePair other{m.shuffle_xor(v.high, lanes), 0};
    if constexpr (pair) other.low = m.shuffle_xor(v.low, lanes);
    return other;
  }
  // Adds up over `lanes` neighbours, a power of 2.
  ONEFOLD_KERNEL void of_lanes(DoublePair& v, unsigned lanes) const {
    ONEFOLD_NO_UNROLL
    for (unsigned d = lanes / 2; d != 0; d /= 2) merge(v, across(v, d));
  }
  // Returns the sums of the thread's team; called by all threads of the block.
  ONEFOLD_KERNEL Deviations of_team(Deviations mine) const {
    if constexpr (!pair) {
      mine.sum.high += mine.sum.low;
      mine.squares.high += mine.squares.low;
    }
    if (!held && in.across) return of_columns(mine);
    const unsigned t = static_cast<unsigned>(m.thread()), together = in.team < 32 ? in.team : 32;
    if (together == 1) return mine;
    // The upper half of the lanes adds up the squares, the lower one the elements.
    const unsigned half = together / 2;
    const bool upper = (t & half) != 0;
    DoublePair part = mine.squares;
    if constexpr (centred) {
      part = upper ? mine.squares : mine.sum;
      merge(part, across(upper ? mine.sum : mine.squares, half));
      of_lanes(part, half);
    } else {
      of_lanes(part, together);
    }
    if (in.team > 32) {
      const auto high = shared<double, int{held_threads} / 16, struct norm_high_>(m);
      const auto low = shared<double, int{held_threads} / 16, struct norm_low_>(m);
      const unsigned place = t / 16;
      if (t % 16 == 0) {
        high[place] = part.high;
        if constexpr (pair) low[place] = part.low;
      }
      m.sync();
      const unsigned warps = in.team / 32,
                     from = (t / in.team * warps + (t & (warps - 1))) * 2 + (upper ? 1 : 0);
      part = {high[from], 0};
      if constexpr (pair) part.low = low[from];
      of_lanes(part, warps);
    }
    if constexpr (!centred) return {{0, 0}, part};
    const DoublePair other = across(part, half);
    return upper ? Deviations{other, part} : Deviations{part, other};
  }
  // Of teams whose threads are not neighbours.
  ONEFOLD_KERNEL Deviations of_columns(const Deviations& mine) const {
    constexpr int words = pair ? 4 : 2;
    const auto all = shared<double, words* int{held_threads}, struct norm_sums_>(m);
    constexpr unsigned n = held_threads;
    const unsigned t = static_cast<unsigned>(m.thread());
    all[t] = mine.sum.high;
    all[n + t] = mine.squares.high;
    if constexpr (pair) {
      all[2 * n + t] = mine.sum.low;
      all[3 * n + t] = mine.squares.low;
    }
    m.sync();
    Deviations sums;
    ONEFOLD_NO_UNROLL
    for (unsigned k = teams.index(); k < n; k += teams.count()) {
      DoublePair s{all[k], 0}, q{all[n + k], 0};
      if constexpr (pair) {
        s.low = all[2 * n + k];
        q.low = all[3 * n + k];
      }
      merge(sums.sum, s);
      merge(sums.squares, q);
    }
    return sums;
  }
  ONEFOLD_KERNEL NormRow row_of(const Deviations& all, double pivot) const {
    if constexpr (pair) {
      return norm_row(
          all, pivot, {in.inverse_n, in.inverse_n_low}, in.eps, centred,
          held || in.length() / in.team < 8192 ? short_deviation_error : pair_deviation_error,
          sizeof(T) == 8 ? 0x1p-1070 : 0);
    } else {
      return quick_norm_row(all, pivot, in.inverse_n, in.eps, centred,
                            held ? held_deviation_error : rough_deviation_error);
    }
  }

  // Writes the elements of the thread; returns whether all are proven.
  ONEFOLD_KERNEL bool elements(const SlicePart& at, const NormRow& row, const Held& kept) const {
    const NormFactor<T, M> weight{m, in.weight, in.weight_f32, in.weights, 1};
    const NormFactor<T, M> bias{m, in.bias, in.bias_f32, centred ? in.biases : FactorKind::none, 0};
    const NormElements<T, centred> of(row);
    const auto some = [&](const auto& x, Size i, auto& to) {
      NormNumber<T> w[sizeof(x) / sizeof(T)], b[sizeof(x) / sizeof(T)];
      weight.read(i, w);
      bias.read(i, b);
      return of.quick(x, w, b, to);
    };
    const auto rare = [&](T x, Size i, T& to) { return of.rare(x, weight(i), bias(i), row, to); };
    if constexpr (held) {
      return kept.answer(
          m, in, at, [&](unsigned u, Size i, auto& to) { return some(kept.v[u].v, i, to); }, rare);
    } else {
      return answer_elements(m, in, at, some, rare);
    }
  }

  ONEFOLD_KERNEL void run() const {
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    Held kept;
    Deviations mine;
    double pivot = 0;
    if (m.branch(active)) {
      pivot = pivot_of(at);
      mine = !held && in.step == ExponentialStep::answers ? found(at) : deviations(at, pivot, kept);
    }
    const Deviations all = of_team(mine);
    if (!held && in.step == ExponentialStep::sums) {
      if (active && at.member == 0) put_sums(at, all);
      return;
    }
    bool bad = false;
    if (m.branch(active)) {
      const NormRow row = row_of(all, pivot);
      bad = !row.is_known || !elements(at, row, kept);
    }
    teams.note_each(at, bad);
  }
  ONEFOLD_KERNEL void put_sums(const SlicePart& at, const Deviations& all) const {
    const Size i = 4 * (at.slice * in.parts + at.first / in.part);
    in.sums[i] = all.sum.high;
    in.sums[i + 1] = all.sum.low;
    in.sums[i + 2] = all.squares.high;
    in.sums[i + 3] = all.squares.low;
  }
};

}  // namespace onefold::kernel
