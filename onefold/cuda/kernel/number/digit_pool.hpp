// Memory for the long integers of one thread of a block: places in the launch's shared memory. On
// the stack they would take 20 to 60 KB, which a driver reserves for each thread that a device can
// hold: gigabytes.
#pragma once

#include "onefold/core/exact/long_integer.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

inline constexpr unsigned pool_places = 24;

// Carries as exact/limbs.hpp does, in memory of any kind; called by one thread.
template <class P>
ONEFOLD_KERNEL void carry_limbs(const P& limb, int n) {
  int64_t c = 0;
  ONEFOLD_NO_UNROLL
  for (int k = 0; k < n; ++k) {
    const int64_t v = int64_t{limb[k]} + c;
    limb[k] = k + 1 < n ? v & 0xffffffff : v;
    c = v >> 32;
  }
}

// The digits of one long integer: one of the block's places, given back by the destructor.
template <class M, int N>
struct PooledDigits {
  // Marks all places as free. Called by the thread before it computes.
  ONEFOLD_KERNEL static void open() { free_places()[0] = (1u << pool_places) - 1; }

  ONEFOLD_KERNEL PooledDigits() : PooledDigits(place_now()) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < N; ++k) at_[k] = 0u;
  }
  ONEFOLD_KERNEL PooledDigits(const PooledDigits& o) : PooledDigits(place_now()) { *this = o; }
  ONEFOLD_KERNEL PooledDigits& operator=(const PooledDigits& o) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < N; ++k) {
      const uint32_t v = o.at_[k];
      at_[k] = v;
    }
    return *this;
  }
  ONEFOLD_KERNEL ~PooledDigits() { free_places()[0] = free_places()[0] | 1u << place_; }
  ONEFOLD_KERNEL auto& operator[](int k) const { return at_[k]; }

 private:
  ONEFOLD_KERNEL explicit PooledDigits(unsigned place)
      : at_(shared_of_launch<uint32_t>(M{}) + place * N), place_(place) {}
  ONEFOLD_KERNEL static auto free_places() { return shared<uint32_t, 1, struct free_places_>(M{}); }
  ONEFOLD_KERNEL static unsigned place_now() {
    const uint32_t free = free_places()[0];
    free_places()[0] = free & (free - 1);
    return lowest_bit(free);
  }

  Shared<M, uint32_t> at_;
  unsigned place_;
};

// Where a machine keeps long integers: the simulated one on its stack, a GPU in the pool.
template <class M, int N>
using LongIntegerOf = LongInteger<N, Either<M::pools_digits, PooledDigits<M, N>, DigitStore<N>>>;
// Returns the bytes of shared memory that a launch needs for long integers of N digits.
constexpr unsigned pool_bytes(int n) { return pool_places * static_cast<unsigned>(n) * 4; }

}  // namespace onefold::kernel
