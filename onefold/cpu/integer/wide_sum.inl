// Sums of u64 lanes, or of their u32 halves, without wider lanes. Included inside the namespace of
// an instruction set; no include guard.
//
//   exact    for up to 2^32 additions, all lanes together: the sum of the high halves is then below
//            2^64, and so is that of the low halves, which modulo 2^64 is all - (high << 32)
//   cost     3 instructions a vector; masking and adding both halves are 4

// Returns the sum of the lanes modulo 2^64. It adds unsigned numbers: gcc's header adds the last
// two lanes as signed ones, whose overflow is undefined.
HWY_INLINE uint64_t sum_lanes(VU v) {
  alignas(64) uint64_t lane[hn::MaxLanes(du64)];
  hn::Store(v, du64, lane);
  uint64_t sum = 0;
  for (const uint64_t x : lane) sum += x;
  return sum;
}

struct WideSum {
  VU all;  // modulo 2^64
  VU high;

  // Written out, because a constructor that the compiler generates has no target attribute.
  HWY_INLINE WideSum() : all(hn::Zero(du64)), high(hn::Zero(du64)) {}

  HWY_INLINE void add(VU v) { add(v, hn::ShiftRight<32>(v)); }
  // high_half: v >> 32
  HWY_INLINE void add(VU v, VU high_half) {
    all = hn::Add(all, v);
    high = hn::Add(high, high_half);
  }
  // Returns the sum of all lanes.
  HWY_INLINE Int128 value() const { return low_sum() + (static_cast<Int128>(high_sum()) << 32); }
  // Returns the sum of all 32-bit halves.
  HWY_INLINE Int128 halves() const { return static_cast<Int128>(low_sum()) + high_sum(); }

 private:
  HWY_INLINE uint64_t high_sum() const { return sum_lanes(high); }
  HWY_INLINE uint64_t low_sum() const { return sum_lanes(all) - (high_sum() << 32); }
};
