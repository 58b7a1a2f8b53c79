// rms_norm and layer_norm of slices by numbers of one f64, or of two for f64 and long slices. What
// that does not decide is noted, for again.hpp.
//
//   grid    teams of threads, one for each part of each slice, as exponential/rows.hpp has them
//   reads   twice, the second time from the caches if slices are short
#pragma once

#include "onefold/cuda/kernel/exponential/teams.hpp"
#include "onefold/cuda/kernel/layer_norm/numbers.hpp"

namespace onefold::kernel {

//   pair   by two f64; else T is narrower than f64
template <class T, bool pair, class M>
struct NormRows {
  using L = ExponentialLane;
  static constexpr Exponentials how = pair ? Exponentials::pairs : Exponentials::rough;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, true, M> teams{m, in, scratch};

  // Words of a NormRow, for each slice of a block.
  static constexpr unsigned words = 7;
  Shared<M, double> word = shared<double, int{words * exponential_threads}, struct norm_words_>(m);

  ONEFOLD_KERNEL double pivot_of(const SlicePart& at) const {
    if (!in.is_centred()) return 0;
    const T first = in.nest.x[at.x];
    const double v = wide_of(first);
    return v - v == 0 ? v : 0;
  }

  ONEFOLD_KERNEL Deviations deviations(const SlicePart& at) const {
    const double pivot = pivot_of(at);
    constexpr unsigned size = Vector16<T>::size;
    Deviations all;
    if constexpr (pair) {
      DoublePair s{0, 0}, q{0, 0};
      const auto add = [&](T v) {
        const auto d = two_sum<L>(wide_of(v), -pivot);
        add_quickly(s, d);
        const auto p = OneLane::product(d.sum, d.sum);
        add_quickly(q, {p.sum, L::fused(d.sum + d.sum, d.rest, p.rest)});
      };
      each_element<128>(
          m, in, at,
          [&](const Vector16<T>& v, Size) {
            ONEFOLD_UNROLL
            for (unsigned k = 0; k < size; ++k) add(v.v[k]);
          },
          [&](T v, Size, unsigned) { add(v); },
          [&] {
            add_pair(all.sum, s);
            add_pair(all.squares, q);
            s = q = {0, 0};
          });
    } else {
      double s[4] = {0, 0, 0, 0}, q[4] = {0, 0, 0, 0};
      const auto add = [&](T v, unsigned k) {
        const double d = wide_of(v) - pivot;
        s[k] += d;
        q[k] = L::fused(d, d, q[k]);
      };
      each_element<32>(
          m, in, at,
          [&](const Vector16<T>& v, Size) {
            ONEFOLD_UNROLL
            for (unsigned k = 0; k < size; ++k) add(v.v[k], k % 4);
          },
          [&](T v, Size, unsigned k) { add(v, k); },
          [&] {
            add_pair(all.sum, {(s[0] + s[1]) + (s[2] + s[3]), 0});
            add_pair(all.squares, {(q[0] + q[1]) + (q[2] + q[3]), 0});
            ONEFOLD_UNROLL
            for (unsigned k = 0; k < 4; ++k) s[k] = q[k] = 0;
          });
    }
    return all;
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

  // Makes what a team needs of the sums over a part.
  ONEFOLD_KERNEL void finish(unsigned index, const SlicePart& at, const Deviations& all) const {
    if (in.step == ExponentialStep::sums) {
      const Size i = 4 * (at.slice * in.parts + at.first / in.part);
      in.sums[i] = all.sum.high;
      in.sums[i + 1] = all.sum.low;
      in.sums[i + 2] = all.squares.high;
      in.sums[i + 3] = all.squares.low;
      return;
    }
    const NormRow row = norm_row(all, pivot_of(at), in.length(), in.eps, in.is_centred(),
                                 pair ? pair_deviation_error : rough_deviation_error,
                                 sizeof(T) == 8 ? 0x1p-1070 : 0);
    const auto to = word + words * index;
    to[0] = row.pivot;
    to[1] = row.mean_high;
    to[2] = row.is_known ? row.scale_high : -1.0;
    to[3] = row.mean_error;
    to[4] = row.scale_error;
    to[5] = row.mean_low;
    to[6] = row.scale_low;
  }
  ONEFOLD_KERNEL NormRow kept(unsigned index) const {
    const auto from = word + words * index;
    const double pivot = from[0], mean = from[1], scale = from[2], mean_error = from[3],
                 scale_error = from[4];
    NormRow row{.pivot = pivot,
                .mean_high = mean,
                .scale_high = scale,
                .mean_error = mean_error,
                .scale_error = scale_error,
                .is_known = scale > 0};
    if constexpr (pair) {
      const double mean_low = from[5], scale_low = from[6];
      row.mean_low = mean_low;
      row.scale_low = scale_low;
    }
    return row;
  }

  // Computes an element of a type of 16 bits that f32 does not decide.
  ONEFOLD_KERNEL_COLD static bool rare_element(double x, double w, double b, const NormRow& row,
                                               bool centred, uint64_t& bits) {
    return normalized<T, pair>(x, w, b, row, centred, bits);
  }

  // Writes the elements of the thread; returns whether all are proven.
  template <bool centred>
  ONEFOLD_KERNEL bool elements(const SlicePart& at, const NormRow& row) const {
    constexpr int size = Vector16<T>::size;
    bool all = true;
    const NormFactor<T, M> weight{m, in.weight, in.weight_f32, in.weights, 1};
    const NormFactor<T, M> bias{m, in.bias, in.bias_f32, centred ? in.biases : Factors::none, 0};
    [[maybe_unused]] const ShortNorm near = short_norm(row);
    const auto one = [&](T v, NormNumber<T> w, NormNumber<T> b) {
      uint64_t bits = 0;
      if constexpr (sizeof(T) == 2 && !pair) {
        uint32_t quick = 0;
        if (short_normalized<T>(number_of(v), w, b, near, centred, quick)) {
          return of_bits<T>(quick);
        }
        all &= rare_element(wide_of(v), w, b, row, centred, bits);
      } else {
        all &= normalized<T, pair>(wide_of(v), w, b, row, centred, bits);
      }
      return of_bits<T>(bits);
    };
    each_element<~0u>(
        m, in, at,
        [&](const Vector16<T>& v, Size i) {
          NormNumber<T> w[size], b[size];
          weight.read(i, w);
          bias.read(i, b);
          Vector16<T> to;
          ONEFOLD_UNROLL
          for (int k = 0; k < size; ++k) to.v[k] = one(v.v[k], w[k], b[k]);
          m.write_once(m.as_vectors(in.out + at.out), i / size, to);
        },
        [&](T v, Size i, unsigned) {
          in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = one(v, weight(i), bias(i));
        },
        [] {});
    return all;
  }

  ONEFOLD_KERNEL void run() const {
    const unsigned t = static_cast<unsigned>(m.thread()), index = teams.index();
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    Deviations mine;
    if (m.branch(active)) mine = in.step == ExponentialStep::answers ? found(at) : deviations(at);
    Deviations all;
    all.squares = sum_of_team<how>(m, mine.squares, in.team, in.across);
    if (in.is_centred()) {
      m.sync();
      all.sum = sum_of_team<how>(m, mine.sum, in.team, in.across);
    }
    if (m.branch(t < teams.count())) {
      const SlicePart of = teams.place_of(t);
      if (teams.has(of)) finish(t, of, all);
    }
    if (in.step == ExponentialStep::sums) return;
    m.sync();
    bool bad = false;
    if (m.branch(active)) {
      const NormRow row = kept(index);
      bad =
          !row.is_known || !(in.is_centred() ? elements<true>(at, row) : elements<false>(at, row));
    }
    teams.note_any(at, bad, index);
  }
};

}  // namespace onefold::kernel
