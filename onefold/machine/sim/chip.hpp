// A chip's rules for memory, as plain values.
#pragma once

#include <array>
#include <string_view>

namespace onefold::sim {

// How the accesses of one request's lanes become transactions with global memory.
enum class Coalescing {
  in_order,  // c.c. 1.0: lane k reads element k of an aligned block, else each lane separately
  segments,  // c.c. 1.2: the fewest 128, 64 or 32-byte segments, any order
  lines,     // c.c. 2.0 and later: distinct lines of `line_bytes`
};

struct Chip {
  std::string_view name;
  std::string_view card;
  unsigned request_lanes = 32;  // lanes whose accesses are combined: a half-warp on c.c. 1.x
  Coalescing coalescing = Coalescing::lines;
  unsigned line_bytes = 32;
  unsigned banks = 32;
  bool many_broadcasts = true;  // false: in a wavefront only one word may reach several lanes

  bool operator==(const Chip&) const = default;
};

inline constexpr std::array chips{
    Chip{.name = "cc10",
         .card = "G80",
         .request_lanes = 16,
         .coalescing = Coalescing::in_order,
         .line_bytes = 32,
         .banks = 16,
         .many_broadcasts = false},
    Chip{.name = "cc12",
         .card = "GTX 280",
         .request_lanes = 16,
         .coalescing = Coalescing::segments,
         .line_bytes = 32,
         .banks = 16,
         .many_broadcasts = false},
    // With L1 on, lines have 128 bytes. Text 002 (the tutorial) says 256; the hardware has 128.
    Chip{.name = "cc20", .card = "Tesla M2070", .line_bytes = 128},
    Chip{.name = "sm_90", .card = "H200"},
};

inline constexpr Chip sm_90 = chips[3];

}  // namespace onefold::sim
