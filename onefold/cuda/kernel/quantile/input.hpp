// The argument of the launches of quantiles: docs/decisions/0075-quantiles.md.
#pragma once

#include "onefold/core/quantile/value.hpp"
#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// Levels of a launch, and the ranks that they need: two each.
inline constexpr unsigned most_levels = 4, most_ranks = 2 * most_levels;
// Keys of a slice in shared memory, 64 KiB; longer slices are sampled by as many.
template <class T>
inline constexpr unsigned most_held = (1u << 16) / sizeof(typename OrderedBits<T>::Key);
inline constexpr unsigned quantile_row_threads = 512, quantile_sample_threads = 1024,
                          quantile_threads = 256;
// Bits of a digit of the passes over long slices; 16-bit types have two digits of 8.
template <class T>
inline constexpr unsigned digit_bits = sizeof(T) == 2 ? 8 : 11;
template <class T>
inline constexpr unsigned quantile_passes = (8 * sizeof(T) + digit_bits<T> - 1) / digit_bits<T>;
inline constexpr unsigned most_bins = 1u << 11;

// How a rank of a long slice is found: it is known from the bracket's borders, or lies among the
// candidates between them, or in the slice, if the bracket does not contain it.
enum class RankIn : uint8_t { known, candidates, slice };

// What the launches know of a long slice: words, of a level and then of a rank.
enum SliceWord : unsigned { nans_word, level_words };
enum LevelWord : unsigned { low_key, high_key, below_low, at_low, between, at_high, words_a_level };
enum RankWord : unsigned { rank_in, rank_key, rank_left, words_a_rank };
inline constexpr unsigned rank_words = level_words + most_levels * words_a_level,
                          slice_words = rank_words + most_ranks * words_a_rank;
ONEFOLD_KERNEL unsigned word_of_level(unsigned level, unsigned word) {
  return level_words + level * words_a_level + word;
}
ONEFOLD_KERNEL unsigned word_of_rank(unsigned rank, unsigned word) {
  return rank_words + rank * words_a_rank + word;
}

template <class M, class T>
struct QuantileSlices {
  using Key = typename OrderedBits<T>::Key;
  NestInput<M, T> nest;  // slices are its answers; at most one axis is folded
  Out<M, T> out[most_levels];
  Out<M, uint8_t> status[most_levels];
  bool has_status[most_levels] = {};
  NanPolicy nan = NanPolicy::propagate;
  unsigned levels = 1;
  QuantileLevel level[most_levels];
  QuantilePlace place[most_levels];   // of slices without NaN that are left out
  uint32_t margin[most_levels] = {};  // ranks of the sample on both sides of a level
  bool wide = false;                  // elements are whole vectors of 16 bytes

  // Of long slices.
  Size first = 0, slices = 0;  // those of the launch
  Size parts = 1, part = 0;    // of a slice; elements of a part
  unsigned pass = 0;
  bool of_candidates = false;
  Size room = 0;             // candidates of a level
  Out<M, uint64_t> words;    // slice_words of each slice
  Out<M, uint32_t> tickets;  // most_levels + 1 of each slice
  Out<M, uint64_t> counts;   // most_ranks * most_bins of each slice
  Out<M, Key> candidates;    // room of each slice and level

  ONEFOLD_KERNEL Size length() const { return nest.elements; }
  ONEFOLD_KERNEL int64_t stride() const { return nest.axis[nest.kept].stride[0]; }
  // Returns the place of a level among n numbers of a slice.
  ONEFOLD_KERNEL QuantilePlace place_among(unsigned l, Size n) const {
    return n == length() ? place[l] : place_of(level[l], n);
  }
  // Whether a slice's answers are NaN.
  ONEFOLD_KERNEL bool spoilt(Size nans) const {
    return nans == length() || (nans != 0 && nan != NanPolicy::omit);
  }
  ONEFOLD_KERNEL void put(unsigned l, int64_t at, T v, Size nans) const {
    out[l][at] = v;
    const bool raises = nans != 0 && nan == NanPolicy::raise;
    if (has_status[l])
      status[l][at] = static_cast<uint8_t>(raises ? Status::nan_found : Status::ok);
  }
};

// The value between two keys of a slice.
template <class T>
ONEFOLD_KERNEL T quantile_of_keys(typename OrderedBits<T>::Key low,
                                  typename OrderedBits<T>::Key high, const QuantilePlace& place) {
  using O = OrderedBits<T>;
  const uint64_t bits = quantile_between<T>(O::wide(low), O::wide(high), place, dtype_of<T>);
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}
template <class T>
ONEFOLD_KERNEL T quantile_nan() {
  return bit_cast<T>(static_cast<bits_of<T>>(float_format(dtype_of<T>).nan()));
}

// Calls f(x, active) for the elements [first, end) of a slice that the thread has, of `threads`.
// All lanes of a warp call it equally often, with `active` false where they have no element.
//   first   of wide slices a multiple of the elements of a vector
template <class T, class M, class F>
ONEFOLD_KERNEL void each_of_slice(M m, const QuantileSlices<M, T>& in, int64_t slice, Size first,
                                  Size end, unsigned t, unsigned threads, F f) {
  const auto x = in.nest.x + slice;
  const unsigned lane = t % 32;
  if (in.wide) {
    constexpr unsigned size = Vector16<T>::size, at_once = sizeof(T) == 2 ? 2 : 4;
    const auto from = m.by_vector(x);
    const Size vectors = end / size;
    Size i = first / size + (t - lane);  // of the warp's first lane
    ONEFOLD_NO_UNROLL
    for (; i + 31 + (at_once - 1) * Size{threads} < vectors; i += Size{at_once} * threads) {
      Vector16<T> some[at_once];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) some[u] = from[i + lane + u * Size{threads}];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) f(some[u].v[k], true);
      }
    }
    ONEFOLD_NO_UNROLL
    for (; i < vectors; i += threads) {
      Vector16<T> v{};
      const bool active = i + lane < vectors;
      if (m.branch(active)) v = from[i + lane];
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < size; ++k) f(v.v[k], active);
    }
    return;
  }
  constexpr unsigned at_once = 4;
  const int64_t stride = in.stride();
  Size i = first + (t - lane);
  ONEFOLD_NO_UNROLL
  for (; i + 31 + (at_once - 1) * Size{threads} < end; i += Size{at_once} * threads) {
    T some[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      some[u] = x[static_cast<int64_t>(i + lane + u * Size{threads}) * stride];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) f(some[u], true);
  }
  ONEFOLD_NO_UNROLL
  for (; i < end; i += threads) {
    T v{};
    const bool active = i + lane < end;
    if (m.branch(active)) v = x[static_cast<int64_t>(i + lane) * stride];
    f(v, active);
  }
}

}  // namespace onefold::kernel
