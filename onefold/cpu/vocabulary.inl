// Vector types of f64 and of related types, for every feed. Included inside the namespace of an
// instruction set; no include guard.

using D = hn::ScalableTag<double>;
using DI = hn::RebindToSigned<D>;
using DU = hn::RebindToUnsigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;
constexpr D d64;
constexpr DI di64;
constexpr DU du64;
constexpr std::size_t N = hn::MaxLanes(D());  // f64 lanes: 2, 4 or 8

HWY_INLINE VI bits_of_vector(V v) { return hn::BitCast(di64, v); }
HWY_INLINE int64_t sum_lanes(VI v) { return hn::GetLane(hn::SumOfLanes(di64, v)); }

// Hides the value of v from the optimiser.
template <class Vector>
HWY_INLINE void hide(Vector& v) {
#if defined(__aarch64__)
  asm("" : "+w"(v.raw));
#else
  asm("" : "+v"(v.raw));
#endif
}

// The prefetch distance for loops that the hardware prefetcher serves badly: two arrays, or bins.
constexpr std::size_t far_ahead = 6144;

// Prefetches one cache line. `ahead` usually depends on the processor (processor.hpp).
HWY_INLINE void prefetch(const void* p, std::size_t bytes, std::size_t ahead = prefetch_ahead) {
  const char* from = static_cast<const char*>(p) + ahead;
#pragma GCC unroll 8
  for (std::size_t c = 0; c < bytes; c += 64) __builtin_prefetch(from + c);
}
