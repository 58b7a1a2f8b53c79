// A part of a line as a block sees it: its elements, its answers, and the state before a tile.
#pragma once

#include "onefold/cuda/kernel/scan/stage.hpp"
#include "onefold/cuda/kernel/scan/state.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, OpSet ops, unsigned block_warps, class M>
struct ScanLine {
  using Totals = ScanOf<T>;
  using Anchor = typename Totals::Anchor;
  using Range = typename Totals::Range;
  using Answer = typename Totals::Answer;
  using State = ScanState<T, M>;
  static constexpr unsigned items = scan_items<T>;
  static constexpr int fields = Totals::fields, words = State::words,
                       warps = static_cast<int>(block_warps);
  static constexpr unsigned threads = 32 * block_warps, tile_size = threads * items;
  template <class U>
  using Stage = WarpStage<U, items, block_warps>;
  static constexpr bool staged = items * sizeof(T) >= 16;
  using Elements =
      typename EitherOf<staged, Staged<T, items, block_warps>, Unstaged<T, items>>::type;
  using AnswersOfThread = Staged<Answer, items, block_warps>;

  // A tile: its first element of the line, and this thread's.
  struct Tile {
    Size first, mine, end;
    ONEFOLD_KERNEL Tile(M m, Size begin, Size of_part)
        : first(begin), mine(begin + static_cast<unsigned>(m.thread()) * items), end(of_part) {}
    ONEFOLD_KERNEL Size warp(M m) const { return mine - static_cast<unsigned>(m.lane()) * items; }
    // The number of elements of the warp.
    ONEFOLD_KERNEL Size of_warp(M m) const {
      const Size begin = warp(m);
      return begin < end ? end - begin : 0;
    }
    // Whether a warp's elements are whole lines of memory.
    ONEFOLD_KERNEL bool full(M m, const Scan<M, T>& in) const {
      return staged && in.wide && warp(m) + 32 * items <= end;
    }
  };

  const Scan<M, T>& in;
  const Results<M, ops>& results;
  const ScanPart part;
  const State state;

  ONEFOLD_KERNEL ScanLine(M m, const Scan<M, T>& input, const Results<M, ops>& r, const ScanPart& p)
      : in(input), results(r), part(p), state(m) {}

  ONEFOLD_KERNEL T element(Size i) const {
    const T x = in.nest.x[part.x + static_cast<int64_t>(i) * in.stride()];
    return x;
  }
  ONEFOLD_KERNEL int64_t place_of(Size i) const {
    return static_cast<int64_t>(part.y) + static_cast<int64_t>(i) * in.apart;
  }
  ONEFOLD_KERNEL void load(M m, const Tile& tile, Elements& x) const {
    const bool omits = results.nan == NanPolicy::omit;
    const auto change = [&](T& one) {
      if constexpr (Floating<T>) {
        if (omits && decode(one).nan) one = T{};  // changes no sum behind another element
      }
    };
    if constexpr (staged) {
      if (tile.full(m, in)) {
        Stage<T>::load(m, in.nest.x + (part.x + static_cast<int64_t>(tile.warp(m))), change);
        return;
      }
      if (in.stride() == 1) {
        Stage<T>::load_some(m, in.nest.x + (part.x + static_cast<int64_t>(tile.warp(m))),
                            tile.of_warp(m), change);
        return;
      }
    }
    x.set(m, [&](unsigned j) {
      T one{};
      if (tile.mine + j < tile.end) one = element(tile.mine + j);
      change(one);
      return one;
    });
  }
  ONEFOLD_KERNEL void store(M m, const Tile& tile, const AnswersOfThread& y, uint32_t bad) const {
    const Place<M>& to = results.place[0];
    const auto answers = m.template as<Answer>(to.value);
    if (tile.full(m, in) && !in.exclusive) {
      Stage<Answer>::store(m, answers + place_of(tile.warp(m)));
    } else if (in.apart == 1) {
      Stage<Answer>::store_some(m, answers + place_of(tile.warp(m)), tile.of_warp(m));
    } else {
      y.each(m, [&](unsigned j, Answer one) {
        if (tile.mine + j < tile.end) answers[place_of(tile.mine + j)] = one;
      });
    }
    if (!to.has_status) return;
    ONEFOLD_NO_UNROLL
    for (unsigned j = 0; j < items && tile.mine + j < tile.end; ++j) {
      to.status[place_of(tile.mine + j)] =
          static_cast<uint8_t>((bad >> j & 1) != 0 ? Status::overflow : Status::ok);
    }
  }
};

}  // namespace onefold::kernel
