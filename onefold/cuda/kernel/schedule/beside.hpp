// Inputs that lanes read in step with the elements, along rows and columns: a mask (as words, if
// its bytes are aligned for that), a second array, or both. If a fold has no such input, this code
// compiles to nothing.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/quick/extreme.hpp"
#include "onefold/cuda/kernel/quick/needed_totals.hpp"
#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// The mask's bytes for n neighbouring elements, four in a word. `settle` turns each into a flag:
// 0x80 if the element is selected, else 0.
template <int n, bool selects>
struct MaskUnit {
  ONEFOLD_KERNEL constexpr bool takes(int) const { return true; }
  ONEFOLD_KERNEL void put(int, uint8_t) {}
  ONEFOLD_KERNEL void settle() {}
  ONEFOLD_KERNEL void drop(int) {}
  ONEFOLD_KERNEL uint32_t count(uint32_t before) const { return before + n; }
};
template <int n>
struct MaskUnit<n, true> {
  enum : int { words = (n + 3) / 4 };
  using Word = typename detail::Bits<(n < 4 ? n : 4)>::type;
  struct alignas(n) Loaded {
    Word w[words];
  };
  uint32_t w[words] = {};

  ONEFOLD_KERNEL bool takes(int e) const { return (w[e / 4] & flag(e)) != 0; }
  ONEFOLD_KERNEL void put(int e, uint8_t byte) { w[e / 4] |= uint32_t{byte} << e % 4 * 8; }
  // Not a part of `load`, since the thread would wait there for the mask before its other loads
  // begin.
  ONEFOLD_KERNEL void settle() {
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) {
      w[k] = (((w[k] & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w[k]) & 0x80808080u;
    }
  }
  // Clears the flag of element e.
  ONEFOLD_KERNEL void drop(int e) { w[e / 4] &= ~flag(e); }
  // Returns `before` plus the number of elements whose flags are set.
  ONEFOLD_KERNEL uint32_t count(uint32_t before) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) before = dot_bytes(before, w[k] >> 7, 0x01010101u);
    return before;
  }
  // Returns word k of some elements, with the neutral element in place of those without a flag.
  //   none   the bits of the neutral element
  template <class Bits>
  ONEFOLD_KERNEL uint32_t filled(uint32_t word, int k, Bits none) const {
    constexpr int bytes = sizeof(Bits);
    const int e = 4 * k / bytes;
    const uint32_t selector = bytes == 1   ? 0xba98u
                              : bytes == 2 ? (e % 4 == 0 ? 0x9988u : 0xbbaau)
                                           : 0x8888u + 0x1111u * static_cast<unsigned>(e % 4);
    const auto repeated = bytes == 8 ? static_cast<uint32_t>(uint64_t{none} >> k % 2 * 32)
                                     : static_cast<uint32_t>(none) * (bytes == 1   ? 0x01010101u
                                                                      : bytes == 2 ? 0x10001u
                                                                                   : 1u);
    const uint32_t m = spread_signs(w[e / 4], selector);
    return (word & m) | (repeated & ~m);
  }
  // Loads the mask's bytes of n neighbours, from an address that is a multiple of n.
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
    for (int k = 0; k < words; ++k) u.w[k] = 0x80808080u >> (n < 4 ? 32 - 8 * n : 0);
    return u;
  }

 private:
  ONEFOLD_KERNEL static constexpr uint32_t flag(int e) { return 0x80u << e % 4 * 8; }
};

// A pair of elements, one of each array.
template <class T>
struct Pair {
  T x, y;
};
// The second array's elements for n neighbours of the first.
template <class T, int n, bool two>
struct SecondUnit {
  ONEFOLD_KERNEL T with(T x, int) const { return x; }
};
template <class T, int n>
struct SecondUnit<T, n, true> {
  struct alignas(n * sizeof(T)) Loaded {
    T v[n];
  };
  Loaded y;
  ONEFOLD_KERNEL Pair<T> with(T x, int e) const { return {x, y.v[e]}; }
};
ONEFOLD_KERNEL bool has_nan(const auto& x) {
  if constexpr (requires { x.y; }) {
    return is_a_nan(x.x) || is_a_nan(x.y);
  } else {
    return is_a_nan(x);
  }
}
// What a lane reads in step with n elements: the mask's flags and the second array's elements.
template <class T, int n, bool selects, bool two>
struct BesideUnit {
  enum : int { elements = n };
  MaskUnit<n, selects> mask;
  SecondUnit<T, n, two> second;
  ONEFOLD_KERNEL bool takes(int e) const { return mask.takes(e); }
  ONEFOLD_KERNEL auto with(T x, int e) const { return second.with(x, e); }
  // Replaces elements without a flag by the neutral element, in the second array by 0, and returns
  // the first array's elements.
  template <Fill fill, class Load>
  ONEFOLD_KERNEL Load filled(const Load& x) {
    static_assert(sizeof(Load) == n * sizeof(T));
    if constexpr (!selects || fill == Fill::none) {
      return x;
    } else {
      if constexpr (two) second.y = replaced(second.y, bits_of<T>{0});
      return replaced(x, bits_of_fill<T>(fill));
    }
  }

