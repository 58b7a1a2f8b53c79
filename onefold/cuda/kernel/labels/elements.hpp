// Elements of groups: how they are read with their labels, how they become integers in a common
// unit, and where those that do not fit the windows are listed.
#pragma once

#include "onefold/cuda/kernel/labels/sums.hpp"
#include "onefold/cuda/kernel/labels/units.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

//   counting   elements are counted, too
//   omits      NaN are skipped
template <class M, class T, uint32_t set, bool counting, bool omits>
struct LabelledElements {
  enum : unsigned { threads = 32 * label_sum_warps, at_once = 4 };
  using In = LabelSums<M, T>;
  using Raw = bits_of<T>;
  static constexpr bool sums = Accumulators(set).has(Accumulator::sum),
                        squares = Accumulators(set).has(Accumulator::sumsq);

  M m;
  const In& in;
  Windows windows;
  bool bad = false, negative_zero = false;

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // Loads elements 4 i .. 4 i + 3 of an array that begins at a multiple of 16 bytes or of 4
  // elements.
  template <class U, class P>
  ONEFOLD_KERNEL void load_four(P from, Size i, U (&to)[at_once]) const {
    if constexpr (sizeof(U) >= 4) {
      constexpr unsigned vectors = sizeof(U) / 4, size = Vector16<U>::size;
      ONEFOLD_UNROLL
      for (unsigned v = 0; v < vectors; ++v) {
        const Vector16<U> four = m.stream(m.by_vector(from), i * vectors + v);
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) to[v * size + k] = four.v[k];
      }
    } else {
      using Word = typename detail::Bits<at_once * sizeof(U)>::type;
      const Word four = m.read_once(m.template as<Word>(from), i);
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < at_once; ++k) to[k] = static_cast<U>(four >> 8 * sizeof(U) * k);
    }
  }
  // Four elements with their labels, as loaded; then elements with the numbers of their groups.
  template <class L>
  struct LabelChunk {
    L label[at_once];
    Raw x[at_once];
    bool there;
  };
  template <int n>
  struct Grouped {
    uint32_t group[n];
    Raw x[n];
  };
  // Returns how many times all lanes together load four elements.
  ONEFOLD_KERNEL Size vectors() const { return in.wide ? in.n / at_once : 0; }
  template <class L>
  ONEFOLD_KERNEL LabelChunk<L> load(Size vector, bool there) const {
    LabelChunk<L> e = {};
    e.there = there;
    if (!m.branch(there)) return e;
    load_four<L>(m.template as<L>(in.labels.at), vector, e.label);
    load_four<Raw>(m.template as<Raw>(in.x), vector, e.x);
    return e;
  }
  template <class L>
  ONEFOLD_KERNEL Grouped<at_once> grouped(const LabelChunk<L>& e) {
    Grouped<at_once> all;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < at_once; ++k) {
      all.group[k] = e.there ? in.labels.group_of(e.label[k]) : no_group;
      all.x[k] = e.x[k];
      bad = bad | (e.there && all.group[k] == no_group);
      if (omits && is_nan<T>(e.x[k])) all.group[k] = no_group;
    }
    return all;
  }
  // Loads one element, also one of those behind the last vector; `no_group` if it does not exist.
  ONEFOLD_KERNEL Grouped<1> single(Size i, bool there) {
    Grouped<1> one{{no_group}, {}};
    if (!m.branch(there)) return one;
    const Raw v = m.template as<Raw>(in.x)[static_cast<int64_t>(i) * in.apart];
    one.x[0] = v;
    one.group[0] = in.labels.group_at(m, i);
    bad = bad | (one.group[0] == no_group);
    if (omits && is_nan<T>(v)) one.group[0] = no_group;
    return one;
  }
  template <int count>
  ONEFOLD_KERNEL static UnitInteger<T> units_of(Raw raw, const Windows& windows, bool there) {
    if constexpr (sums || squares) return in_units<T, count>(raw, windows, there);
    UnitInteger<T> u;
    if constexpr (Floating<T>) {
      u.has = !there || ImageForm<T>::exponent(raw) != ImageForm<T>::infinite;
    }
    return u;
  }
  template <int count>
  ONEFOLD_KERNEL UnitInteger<T> units_of(Raw raw, uint32_t group) {
    if constexpr (sums && Floating<T>) {
      negative_zero = negative_zero | (raw == Raw{1} << (8 * sizeof(T) - 1));
    }
    return units_of<count>(raw, windows, group != no_group);
  }
  // Lists those of some elements that fit no window, and counts them in their groups' marks.
  template <int count, int n>
  ONEFOLD_KERNEL_COLD static void leave(M m, const In& in, Grouped<n> all, Windows windows) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < n; ++k) {
      const UnitInteger<T> u = units_of<count>(all.x[k], windows, all.group[k] != no_group);
      if (!m.branch(!u.has)) continue;
      m.add(in.words, in.marks() + all.group[k], int64_t{1});
      const auto slot = static_cast<Size>(m.add(in.words, int{In::left}, int64_t{1}));
      if (slot >= in.most_left) continue;
      const Size at = in.list() + in.entry_words() * slot;
      if constexpr (is_long<T>) {
        in.words[at] = int64_t{all.group[k]};
        in.words[at + 1] = static_cast<int64_t>(all.x[k]);
      } else {
        in.words[at] = static_cast<int64_t>(Size{all.group[k]} << 32 | all.x[k]);
      }
    }
  }
  ONEFOLD_KERNEL void tell() const {
    if (m.branch(bad)) m.add(in.words, int{In::bad}, int64_t{1});
    if (m.branch(negative_zero)) m.add(in.words, int{In::negative_zeros}, int64_t{1});
  }
};

}  // namespace onefold::kernel
