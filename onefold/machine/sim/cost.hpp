// The cost of one warp-level access under a chip's rules, as pure functions of the addresses.
//
//   source   facts of NVIDIA's profilers (sm_70 and later); CUDA C Programming Guide 1.1, 5.1.2.1
//            and 5.1.2.5 (c.c. 1.0), 3.0, G.3.2 (c.c. 1.2) and G.4.2 (c.c. 2.0)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "onefold/machine/sim/chip.hpp"

namespace onefold::sim {

// The active lanes of one warp-level access and the byte address of each.
struct Request {
  unsigned lanes = 0;
  unsigned bytes = 0;  // of each lane
  std::array<uint8_t, 32> lane{};
  std::array<uint64_t, 32> address{};

  void add(unsigned l, uint64_t a) {
    lane[lanes] = static_cast<uint8_t>(l);
    address[lanes++] = a;
  }
};

struct Cost {
  uint64_t count = 0;  // sectors or transactions (global memory), wavefronts (shared memory)
  uint64_t ideal = 0;  // the smallest count that could carry the same bytes
  uint64_t moved = 0;  // bytes that were transferred
};

namespace detail {

// Sorts v[0..n) unless it is sorted, removes duplicates, and returns how many are left.
template <class T>
unsigned distinct(T* v, unsigned n) {
  if (!std::is_sorted(v, v + n)) std::sort(v, v + n);
  return static_cast<unsigned>(std::unique(v, v + n) - v);
}

inline unsigned units(const Request& r, unsigned from, unsigned to, unsigned unit, uint64_t* out) {
  unsigned n = 0;
  for (unsigned j = from; j < to; ++j) {
    const uint64_t last = (r.address[j] + r.bytes - 1) / unit;
    for (uint64_t u = r.address[j] / unit; u <= last; ++u) {
      if (n == 0 || out[n - 1] != u) out[n++] = u;
    }
  }
  return distinct(out, n);
}

inline void in_order(const Request& r, unsigned from, unsigned to, Cost& c) {
  const uint64_t block = 16ull * r.bytes;
  const unsigned first = r.lane[from] & 15u;
  const uint64_t base = r.address[from] - first * uint64_t{r.bytes};
  bool together = base % block == 0 && r.bytes >= 4;
  for (unsigned j = from; j < to; ++j) {
    together = together && r.address[j] == base + (r.lane[j] & 15u) * uint64_t{r.bytes};
  }
  if (together) {
    c.count += r.bytes == 16 ? 2 : 1;
    c.moved += block;
  } else {
    c.count += to - from;
    c.moved += uint64_t{32} * (to - from);
  }
}

inline void segments(const Request& r, unsigned from, unsigned to, Cost& c) {
  const uint64_t size = r.bytes == 1 ? 32 : r.bytes == 2 ? 64 : 128;
  uint32_t left = (uint32_t{1} << (to - from)) - 1;
  while (left != 0) {
    const uint64_t base =
        r.address[from + static_cast<unsigned>(__builtin_ctz(left))] / size * size;
    uint64_t low = base + size, high = base;
    for (unsigned j = from; j < to; ++j) {
      if ((left >> (j - from) & 1) == 0 || r.address[j] / size * size != base) continue;
      low = std::min(low, r.address[j]);
      high = std::max(high, r.address[j] + r.bytes);
      left &= ~(uint32_t{1} << (j - from));
    }
    uint64_t moved = size, at = base;
    while (moved > 32) {  // halve the segment while one half has all accesses
      if (high <= at + moved / 2) {
        moved /= 2;
      } else if (low >= at + moved / 2) {
        at += moved / 2;
        moved /= 2;
      } else {
        break;
      }
    }
    c.count += 1;
    c.moved += moved;
  }
}

// c.c. 1.x: a wavefront broadcasts one word to many lanes; every other bank serves one lane.
inline uint64_t one_broadcast(const uint64_t* word, unsigned n, unsigned banks) {
  std::array<uint64_t, 128> rest{};
  std::copy(word, word + n, rest.begin());
  uint64_t waves = 0;
  while (n > 0) {
    ++waves;
    uint64_t most = rest[0];
    long best = 0;
    for (unsigned j = 0; j < n; ++j) {
      const long k = std::count(rest.begin(), rest.begin() + n, rest[j]);
      if (k > best) best = k, most = rest[j];
    }
    uint64_t busy = uint64_t{1} << (most % banks);
    unsigned kept = 0;
    for (unsigned j = 0; j < n; ++j) {
      const uint64_t bank = uint64_t{1} << (rest[j] % banks);
      if (rest[j] == most) continue;
      if ((busy & bank) != 0) {
        rest[kept++] = rest[j];
      } else {
        busy |= bank;
      }
    }
    n = kept;
  }
  return waves;
}

}  // namespace detail

// Calls f(from, to) for each range of lanes of `r` that are served together.
template <class F>
void for_requests(const Chip& chip, const Request& r, F f) {
  for (unsigned from = 0; from < r.lanes;) {
    unsigned to = from;
    while (to < r.lanes && r.lane[to] / chip.request_lanes == r.lane[from] / chip.request_lanes)
      ++to;
    f(from, to);
    from = to;
  }
}

inline Cost global_cost(const Chip& chip, const Request& r) {
  Cost c;
  std::array<uint64_t, 64> unit{};
  for_requests(chip, r, [&](unsigned from, unsigned to) {
    switch (chip.coalescing) {
      case Coalescing::in_order:
        detail::in_order(r, from, to, c);
        break;
      case Coalescing::segments:
        detail::segments(r, from, to, c);
        break;
      case Coalescing::lines: {
        const unsigned n = detail::units(r, from, to, chip.line_bytes, unit.data());
        c.count += n;
        c.moved += uint64_t{n} * chip.line_bytes;
        break;
      }
    }
  });
  std::array<uint64_t, 32> start{};
  std::copy(r.address.begin(), r.address.begin() + r.lanes, start.begin());
  const uint64_t bytes = uint64_t{detail::distinct(start.data(), r.lanes)} * r.bytes;
  c.ideal = (bytes + chip.line_bytes - 1) / chip.line_bytes;
  return c;
}

inline Cost shared_cost(const Chip& chip, const Request& r) {
  Cost c;
  std::array<uint64_t, 128> word{};
  for_requests(chip, r, [&](unsigned from, unsigned to) {
    unsigned n = 0;
    for (unsigned j = from; j < to; ++j) {
      for (unsigned q = 0; q < r.bytes; q += 4) word[n++] = (r.address[j] + q) / 4;
    }
    uint64_t worst = 1;
    if (!chip.many_broadcasts) worst = detail::one_broadcast(word.data(), n, chip.banks);
    n = detail::distinct(word.data(), n);
    if (chip.many_broadcasts) {
      std::array<uint8_t, 32> in_bank{};
      for (unsigned j = 0; j < n; ++j)
        worst = std::max<uint64_t>(worst, ++in_bank[word[j] % chip.banks]);
    }
    c.count += worst;
    c.ideal += (n + chip.banks - 1) / chip.banks;
  });
  c.moved = c.count * chip.banks * 4;
  return c;
}

}  // namespace onefold::sim
