// Sums of few f32, or of their magnitudes, where the instructions of one warp decide: each warp
// takes one part of the array, by one addition of f64 an element.
//
//   anchor   2^E, above a sample that all warps look at. Sums of elements of 2^(E-24) to 2^E are
//            exact in f64, whatever their order, and a warp's sum fits two words
//   wider    to 2^(E-72): two windows, out of line; all else goes to the words, by bins
//   answer   a total of 64 bits by the machine's conversion; all else is out of line
//   grid     has as many warps as there are parts; of less, bins take the others
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
  // Above all of a sample by 2 binades; by 8, where it spans so many that two windows are wanted.
  ONEFOLD_KERNEL static int anchor_above(uint32_t most, uint32_t least_key) {
    const auto top = static_cast<int>(most >> 23), low = static_cast<int>(least_key >> 24);
    const int e = top + (top - low > 17 ? 9 : 3);
    return e < lowest ? lowest : e > highest ? highest : e;
  }
  // 1.5 * 2^52 units of window i, of numbers as scaled_double makes them.
  ONEFOLD_KERNEL static double magic_of(int i, int e) {
    return magic(e - bias - 47 - apart * i + 1075 - 896);
  }
  ONEFOLD_KERNEL static double number(uint32_t w) {
    return scaled_double(magnitudes ? w & 0x7fffffffu : w);
  }
  // Keys of magnitudes (tiles.hpp) below it are those of elements below 2^(e - depth).
  ONEFOLD_KERNEL static uint32_t floor_of(int e, int depth) {
    return e - depth <= 1 ? 0 : static_cast<uint32_t>(e - depth) * (2u << 23) - 1;
  }
};

// What a warp hands to its block: of both windows the sums of its lanes' low 26 bits and of the
// others, and beside the lower window's what Arrival tells.
inline constexpr uint32_t few_mask = (1u << 26) - 1;
struct alignas(16) FewWarp {
  uint32_t low = 0;
  int high = 0;
  uint32_t lower_low_and_some = 0;
  int lower_high_and_left = 0;

  static constexpr uint32_t some = 1u << 31;
  static constexpr int left = 1;
};

// Of the parts of one load a lane: those that a part of U loads is made of. What is rare goes by
// them, for there is less to compile.
template <int U>
ONEFOLD_KERNEL Parts<float, 1, uint32_t> inside(uint32_t n, unsigned misaligned,
                                                const Parts<float, U, uint32_t>& parts, uint32_t i,
                                                uint32_t& begin) {
  Parts<float, 1, uint32_t> p(n, misaligned);
  begin = p.of_vectors;
  if (i < parts.of_vectors) {
    begin = i * U;
    p.all = begin + U < p.of_vectors ? begin + U : p.of_vectors;
  }
  return p;
}
// By a warp, parts from i on: to the words.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL_COLD void add_few_by_bins(M m, Words<M, float, set> words, In<M, float> x,
                                         uint32_t n, uint32_t i, uint32_t step) {
  const Parts<float, U, uint32_t> parts(n, m.misaligned(x, 16));
  ONEFOLD_NO_UNROLL
  for (; i < parts.all; i += step) {
    uint32_t begin = 0;
    const auto p = inside(n, m.misaligned(x, 16), parts, i, begin);
    go_on_by_bins<float, set, 1, warps>(m, words, x, p, begin, 1);
    if (step >= parts.all - i) return;
  }
}
// By a warp, part i, which one window cannot hold.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL_COLD FewWarp add_few_by_windows(M m, Words<M, float, set> words, In<M, float> x,
                                               uint32_t n, uint32_t i, int anchor) {
  using Totals = FewTotals<set>;
  const Parts<float, U, uint32_t> parts(n, m.misaligned(x, 16));
  uint32_t k = 0, most = 0, least = ~0u;
  const auto p = inside(n, m.misaligned(x, 16), parts, i, k);
  double a = Totals::magic_of(0, anchor), b = Totals::magic_of(1, anchor);
  bool some = false;
  ONEFOLD_NO_UNROLL
  for (; k < p.all; ++k) {
    const Chunk<float, 1> c = load_part(m, x, p, k, static_cast<unsigned>(m.lane()));
    some = some || !only_negative_zeros(c);
    ONEFOLD_UNROLL
    for (int j = 0; j < c.elements; ++j) {
      const uint32_t h = c.w[j] & 0x7fffffffu, key = h * 2 - 1;
      most = h > most ? h : most;
      least = key < least ? key : least;
      b += take(a, Totals::number(c.w[j]));
    }
  }
  if (m.any(most >= static_cast<uint32_t>(anchor) << 23 ||
            least < Totals::floor_of(anchor, Totals::wider))) {
    add_few_by_bins<set, U, warps>(m, words, x, n, i, parts.all);
    return {.lower_high_and_left = FewWarp::left};
  }
  const int64_t v = bits_of_double(a) - bits_of_double(Totals::magic_of(0, anchor)),
                v1 = bits_of_double(b) - bits_of_double(Totals::magic_of(1, anchor));
  const uint32_t low = m.redux_add(static_cast<uint32_t>(v) & few_mask);
  uint32_t low1 = m.redux_add(static_cast<uint32_t>(v1) & few_mask);
  const int high = m.redux_add(static_cast<int>(v >> 26));
  int high1 = m.redux_add(static_cast<int>(v1 >> 26));
  if (high1 == 1 << 30) {  // of halves of one sign only: an int has no room for twice that
    --high1;
    low1 += 1u << 26;
  }
  return {.low = low,
          .high = high,
          .lower_low_and_some = low1 | (m.any(some) ? FewWarp::some : 0),
          .lower_high_and_left = high1 * 2};
}

