// Sums of f32, or of their magnitudes, in one launch, where the instructions of one warp decide, or
// those of all warps that wait for their first part at once: one addition of f64 an element.
//
//   anchor   2^E, above a sample that all warps look at. Sums of 16 elements of 2^(E-24) to 2^E are
//            exact in f64, whatever their order
//   wider    to 2^(E-72): two windows; a part that they do not hold, and all that the warp has
//            after it, goes to the words by bins
//   answer   a total of 64 bits by the machine's conversion; all else is out of line
//   grid     any: warps take parts in turn, the first 256 so, and bins the others
//   cost     beside two windows for all, as counted.hpp has them, H200: 2^20 elements 3.8 us and
//            4.2, 2^22 6.6 and 7.7, 2^24 17.9 and 19.4, 2^28 240 and 243
#pragma once

#include "onefold/kernel/counted.hpp"

namespace onefold::kernel {

// The totals of two windows: the upper one's holds all of most data.
template <uint32_t set>
struct FewTotals {
  static constexpr int N = 2, apart = 48, bias = 127;
  static constexpr int binades = 24, wider = binades + apart;
  static constexpr bool magnitudes = Accumulators(set).has(Accumulator::sumabs), one_sum = true;
  // Biased exponents that E may have.
  static constexpr int lowest = 45, highest = 255;

  ONEFOLD_KERNEL static int unit(int e) { return e - bias - 47 - apart; }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(e) + (i == 0 ? apart : 0) - unit_of<float>;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int) {
    return magnitudes ? Accumulator::sumabs : Accumulator::sum;
  }
  // Above all of a sample by 2 binades, or where elements are many by 5: few elements are as large,
  // and what is too small costs less than what is too large. A sample that spans so many binades
  // that two windows are wanted is in their middle.
  ONEFOLD_KERNEL static int anchor_above(uint32_t most, uint32_t least_key, bool many) {
    const auto top = static_cast<int>(most >> 23), low = static_cast<int>(least_key >> 24);
    const int span = top - low, room = span <= 17 ? (many ? 6 : 3) : (wider - span) / 2;
    const int e = top + (room < 3 ? 3 : room);
    return e < lowest ? lowest : e > highest ? highest : e;
  }
  // 1.5 * 2^52 units of window i, of numbers as scaled_double makes them.
  ONEFOLD_KERNEL static double magic_of(int i, int e) {
    return magic(e - bias - 47 - apart * i + 1075 - 896);
  }
  ONEFOLD_KERNEL static double number(uint32_t w) {
    return scaled_double(magnitudes ? w & 0x7fffffffu : w);
  }
  // Elements below 2^e have fewer bits without the sign.
  ONEFOLD_KERNEL static uint32_t limit_of(int e) { return static_cast<uint32_t>(e) << 23; }
  // Keys of magnitudes (tiles.hpp) below it are those of elements below 2^(e - depth).
  ONEFOLD_KERNEL static uint32_t floor_of(int e, int depth) {
    return e - depth <= 1 ? 0 : static_cast<uint32_t>(e - depth) * (2u << 23) - 1;
  }
};

// What a warp hands to its block of a window: the sums of its lanes' bits by pieces of 22, the last
// one with the sign; and what is to be said beside the upper one's.
struct alignas(16) FewWarp {
  uint32_t low = 0, middle = 0;
  int high = 0;
  uint32_t said = 0;

  // What warps say is added up.
  static constexpr uint32_t some = 1, lower = 1 << 8, left = 1 << 16;
};
struct FewWarps {
  FewWarp upper, lower;
};
template <class M>
ONEFOLD_KERNEL FewWarp of_lanes(M m, int64_t v) {
  constexpr uint32_t mask = (1u << 22) - 1;
  return {.low = m.redux_add(static_cast<uint32_t>(v) & mask),
          .middle = m.redux_add(static_cast<uint32_t>(v >> 22) & mask),
          .high = m.redux_add(static_cast<int>(v >> 44))};
}
// The sum of what lanes have, as a piece of 32 bits and what is above.
struct FewPieces {
  int64_t low, high;
};
template <class M>
ONEFOLD_KERNEL FewPieces pieces_of(M m, const FewWarp& w) {
  const int64_t low = static_cast<int64_t>(m.redux_add(w.low)) +
                      static_cast<int64_t>(m.redux_add(w.middle)) * (int64_t{1} << 22);
  return {low & 0xffffffff, (low >> 32) + static_cast<int64_t>(m.redux_add(w.high)) * (1 << 12)};
}

// Parts that a warp takes by windows: lanes' sums stay below 2^60, and a block's below 2^68.
inline constexpr uint32_t few_parts = 256;

