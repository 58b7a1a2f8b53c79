// Folds short rows that are contiguous in memory: each lane folds whole rows.
//
//   warp     copies the rows of its lanes to shared memory by loads of 16 bytes; then each lane
//            reads its own rows there. So rows may have any length, such as 3 f32, which no load of
//            16 bytes would fit
//   banks    if the rows of neighbouring lanes began in the same bank, lanes begin at different
//            elements of their rows
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/schedule/beside.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct ShortRows {
  using All = LaneTotals<T, ops>;
  static constexpr int at_once = 2;  // rows that a lane folds at once
  enum : int { arrays = All::pairs ? 2 : 1 };
  enum : int { V = Vector16<T>::size, tile = 4096 / arrays / sizeof(T) };

  // Copies elements 0..n of a warp's rows to `to`, and waits for them.
  ONEFOLD_KERNEL static void copy(M m, Shared<M, T> to, In<M, T> from, uint32_t n, bool wide) {
    const auto lane = static_cast<uint32_t>(m.lane());
    uint32_t done = 0;
    if (wide) {
      done = n / V * V;
      const auto vectors = m.as_vectors(to);
      const auto source = m.by_vector(from);
      ONEFOLD_NO_UNROLL
      for (uint32_t v = lane; v < n / V; v += 32) m.copy_async(vectors + v, source + v);
      m.commit_copies();
    }
    ONEFOLD_NO_UNROLL
    for (uint32_t e = done + lane; e < n; e += 4 * 32) {
      T x[4];
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < 4; ++u) {
        if (!m.branch(e + u * 32 < n)) continue;
        const T one = from[e + u * 32];
        x[u] = one;
      }
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < 4; ++u) {
        if (m.branch(e + u * 32 < n)) to[e + u * 32] = x[u];
      }
    }
  }

  // Folds the lane's first `some` rows, of `length` elements, `E` elements at a time.
  //   second   offset of the second array's elements in shared memory
  template <int E, int some>
  ONEFOLD_KERNEL static void add(M m, All (&total)[at_once], Shared<M, T> from, Shared<M, T> second,
                                 const uint32_t (&row)[at_once], uint32_t length, uint32_t turn) {
    struct alignas(E * sizeof(T)) Unit {
      T v[E];
    };
    struct Word {
      uint32_t v[1];
    };
    // Lanes served by one pass of 128 bytes. If the lanes of two passes use the same banks, the
    // second pass begins one element later in its rows.
    constexpr uint32_t pass = sizeof(Unit) <= 4 ? 32 : 16;
    const auto units = m.template as<Unit>(from), others = m.template as<Unit>(second);
    const uint32_t n = length / E;
    uint32_t j = static_cast<uint32_t>(m.lane()) % pass / turn;
    typename All::Context range[at_once];
    typename All::Batch batch[at_once];
    ONEFOLD_NO_UNROLL
    for (uint32_t c = 0; c < n; ++c) {
      ONEFOLD_UNROLL
      for (int r = 0; r < some; ++r) {
        const Unit u = units[row[r] * n + j];
        if constexpr (All::packed && sizeof(Unit) == 4) {
          total[r].add_packed(bit_cast<Word>(u));
          continue;
        }
        SecondUnit<T, E, All::pairs> beside;
        if constexpr (All::pairs) {
          const Unit y = others[row[r] * n + j];
          beside.y = bit_cast<decltype(beside.y)>(y);
        }
        ONEFOLD_UNROLL
        for (int e = 0; e < E; ++e) {
          total[r].add(range[r], batch[r], beside.with(u.v[e], e),
                       j * E + static_cast<uint32_t>(e));
        }
      }
      j = j + 1 == n ? 0 : j + 1;
    }
    ONEFOLD_UNROLL
    for (int r = 0; r < some; ++r) {
      total[r].add(batch[r]);
      total[r].lose(range[r], length, length);
    }
  }
  // A unit of a read is 4 bytes; one element if a row's length is no multiple of 4 bytes.
  template <int some>
  ONEFOLD_KERNEL static void add_some(M m, All (&total)[at_once], Shared<M, T> from,
                                      Shared<M, T> second, const uint32_t (&row)[at_once],
                                      uint32_t length, uint32_t turn) {
    constexpr int E = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    if (E > 1 && length % E == 0) {
      add<E, some>(m, total, from, second, row, length, turn);
    } else {
      add<1, some>(m, total, from, second, row, length, turn);
    }
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void fold_short_rows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                    const Results<M, ops>& results, const Deal& deal) {
  using Rows = ShortRows<T, ops, M>;
  using All = LaneTotals<T, ops>;
  constexpr int at_once = Rows::at_once;
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32, warp = t / 32;
  constexpr unsigned of_warp = unsigned{Rows::tile} * unsigned{Rows::arrays};
  const auto staged = shared<T, block_warps * of_warp, struct staged_>(m) + warp * of_warp,
             second = staged + (of_warp - Rows::tile);
  const auto length = static_cast<uint32_t>(input.elements);
  const Size each = Size{32} * deal.batch, first = (Size{m.block()} * block_warps + warp) * each;
  if (first < deal.answers) {
    const auto here =
        static_cast<uint32_t>(deal.answers - first < each ? deal.answers - first : each);
    Rows::copy(m, staged, input.x + first * length, here * length, deal.wide);
    if constexpr (All::pairs) {
      Rows::copy(m, second, input.y + first * length, here * length, deal.wide_second);
    }
    m.template wait_copies<0>();
    m.sync_warp();
    ONEFOLD_NO_UNROLL
    for (uint32_t k = 0; k < deal.batch; k += at_once) {
      All total[at_once];
      uint32_t row[at_once];
      ONEFOLD_UNROLL
      for (int r = 0; r < at_once; ++r) {
        const uint32_t i = (k + static_cast<uint32_t>(r)) * 32 + lane;
        row[r] = i < here ? i : here - 1;
      }
      if (k + 1 < deal.batch) {
        Rows::template add_some<at_once>(m, total, staged, second, row, length, deal.turn);
      } else {
        Rows::template add_some<1>(m, total, staged, second, row, length, deal.turn);
      }
      ONEFOLD_UNROLL
      for (int r = 0; r < at_once; ++r) {
        const uint32_t s = k + static_cast<uint32_t>(r), i = s * 32 + lane;
        if (!m.branch(s < deal.batch && i < here)) continue;
        const Size number =
            input.answer + static_cast<Size>(static_cast<int64_t>(first + i) * input.axis[0].step);
        const bool sure =
            LaneAnswers<T, ops>::put_all(m, total[r], input, deal.formulas, results, number);
        if (!sure) note_undecided(m, scratch, first + i);
      }
    }
  }
}

}  // namespace onefold::kernel
