// Bins of elements (onefold/histogram.hpp): how many each one has, or the bin of each element.
//
//   bin     a guess by the rule of equal bins, and a look at the borders beside it; where there is
//           no rule, or it misses by more, a binary search
//   shared  borders, and several copies of the counters, if there are at most `most_held_bins`;
//           else both are in global memory
//   grid    any
#pragma once

#include "onefold/core/quantile/key.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

inline constexpr unsigned bin_threads = 256, most_held_bins = 1u << 11,
                          held_counters = 3 * most_held_bins;

template <class M, class T>
struct BinnedElements {
  using Key = typename OrderedBits<T>::Key;
  In<M, T> x;
  Size n = 0;
  In<M, Key> begin;  // as KeyBins has them
  uint32_t bins = 0;
  Key last = 0;
  double low = 0, per_unit = 0;
  bool wide = false;        // x is aligned to 16 bytes
  bool of_each = false;     // bins of elements are asked for, not counts
  Out<M, uint64_t> counts;  // 0 before
  Out<M, int64_t> places;   // -1: in no bin
};

template <class T, class M>
struct CountBins {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  using Guess = Either<(Floating<T> && sizeof(T) < 8), float, double>;
  M m;
  const BinnedElements<M, T>& in;
  Shared<M, K> borders = shared<K, int{most_held_bins}, struct bin_borders_>(m);
  Shared<M, uint32_t> counters = shared<uint32_t, int{held_counters}, struct bin_counters_>(m);

  ONEFOLD_KERNEL uint32_t t() const { return static_cast<uint32_t>(m.thread()); }
  ONEFOLD_KERNEL bool held() const { return in.bins <= most_held_bins; }
  // Neighbouring warps count apart.
  ONEFOLD_KERNEL uint32_t copies() const {
    const uint32_t room = held_counters / in.bins;
    return room < bin_threads / 32 ? room : bin_threads / 32;
  }

  ONEFOLD_KERNEL static Guess number(T x) {
    if constexpr (Floating<T> && sizeof(T) == 2) {
      return f32_of(x);
    } else if constexpr (dtype_of<T> == DType::boolean) {
      return x.byte != 0 ? 1 : 0;
    } else {
      return static_cast<Guess>(x);
    }
  }

  // Returns the bin of an element between the first border and `last`.
  template <class B>
  ONEFOLD_KERNEL uint32_t find(const B& border, T x, K key) const {
    if (in.per_unit != 0) {
      const Guess near = (number(x) - static_cast<Guess>(in.low)) * static_cast<Guess>(in.per_unit),
                  top = static_cast<Guess>(in.bins - 1);
      uint32_t k = static_cast<uint32_t>(near > 0 ? (near < top ? near : top) : 0);
      if (k >= in.bins) k = in.bins - 1;  // top may have been rounded up
      ONEFOLD_NO_UNROLL
      for (unsigned tries = 0; tries < 3; ++tries) {
        const bool below = key < border(k);
        if (!m.branch(below || (k + 1 < in.bins && key >= border(k + 1)))) return k;
        k = below ? k - 1 : k + 1;
      }
    }
    uint32_t first = 0;  // the last border that is not above the key is at `first` or behind it
    ONEFOLD_NO_UNROLL
    for (uint32_t some = in.bins; some > 1;) {
      const uint32_t half = some / 2;
      if (key >= border(first + half)) first += half;
      some -= half;
    }
    return first;
  }
  // Returns the bin of an element; in.bins: it is in none.
  ONEFOLD_KERNEL uint32_t bin_of(T x) const {
    const K key = O::of(x), first = in.begin[0];
    if (!m.branch(key >= first && key <= in.last)) return in.bins;
    if (held()) return find([&](uint32_t k) -> K { return borders[k]; }, x, key);
    return find([&](uint32_t k) -> K { return in.begin[k]; }, x, key);
  }

  ONEFOLD_KERNEL void count(T x) const {
    const uint32_t k = bin_of(x);
    if (!m.branch(k < in.bins)) return;
    if (held()) {
      m.add(counters, t() / 32 % copies() * in.bins + k, 1u);
    } else {
      m.add(in.counts, k, uint64_t{1});
    }
  }

  ONEFOLD_KERNEL void count_all() const {
    const Size all = m.blocks() * Size{bin_threads}, me = m.block() * Size{bin_threads} + t();
    Size i = me;
    if (in.wide) {
      constexpr unsigned size = Vector16<T>::size;
      const auto from = m.by_vector(in.x);
      ONEFOLD_NO_UNROLL
      for (Size v = me; v < in.n / size; v += all) {
        const Vector16<T> some = from[v];
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) count(some.v[k]);
      }
      i += in.n / size * size;
    }
    ONEFOLD_NO_UNROLL
    for (; i < in.n; i += all) count(in.x[i]);
  }

  ONEFOLD_KERNEL void run() const {
    if (held()) {
      ONEFOLD_NO_UNROLL
      for (uint32_t k = t(); k < in.bins; k += bin_threads) borders[k] = K{in.begin[k]};
      ONEFOLD_NO_UNROLL
      for (uint32_t k = t(); k < copies() * in.bins; k += bin_threads) counters[k] = 0u;
      m.sync();
    }
    if (in.of_each) {
      ONEFOLD_NO_UNROLL
      for (Size i = m.block() * Size{bin_threads} + t(); i < in.n;
           i += m.blocks() * Size{bin_threads}) {
        const uint32_t k = bin_of(in.x[i]);
        in.places[i] = k < in.bins ? int64_t{k} : int64_t{-1};
      }
      return;
    }
    count_all();
    if (!held()) return;
    m.sync();
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t(); k < in.bins; k += bin_threads) {
      uint64_t sum = 0;
      ONEFOLD_NO_UNROLL
      for (uint32_t c = 0; c < copies(); ++c) {
        sum += uint32_t{counters[c * in.bins + k]};
      }
      if (m.branch(sum != 0)) m.add(in.counts, k, sum);
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void count_bins(M m, const BinnedElements<M, T>& in) {
  CountBins<T, M>{m, in}.run();
}

}  // namespace onefold::kernel
