// Sums parts of lines, and the parts before each part.
#pragma once

#include "onefold/cuda/kernel/scan/column.hpp"
#include "onefold/cuda/kernel/scan/state.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, class M>
struct ScanParts {
  using Totals = ScanOf<T>;
  using Anchor = typename Totals::Anchor;
  using Range = typename Totals::Range;
  using State = ScanState<T, M>;
  using Counts = accumulator::tally<T>;
  static constexpr int words = State::words, fields = Totals::fields;
  static_assert(words == StateOf<T, set>::words);
  // Elements that a lane adds between two looks at their range: loads of 16 bytes.
  static constexpr unsigned vector = Vector16<T>::size, loads = sizeof(T) == 1 ? 1 : 4,
                            each = loads * vector;
  // A lane adds so many to its windows: the lower ones hold 2^11 elements.
  static constexpr unsigned most = 1024 / each;

  // Lifts elements one by one to the words of the block. Reads them again: they stay in registers
  // for the windows, if nothing takes their address.
  ONEFOLD_KERNEL_COLD static void lift(M m, In<M, T> x, int64_t stride, Size first, Size end,
                                       bool wide) {
    const State state(m);
    ONEFOLD_NO_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const Size i =
          first + (wide ? (j / vector * scan_threads + static_cast<unsigned>(m.thread())) * vector +
                              j % vector
                        : j * scan_threads + static_cast<unsigned>(m.thread()));
      if (i >= end) continue;
      const T one = x[static_cast<int64_t>(i) * stride];
      lift_one(m, state, one);
    }
  }
  ONEFOLD_KERNEL static void lift_one(M m, State state, T x) {
    accumulator::sum<T>::lift([&](int k, int64_t v) { m.add(state.word, k, v); }, x, 0);
    Counts::lift(
        [&](int k, int64_t v) {
          if (k != Counts::n) m.add(state.word, State::limbs + k, v);
        },
        x, 0);
  }

  // What a lane has added since its windows were emptied.
  struct Lane {
    Anchor anchor;
    Totals totals;
    unsigned rounds = 0;
    ONEFOLD_KERNEL explicit Lane(int e) : anchor(e), totals(anchor) {}

    ONEFOLD_KERNEL void flush(M m, State state) {
      int64_t f[fields];
      totals.fields_to(anchor, f);
      totals = Totals(anchor);
      rounds = 0;
      const int position = anchor.unit() - accumulator::sum<T>::unit;
      ONEFOLD_UNROLL
      for (int k = 0; k < fields; ++k) {
        const WarpSum sum = warp_sum(m, f[k]);
        const int at = position + Totals::gap * (fields - 1 - k);
        if (static_cast<unsigned>(m.lane()) != 0) continue;
        deposit(m, state, at, sum.low);
        deposit(m, state, at + 44, sum.high);
      }
    }
    ONEFOLD_KERNEL static void deposit(M m, State state, int position, int64_t v) {
      if (v == 0) return;
      add_at<State::limbs>(position, v, [&](int k, int64_t part) { m.add(state.word, k, part); });
    }
    // Adds a lane's elements, if those of the whole warp fit, and some is not zero.
    ONEFOLD_KERNEL bool add(M m, State state, const T (&x)[each]) {
      if constexpr (Floating<T>) {
        Range r;
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < each; ++j) r.see(x[j]);
        r.greatest = m.redux_max(r.greatest);
        r.smallest = m.redux_min(r.smallest);
        if (r.greatest == 0) return false;
        if (!anchor.fits(r)) {
          // Room for elements that are a little greater.
          const Anchor other(r.exponent() + 4);
          if (!other.fits(r)) return false;
          flush(m, state);
          anchor = other;
          totals = Totals(anchor);
        }
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < each; ++j) totals.add(x[j]);
      if (++rounds == most) flush(m, state);
      return true;
    }
  };

  ONEFOLD_KERNEL static void sum(M m, const Scan<M, T>& in) {
    const ScanPart part(m, in);
    const State state(m);
    const unsigned t = static_cast<unsigned>(m.thread());
    for (int k = static_cast<int>(t); k < words; k += static_cast<int>(scan_threads)) {
      state.word[k] = int64_t{0};
    }
    m.sync();
    Lane lane(0);
    bool some = false;
    const auto line = in.nest.x + part.x;
    ONEFOLD_NO_UNROLL
    for (Size first = part.first; first < part.end; first += Size{scan_threads} * each) {
      T x[each];
      const bool wide = in.wide && first + Size{scan_threads} * each <= part.end;
      if (wide) {
        const auto from = m.by_vector(line + static_cast<int64_t>(first));
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < loads; ++j) {
          const Vector16<T> v = m.stream(from, j * scan_threads + t);
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < vector; ++k) x[j * vector + k] = v.v[k];
        }
      } else {
        ONEFOLD_UNROLL
        for (unsigned j = 0; j < each; ++j) {
          const Size i = first + j * scan_threads + t;
          x[j] = neutral();
          if (i < part.end) x[j] = line[static_cast<int64_t>(i) * in.stride()];
        }
      }
      if (lane.add(m, state, x)) {
        some = true;
      } else {
        lift(m, line, in.stride(), first, part.end, wide);
      }
    }
    lane.flush(m, state);
    if (Floating<T> && some && t % 32 == 0) {
      m.add(state.word, State::limbs + static_cast<int>(Counts::not_negative_zero), int64_t{1});
    }
    m.sync();
    if (t == 0) state.word[State::limbs + Counts::n] = static_cast<int64_t>(part.end - part.first);
    m.sync();
    for (int k = static_cast<int>(t); k < words; k += static_cast<int>(scan_threads)) {
      const int64_t v = state.word[k];
      in.states[Size{m.block()} * words + static_cast<Size>(k)] = v;
    }
  }
  // An element that changes no sum and no tally but n.
  ONEFOLD_KERNEL static T neutral() {
    if constexpr (Floating<T>) {
      return bit_cast<T>(static_cast<bits_of<T>>(bits_of<T>{1} << (8 * sizeof(T) - 1)));
    } else {
      return T{};
    }
  }

  // Replaces the state of each part of a line by that of the parts before it. A warp has a word.
  ONEFOLD_KERNEL static void carry(M m, const Scan<M, T>& in) {
    const Size block = m.block(), line = quotient_of(block, Size{words}),
               word = block - line * words;
    const auto states = in.states + (line * in.parts * words + word);
    const unsigned lane = static_cast<unsigned>(m.lane());
    if (static_cast<unsigned>(m.thread()) >= 32) return;
    int64_t before = 0;
    constexpr unsigned ahead = 4;
    ONEFOLD_NO_UNROLL
    for (Size p = lane; p - lane < in.parts; p += 32 * ahead) {
      int64_t v[ahead];
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < ahead; ++k) {
        v[k] = 0;
        if (p + 32 * k < in.parts) v[k] = states[(p + 32 * k) * words];
      }
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < ahead; ++k) {
        const int64_t upto = sum_up_to(m, v[k]);
        if (p + 32 * k < in.parts) states[(p + 32 * k) * words] = before + upto - v[k];
        before += m.shuffle(upto, 31);
      }
    }
  }
};

}  // namespace onefold::kernel
