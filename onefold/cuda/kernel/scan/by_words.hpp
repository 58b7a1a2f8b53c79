// Answers elements by exact words: for tiles that no windows hold, and for single answers.
#pragma once

#include "onefold/cuda/kernel/scan/column.hpp"
#include "onefold/cuda/kernel/scan/line.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, OpSet ops, unsigned block_warps, class M>
struct ScanByWords : ScanLine<T, set, ops, block_warps, M> {
  using Line = ScanLine<T, set, ops, block_warps, M>;
  using Column = ScanColumn<T>;
  using Line::element, Line::fields, Line::items, Line::place_of, Line::results, Line::state,
      Line::warps, Line::words;
  using Line::Line;
  using typename Line::Anchor;
  using typename Line::Answer;
  using typename Line::State;
  using typename Line::Tile;
  using typename Line::Totals;

  struct Fields {  // passed by value, so that they stay in registers until then
    int64_t v[fields];
    ONEFOLD_KERNEL explicit Fields(const int64_t (&f)[fields]) {
      ONEFOLD_UNROLL
      for (int k = 0; k < fields; ++k) v[k] = f[k];
    }
  };
  // Rounds single answers from exact words: small sums, of which the state has bits that are below
  // the windows.
  ONEFOLD_KERNEL void answer_again(M m, Tile tile, Anchor anchor, Fields f, uint32_t bad) const {
    Column column(results.nan);
    const int position = anchor.unit() - State::Sum::unit;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < State::limbs; ++k) column.word[k] = state.word[k];
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < fields; ++k) {
      add_at<State::limbs>(position + Totals::gap * (fields - 1 - k), f.v[k],
                           [&](int limb, int64_t part) { column.word[limb] += part; });
    }
    column.carry();
    column.word[State::limbs + State::Counts::n] = 1;
    column.word[State::limbs + State::Counts::not_negative_zero] = 1;
    ONEFOLD_NO_UNROLL
    for (unsigned j = 0; j < items && tile.mine + j < tile.end; ++j) {
      const T x = element(tile.mine + j);
      if (!decode(x).nan) column.add_carried(x);
      if ((bad >> j & 1) == 0) continue;
      const auto answers = m.template as<Answer>(results.place[0].value);
      answers[place_of(tile.mine + j)] = rounded_column(column);
    }
  }

  // Answers a tile by exact words.
  ONEFOLD_KERNEL void answer_words(M m, Tile tile) const {
    auto of_warps = shared<int64_t, words * warps, struct word_sums_>(m);
    const unsigned t = static_cast<unsigned>(m.thread()), lane = static_cast<unsigned>(m.lane());
    const int warp = static_cast<int>(t / 32);
    Column own(results.nan);
    ONEFOLD_NO_UNROLL
    for (unsigned j = 0; j < items && tile.mine + j < tile.end; ++j)
      own.add(element(tile.mine + j));
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < words; ++k) {
      const int64_t mine = own.word[k];
      const int64_t upto = sum_up_to(m, mine);
      if (lane == 31) of_warps[k * warps + warp] = upto;
      own.word[k] = upto - mine;
    }
    m.sync();
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < words; ++k) {
      int64_t v = state.word[k];
      ONEFOLD_UNROLL
      for (int w = 0; w < warps; ++w) {
        const int64_t one = of_warps[k * warps + w];
        v += w < warp ? one : 0;
      }
      own.word[k] += v;
    }
    own.carry();
    m.sync();  // all have read the state
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(t); k < words; k += static_cast<int>(Line::threads)) {
      int64_t v = 0;
      ONEFOLD_UNROLL
      for (int w = 0; w < warps; ++w) {
        const int64_t one = of_warps[k * warps + w];
        v += one;
      }
      state.word[k] += v;
    }
    m.sync();
    if (t == 0) State::settle(m, results.nan);
    ONEFOLD_NO_UNROLL
    for (unsigned j = 0; j < items && tile.mine + j < tile.end; ++j) {
      own.add_carried(element(tile.mine + j));
      own.find_high();
      put(m, own, tile.mine + j);
    }
    m.sync();
  }
  ONEFOLD_KERNEL void put(M m, Column& own, Size i) const {
    const ScanView<T> view{own, own.nan};
    int k = 0;
    each_op<ops>([&]<class Op>() {
      const Place<M>& to = results.place[k++];
      if constexpr (Floating<T> && ops == bit_of(OpIndex::sum_)) {
        if (to.dtype == dtype_of<T> && !(results.nan == NanPolicy::raise && own.special())) {
          const auto answers = m.template as<T>(to.value);
          answers[place_of(i)] = rounded_column(own);
          if (to.has_status) to.status[place_of(i)] = static_cast<uint8_t>(Status::ok);
          return;
        }
      }
      const Rounded r = round<Taking<steps_of<T, ops>()>>(Op::finish(view), to.dtype);
      const auto bytes = static_cast<unsigned>(bytes_of(to.dtype));
      put_bits(m, of_answer(to, static_cast<Size>(place_of(i))), bytes, r.bits, r.status);
    });
  }
  // Not inlined. They find out themselves where the part lies, so that little is passed on.
  ONEFOLD_KERNEL_COLD static void again(M m, const Scan<M, T>& in, const Results<M, ops>& results,
                                        Size first, Anchor anchor, Fields f, uint32_t bad) {
    const ScanByWords scan(m, in, results, ScanPart(m, in));
    scan.answer_again(m, Tile(m, first, scan.part.end), anchor, f, bad);
  }
  // Answers the first element of a line without itself: the fold of nothing.
  ONEFOLD_KERNEL_COLD static void put_nothing(M m, const Scan<M, T>& in,
                                              const Results<M, ops>& results) {
    const ScanByWords scan(m, in, results, ScanPart(m, in));
    Column none(results.nan);
    none.find_high();
    scan.put(m, none, scan.part.first - 1);
  }
  ONEFOLD_KERNEL_COLD static void by_words(M m, const Scan<M, T>& in,
                                           const Results<M, ops>& results, Size first) {
    const ScanByWords scan(m, in, results, ScanPart(m, in));
    scan.answer_words(m, Tile(m, first, scan.part.end));
  }
};

}  // namespace onefold::kernel