// The sum of the chunk's numbers, by a tree.
template <uint32_t set, int U, class M>
ONEFOLD_KERNEL double sum_of_few(M, const Chunk<float, U>& c) {
  constexpr int K = Chunk<float, U>::elements;
  double s[K];
  ONEFOLD_UNROLL
  for (int k = 0; k < K; ++k) s[k] = FewTotals<set>::number(c.w[k]);
  ONEFOLD_UNROLL
  for (int h = 1; h < K; h *= 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k + h < K; k += 2 * h) s[k] += s[k + h];
  }
  return s[0];
}

// Part i of an array by a warp; its totals.
template <uint32_t set, int U, int warps, class M>
ONEFOLD_KERNEL FewWarp add_few(M m, const Workspace<M>& workspace, In<M, float> x, uint32_t n,
                               uint32_t i, int anchor, const Chunk<float, U>& c) {
  using Totals = FewTotals<set>;
  static_assert(Chunk<float, U>::elements <= 16, "a window has room for 16 additions");
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
  // Both at once: a branch would cost as much as all of it.
  const bool fits = (bit_cast<uint32_t>(most[0]) < static_cast<uint32_t>(anchor) << 23) &
                    (least >= Totals::floor_of(anchor, Totals::binades));
  if (!m.all(fits)) [[unlikely]] {
    const Words<M, float, set> words(m, workspace);
    return add_few_by_windows<set, U, warps>(m, words, x, n, i, anchor);
  }
  const double sum = sum_of_few<set>(m, c), start = Totals::magic_of(0, anchor);
  const int64_t v = bits_of_double(start + sum) - bits_of_double(start);
  const uint32_t low = m.redux_add(static_cast<uint32_t>(v) & few_mask);
  const int high = m.redux_add(static_cast<int>(v >> 26));
  // A sum is -0 only if all its elements are.
  bool some;
  if constexpr (Totals::magnitudes) {
    some = !only_negative_zeros(c);
  } else {
    some = bit_cast<uint64_t>(sum) != uint64_t{1} << 63;
  }
  return {.low = low, .high = high, .lower_low_and_some = m.any(some) ? FewWarp::some : 0};
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
template <uint32_t set, class M>
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
  return FewTotals<set>::anchor_above(m.redux_max(most), m.redux_min(least));
}

template <uint32_t set, int U, int warps, uint32_t ops, class M>
ONEFOLD_KERNEL void few_sum(M m, In<M, float> x, Size n, const Workspace<M>& workspace,
                            const Results<M, ops>& results) {
  using Totals = FewTotals<set>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32, in_block = opaque(m.threads() / 32);
  const auto few = static_cast<uint32_t>(n);
  const Parts<float, U, uint32_t> parts(few, m.misaligned(x, 16));
  const uint32_t i = m.block() * in_block + warp, step = m.blocks() * in_block;
  Chunk<float, U> c{};
  if (i < parts.all) c = load_part(m, x, parts, i, lane);  // and, meanwhile, the sample
  const int anchor = anchor_of_few<set>(m, x + parts.head, few - parts.head);
  FewWarp mine{};
  if (i < parts.all) mine = add_few<set, U, warps>(m, workspace, x, few, i, anchor, c);
  if (i < parts.all && step < parts.all - i) [[unlikely]] {
    add_few_by_bins<set, U, warps>(m, Words<M, float, set>(m, workspace), x, few, i + step, step);
    mine.lower_high_and_left |= FewWarp::left;
  }
  auto of_warps = shared<FewWarp, warps, struct of_warps_>(m);
  if (lane == 0) of_warps[warp] = mine;
  m.sync();
  if (warp != 0) return;
  // All lanes look at all warps: by lanes it would be three more instructions of the whole warp,
  // each as long as a round trip to shared memory.
  uint64_t low = 0;
  int64_t high = 0, v1 = 0;
  uint32_t said = 0;
  int lower_high = 0;
  ONEFOLD_UNROLL
  for (unsigned k = 0; k < warps; ++k) {
    FewWarp w;
    if (k < in_block) w = of_warps[k];
    low += w.low;
    high += w.high;
    said |= w.lower_low_and_some;
    lower_high |= w.lower_high_and_left;
  }
  int64_t v = static_cast<int64_t>(low) + high * (int64_t{1} << 26);
  const bool left = (lower_high & FewWarp::left) != 0, some = said >= FewWarp::some;
  bool lower = ((said & ~FewWarp::some) | static_cast<uint32_t>(lower_high >> 1)) != 0;
  if (lower) [[unlikely]] {
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < in_block; ++k) {
      const FewWarp w = of_warps[k];
      v1 += static_cast<int64_t>(w.lower_low_and_some & ~FewWarp::some) +
            static_cast<int64_t>(w.lower_high_and_left >> 1) * (int64_t{1} << 26);
    }
  }
  // Piece by piece as blocks hand them over.
  const int64_t total = lane < 2 ? v : v1;
  Arrival a{.last = true,
            .left = left,
            .some = some,
            .piece = lane % 2 != 0 ? total >> 32 : total & 0xffffffff};
  if (m.blocks() > 1) {
    if (left) [[unlikely]]
      m.fence();
    const int64_t flags = Arrival::flags_of(left, some);
    a = arrive_pieces<2>(m, workspace.words + replicas * StateOf<float, set>::words,
                         lane == 4 ? flags : a.piece);
    if (!a.last) return;
    const int64_t low = a.low(m, 0), high = a.high(m, 0);
    v = low + high * (int64_t{1} << 32);
    lower = m.any((lane == 2 || lane == 3) && a.piece != 0) || high >> 30 != high >> 63;
  }
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
