// Extremes of few elements, where the instructions of one warp decide.
//
//   warp     takes a part, and finds the best element's index where it has the elements; what a
//            part lacks is its last vector again, which stands first where it really stands
//   last     one warp of the last block merges what all have handed over (rivals.hpp)
//   bound    fewer than 2^31 - 2 elements
#pragma once

#include "onefold/kernel/rivals.hpp"
#include "onefold/kernel/tiles.hpp"

namespace onefold::kernel {

// What an op sees of extremes; the same as onefold::Gathered.
template <class T>
struct FewFound {
  Rival<T> least, greatest;
  Size first, nan_index;  // of the first element; none: no NaN
  NanPolicy nan;

  ONEFOLD_KERNEL const Rival<T>& of(Accumulator a) const {
    return a == Accumulator::least ? least : greatest;
  }
  ONEFOLD_KERNEL int64_t order_key(Accumulator a) const {
    const auto key = of(a).key();
    return Keys<T>::order_key_of(
        a == Accumulator::least ? key : static_cast<typename Keys<T>::Key>(~key));
  }
  ONEFOLD_KERNEL Size index(Accumulator a) const {
    return of(a).some() ? first + of(a).stands_at() : none;
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    Extreme e = extreme_of(index(a), nan_index, nan);
    if (!e.nan && !e.empty) e.value = real_of_key<T>(order_key(a));
    return e;
  }
};
// By one thread.
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer_near_extremes(M m, FewFound<T> g, Results<M, ops> results) {
  if constexpr (ops == 0) {
    using State = StateOf<T, set>;
    const auto put = [&](Accumulator a) {
      const int at = State::offset(a);
      const bool some = g.of(a).some();
      results.state[at] = some ? g.order_key(a)
                          : a == Accumulator::least
                              ? typename accumulator::least<T>::State{}.key
                              : typename accumulator::greatest<T>::State{}.key;
      results.state[at + 1] = static_cast<int64_t>(g.index(a));
      results.state[at + 2] = static_cast<int64_t>(g.nan_index);
    };
    if constexpr (State::has(Accumulator::least)) put(Accumulator::least);
    if constexpr (State::has(Accumulator::greatest)) put(Accumulator::greatest);
  } else {
    int k = 0;
#define ONEFOLD_ENTRY(name)                                                      \
  if constexpr (asks(ops, OpIndex::name##_)) {                                   \
    if constexpr (requires { op::name##_::finish(g); }) {                        \
      put_cold<steps_of<T, ops>()>(m, results.place[k], op::name##_::finish(g)); \
    }                                                                            \
    ++k;                                                                         \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  }
}
// The answer to one op, where it is a number of the array's type or an index as it is. False: it is
// none of these.
template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL bool put_near_extreme(M m, const FewFound<T>& g, const Results<M, ops>& results) {
  constexpr bool least = asks(ops, OpIndex::min_) || asks(ops, OpIndex::argmin_),
                 value = asks(ops, OpIndex::min_) || asks(ops, OpIndex::max_),
                 index = asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_);
  if constexpr (count_ops(ops) == 1 && (value || index)) {
    constexpr Accumulator a = least ? Accumulator::least : Accumulator::greatest;
    const Place<M>& place = results.place[0];
    if (!g.of(a).some() || (g.nan_index != none && g.nan != NanPolicy::omit) ||
        place.dtype != (value ? dtype_of<T> : DType::i64)) {
      return false;
    }
    if constexpr (value) {
      const T x = from_order_key<T>(g.order_key(a));
      put_bits(m, place, sizeof(T), bit_cast<bits_of<T>>(x), Status::ok);
    } else {
      put_bits(m, place, 8, g.index(a), Status::ok);
    }
    return true;
  }
  return false;
}

// The first element of a chunk that has these bits, where there is one; of bool any but 0 are 1.
template <class T, int U>
ONEFOLD_KERNEL unsigned first_with(const Chunk<T, U>& c, bits_of<T> bits) {
  unsigned at = 0;
  if constexpr (sizeof(T) >= 4) {
    ONEFOLD_UNROLL
    for (int k = c.elements - 1; k >= 0; --k)
      at = c.bits(k) == bits ? static_cast<unsigned>(k) : at;
  } else {
    constexpr unsigned in_word = 4 / sizeof(T);
    const uint32_t all = sizeof(T) == 1 ? bits * 0x01010101u : bits * 0x00010001u;
    uint32_t flags = 0;  // of the first word that has one
    ONEFOLD_UNROLL
    for (int k = c.words - 1; k >= 0; --k) {
      uint32_t here;
      if constexpr (dtype_of<T> == DType::boolean) {
        here = bits == 0 ? zero_bytes(c.w[k]) : zero_bytes(c.w[k]) ^ 0x80808080u;
      } else if constexpr (sizeof(T) == 1) {
        here = zero_bytes(c.w[k] ^ all);
      } else {
        const uint32_t x = c.w[k] ^ all;
        here = ~(((x & 0x7fff7fffu) + 0x7fff7fffu) | x) & 0x80008000u;
      }
      at = here != 0 ? static_cast<unsigned>(k) : at;
      flags = here != 0 ? here : flags;
    }
    const auto lowest = static_cast<unsigned>(bit_length(uint64_t{flags & (0 - flags)})) - 1;
    at = at * in_word + lowest / static_cast<unsigned>(8 * sizeof(T));
  }
  return at;
}

// The vector that a lane takes as its u-th of part i, and where an element of it stands.
template <class T, int U>
ONEFOLD_KERNEL uint32_t vector_of(const Parts<T, U, uint32_t>& parts, uint32_t i, unsigned u,
                                  unsigned lane) {
  const uint32_t v = i * parts.size + u * 32 + lane;
  return v < parts.vectors ? v : parts.vectors - 1;
}

// Of a lane: the best, by index, and the first NaN.
template <class M, class T, uint32_t set, int U, int warps>
struct FewExtremes {
  using All = Extremes<M, T, set, U, warps>;
  using Key = typename Keys<T>::Key;
  using Parts = kernel::Parts<T, U, uint32_t>;
  static constexpr unsigned vector = 16 / sizeof(T);

  Best<Key> least{0, no_tile}, greatest{0, no_tile};
  uint32_t first_nan = no_tile;

  template <bool indices>
  ONEFOLD_KERNEL void take_part(M m, In<M, T> x, const Parts& parts, uint32_t i, unsigned lane) {
    Chunk<T, U> c;
    const auto vectors = m.by_vector(x + parts.head);
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      const auto four =
          bit_cast<Vector16<uint32_t>>(m.stream(vectors, vector_of(parts, i, u, lane)));
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 4; ++j) c.w[4 * u + j] = four.v[j];
    }
    All part;
    part.open();
    if constexpr (dtype_of<T> == DType::f32) {
      part.template meet_chunk<false>(m, c, Reach<M, T, U, true>::of(m, c), 0);
    } else {
      part.template meet_chunk<false>(m, c, 0, 0);
    }
    const auto meet = [&](Best<Key>& best, const Best<Key>& one, Key key) {
      if (one.tile == no_tile || (best.tile != no_tile && best.key <= one.key)) return;
      best = {one.key, 0};
      if constexpr (indices) {
        const T wanted = from_order_key<T>(Keys<T>::order_key_of(key));
        const unsigned k = first_with(c, bit_cast<bits_of<T>>(wanted));
        best.tile = parts.head + (i * parts.size + k / vector * 32 + lane) * vector + k % vector;
      }
    };
    if constexpr (All::wants_least) meet(least, part.least, part.least.key);
    if constexpr (All::wants_greatest) {
      meet(greatest, part.greatest, static_cast<Key>(~part.greatest.key));
    }
    if constexpr (Floating<T>) {
      if (m.any(part.first_nan != no_tile)) [[unlikely]] {
        const uint32_t at = nan_in_part(m, x, parts, i, lane);
        first_nan = at < first_nan ? at : first_nan;
      }
    }
  }
  // The elements that stand beside all vectors, one a lane.
  template <bool indices>
  ONEFOLD_KERNEL void take_beside(M m, In<M, T> x, const Parts& parts, unsigned lane) {
    if (lane >= parts.left) return;
    const uint32_t at = lane < parts.head ? lane : lane + parts.vectors * vector;
    All one;
    one.open();
    const T element = x[at];
    one.add(m, element, 0);
    if (one.first_nan != no_tile) {
      first_nan = at < first_nan ? at : first_nan;
      return;
    }
    least.meet(one.least.key, indices ? at : 0);
    greatest.meet(one.greatest.key, indices ? at : 0);
  }

 private:
  ONEFOLD_KERNEL_COLD static uint32_t nan_in_part(M m, In<M, T> x, Parts parts, uint32_t i,
                                                  unsigned lane) {
    static_cast<void>(m);
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < U * vector; ++k) {
      const uint32_t at = parts.head + vector_of(parts, i, k / vector, lane) * vector + k % vector;
      const T one = x[at];
      if (Keys<T>::nan(Keys<T>::of(one))) return at;
    }
    return no_tile;
  }
};

template <class T, uint32_t set, int U, int warps, uint32_t ops, class M, class Input>
ONEFOLD_KERNEL void few_extremes(M m, const Input& input, const Workspace<M>& workspace,
                                 const Results<M, ops>& results) {
  constexpr bool indices = ops == 0 || asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_);
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32, in_block = opaque(m.threads() / 32);
  const Parts<T, U, uint32_t> parts(static_cast<uint32_t>(input.n), m.misaligned(input.x, 16));
  FewExtremes<M, T, set, U, warps> mine;
  const uint32_t step = m.blocks() * in_block;
  uint32_t i = m.block() * in_block + warp;
  ONEFOLD_NO_UNROLL
  for (; i < parts.of_vectors; i += step) {
    mine.template take_part<indices>(m, input.x, parts, i, lane);
  }
  if (i < parts.all) mine.template take_beside<indices>(m, input.x, parts, lane);

