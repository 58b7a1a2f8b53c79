// The mask beside runs of elements and beside columns, as lanes read it: bytes, in words where they
// lie for that. Without a selection nothing of it is left, and every element is there.
#pragma once

#include "onefold/dtype.hpp"
#include "onefold/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// Of n neighbours a byte each, four in a register.
template <int n, bool selects>
struct MaskUnit {
  ONEFOLD_KERNEL constexpr bool takes(int) const { return true; }
  ONEFOLD_KERNEL void put(int, uint8_t) {}
};
template <int n>
struct MaskUnit<n, true> {
  enum : int { words = (n + 3) / 4 };
  using Word = typename detail::Bits<(n < 4 ? n : 4)>::type;
  struct alignas(n) Loaded {
    Word w[words];
  };
  uint32_t w[words] = {};

  ONEFOLD_KERNEL bool takes(int e) const { return (w[e / 4] >> e % 4 * 8 & 0xff) != 0; }
  ONEFOLD_KERNEL void put(int e, uint8_t byte) { w[e / 4] |= uint32_t{byte} << e % 4 * 8; }
  // Neighbours at a multiple of n bytes.
  template <class M>
  ONEFOLD_KERNEL static MaskUnit load(M m, In<M, uint8_t> at) {
    const Loaded loaded = m.template as<Loaded>(at)[0];
    MaskUnit u;
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) u.w[k] = loaded.w[k];
    return u;
  }
  ONEFOLD_KERNEL static MaskUnit all() {
    MaskUnit u;
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) u.w[k] = ~0u;
    return u;
  }
};

// Of the runs that a lane's streams read.
template <class T, class M, int streams, bool selects>
struct MaskedRuns {
  enum : int { V = Vector16<T>::size };
  using Unit = MaskUnit<V, false>;

  ONEFOLD_KERNEL MaskedRuns(const NestInput<M, T>&, uint32_t) {}
  ONEFOLD_KERNEL bool omits() const { return false; }
  ONEFOLD_KERNEL void place(int, int64_t) {}
  ONEFOLD_KERNEL void tile(int64_t) {}
  ONEFOLD_KERNEL void run(int64_t) {}
  ONEFOLD_KERNEL Unit unit(M, int, uint32_t) const { return {}; }
  ONEFOLD_KERNEL bool takes(int, uint32_t) const { return true; }
};
template <class T, class M, int streams>
struct MaskedRuns<T, M, streams, true> {
  enum : int { V = Vector16<T>::size };
  using Unit = MaskUnit<V, true>;
  const NestInput<M, T>& input;
  int64_t begin, before;    // of a warp's runs, and of a tile's, from the mask's beginning
  In<M, uint8_t> mask;      // of a run
  int64_t offset[streams];  // of a stream

  //   first   the element that runs begin with
  ONEFOLD_KERNEL MaskedRuns(const NestInput<M, T>& in, uint32_t first)
      : input(in),
        begin(static_cast<int64_t>(first) * apart()),
        before(begin),
        mask(in.mask + begin) {}
  ONEFOLD_KERNEL int64_t apart() const { return input.axis[input.kept].stride[2]; }
  ONEFOLD_KERNEL bool omits() const { return input.chosen.omit; }
  // Where stream p is, from the tile's beginning; the tile; a run of several.
  ONEFOLD_KERNEL void place(int p, int64_t at) { offset[p] = at; }
  ONEFOLD_KERNEL void tile(int64_t at) {
    before = begin + at;
    run(0);
  }
  ONEFOLD_KERNEL void run(int64_t at) { mask = input.mask + (before + at); }

  // Of the elements k.. of stream p's run.
  ONEFOLD_KERNEL Unit unit(M m, int p, uint32_t k) const {
    if (!input.chosen.masked) return Unit::all();
    const int64_t step = apart();
    const auto run = mask + offset[p];
    if (step == 1 && m.misaligned(run + k, V) == 0) return Unit::load(m, run + k);
    const auto at = run + static_cast<int64_t>(k) * step;
    Unit u;
    ONEFOLD_UNROLL
    for (int e = 0; e < V; ++e) {
      const uint8_t one = at[e * step];
      u.put(e, one);
    }
    return u;
  }
  ONEFOLD_KERNEL bool takes(int p, uint32_t k) const {
    if (!input.chosen.masked) return true;
    const uint8_t one = mask[offset[p] + static_cast<int64_t>(k) * apart()];
    return one != 0;
  }
};

// Of W columns of a lane, row by row.
template <class T, class M, int W, bool selects>
struct MaskedColumns {
  using Unit = MaskUnit<W, false>;

  ONEFOLD_KERNEL MaskedColumns(const NestInput<M, T>&, int64_t, int64_t, bool) {}
  ONEFOLD_KERNEL MaskedColumns of_rows(int64_t, uint32_t) const { return *this; }
  ONEFOLD_KERNEL bool omits() const { return false; }
  ONEFOLD_KERNEL void start(Size, unsigned, unsigned) {}
  ONEFOLD_KERNEL void go(int) {}
  ONEFOLD_KERNEL uint8_t one(int, int) const { return 1; }
  ONEFOLD_KERNEL Unit unit(M, int) const { return {}; }
};
template <class T, class M, int W>
struct MaskedColumns<T, M, W, true> {
  using Unit = MaskUnit<W, true>;
  const NestInput<M, T>& input;
  In<M, uint8_t> mask;
  int64_t apart;  // from a row to the next one
  bool wide;

  //   at   of the answers that the other kept axes name
  ONEFOLD_KERNEL MaskedColumns(const NestInput<M, T>& in, int64_t at, int64_t row, bool whole)
      : input(in), mask(in.mask + at), apart(row), wide(whole) {}
  ONEFOLD_KERNEL bool omits() const { return input.chosen.omit; }
  // Of rows that are `at` from here, from one of them on.
  ONEFOLD_KERNEL MaskedColumns of_rows(int64_t at, uint32_t first) const {
    MaskedColumns c = *this;
    c.mask = mask + (at + static_cast<int64_t>(first) * apart);
    return c;
  }
  // At a column, in a row; from there on every so many rows.
  ONEFOLD_KERNEL void start(Size column, unsigned row, unsigned rows) {
    mask = mask + (static_cast<int64_t>(column) * input.axis[0].stride[2] +
                   static_cast<int64_t>(row) * apart);
    apart *= static_cast<int64_t>(rows);
  }
  ONEFOLD_KERNEL void go(int rows) { mask = mask + rows * apart; }
  ONEFOLD_KERNEL uint8_t one(int u, int j) const {
    if (!input.chosen.masked) return 1;
    const uint8_t v = mask[u * apart + j * input.axis[0].stride[2]];
    return v;
  }
  ONEFOLD_KERNEL Unit unit(M m, int u) const {
    if (!input.chosen.masked) return Unit::all();
    if (wide) return Unit::load(m, mask + u * apart);
    Unit r;
    ONEFOLD_UNROLL
    for (int j = 0; j < W; ++j) r.put(j, one(u, j));
    return r;
  }
};

}  // namespace onefold::kernel
