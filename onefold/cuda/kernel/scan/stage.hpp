// A warp's neighbouring elements in shared memory, between loads and stores of whole lines of
// memory. Later answers of the same size take their places.
#pragma once

#include "onefold/cuda/kernel/scan/input.hpp"

namespace onefold::kernel {

template <unsigned bytes>
struct ScanStageTag;
// Vector i of the warp has its place at i ^ (i / 8 % vectors), so that lanes that write
// neighbouring vectors, and lanes that read their own, use all banks of shared memory.
template <class U, unsigned items, unsigned warps>
struct WarpStage {
  static constexpr unsigned size = static_cast<unsigned>(Vector16<U>::size), vectors = items / size;
  static_assert(vectors != 0 && (vectors & (vectors - 1)) == 0);
  static constexpr unsigned place(unsigned i) { return i ^ (i >> 3 & (vectors - 1)); }

  template <class M>
  ONEFOLD_KERNEL static auto memory(M m) {
    return shared<U, static_cast<int>(32 * warps * items), ScanStageTag<sizeof(U)>>(m) +
           static_cast<int>(static_cast<unsigned>(m.thread()) / 32 * 32 * items);
  }
  template <class M>
  ONEFOLD_KERNEL static auto by_vectors(M m) {
    return m.as_vectors(memory(m));
  }
  // The j-th vector of a lane's own elements.
  template <class M>
  ONEFOLD_KERNEL static Vector16<U> take(M m, unsigned j) {
    const Vector16<U> v = by_vectors(m)[place(static_cast<unsigned>(m.lane()) * vectors + j)];
    return v;
  }
  template <class M>
  ONEFOLD_KERNEL static void put(M m, unsigned j, const Vector16<U>& v) {
    by_vectors(m)[place(static_cast<unsigned>(m.lane()) * vectors + j)] = v;
  }
  // Loads the warp's elements; change(x) changes each.
  template <class M, class From, class Change>
  ONEFOLD_KERNEL static void load(M m, From from, Change change) {
    const auto stage = by_vectors(m);
    const unsigned lane = static_cast<unsigned>(m.lane());
    const auto vector = m.by_vector(from);
    Vector16<U> q[vectors];
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < vectors; ++j) q[j] = m.stream(vector, j * 32 + lane);
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < vectors; ++j) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < size; ++k) change(q[j].v[k]);
      stage[place(j * 32 + lane)] = q[j];
    }
    m.sync_warp();
  }
  // Does the same for the first n elements, at any address; the others become 0.
  template <class M, class From, class Change>
  ONEFOLD_KERNEL static void load_some(M m, From from, Size n, Change change) {
    const auto stage = memory(m);
    const unsigned lane = static_cast<unsigned>(m.lane());
    constexpr unsigned some = items < 8 ? items : 8;  // more would not fit in registers
    ONEFOLD_NO_UNROLL
    for (unsigned first = lane; first < 32 * items; first += 32 * some) {
      U q[some];
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < some; ++j) {
        q[j] = U{};
        if (first + j * 32 < n) q[j] = from[first + j * 32];
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < some; ++j) {
        change(q[j]);
        stage[place_of(first + j * 32)] = q[j];
      }
    }
    m.sync_warp();
  }
  // Stores what the lanes have put.
  template <class M, class To>
  ONEFOLD_KERNEL static void store(M m, To to) {
    const auto stage = by_vectors(m);
    const unsigned lane = static_cast<unsigned>(m.lane());
    m.sync_warp();
    const auto vector = m.as_vectors(to);
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < vectors; ++j) {
      const Vector16<U> v = stage[place(j * 32 + lane)];
      m.write_once(vector, j * 32 + lane, v);
    }
    m.sync_warp();
  }
  template <class M, class To>
  ONEFOLD_KERNEL static void store_some(M m, To to, Size n) {
    const auto stage = memory(m);
    const unsigned lane = static_cast<unsigned>(m.lane());
    m.sync_warp();
    ONEFOLD_NO_UNROLL
    for (unsigned i = lane; i < 32 * items && i < n; i += 32) {
      const U v = stage[place_of(i)];
      to[i] = v;
    }
    m.sync_warp();
  }

 private:
  static constexpr unsigned place_of(unsigned element) {
    return place(element / size) * size + element % size;
  }
};

// Elements and answers of a thread in a tile, in shared memory if they fill whole vectors there.
template <class U, unsigned items, unsigned warps>
struct Staged {
  using Stage = WarpStage<U, items, warps>;
  template <class M, class F>
  ONEFOLD_KERNEL void each(M m, F f) const {
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < Stage::vectors; ++j) {
      const Vector16<U> v = Stage::take(m, j);
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < Stage::size; ++k) f(j * Stage::size + k, v.v[k]);
    }
  }
  // Sets each to make(j).
  template <class M, class Make>
  ONEFOLD_KERNEL void set(M m, Make make) {
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < Stage::vectors; ++j) {
      Vector16<U> v;
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < Stage::size; ++k) v.v[k] = make(j * Stage::size + k);
      Stage::put(m, j, v);
    }
  }
};
template <class U, unsigned items>
struct Unstaged {
  U v[items];
  template <class M, class F>
  ONEFOLD_KERNEL void each(M, F f) const {
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < items; ++j) f(j, v[j]);
  }
  template <class M, class Make>
  ONEFOLD_KERNEL void set(M, Make make) {
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < items; ++j) v[j] = make(j);
  }
};

}  // namespace onefold::kernel