 private:
  // Replaces elements word by word, or one by one if there are less than four bytes.
  template <class Load>
  ONEFOLD_KERNEL Load replaced(const Load& x, bits_of<T> none) const {
    if constexpr (sizeof(Load) < 4) {
      struct Elements {
        bits_of<T> v[n];
      };
      auto all = bit_cast<Elements>(x);
      ONEFOLD_UNROLL
      for (int e = 0; e < n; ++e) all.v[e] = takes(e) ? all.v[e] : none;
      return bit_cast<Load>(all);
    } else {
      struct Words {
        uint32_t v[sizeof(Load) / 4];
      };
      auto all = bit_cast<Words>(x);
      ONEFOLD_UNROLL
      for (int k = 0; k < static_cast<int>(sizeof(Load) / 4); ++k) {
        all.v[k] = mask.filled(all.v[k], k, none);
      }
      return bit_cast<Load>(all);
    }
  }
};

// An array that is read in step with the elements: W columns of a lane, row by row.
//   k   the number of the array's strides in a NestAxis
template <class E, int k, class T, class M>
struct ArrayOfColumns {
  const NestInput<M, T>& input;
  In<M, E> at;
  int64_t apart;  // elements from one row to the next
  bool wide;

  //   from   offset of the tile's first element, by all kept axes except that of the columns
  ONEFOLD_KERNEL ArrayOfColumns(const NestInput<M, T>& in, int64_t from, uint32_t copies,
                                bool whole)
      : input(in), apart(along(in.kept) * static_cast<int64_t>(copies)), wide(whole) {
    if constexpr (k == 2) {
      at = in.mask + from;
    } else {
      at = in.y + from;
    }
  }
  ONEFOLD_KERNEL int64_t along(unsigned axis) const { return input.axis[axis].stride[k]; }
  // Advances by `of_rows` elements to other rows, and then by `first` rows.
  ONEFOLD_KERNEL void skip(int64_t of_rows, uint32_t first) {
    at = at + (of_rows + static_cast<int64_t>(first) * apart);
  }
  // Moves to a column of a row; each later `go` advances by `rows` rows.
  ONEFOLD_KERNEL void start(Size column, unsigned row, unsigned rows) {
    at = at + (static_cast<int64_t>(column) * along(0) + static_cast<int64_t>(row) * apart);
    apart *= static_cast<int64_t>(rows);
  }
  ONEFOLD_KERNEL void go(int rows) { at = at + rows * apart; }
  ONEFOLD_KERNEL E one(int u, int j) const { return at[u * apart + j * along(0)]; }
};

template <class T, class M, int W, bool selects, bool two>
struct ColumnsBeside {
  using Unit = BesideUnit<T, W, selects, two>;
  struct None {
    ONEFOLD_KERNEL None(const NestInput<M, T>&, int64_t, uint32_t, bool) {}
  };
  Either<selects, ArrayOfColumns<uint8_t, 2, T, M>, None> mask;
  Either<two, ArrayOfColumns<T, 1, T, M>, None> second;

  ONEFOLD_KERNEL ColumnsBeside(const NestInput<M, T>& in, const Spot& at, uint32_t copies,
                               bool wide_mask)
      : mask(in, at.mask, copies, wide_mask), second(in, at.y, copies, true) {}
  ONEFOLD_KERNEL bool omits() const {
    if constexpr (selects) return mask.input.chosen.omit;
    return false;
  }
  ONEFOLD_KERNEL ColumnsBeside of_rows(const Spot& s, uint32_t first) const {
    ColumnsBeside c = *this;
    if constexpr (selects) c.mask.skip(s.mask, first);
    if constexpr (two) c.second.skip(s.y, first);
    return c;
  }
  ONEFOLD_KERNEL void start(Size column, unsigned row, unsigned rows) {
    if constexpr (selects) mask.start(column, row, rows);
    if constexpr (two) second.start(column, row, rows);
  }
  ONEFOLD_KERNEL void go(int rows) {
    if constexpr (selects) mask.go(rows);
    if constexpr (two) second.go(rows);
  }
  // Stores column j of row u in `unit`.
  ONEFOLD_KERNEL void put(Unit& unit, int u, int j) const {
    if constexpr (selects) {
      unit.mask.put(j, mask.input.chosen.masked ? mask.one(u, j) : uint8_t{1});
    }
    if constexpr (two) unit.second.y.v[j] = second.one(u, j);
  }
  // Loads a unit; if `!wide`, the mask's bytes one by one.
  //   wide   one load has the mask's bytes of all columns of the lane
  template <bool wide>
  ONEFOLD_KERNEL Unit unit(M m, int u) const {
    Unit r;
    if constexpr (selects) {
      if (!mask.input.chosen.masked) {
        r.mask = MaskUnit<W, true>::all();
      } else if (wide || mask.wide) {
        r.mask = MaskUnit<W, true>::load(m, mask.at + u * mask.apart);
      } else {
        ONEFOLD_UNROLL
        for (int j = 0; j < W; ++j) r.mask.put(j, mask.one(u, j));
      }
    }
    if constexpr (two) {
      using Loaded = typename SecondUnit<T, W, true>::Loaded;
      const Loaded loaded = m.template as<Loaded>(second.at + u * second.apart)[0];
      r.second.y = loaded;
    }
    return r;
  }
};

}  // namespace onefold::kernel
