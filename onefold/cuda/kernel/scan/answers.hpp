// Answers the elements of a part, tile by tile, from the state of all elements before it.
//
//   tile   windows hold its elements, and the leading bits of the sum before: threads scan
//          integers, then each adds its elements again, and rounds after each. Windows are kept as
//          long as they hold tiles, and then chosen anew
//   words  tiles that no windows hold are scanned by exact words (by_words.hpp)
#pragma once

#include "onefold/cuda/kernel/scan/by_words.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, OpSet ops, unsigned block_warps, class M>
struct ScanAnswers : ScanByWords<T, set, ops, block_warps, M> {
  using Line = ScanLine<T, set, ops, block_warps, M>;
  using ScanByWords<T, set, ops, block_warps, M>::ScanByWords;
  using typename Line::Anchor;
  using typename Line::Answer;
  using typename Line::AnswersOfThread;
  using typename Line::Elements;
  using typename Line::Range;
  using typename Line::State;
  using typename Line::Tile;
  using typename Line::Totals;
  using Fields = typename ScanByWords<T, set, ops, block_warps, M>::Fields;
  using Line::element, Line::fields, Line::in, Line::items, Line::load, Line::part, Line::results,
      Line::state, Line::store, Line::warps, Line::words;

  // Adds the lanes before this one in its warp to f; returns the warp's total in `own`.
  ONEFOLD_KERNEL static void scan_warp(M m, int64_t (&f)[fields], int64_t (&own)[fields]) {
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) {
      const int64_t mine = f[k];
      f[k] = sum_up_to(m, mine);
      own[k] = m.shuffle(f[k], 31);
      f[k] -= mine;
    }
  }
  // The sum before a tile as fields of an anchor, the same in all threads. What is below the unit
  // stays in the state.
  struct Before {
    Anchor anchor{0};
    int64_t f[fields] = {};
    bool more = false;  // something is below the unit
    bool valid = false;
  };

  // Finds an anchor for a tile and the sum before it. There is none for a sum without elements
  // other than -0, for NaN and infinities, and for a range that is too large.
  ONEFOLD_KERNEL Before find_anchor(M m, const Elements& x) const {
    Range r;
    x.each(m, [&](unsigned, T one) { r.see(one); });
    auto of_warps = shared<uint32_t, 2 * warps, struct ranges_>(m);
    const unsigned t = static_cast<unsigned>(m.thread());
    if constexpr (Floating<T>) {
      r.greatest = m.redux_max(r.greatest);
      r.smallest = m.redux_min(r.smallest);
      if (t % 32 == 0) {
        of_warps[static_cast<int>(t / 32)] = r.greatest;
        of_warps[warps + static_cast<int>(t / 32)] = r.smallest;
      }
      m.sync();
      ONEFOLD_NO_UNROLL
      for (int w = 0; w < warps; ++w) {
        const uint32_t greatest = of_warps[w], smallest = of_warps[warps + w];
        r.greatest = greatest > r.greatest ? greatest : r.greatest;
        r.smallest = smallest < r.smallest ? smallest : r.smallest;
      }
    }
    const int special = state.fact[static_cast<int>(scan_special)],
              some = state.fact[static_cast<int>(scan_some)],
              top = state.fact[static_cast<int>(scan_top)] + State::Sum::unit - 27,
              bottom = state.fact[static_cast<int>(scan_bottom)] + State::Sum::unit;
    // Room for elements that are a little greater.
    const int wanted = top > r.exponent() + 2 ? top : r.exponent() + 2;
    Before b;
    b.anchor = Anchor(wanted);
    if (!b.anchor.fits(r)) b.anchor = Anchor(top > r.exponent() ? top : r.exponent());
    b.valid = special == 0 && some != 0 && b.anchor.fits(r) && b.anchor.holds(top);
    if (b.valid) {
      b.more = bottom < b.anchor.unit();
      state.fields_to(b.anchor, b.f);
    }
    int64_t some_field = 0;
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) some_field |= b.f[k];
    if (some_field == 0) return b;  // nothing is to be taken from the state
    m.sync();                       // all have read the state
    if (b.valid && t == 0) {
      int64_t less[fields];
      ONEFOLD_UNROLL
      for (int k = 0; k < fields; ++k) less[k] = -b.f[k];
      state.add(b.anchor, less);
      State::settle(m, results.nan);
    }
    return b;
  }
  // Adds the sum to the state again.
  ONEFOLD_KERNEL void give_back(M m, Before& b) const {
    if (!b.valid) return;
    m.sync();
    if (static_cast<unsigned>(m.thread()) == 0) {
      state.add(b.anchor, b.f);
      State::settle(m, results.nan);
    }
    b.valid = false;
    m.sync();
  }

  // Adds the warps before this one to f; returns the tile's total, and whether all elements fit.
  ONEFOLD_KERNEL static bool add_warps(M m, Shared<M, int64_t> of_warps, int64_t (&f)[fields],
                                       int64_t (&all)[fields]) {
    const int warp = static_cast<int>(static_cast<unsigned>(m.thread()) / 32);
    int64_t misfits = 0;
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) all[k] = 0;
    ONEFOLD_UNROLL
    for (int w = 0; w < warps; ++w) {
      ONEFOLD_UNROLL
      for (int k = 0; k < fields; ++k) {
        const int64_t v = of_warps[w * (fields + 1) + k];
        if (w == warp) f[k] += all[k];
        all[k] += v;
      }
      misfits += of_warps[w * (fields + 1) + fields];
    }
    return misfits == 0;
  }

  // Answers a tile by windows, behind the sum before, to which it is added. Returns false, and has
  // done nothing, if the windows do not hold its elements.
  //   turn  0 or 1, the other one for the next tile
  ONEFOLD_KERNEL bool answer_tile(M m, const Tile& tile, Before& before, const Elements& x,
                                  int turn) const {
    auto totals_of_warps = shared<int64_t, 2 * warps*(fields + 1), struct of_warps_>(m);
    const auto of_warps = totals_of_warps + turn * (warps * (fields + 1));
    const unsigned t = static_cast<unsigned>(m.thread());
    const Anchor anchor = before.anchor;
    int64_t f[fields], own[fields];
    Range range;
    {
      Totals totals(anchor);
      x.each(m, [&](unsigned, T one) {
        range.see(one);
        totals.add(one);
      });
      totals.fields_to(anchor, f);
    }
    scan_warp(m, f, own);
    const bool misfit = m.any(!anchor.fits(range));
    if (t % 32 == 0) {
      const auto mine = of_warps + static_cast<int>(t / 32) * (fields + 1);
      ONEFOLD_UNROLL
      for (int k = 0; k < fields; ++k) mine[k] = own[k];
      mine[fields] = misfit ? int64_t{1} : int64_t{0};
    }
    m.sync();
    if (!add_warps(m, of_warps, f, own)) return false;
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) f[k] += before.f[k];
    carry_fields<Totals::gap>(f);
    const uint32_t bad = round_all(m, tile, anchor, before.more, x, f);
    if constexpr (Floating<T>) {
      if (bad != 0) this->again(m, in, results, tile.first, anchor, Fields(f), bad);
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < fields; ++k) before.f[k] += own[k];
    carry_fields<Totals::gap>(before.f);
    return true;
  }
  // Adds a thread's elements to the sum before them, and stores it after each. Returns which
  // answers must be found by exact words.
  ONEFOLD_KERNEL uint32_t round_all(M m, const Tile& tile, const Anchor& anchor, bool more,
                                    const Elements& x, const int64_t (&f)[fields]) const {
    Totals running(anchor);
    running.begin_at(anchor, f);
    const auto least = Totals::least_of(anchor, more);
    uint32_t bad = 0;
    AnswersOfThread answers;
    const auto answer = [&](unsigned j, T one) {
      running.add(one);
      Answer r;
      bad |= running.answer(anchor, more, least, r) ? 0u : 1u << j;
      return r;
    };
    if constexpr (sizeof(T) == sizeof(Answer)) {
      using Stage = typename Line::template Stage<T>;
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Stage::vectors; ++j) {
        const Vector16<T> v = Stage::take(m, j);
        Vector16<Answer> r;
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < Stage::size; ++k) r.v[k] = answer(j * Stage::size + k, v.v[k]);
        Line::template Stage<Answer>::put(m, j, r);
      }
    } else {
      T one[items];
      x.each(m, [&](unsigned j, T e) { one[j] = e; });
      answers.set(m, [&](unsigned j) { return answer(j, one[j]); });
    }
    store(m, tile, answers, Floating<T> ? 0 : bad);
    return bad;
  }
  // Answers a tile behind a NaN that counts.
  ONEFOLD_KERNEL void answer_nan(M m, const Tile& tile) const {
    if constexpr (Floating<T>) {
      constexpr uint64_t nan = float_format(dtype_of<T>).nan();
      AnswersOfThread y;
      y.set(m, [&](unsigned) { return bit_cast<T>(static_cast<bits_of<T>>(nan)); });
      store(m, tile, y, 0);
    }
  }

  // Whether an element is neither -0 nor NaN.
  ONEFOLD_KERNEL static bool counts(T x) {
    if constexpr (Floating<T>) {
      const Decoded d = decode(x);
      return !d.nan && !(d.zero() && d.negative);
    } else {
      return false;
    }
  }
  ONEFOLD_KERNEL void run(M m) const {
    const unsigned t = static_cast<unsigned>(m.thread());
    if (in.exclusive && part.begins && t == 0) this->put_nothing(m, in, results);
    if (part.first >= part.end) return;
    for (int k = static_cast<int>(t); k < words; k += static_cast<int>(Line::threads)) {
      int64_t v = 0;
      if (!part.begins) v = in.states[Size{m.block()} * words + static_cast<Size>(k)];
      state.word[k] = v;
    }
    m.sync();
    if (t == 0) {
      if (part.begins) {
        state.begin(counts(element(part.first)));
      } else {
        State::settle(m, results.nan);
      }
    }
    m.sync();
    const bool plain = ops == bit_of(OpIndex::sum_) && results.place[0].dtype == dtype_of<Answer>;
    Before before;
    int turn = 0;
    ONEFOLD_NO_UNROLL
    for (Size first = part.first; first < part.end;) {
      const Tile tile(m, first, part.end);
      if (plain) {
        const int special = state.fact[static_cast<int>(scan_special)];
        if (!before.valid && special == 2 && results.nan == NanPolicy::propagate) {
          answer_nan(m, tile);
          first += Line::tile_size;
          continue;
        }
        Elements x;
        load(m, tile, x);
        const bool kept = before.valid;
        if (!kept) before = find_anchor(m, x);
        turn ^= 1;
        if (before.valid && answer_tile(m, tile, before, x, turn)) {
          if (before.f[0] >= Totals::most || before.f[0] <= -Totals::most) give_back(m, before);
          first += Line::tile_size;
          continue;
        }
        if (kept) {  // once more, with another anchor
          give_back(m, before);
          continue;
        }
      }
      this->by_words(m, in, results, first);
      first += Line::tile_size;
    }
  }
};

}  // namespace onefold::kernel