// By a warp, parts from i on: to the words. Where parts are small they are taken a load a lane, for
// there is less to compile.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL_COLD void add_few_by_bins(M m, Words<M, float, set> words, In<M, float> x,
                                         uint32_t n, uint32_t i, uint32_t step) {
  const unsigned misaligned = m.misaligned(x, 16);
  const Parts<float, U, uint32_t> parts(n, misaligned);
  if constexpr (U > 4) {
    go_on_by_bins<float, set, U, warps>(m, words, x, parts, i, step);
  } else {
    ONEFOLD_NO_UNROLL
    for (; i < parts.all; i += step) {
      Parts<float, 1, uint32_t> p(n, misaligned);
      uint32_t begin = p.of_vectors;
      if (i < parts.of_vectors) {
        begin = i * U;
        p.all = begin + U < p.of_vectors ? begin + U : p.of_vectors;
      }
      go_on_by_bins<float, set, 1, warps>(m, words, x, p, begin, 1);
      if (step >= parts.all - i) return;
    }
  }
}

// The sum of 16 of the chunk's numbers, or of all, from element g on, by a tree.
template <uint32_t set, int U>
ONEFOLD_KERNEL double sum_of_few(const Chunk<float, U>& c, int g) {
  constexpr int K = Chunk<float, U>::elements < 16 ? Chunk<float, U>::elements : 16;
  double s[K];
  ONEFOLD_UNROLL
  for (int k = 0; k < K; ++k) s[k] = FewTotals<set>::number(c.w[g + k]);
  ONEFOLD_UNROLL
  for (int h = 1; h < K; h *= 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k + h < K; k += 2 * h) s[k] += s[k + h];
  }
  return s[0];
}
// The sums of what the chunk's numbers leave in two windows.
struct FewWindows {
  int64_t upper, lower;
};
template <uint32_t set, int U>
ONEFOLD_KERNEL FewWindows windows_of_few(const Chunk<float, U>& c, int anchor) {
  using Totals = FewTotals<set>;
  constexpr int K = Chunk<float, U>::elements;
  const double start = Totals::magic_of(0, anchor), start1 = Totals::magic_of(1, anchor);
  FewWindows v{};
  ONEFOLD_UNROLL
  for (int g = 0; g < K; g += 16) {
    double a = start, b = start1;
    ONEFOLD_UNROLL
    for (int k = g; k < K && k < g + 16; ++k) b += take(a, Totals::number(c.w[k]));
    v.upper += bits_of_double(a) - bits_of_double(start);
    v.lower += bits_of_double(b) - bits_of_double(start1);
  }
  return v;
}
// How far a lane's chunk reaches: the bits of its largest magnitude, or more of a NaN, and the
// least key of magnitudes.
struct FewReach {
  uint32_t most, least;
};
template <int U, class M>
ONEFOLD_KERNEL FewReach reach_of_few(M m, const Chunk<float, U>& c) {
  constexpr int K = Chunk<float, U>::elements;
  float most[K];
  uint32_t least = ~0u;
  ONEFOLD_UNROLL
  for (int k = 0; k < K; ++k) {
    most[k] = absolute(c.element(k));
    const uint32_t key = c.w[k] * 2 - 1;
    least = key < least ? key : least;
  }
  ONEFOLD_UNROLL
  for (int h = 1; h < K; h *= 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k + h < K; k += 2 * h) most[k] = m.max_or_nan(most[k], most[k + h]);
  }
  return {bit_cast<uint32_t>(most[0]), least};
}

