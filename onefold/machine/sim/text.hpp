// The simulated machine as kernels use it: `Sim` is their M. `machine/sim.hpp` runs kernels.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "onefold/machine/machine.hpp"
#include "onefold/machine/sim/pointer.hpp"

namespace onefold {

struct Sim {
  static constexpr bool pools_digits = false;
  template <class T>
  using In = sim::Pointer<const T>;
  template <class T>
  using Out = sim::Pointer<T>;
  template <class T>
  using Shared = sim::Pointer<T>;

  sim::Index<unsigned> thread() const { return {sim::host->place().thread}; }
  sim::Index<unsigned> lane() const { return {sim::host->place().thread % 32}; }
  unsigned block() const { return sim::host->place().block; }
  unsigned threads() const { return sim::host->place().threads; }
  unsigned blocks() const { return sim::host->place().blocks; }

  // Returns i < n, for a condition that prevents an access if it is false.
  template <class I, class N>
  bool inside(sim::Index<I> i, N n, sim::Caller at = sim::Caller::here()) const {
    return sim::host->inside(i.value < n, at);
  }
  template <sim::Plain I, class N>
  bool inside(I i, N n, sim::Caller at = sim::Caller::here()) const {
    return sim::host->inside(i < n, at);
  }

  // A condition on a lane's data. It counts as a branch, like conditions on the thread's index.
  bool branch(bool b, sim::Caller at = sim::Caller::here()) const {
    return sim::host->branch(b, at);
  }

  void sync(sim::Caller at = sim::Caller::here()) const { sim::host->barrier(at); }
  void sync_warp(sim::Caller at = sim::Caller::here()) const { sync_warp(~0u, at); }
  void sync_warp(uint32_t mask, sim::Caller at = sim::Caller::here()) const {
    sim::host->exchange({.kind = sim::Collective::sync, .mask = mask}, at);
  }
  // A barrier of all blocks of a cooperative launch; a GPU counts arrivals in `ticket`, which is 0.
  void sync_grid(sim::Pointer<unsigned>, sim::Caller at = sim::Caller::here()) const {
    sim::host->grid_barrier(at);
  }
  void fence(sim::Caller at = sim::Caller::here()) const { sim::host->fence(at); }

