// rms_norm and layer_norm of slices by numbers of one f64, or of two for f64 and long slices. What
// that does not decide is noted, for again.hpp.
//
//   grid    teams of threads, one for each part of each slice, as exponential/rows.hpp has them
//   reads   once, if a thread can hold its elements; else twice
//   row     all threads of a team compute its numbers: that takes less than to wait for one of them
#pragma once

#include "onefold/cuda/kernel/exponential/teams.hpp"
#include "onefold/cuda/kernel/layer_norm/numbers.hpp"

namespace onefold::kernel {

//   pair   by two f64; else T is narrower than f64
template <class T, bool pair, class M>
struct NormRows {
  using L = ExponentialLane;
  static constexpr unsigned size = Vector16<T>::size;
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;
  RowTeams<T, true, M> teams{m, in, scratch};

  // The elements that a thread holds.
  struct Held {
    Vector16<T> v[held_vectors];
  };
  // Calls f(u, i) for each vector that the thread holds, the i-th ones of the slice.
  template <class F>
  ONEFOLD_KERNEL void each_held(const SlicePart& at, F f) const {
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < held_vectors; ++u) {
      const Size i = at.first / size + at.member + u * Size{in.team};
      if (i < at.end / size) f(u, i);
    }
  }

  ONEFOLD_KERNEL double pivot_of(const SlicePart& at) const {
    if (!in.is_centred()) return 0;
    const T first = in.nest.x[at.x];
    const double v = wide_of(first);
    return v - v == 0 ? v : 0;
  }

  ONEFOLD_KERNEL Deviations deviations(const SlicePart& at, double pivot, Held& held) const {
    DeviationSums<T, pair> sums{pivot};
    if (in.held) {
      const auto from = m.by_vector(in.nest.x + at.x);
      each_held(at, [&](unsigned u, Size i) { held.v[u] = from[i]; });
      each_held(at, [&](unsigned u, Size) { sums.add(held.v[u]); });
      sums.settle();
    } else {
      each_element<pair ? 128 : 32>(
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

  ONEFOLD_KERNEL static void merge(Deviations& all, const Deviations& other) {
    if constexpr (pair) {
      add_pair(all.sum, other.sum);
      add_pair(all.squares, other.squares);
    } else {
      all.sum.high += other.sum.high;
      all.squares.high += other.squares.high;
    }
  }
  // Returns the sums of the thread's team; called by all threads of the block.
  ONEFOLD_KERNEL Deviations of_team(Deviations mine) const {
    constexpr int lows = pair ? int{exponential_threads} : 1;
    const auto s = shared<double, int{exponential_threads}, struct norm_sums_>(m);
    const auto q = shared<double, int{exponential_threads}, struct norm_squares_>(m);
    const auto s_low = shared<double, lows, struct norm_sums_low_>(m);
    const auto q_low = shared<double, lows, struct norm_squares_low_>(m);
    const unsigned t = static_cast<unsigned>(m.thread()), together = in.across      ? 1
                                                                     : in.team < 32 ? in.team
                                                                                    : 32;
    if constexpr (!pair) {
      mine.sum.high += mine.sum.low;
      mine.squares.high += mine.squares.low;
    }
    ONEFOLD_NO_UNROLL
    for (unsigned d = together / 2; d != 0; d /= 2) {
      Deviations other;
      other.sum.high = m.shuffle_xor(mine.sum.high, d);
      other.squares.high = m.shuffle_xor(mine.squares.high, d);
      if constexpr (pair) {
        other.sum.low = m.shuffle_xor(mine.sum.low, d);
        other.squares.low = m.shuffle_xor(mine.squares.low, d);
      }
      merge(mine, other);
    }
    if (together == in.team) return mine;
    if (t % together == 0) {
      const unsigned k = t / together;
      s[k] = mine.sum.high;
      q[k] = mine.squares.high;
      if constexpr (pair) {
        s_low[k] = mine.sum.low;
        q_low[k] = mine.squares.low;
      }
    }
    m.sync();
    const unsigned some = in.team / together, index = teams.index(),
                   first = in.across ? index : index * some, apart = in.across ? teams.count() : 1;
    Deviations all;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < some; ++k) {
      Deviations other;
      other.sum.high = s[first + k * apart];
      other.squares.high = q[first + k * apart];
      if constexpr (pair) {
        other.sum.low = s_low[first + k * apart];
        other.squares.low = q_low[first + k * apart];
      }
      merge(all, other);
    }
    return all;
  }
  ONEFOLD_KERNEL NormRow row_of(const Deviations& all, double pivot) const {
    if constexpr (pair) {
      return norm_row(all, pivot, in.length(), in.eps, in.is_centred(), pair_deviation_error,
                      sizeof(T) == 8 ? 0x1p-1070 : 0);
    } else {
      return quick_norm_row(all, pivot, in.inverse_n, in.eps, in.is_centred(),
                            in.held ? held_deviation_error : rough_deviation_error);
    }
  }

  // Computes an element of a type of 16 bits that f32 does not decide.
  ONEFOLD_KERNEL_COLD static bool rare_element(double x, double w, double b, const NormRow& row,
                                               bool centred, uint64_t& bits) {
    return normalized<T, pair>(x, w, b, row, centred, bits);
  }

  // Writes the elements of the thread; returns whether all are proven.
  template <bool centred>
  ONEFOLD_KERNEL bool elements(const SlicePart& at, const NormRow& row, const Held& held) const {
    bool all = true;
    const NormFactor<T, M> weight{m, in.weight, in.weight_f32, in.weights, 1};
    const NormFactor<T, M> bias{m, in.bias, in.bias_f32, centred ? in.biases : FactorKind::none, 0};
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
    const auto vector = [&](const Vector16<T>& v, Size i) {
      NormNumber<T> w[size], b[size];
      weight.read(i, w);
      bias.read(i, b);
      Vector16<T> to;
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < size; ++k) to.v[k] = one(v.v[k], w[k], b[k]);
      m.write_once(m.as_vectors(in.out + at.out), i / size, to);
    };
    if (in.held) {
      each_held(at, [&](unsigned u, Size i) { vector(held.v[u], i * size); });
      return all;
    }
    each_element<~0u>(
        m, in, at, vector,
        [&](T v, Size i, unsigned) {
          in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = one(v, weight(i), bias(i));
        },
        [] {});
    return all;
  }

  ONEFOLD_KERNEL void run() const {
    const SlicePart at = teams.place();
    const bool active = teams.has(at);
    Held held;
    Deviations mine;
    double pivot = 0;
    if (m.branch(active)) {
      pivot = pivot_of(at);
      mine = in.step == ExponentialStep::answers ? found(at) : deviations(at, pivot, held);
    }
    const Deviations all = of_team(mine);
    if (in.step == ExponentialStep::sums) {
      if (active && at.member == 0) put_sums(at, all);
      return;
    }
    bool bad = false;
    if (m.branch(active)) {
      const NormRow row = row_of(all, pivot);
      bad = !row.is_known ||
            !(in.is_centred() ? elements<true>(at, row, held) : elements<false>(at, row, held));
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
