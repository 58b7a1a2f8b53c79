// The teams of a block's threads, each of which has a part of a slice.
#pragma once

#include "onefold/cuda/kernel/exponential/sum.hpp"

namespace onefold::kernel {

// Computes element i, which was not proven quickly, by rare(x, i, to); returns what that returns:
// whether it is proven now.
template <class T, class M, class R>
ONEFOLD_KERNEL bool compute_again(const Exponential<M, T>& in, const SlicePart& at, Size i,
                                  R rare) {
  const T x = in.nest.x[at.x + static_cast<int64_t>(i) * in.stride()];
  T to;
  const bool proven = rare(x, i, to);
  in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = to;
  return proven;
}

// The elements of a whole slice that a thread of a team has, as vectors.
template <class T, unsigned count, class M>
struct HeldElements {
  static constexpr unsigned size = Vector16<T>::size;
  Vector16<T> v[count];

  // Calls f(u, i) for each vector, that of the i-th elements on.
  template <class F>
  ONEFOLD_KERNEL static void each(const SlicePart& at, unsigned team, F f) {
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < count; ++u) {
      const Size i = at.member + u * Size{team};
      if (i < at.end / size) f(u, i * size);
    }
  }
  ONEFOLD_KERNEL void load(M m, const Exponential<M, T>& in, const SlicePart& at) {
    const auto from = m.by_vector(in.nest.x + at.x);
    each(at, in.team, [&](unsigned u, Size i) { v[u] = from[i / size]; });
  }
  // Writes elements(u, i, to) for each vector, which returns a bit for each one that is not proven;
  // behind them, so that they keep their registers, computes those again. Returns whether all are
  // proven.
  template <class F, class R>
  ONEFOLD_KERNEL bool answer(M m, const Exponential<M, T>& in, const SlicePart& at, F elements,
                             R rare) const {
    bool all = true;
    uint32_t open = 0;
    each(at, in.team, [&](unsigned u, Size i) {
      Vector16<T> to;
      open |= elements(u, i, to.v) << u * size;
      m.write_once(m.as_vectors(in.out + at.out), i / size, to);
    });
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; open != 0; ++k, open >>= 1) {
      if ((open & 1) == 0) continue;
      const Size i = (at.member + k / size * Size{in.team}) * size + k % size;
      all &= compute_again(in, at, i, rare);
    }
    return all;
  }
};
// The same for the thread's elements of a part, wherever they lie, by elements(x, i, to).
template <class T, class M, class F, class R>
ONEFOLD_KERNEL bool answer_elements(M m, const Exponential<M, T>& in, const SlicePart& at,
                                    F elements, R rare) {
  bool all = true;
  each_element<~0u>(
      m, in, at,
      [&](const Vector16<T>& v, Size i) {
        Vector16<T> to;
        uint32_t open = elements(v.v, i, to.v);
        m.write_once(m.as_vectors(in.out + at.out), i / Vector16<T>::size, to);
        ONEFOLD_NO_UNROLL
        for (unsigned k = 0; open != 0; ++k, open >>= 1) {
          if ((open & 1) != 0) all &= compute_again(in, at, i + k, rare);
        }
      },
      [&](T v, Size i, unsigned) {
        const T x[1] = {v};
        T to[1];
        if (elements(x, i, to) != 0) {
          all &= compute_again(in, at, i, rare);
        } else {
          in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = to[0];
        }
      },
      [] {});
  return all;
}

template <class T, bool elementwise, class M>
struct RowTeams {
  M m;
  const Exponential<M, T>& in;
  const Scratch<M>& scratch;

  ONEFOLD_KERNEL unsigned count() const { return static_cast<unsigned>(m.threads()) / in.team; }
  // Of the thread's team.
  ONEFOLD_KERNEL unsigned index() const {
    const auto t = static_cast<unsigned>(m.thread());
    return in.across ? t % count() : t / in.team;
  }
  // Returns the thread's part.
  ONEFOLD_KERNEL SlicePart place() const {
    const auto t = static_cast<unsigned>(m.thread());
    SlicePart at = place_of(index());
    at.member = in.across ? t / count() : t % in.team;
    return at;
  }
  ONEFOLD_KERNEL bool has(const SlicePart& at) const {
    return at.slice < in.nest.answers && at.first < in.length();
  }
  // Returns the part of a slice that a team of the block has; for teams beyond the last part
  // its slice is beyond the last one, or its first element beyond the slice.
  ONEFOLD_KERNEL SlicePart place_of(unsigned index) const {
    // Neighbouring teams have neighbouring slices if they are to read neighbouring elements.
    const Size item = Size{m.block()} * count() + index,
               other = in.across ? in.nest.answers : in.parts,
               major = other == 1 ? item : quotient_of(item, other), minor = item - major * other;
    SlicePart at;
    at.slice = in.across ? minor : major;
    at.first = (in.across ? major : minor) * in.part;
    at.end = in.length() - at.first < in.part ? in.length() : at.first + in.part;
    if (at.slice < in.nest.answers) {
      const Spot spot = answer_at<elementwise>(in.nest, at.slice);
      at.x = spot.x;
      at.out = elementwise ? spot.y : spot.step;
    }
    return at;
  }

  // Writes NaN as the answers of a slice that has one.
  ONEFOLD_KERNEL void spread_nan(const SlicePart& at) const {
    const T nan = of_bits<T>(float_format(dtype_of<T>).nan());
    for (Size i = at.first + at.member; i < at.end; i += in.team) {
      in.out[at.out + static_cast<int64_t>(i) * in.out_stride()] = nan;
    }
  }

  // Notes the slices of threads with elements that are not proven, without a wait for others.
  ONEFOLD_KERNEL void note_each(const SlicePart& at, bool bad) const {
    const uint32_t some = m.ballot(bad);
    const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
    // Of the threads of a slice the first one does, unless slices lie across.
    const uint32_t before = some & ((1u << lane) - 1);
    const bool first =
        in.across || (in.team < 32 ? before >> (lane / in.team * in.team) : before) == 0;
    if (bad && first) note_slice(m, scratch, at.slice);
  }
  // Returns the sum over the thread's team, whose threads are neighbours; called by all threads of
  // the block.
  ONEFOLD_KERNEL double sum_of(double mine) const {
    const unsigned t = static_cast<unsigned>(m.thread()), warps = in.team / 32;
    const auto of_lanes = [&](unsigned lanes) {
      ONEFOLD_NO_UNROLL
      for (unsigned d = lanes / 2; d != 0; d /= 2) mine += m.shuffle_xor(mine, d);
    };
    of_lanes(in.team < 32 ? in.team : 32);
    if (warps <= 1) return mine;
    const auto word = shared<double, int{held_threads} / 32, struct team_words_>(m);
    if (t % 32 == 0) word[t / 32] = mine;
    m.sync();
    mine = word[t / in.team * warps + (t & (warps - 1))];
    of_lanes(warps);
    return mine;
  }
};

}  // namespace onefold::kernel