  template <class T>
  T shuffle_down(T x, unsigned d, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::shuffle_down, ~0u, x, d, at);
  }
  template <class T>
  T shuffle_down(uint32_t mask, T x, unsigned d, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::shuffle_down, mask, x, d, at);
  }
  template <class T>
  T shuffle_up(T x, unsigned d, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::shuffle_up, ~0u, x, d, at);
  }
  template <class T>
  T shuffle_xor(T x, unsigned d, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::shuffle_xor, ~0u, x, d, at);
  }
  template <class T>
  T shuffle(T x, unsigned lane, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::shuffle, ~0u, x, lane, at);
  }
  uint32_t ballot(bool b, sim::Caller at = sim::Caller::here()) const {
    return exchange(sim::Collective::vote, ~0u, uint32_t{0}, b, at);
  }
  bool any(bool b, sim::Caller at = sim::Caller::here()) const { return ballot(b, at) != 0; }
  bool all(bool b, sim::Caller at = sim::Caller::here()) const { return ballot(!b, at) == 0; }
  // redux.sync: one instruction reduces a register over the whole warp.
  int redux_add(int x, sim::Caller at = sim::Caller::here()) const {
    return fold(x, at, [](void* a, const void* b) {
      put(a, static_cast<int>(static_cast<unsigned>(take(a)) + static_cast<unsigned>(take(b))));
    });
  }
  int redux_min(int x, sim::Caller at = sim::Caller::here()) const {
    return fold(x, at,
                [](void* a, const void* b) { put(a, take(b) < take(a) ? take(b) : take(a)); });
  }
  int redux_max(int x, sim::Caller at = sim::Caller::here()) const {
    return fold(x, at,
                [](void* a, const void* b) { put(a, take(b) > take(a) ? take(b) : take(a)); });
  }

  uint32_t redux_add(uint32_t x, sim::Caller at = sim::Caller::here()) const {
    return static_cast<uint32_t>(redux_add(static_cast<int>(x), at));
  }
  // With the top bit flipped, unsigned numbers compare as signed ones.
  uint32_t redux_min(uint32_t x, sim::Caller at = sim::Caller::here()) const {
    return static_cast<uint32_t>(redux_min(static_cast<int>(x ^ 1u << 31), at)) ^ 1u << 31;
  }
  uint32_t redux_max(uint32_t x, sim::Caller at = sim::Caller::here()) const {
    return static_cast<uint32_t>(redux_max(static_cast<int>(x ^ 1u << 31), at)) ^ 1u << 31;
  }

  // The least and greatest of two numbers; -0 is less than +0. For a NaN and a number: the number.
  float min(float a, float b) const {
    if (a != a || b != b) return a != a ? b : a;
    return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
  float max(float a, float b) const { return -min(-a, -b); }
  // Returns the minima of both 16-bit halves, as unsigned numbers.
  uint32_t min_halves(uint32_t a, uint32_t b) const {
    const uint32_t low = std::min(a & 0xffff, b & 0xffff);
    return low | std::min(a & 0xffff0000, b & 0xffff0000);
  }
  uint32_t max_halves(uint32_t a, uint32_t b) const { return ~min_halves(~a, ~b); }
  int count_bits(uint32_t x) const { return std::popcount(x); }

  // Loads data that are read only once.
  template <class T>
  Vector16<T> stream(sim::Pointer<const Vector16<T>> p, Size i,
                     sim::Caller at = sim::Caller::here()) const {
    return p[{i, at}];
  }
  // Returns the bytes from the last multiple of `bytes` to p.
  template <class T>
  unsigned misaligned(sim::Pointer<T> p, unsigned bytes) const {
    return static_cast<unsigned>((p.space->bank_base + p.offset) % bytes);
  }

  // Adds v to p[k] atomically; returns the value before.
  template <class T, class I>
  T add(sim::Pointer<T> p, I k, std::type_identity_t<T> v,
        sim::Caller at = sim::Caller::here()) const {
    const std::size_t offset = p.offset + static_cast<std::size_t>(k) * sizeof(T);
    if (!sim::host->access(*p.space, offset, sizeof(T), sim::Kind::atomic, at)) return T{};
    T old;
    std::memcpy(&old, p.space->base + offset, sizeof old);
    const T sum = sim::wrapping_sum<T>(old, v);
    std::memcpy(p.space->base + offset, &sum, sizeof sum);
    return old;
  }

  // Sets p[k] to v atomically if it is `was`; returns the value before.
  template <class I>
  uint64_t swap_if(sim::Pointer<uint64_t> p, I k, uint64_t was, uint64_t v,
                   sim::Caller at = sim::Caller::here()) const {
    const std::size_t offset = p.offset + static_cast<std::size_t>(k) * sizeof v;
    if (!sim::host->access(*p.space, offset, sizeof v, sim::Kind::atomic, at)) return was;
    uint64_t old;
    std::memcpy(&old, p.space->base + offset, sizeof old);
    if (old == was) std::memcpy(p.space->base + offset, &v, sizeof v);
    return old;
  }
  // Loads p[k], to which other blocks' atomics write at the same time. On a GPU the nearest cache
  // answers, so the value may be one from before their atomics.
  template <class I>
  uint64_t load_perhaps_old(sim::Pointer<uint64_t> p, I k,
                            sim::Caller at = sim::Caller::here()) const {
    return add(p, k, 0, at);
  }

  // Each access through the result reaches memory: `volatile` on a GPU; no difference here.
  template <class T>
  sim::Pointer<T> as_volatile(sim::Pointer<T> p) const {
    return p;
  }
  // Returns the same memory in units of 16 bytes; p must be aligned to 16.
  template <class T>
  sim::Pointer<const Vector16<T>> by_vector(sim::Pointer<const T> p) const {
    return {p.space, p.offset};
  }
  // Returns p[i]; caches need not keep it.
  template <class T, class I>
  std::remove_const_t<T> read_once(sim::Pointer<T> p, I i,
                                   sim::Caller at = sim::Caller::here()) const {
    return p[sim::Subscript(i, at)].get();
  }
  template <class T, class I>
  void write_once(sim::Pointer<T> p, I i, std::type_identity_t<T> v,
                  sim::Caller at = sim::Caller::here()) const {
    p[sim::Subscript(i, at)].set(v);
  }
  // Returns the same memory in units of U; p must be aligned to them.
  template <class U, class T>
  auto as(sim::Pointer<T> p) const {
    using To = std::conditional_t<std::is_const_v<T>, const U, U>;
    return sim::Pointer<To>{p.space, p.offset};
  }
  // Returns memory in units of 16 bytes, for writing.
  template <class T>
  sim::Pointer<Vector16<T>> as_vectors(sim::Pointer<T> p) const {
    return {p.space, p.offset};
  }
  template <class T>
  bool aligned(sim::Pointer<T> p, unsigned bytes) const {
    return (p.space->bank_base + p.offset) % bytes == 0;
  }

  // Prepares `barrier` for copies. Called by one thread, before a barrier of the block.
  void open_bulk(unsigned barrier, sim::Caller at = sim::Caller::here()) const {
    sim::host->open_bulk(barrier, at);
  }
  // Starts a copy of n elements to shared memory, as the next phase of `barrier`. A thread may read
  // them after it has waited for that phase; before, nobody may access either end.
  template <class T>
  void copy_bulk(sim::Pointer<T> to, sim::Pointer<const T> from, Size n, unsigned barrier,
                 sim::Caller at = sim::Caller::here()) const {
    sim::host->copy_bulk({to.space, to.offset, from.space, from.offset, n * sizeof(T), barrier},
                         at);
  }
  // Waits until the phase of `barrier` with this parity is complete: 0 is the first, then 1, 0, ...
  void wait_bulk(unsigned barrier, unsigned parity, sim::Caller at = sim::Caller::here()) const {
    sim::host->wait_bulk(barrier, parity, at);
  }

  // Starts a copy of 16 bytes to shared memory. This thread may read them after it has waited for
  // the group of copies that it commits; for others, they count as written then. Before, nobody may
  // access either end.
  template <class T>
  void copy_async(sim::Pointer<T> to, sim::Pointer<const T> from,
                  sim::Caller at = sim::Caller::here()) const {
    static_assert(sizeof(T) == 16);
    sim::host->copy_async({to.space, to.offset, from.space, from.offset, sizeof(T)}, at);
  }
  void commit_copies() const { sim::host->commit_copies(); }
  // Waits for all groups of copies except the last `pending`.
  template <int pending>
  void wait_copies(sim::Caller at = sim::Caller::here()) const {
    sim::host->wait_copies(pending, at);
  }

  template <class T, int N, class Tag>
  sim::Pointer<T> shared() const {
    return {&sim::host->shared(&tag<Tag>, N * sizeof(T), sizeof(T)), 0};
  }
  template <class T>
  sim::Pointer<T> shared_of_launch() const {
    return {&sim::host->shared_of_launch(sizeof(T)), 0};
  }

 private:
  template <class Tag>
  static constexpr char tag = 0;

  static int take(const void* p) {
    int v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void put(void* p, int v) { std::memcpy(p, &v, sizeof v); }

  template <class T>
  T exchange(sim::Collective kind, uint32_t mask, T x, unsigned argument, sim::Caller at) const {
    static_assert(sizeof x <= 32);
    sim::host->exchange({.kind = kind,
                         .mask = mask,
                         .argument = argument,
                         .value = reinterpret_cast<std::byte*>(&x),
                         .bytes = sizeof x},
                        at);
    return x;
  }
  int fold(int x, sim::Caller at, void (*f)(void*, const void*)) const {
    sim::host->exchange({.kind = sim::Collective::fold,
                         .value = reinterpret_cast<std::byte*>(&x),
                         .bytes = sizeof x,
                         .fold = f},
                        at);
    return x;
  }
};

}  // namespace onefold
