// Splits vectors some steps before their parts go to bins.
//
//   why      what was stored just now is slow to read, and a loop that only splits leaves the loads
//            and stores idle: f64 random bits 12.0 GB/s from L2, in two loops of 256 elements 10.6
//            (Zen 4); three steps instead of seven 10.4
//
// Included inside the namespace of an instruction set; no include guard.

// split(i, parts) for vectors i = 0, 1, ... < count; put(parts) for each of them, in order.
template <class Parts, class Split, class Put>
HWY_INLINE HWY_ATTR void split_ahead(Size count, Split&& split, Put&& put) {
  constexpr Size ring = 8;
  Parts parts[ring];
  for (Size i = 0; i < ring - 1 && i < count; ++i) split(i, parts[i]);
  for (Size i = 0; i < count; ++i) {
    const Size ahead = i + ring - 1;
    if (ahead < count) split(ahead, parts[ahead % ring]);
    put(i, parts[i % ring]);
  }
}