// A warp's part, of numbers that are near each other.
struct FewNear {
  int64_t sum;  // in units of the upper window
  bool some;
};
template <uint32_t set, int U>
ONEFOLD_KERNEL FewNear add_near(const Chunk<float, U>& c, double start) {
  constexpr int K = Chunk<float, U>::elements;
  FewNear v{};
  ONEFOLD_UNROLL
  for (int g = 0; g < K; g += 16) {
    const double sum = sum_of_few<set>(c, g);
    v.sum += bits_of_double(start + sum) - bits_of_double(start);
    // A sum is -0 only if all its elements are.
    v.some = v.some | (bit_cast<uint64_t>(sum) != uint64_t{1} << 63);
  }
  if constexpr (FewTotals<set>::magnitudes) v.some = !only_negative_zeros(c);
  return v;
}
// Parts i, i + step, ... of an array by a warp, of which c is the first; its totals.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL FewWarps add_parts(M m, const Workspace<M>& workspace, In<M, float> x, uint32_t n,
                                  const Parts<float, U, uint32_t>& parts, uint32_t i, uint32_t step,
                                  int anchor, Chunk<float, U>& c) {
  using Totals = FewTotals<set>;
  const uint32_t limit = Totals::limit_of(anchor);
  int64_t s = 0, s1 = 0;
  bool some = false, lower = false, left = false;
  ONEFOLD_NO_UNROLL
  for (uint32_t taken = 0; i < parts.all && taken < few_parts; ++taken) {
    const FewReach reach = reach_of_few(m, c);
    const bool below = reach.most < limit;
    if (m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::binades)))) [[likely]] {
      const FewNear v = add_near<set>(c, Totals::magic_of(0, anchor));
      s += v.sum;
      some = some | v.some;
    } else {
      if (!m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::wider)))) break;
      const FewWindows v = windows_of_few<set>(c, anchor);
      s += v.upper;
      s1 += v.lower;
      some = some | !only_negative_zeros(c);
      lower = true;
    }
    i += step;
    if (i < parts.all) c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  }
  if (i < parts.all) [[unlikely]] {
    add_few_by_bins<set, U, warps>(m, Words<M, float, set>(m, workspace), x, n, i, step);
    left = true;
  }
  FewWarps all{.upper = of_lanes(m, s), .lower = {}};
  if (lower) [[unlikely]]
    all.lower = of_lanes(m, s1);
  all.upper.said =
      (m.any(some) ? FewWarp::some : 0) | (lower ? FewWarp::lower : 0) | (left ? FewWarp::left : 0);
  return all;
}
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL_COLD FewWarps add_parts_out_of_line(M m, Workspace<M> workspace, In<M, float> x,
                                                   uint32_t n, uint32_t i, uint32_t step,
                                                   int anchor) {
  const Parts<float, U, uint32_t> parts(n, m.misaligned(x, 16));
  Chunk<float, U> c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  return add_parts<set, U, warps>(m, workspace, x, n, parts, i, step, anchor, c);
}
// The same where parts are small and each has its warp: few instructions, and near each other.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL FewWarps add_part(M m, const Workspace<M>& workspace, In<M, float> x, uint32_t n,
                                 const Parts<float, U, uint32_t>& parts, uint32_t i, uint32_t step,
                                 int anchor, const Chunk<float, U>& c) {
  using Totals = FewTotals<set>;
  if (i >= parts.all) return {};
  const FewReach reach = reach_of_few(m, c);
  // All at once: a branch would cost as much as all of it.
  if (!m.all((reach.most < Totals::limit_of(anchor)) &
             (reach.least >= Totals::floor_of(anchor, Totals::binades)) & (step >= parts.all - i)))
      [[unlikely]] {
    return add_parts_out_of_line<set, U, warps>(m, workspace, x, n, i, step, anchor);
  }
  const FewNear v = add_near<set>(c, Totals::magic_of(0, anchor));
  FewWarps all{.upper = of_lanes(m, v.sum), .lower = {}};
  all.upper.said = m.any(v.some) ? FewWarp::some : 0;
  return all;
}

// The answer where it takes more than a conversion. By the last block's first warp.
template <uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer_few(M m, Arrival a, Workspace<M> workspace, int anchor, Size n,
                                    Results<M, ops> results) {
  using Totals = FewTotals<set>;
  auto total = shared<int64_t, StateOf<float, set>::words, struct total_>(m);
  if constexpr (count_ops(ops) == 1) {
    if (!a.left && answer_tame<float, ops, Totals>(m, a, anchor, n, results)) return;
  }
  if (a.left) {
    // Each lane by itself: what a lane's fence brings is not its neighbours'.
    if (m.blocks() > 1) {
      static_cast<void>(
          load_relaxed<int64_t>(m, workspace.words + replicas * StateOf<float, set>::words, 4));
    }
    m.fence();
  }
  collect<Totals, float, set>(m, a, workspace, anchor, n, total);
  if constexpr (ops != 0) {
    answer_by_warp<float, set, ops>(m, total, results);
  } else {
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(m.lane()); k < StateOf<float, set>::words; k += 32) {
      results.state[k] = total[k];
    }
  }
}

