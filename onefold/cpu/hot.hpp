// Helpers for all files of feeds. None of them is time-critical.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "onefold/core/exact/limbs.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/cpu/processor.hpp"

// True if Highway now compiles for a target with vectors rather than scalars.
#define ONEFOLD_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

namespace onefold::cpu_backend {

// Adds v * 2^exponent to limbs; limb 0 has the weight 2^unit. Bits of v below 2^unit must be 0.
inline void add_to_limbs(int64_t* limb, int unit, Int128 v, int exponent) {
  if (v == 0) return;
  const bool negative = v < 0;
  auto magnitude = static_cast<Uint128>(negative ? -v : v);
  int position = exponent - unit;
  if (position < 0) {
    magnitude = position > -128 ? magnitude >> -position : 0;
    position = 0;
  }
  deposit([limb](int k, int64_t d) { limb[k] += d; }, magnitude, negative, position);
}

// Returns the table's row for a feed that is written as a class:
//   struct F { using Element; void open(int64_t* const* words); void run(const Element*, Size n,
//   Size first); void close(); }   or run(x, y, n, first)
template <class F>
Feed make_feed(const char* name, Accumulators provides, int cost) {
  using T = typename F::Element;
  static_assert(alignof(F) <= 64);
  return {.name = name,
          .provides = provides,
          .dtype = dtype_of<T>,
          .cost = cost,
          .work_bytes = sizeof(F),
          .open = [](void* work, int64_t* const* words) { (new (work) F)->open(words); },
          .run =
              [](void* work, const void* x, const void* y, Size n, Size first) {
                F& f = *static_cast<F*>(work);
                if constexpr (requires { f.run(static_cast<const T*>(x), n, first); }) {
                  f.run(static_cast<const T*>(x), n, first);
                } else {
                  f.run(static_cast<const T*>(x), static_cast<const T*>(y), n, first);
                }
              },
          .close = [](void* work) { static_cast<F*>(work)->close(); }};
}

}  // namespace onefold::cpu_backend
