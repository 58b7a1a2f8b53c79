// Folds one segment for each lane of a warp, one tile of memory after another.
//
//   tile     4 KiB of contiguous elements (2 KiB if elements are selected; of each of two arrays
//            half of that), which a warp copies into shared memory by loads of 16 bytes, with the
//            mask's bytes if there is a mask. Tiles cover all elements of the segments, in order of
//            addresses, whatever the segments' order is, and skip what lies between segments
//   piece    the elements that a tile and a segment have in common. A lane adds a piece of up to
//            `deal.length` elements alone. All lanes share the longer pieces; they share all pieces
//            of a tile that has a longer one and at most 20 pieces
//   apart    if elements are not contiguous (!deal.wide), nothing is copied: a piece is a whole
//            segment, and the warp adds the longer ones one by one
#pragma once

#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// Offsets of a segment's first element in the array, the second array and the mask, and the number
// of its elements.
struct SegmentSpan {
  int64_t at = 0, second = 0, mask = 0;
  Size n = 0;
  uint32_t number = 0;  // index of the first element within its segment
  bool bad = false;
};

template <class T, OpSet ops, bool selects, class M>
struct SegmentPieces {
  using All = LaneTotals<T, ops, true>;
  static constexpr bool pairs = All::pairs;
  enum : int {
    tile = segment_tile_bytes / sizeof(T) / (selects ? 2 : 1) / (pairs ? 2 : 1),
    line = 128 / sizeof(T),  // elements that lie in different banks
    few = 20,                // if a tile has at most so many pieces and a long one, lanes share all
    at_once = 4,             // loads of a lane in flight
  };
  // Part of a segment: its offsets in the tile or in memory, and its first element's index.
  template <class I>
  struct PieceAt {
    I at = 0, second = 0, mask = 0;
    uint32_t number = 0, n = 0;
  };
  using Piece = PieceAt<Either<selects, int64_t, uint32_t>>;

  M m;
  const NestInput<M, T>& input;
  const Deal& deal;
  Shared<M, T> copied = {}, copied_second = {};  // the warp's tiles
  Shared<M, uint8_t> copied_mask = {};
  // The base addresses that a piece's offsets refer to, and the stride of its elements.
  Either<selects, In<M, T>, Shared<M, T>> from = {}, second_from = {};
  In<M, uint8_t> mask_from = {};
  int64_t apart = 1, second_apart = 1, mask_apart = 1;