// The least key and the most magnitude of a few elements that are spread over the array make an
// anchor: x begins at an address that vectors may have, n are from there.
template <uint32_t set, bool many, class M>
ONEFOLD_KERNEL int anchor_of_few(M m, In<M, float> x, uint32_t n) {
  const auto lane = static_cast<unsigned>(m.lane());
  // Four lines of the cache, and not one a lane: all warps of a launch ask for them.
  const uint32_t vectors = n / 4, step = vectors / 4;
  Vector16<uint32_t> v{};
  if (vectors != 0) [[likely]] {
    if (lane < vectors)
      v = bit_cast<Vector16<uint32_t>>(
          m.stream(m.by_vector(x), vectors < 32 ? lane : lane / 8 * step + lane % 8));
  } else if (lane < n) {
    const float one = x[lane];
    v.v[0] = bit_cast<uint32_t>(one);
  }
  uint32_t most = 0, least = ~0u;
  ONEFOLD_UNROLL
  for (int k = 0; k < 4; ++k) {
    const uint32_t h = v.v[k] & 0x7fffffffu, key = v.v[k] * 2 - 1;
    most = h > most ? h : most;
    least = key < least ? key : least;
  }
  if (most >= 0x7f800000u) most = 0;  // NaN or an infinity says nothing
  return FewTotals<set>::anchor_above(m.redux_max(most), m.redux_min(least), many);
}

template <uint32_t set, int U, int warps, uint32_t ops, class M>
ONEFOLD_KERNEL void few_sum(M m, In<M, float> x, Size n, const Workspace<M>& workspace,
                            const Results<M, ops>& results) {
  using Totals = FewTotals<set>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32, in_block = U > 4 ? warps : opaque(m.threads() / 32);
  const auto few = static_cast<uint32_t>(n);
  const Parts<float, U, uint32_t> parts(few, m.misaligned(x, 16));
  const uint32_t i = m.block() * in_block + warp, step = m.blocks() * in_block;
  Chunk<float, U> c{};
  if (i < parts.all) c = load_part(m, x, parts, i, lane);  // and, meanwhile, the sample
  const int anchor = anchor_of_few<set, (U > 4)>(m, x + parts.head, few - parts.head);
  FewWarps mine;
  if constexpr (U <= 4) {
    mine = add_part<set, U, warps>(m, workspace, x, few, parts, i, step, anchor, c);
  } else {
    mine = add_parts<set, U, warps>(m, workspace, x, few, parts, i, step, anchor, c);
  }
  auto of_warps = shared<FewWarp, warps, struct of_warps_>(m),
       lower_of_warps = shared<FewWarp, warps, struct lower_of_warps_>(m);
  if (lane == 0) {
    of_warps[warp] = mine.upper;
    if (mine.upper.said & FewWarp::lower) lower_of_warps[warp] = mine.lower;
  }
  m.sync();
  if (warp != 0) return;
  FewWarp w{}, lower_w{};
  if (lane < in_block) w = of_warps[lane];
  const FewPieces upper = pieces_of(m, w);
  const uint32_t said = m.redux_add(w.said);
  const bool left = said >= FewWarp::left, some = said % FewWarp::lower != 0;
  bool lower = said % FewWarp::left >= FewWarp::lower;
  int64_t low = upper.low, high = upper.high, low1 = 0, high1 = 0;
  if (lower) [[unlikely]] {
    if (w.said & FewWarp::lower) lower_w = lower_of_warps[lane];
    const FewPieces v = pieces_of(m, lower_w);
    low1 = v.low;
    high1 = v.high;
  }
  // Piece by piece as blocks hand them over.
  const int64_t of_low = lane < 2 ? low : low1, of_high = lane < 2 ? high : high1;
  Arrival a{.last = true, .left = left, .some = some, .piece = lane % 2 != 0 ? of_high : of_low};
  if (m.blocks() > 1) {
    if (left) [[unlikely]]
      m.fence();
    const int64_t flags = Arrival::flags_of(left, some);
    a = arrive_pieces<2>(m, workspace.words + replicas * StateOf<float, set>::words,
                         lane == 4 ? flags : a.piece);
    if (!a.last) return;
    low = a.low(m, 0);
    high = a.high(m, 0);
    lower = m.any((lane == 2 || lane == 3) && a.piece != 0);
  }
  lower = lower || high >> 30 != high >> 63;
  const int64_t v = low + high * (int64_t{1} << 32);
  bool answered = false;
  if constexpr (count_ops(ops) == 1) {
    if constexpr (is_plain<float, ops>()) {
      uint64_t bits = 0;
      const Place<M>& place = results.place[0];
      if (!lower && !a.left && place.dtype == DType::f32 &&
          convert<float>(v, Totals::unit(anchor) + Totals::apart, bits)) [[likely]] {
        if (lane == 0) put_bits(m, place, 4, bits, Status::ok);
        answered = true;
      }
    }
  }
  if (!answered) answer_few<set, ops>(m, a, workspace, anchor, n, results);
}

}  // namespace onefold::kernel
