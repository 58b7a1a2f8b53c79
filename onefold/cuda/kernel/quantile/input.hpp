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
// Segments of more than a 32nd of all elements are listed, if the offsets do not fall fewer than
// these.
inline constexpr unsigned most_listed = 32, words_a_listed = 3;

// How a rank of a long slice is found: it is known from the bracket's borders, or lies among the
// candidates between them, or in the slice, if the bracket does not contain it.
enum class RankIn : uint8_t { known, candidates, slice };

// What the launches know of a long slice: words, of a level and then of a rank. `taken_word`: how
// many elements the mask takes.
enum SliceWord : unsigned { nans_word, taken_word, level_words };
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
  QuantilePlace place[most_levels];   // of slices of which all elements are numbers that count
  uint32_t margin[most_levels] = {};  // ranks of the sample on both sides of a level
  bool wide = false;  // elements are whole vectors of 16 bytes, and their mask has whole words

  // Of segments.
  Size columns = 1;         // answers of each
  uint32_t most_short = 0;  // elements of those that the first launch answers
  // Longer ones than these are not answered, but listed: how many, and of each its number, where it
  // begins, and how many elements it has.
  Size most_long = ~Size{0};
  Out<M, uint64_t> listed;

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
  ONEFOLD_KERNEL int64_t mask_stride() const { return nest.axis[nest.kept].stride[2]; }
  // Returns the place of a level among n numbers of a slice.
  ONEFOLD_KERNEL QuantilePlace place_among(unsigned l, Size n) const {
    return n == length() ? place[l] : place_of(level[l], n);
  }
  // Returns how many elements of a long slice count, NaN among them.
  ONEFOLD_KERNEL Size taken(M m, Out<M, uint64_t> of_slice) const {
    if (!nest.chosen.masked) return length();
    return load_relaxed<uint64_t>(m, of_slice, int{taken_word});
  }
  // Whether the answers of a slice are NaN.
  //   taken  elements that count, NaN among them
  ONEFOLD_KERNEL bool spoilt(Size nans, Size taken) const {
    return nans == taken || (nans != 0 && nan != NanPolicy::omit);
  }
  ONEFOLD_KERNEL void put(unsigned l, int64_t at, T v, Size nans) const {
    const bool raises = nans != 0 && nan == NanPolicy::raise;
    put(l, at, v, raises ? Status::nan_found : Status::ok);
  }
  ONEFOLD_KERNEL void put(unsigned l, int64_t at, T v, Status s) const {
    out[l][at] = v;
    if (has_status[l]) status[l][at] = static_cast<uint8_t>(s);
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

// Returns the place of element i of a sample of a slice: each of `of` equal parts has one.
ONEFOLD_KERNEL Size sampled_place(unsigned i, unsigned of, Size n) {
  const Size apart = n / of;
  // A part's place is drawn by a hash of its number, as a rule of the data may have any period.
  uint64_t h = (i + 1) * uint64_t{0x9e3779b97f4a7c15};
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9;
  h ^= h >> 32;
  return i * apart + i * (n % of) / of + h % apart;
}

// A word with the bytes of a mask for a vector of elements.
template <class T>
using MaskWord = typename detail::Bits<16 / sizeof(T)>::type;
template <class W>
ONEFOLD_KERNEL bool takes(W word, unsigned k) {
  return (word >> 8 * k & 0xff) != 0;
}

// Calls f(x, active) for the elements [first, end) of a slice that the thread has, of `threads`;
// elements are loaded one by one. All lanes of a warp call it equally often, with `active` false
// where they have no element, or one that the mask leaves out.
//   slice   from where the slice begins
template <class T, bool masks, class M, class F>
ONEFOLD_KERNEL void each_by_elements(M m, const QuantileSlices<M, T>& in, const Spot& slice,
                                     Size first, Size end, unsigned t, unsigned threads, F f) {
  const auto x = in.nest.x + slice.x;
  const auto mask = in.nest.mask + (masks ? slice.mask : 0);
  const unsigned lane = t % 32;
  constexpr unsigned at_once = 4;
  const int64_t stride = in.stride(), apart = masks ? in.mask_stride() : 0;
  Size i = first + (t - lane);
  ONEFOLD_NO_UNROLL
  for (; i + 31 + (at_once - 1) * Size{threads} < end; i += Size{at_once} * threads) {
    T some[at_once];
    uint8_t byte[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      const auto at = static_cast<int64_t>(i + lane + u * Size{threads});
      some[u] = x[at * stride];
      if constexpr (masks) byte[u] = mask[at * apart];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) f(some[u], !masks || byte[u] != 0);
  }
  ONEFOLD_NO_UNROLL
  for (; i < end; i += threads) {
    T v{};
    uint8_t byte = 0;
    const bool active = i + lane < end;
    if (m.branch(active)) {
      const auto at = static_cast<int64_t>(i + lane);
      v = x[at * stride];
      if constexpr (masks) byte = mask[at * apart];
    }
    f(v, active && (!masks || byte != 0));
  }
}

// The same by vectors, if slices are wide.
//   first   of wide slices a multiple of the elements of a vector
template <class T, bool masks, class M, class F>
ONEFOLD_KERNEL void each_of_slice(M m, const QuantileSlices<M, T>& in, const Spot& slice,
                                  Size first, Size end, unsigned t, unsigned threads, F f) {
  if (!in.wide) return each_by_elements<T, masks>(m, in, slice, first, end, t, threads, f);
  const auto x = in.nest.x + slice.x;
  const auto mask = in.nest.mask + (masks ? slice.mask : 0);
  const unsigned lane = t % 32;
  constexpr unsigned size = Vector16<T>::size, at_once = sizeof(T) == 2 ? 2 : 4;
  const auto from = m.by_vector(x);
  const auto taken = m.template as<MaskWord<T>>(mask);
  const Size vectors = end / size;
  Size i = first / size + (t - lane);  // of the warp's first lane
  ONEFOLD_NO_UNROLL
  for (; i + 31 + (at_once - 1) * Size{threads} < vectors; i += Size{at_once} * threads) {
    Vector16<T> some[at_once];
    MaskWord<T> word[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      some[u] = from[i + lane + u * Size{threads}];
      if constexpr (masks) word[u] = taken[i + lane + u * Size{threads}];
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < size; ++k) f(some[u].v[k], !masks || takes(word[u], k));
    }
  }
  ONEFOLD_NO_UNROLL
  for (; i < vectors; i += threads) {
    Vector16<T> v{};
    MaskWord<T> word{};
    const bool active = i + lane < vectors;
    if (m.branch(active)) {
      v = from[i + lane];
      if constexpr (masks) word = taken[i + lane];
    }
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < size; ++k) f(v.v[k], active && (!masks || takes(word, k)));
  }
}

}  // namespace onefold::kernel