  ONEFOLD_KERNEL void open() {
    const unsigned warp = static_cast<unsigned>(m.thread()) / 32;
    copied = shared<T, block_warps * tile, struct copied_>(m) + warp * unsigned{tile};
    from = copied;
    if constexpr (pairs) {  // the second array may begin elsewhere in its first vector
      constexpr unsigned of_second = unsigned{tile} + unsigned{Vector16<T>::size};
      copied_second = shared<T, block_warps * of_second, struct second_>(m) + warp * of_second;
      second_from = copied_second;
    }
    if constexpr (selects) {
      constexpr unsigned of_mask = tile + 2 * 16;
      static_assert(block_warps * (tile * sizeof(T) + of_mask) <
                    48 << 10);  // shared memory of a block
      copied_mask = shared<uint8_t, block_warps * of_mask, struct mask_>(m) + warp * of_mask;
      mask_from = copied_mask;
      if (deal.wide) return;
      from = input.x;
      if constexpr (pairs) second_from = input.y;
      mask_from = input.mask;
      apart = deal.apart;
      second_apart = input.axis[input.kept].stride[1];
      mask_apart = input.axis[input.kept].stride[2];
    }
  }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.thread()) % 32; }

  // Begins to copy elements low .. high of an array; returns the position of `low` in the copy.
  template <class U>
  ONEFOLD_KERNEL uint32_t copy(Shared<M, U> to, In<M, U> array, uint32_t low, uint32_t high) const {
    constexpr uint32_t V = Vector16<U>::size;
    const auto n = static_cast<uint32_t>(deal.rows), past = place_of(array, low),
               vectors = (high - low + past + V - 1) / V;
    const auto into = m.as_vectors(to);
    const auto source = m.by_vector(array + (int64_t{low} - int64_t{past}));
    uint32_t v = lane();
    if (low >= past && high + V <= n) {  // all vectors lie within the array
      ONEFOLD_NO_UNROLL
      for (; v + 96 < vectors; v += 128) {
        ONEFOLD_UNROLL
        for (uint32_t u = 0; u < 128; u += 32) m.copy_async(into + (v + u), source + (v + u));
      }
    }
    ONEFOLD_NO_UNROLL
    for (; v < vectors; v += 32) {
      const uint32_t e = low + v * V;  // the vector's first element is e - past
      if (m.branch(e >= past && e - past + V <= n)) {
        m.copy_async(into + v, source + v);
        continue;
      }
      ONEFOLD_NO_UNROLL
      for (uint32_t k = 0; k < V; ++k) {
        if (!m.branch(e + k >= past && e + k - past < n)) continue;
        const U one = array[int64_t{e + k - past}];
        to[v * V + k] = one;
      }
    }
    return past;
  }
  // Returns where the tile that begins at `low` ends: at a segment's end if the tile is half full
  // there.
  ONEFOLD_KERNEL uint32_t end_of(uint32_t low, uint32_t last, uint32_t end) const {
    const uint32_t most = low + (tile - place_of(input.x, low));
    if (last <= most) return last;
    const uint32_t whole = m.redux_max(end <= most ? end : 0);
    return whole >= low + tile / 2 ? whole : most;
  }
  template <class U>
  ONEFOLD_KERNEL uint32_t place_of(In<M, U> array, uint32_t low) const {
    return m.misaligned(array + int64_t{low}, 16) / static_cast<uint32_t>(sizeof(U));
  }

  // Returns the offset of a piece's element i from its first one.
  ONEFOLD_KERNEL static auto far(uint32_t i, int64_t each) {
    if constexpr (selects) {
      return static_cast<int64_t>(i) * each;
    } else {
      return i;
    }
  }
  // Adds `some` elements of a piece, from element e on; after its last element comes its first.
  //   left   elements of the piece that are not yet added; if `full`, at least `some`
  template <int some, bool full>
  ONEFOLD_KERNEL void take_some(All& total, typename All::Context& range,
                                typename All::Batch& batch, const Piece& p, uint32_t& e,
                                uint32_t left) const {
    struct Elements {
      T v[some];
    };
    Elements x = {};
    BesideUnit<T, some, selects, pairs> there = {};
    uint32_t at[some];
    ONEFOLD_UNROLL
    for (int u = 0; u < some; ++u) {
      at[u] = e;
      e = e + 1 < p.n ? e + 1 : 0;
      if (!full && !m.branch(static_cast<uint32_t>(u) < left)) continue;
      if constexpr (selects) {
        uint8_t taken = 1;
        if (input.chosen.masked) taken = mask_from[p.mask + far(at[u], mask_apart)];
        there.mask.put(u, taken);
      }
      const T one = from[p.at + far(at[u], apart)];
      x.v[u] = one;
      if constexpr (pairs) {
        const T other = second_from[p.second + far(at[u], second_apart)];
        there.second.y.v[u] = other;
      }
    }
    x = total.select(there, x, selects && input.chosen.omit);
    ONEFOLD_UNROLL
    for (int u = 0; u < some; ++u) {
      if (!full && !m.branch(static_cast<uint32_t>(u) < left)) continue;
      total.add(range, batch, there.with(x.v[u], u), p.number + at[u], there.takes(u));
    }
  }
  // Adds a piece. Lanes begin at different elements of their pieces, since the first elements of
  // pieces of 2^k elements lie in the same bank of shared memory.
  ONEFOLD_KERNEL void take(All& total, const Piece& p) const {
    if (p.n == 0) return;
    const uint32_t turns = 1u << (bit_length(uint64_t{p.n}) - 1);
    uint32_t e = static_cast<uint32_t>(p.at) / line & (turns - 1), left = p.n;
    typename All::Context range;
    typename All::Batch batch;
    ONEFOLD_NO_UNROLL
    for (; left >= at_once; left -= at_once) {
      take_some<at_once, true>(total, range, batch, p, e, left);
    }
    if constexpr (selects) {
      if (left != 0) take_some<at_once, false>(total, range, batch, p, e, left);
    } else {
      ONEFOLD_NO_UNROLL
      for (; left != 0; --left) take_some<1, true>(total, range, batch, p, e, left);
    }
    total.add(batch);
    total.lose(range, p.n, p.n);
  }

  // Adds the pieces of all lanes, each to its lane's total.
  ONEFOLD_KERNEL void take_pieces(All& total, const Piece& p) const {
    bool given = p.n > deal.length;
    const uint32_t longer = m.ballot(given);
    if (longer != 0 && m.count_bits(m.ballot(p.n != 0)) <= few) given = p.n != 0;
    if (m.branch(!given)) take(total, p);
    ONEFOLD_NO_UNROLL
    for (uint32_t left = m.ballot(given); left != 0;) {
      const uint32_t some = selects && !deal.wide ? left & (0 - left) : left;
      left &= ~some;
      const bool mine = (some >> lane() & 1) != 0;
      share(total, p, some, mine ? p.n : 0);
    }
  }
  // All 32 lanes together add the pieces of the lanes in `some`: each lane gets elements of one
  // piece, and about as many as the others. `n` is the length of the lane's own piece, or 0 if it
  // is not in `some`.
  ONEFOLD_KERNEL void share(All& total, const Piece& p, uint32_t some, uint32_t n) const {
    // Elements of a lane, lanes for the own piece, and lanes for all pieces.
    uint32_t each = (m.redux_add(n) + 31) / 32, wanted = 0, used = 0;
    ONEFOLD_NO_UNROLL
    for (;; each += each / 8 + 1) {
      wanted = (n + each - 1) / each;
      used = m.redux_add(wanted);
      if (used <= 32) break;
    }
    uint32_t behind = wanted;
    ONEFOLD_UNROLL
    for (unsigned d = 1; d < 32; d *= 2) {
      const uint32_t before = m.shuffle_up(behind, d);
      behind += lane() >= d ? before : 0;
    }
    const uint32_t first = (behind - wanted) % 32,
                   // A bit for the first lane of each piece.
        firsts = m.redux_add(n == 0 ? 0 : 1u << first), here = firsts & ~0u >> (31 - lane()),
                   later = firsts & ~here;
    const auto sub = lane() + 1 - static_cast<unsigned>(bit_length(uint64_t{here}));
    uint32_t rest = some;
    ONEFOLD_NO_UNROLL
    for (int k = m.count_bits(here); k > 1; --k) rest &= rest - 1;
    const unsigned of = lowest_bit(rest), end = later == 0 ? used : lowest_bit(later);
    const uint32_t done = sub * each, all = m.shuffle(p.n, of);
    Piece its;
    its.at = m.shuffle(p.at, of);
    its.number = m.shuffle(p.number, of) + done;
    its.n = lane() >= used ? 0 : all - done < each ? all - done : each;
    if constexpr (selects) {
      its.at += int64_t{done} * apart;
      its.mask = m.shuffle(p.mask, of) + int64_t{done} * mask_apart;
      if constexpr (pairs) its.second = m.shuffle(p.second, of) + int64_t{done} * second_apart;
    } else {
      its.at += done;
      if constexpr (pairs) its.second = m.shuffle(p.second, of) + done;
    }
    All one;
    take(one, its);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 1; m.any(lane() + d < end); d *= 2) {
      const All next = one.from_lane(m, (lane() + d) % 32);
      if (lane() + d < end) one.add(next);
    }
    const All all_of = one.from_lane(m, first);
    if (n != 0) total.add(all_of);
  }

  // Returns the totals of each lane's span. The array has fewer than 2^31 elements.
  ONEFOLD_KERNEL All fold(const SegmentSpan& span) const {
    All total;
    const auto n = static_cast<uint32_t>(span.n);
    if constexpr (selects) {
      if (!deal.wide) {
        take_pieces(total, {span.at, span.second, span.mask, span.number, n});
        return total;
      }
    }
    const uint32_t begin = n == 0 ? 0 : static_cast<uint32_t>(span.at), end = begin + n,
                   last = m.redux_max(end);
    ONEFOLD_NO_UNROLL
    for (uint32_t low = m.redux_min(n == 0 ? ~0u : begin); low < last;) {
      m.sync_warp();  // all lanes have read the tile before
      const uint32_t high = end_of(low, last, end), past = copy(copied, input.x, low, high);
      Piece p;
      if constexpr (pairs) p.second = copy(copied_second, input.y, low, high);
      if constexpr (selects) {
        if (input.chosen.masked) p.mask = copy(copied_mask, input.mask, low, high);
      }
      m.commit_copies();
      m.template wait_copies<0>();
      m.sync_warp();
      const uint32_t first = begin > low ? begin : low, behind = end < high ? end : high;
      p.at = first - low + past;
      p.second += first - low;
      p.mask += first - low;
      p.number = span.number + (first - begin);
      p.n = first < behind ? behind - first : 0;
      take_pieces(total, p);
      low = m.redux_min(end <= high ? ~0u : first > high ? first : high);
    }
    return total;
  }
};

}  // namespace onefold::kernel