  using All = Rivals<T, set>;
  All all(mine.least, mine.greatest, mine.first_nan);
  all.meet_lanes(m);
  if (in_block > 1) {
    all.template leave_in_block<warps>(m);
    m.sync();
    if (warp != 0) return;
    all.template take_of_block<warps>(m, in_block);
  }
  if (m.blocks() > 1) {
    const auto slots = workspace.words;
    const unsigned blocks = m.blocks();
    uint32_t order = 0;
    if (lane == 0) {
      all.hand_over(m, slots);
      order = draw_ticket(m, workspace.counters);
    }
    // Looked at before it is known who is last, for most slots are there already then; but not of
    // many blocks, which would all ask for the same lines of the cache.
    const bool one_each = blocks <= 32;
    typename All::Seen first[1];
    if (one_each) {
      if (lane < blocks) first[0].look(m, slots, lane);
      // No word is 1. But the compiler does not know, and so does not load behind the ticket.
      order += m.any(first[0].words[0] == 1) ? 1 : 0;
    }
    if (m.shuffle(order, 0) != blocks - 1) return;
    if (one_each) {
      all.take(m, slots, lane, 32, first);
    } else {
      all.take_all(m, slots, lane, 32);
    }
    all.meet_lanes(m);
  }
  if (lane != 0) return;
  const FewFound<T> g{.least = all.least(),
                      .greatest = all.greatest(),
                      .first = input.first,
                      .nan_index = all.first_nan == no_tile ? none : input.first + all.first_nan,
                      .nan = results.nan};
  if (!put_near_extreme<T, ops>(m, g, results)) answer_near_extremes<T, set, ops>(m, g, results);
}

}  // namespace onefold::kernel
