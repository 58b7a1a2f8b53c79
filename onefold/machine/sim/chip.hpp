// A chip's rules for memory and its limits, as plain values.
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

  // Of a multiprocessor, and of its largest block. docs/course/chips.md has the sources.
  unsigned block_threads = 1024, threads = 2048, blocks = 32, registers = 65536;
  unsigned shared = 233472, shared_reserved = 1024, shared_unit = 128;  // bytes; reserved: a block
  unsigned register_unit = 256;     // registers are given in such pieces, to each warp,
  bool registers_by_block = false;  // or to a block
  unsigned warp_unit = 4;           // to so many warps together
  // Of the chip: partitions of memory, which have 256 bytes each in turn (0: addresses are spread);
  // GB/s of memory, 10^9 f32 operations a second.
  unsigned multiprocessors = 132, partitions = 0;
  double gbps = 4800, gflops = 66900;

  bool operator==(const Chip&) const = default;
};

// clang-format off
inline constexpr std::array chips{
    Chip{.name = "cc10", .card = "G80", .request_lanes = 16, .coalescing = Coalescing::in_order,
         .banks = 16, .many_broadcasts = false, .block_threads = 512, .threads = 768, .blocks = 8,
         .registers = 8192, .shared = 16384, .shared_reserved = 0, .shared_unit = 512,
         .registers_by_block = true, .warp_unit = 2, .multiprocessors = 16,
         .partitions = 6, .gbps = 86.4, .gflops = 346},
    Chip{.name = "cc12", .card = "GTX 280", .request_lanes = 16,
         .coalescing = Coalescing::segments, .banks = 16, .many_broadcasts = false,
         .block_threads = 512, .threads = 1024, .blocks = 8, .registers = 16384, .shared = 16384,
         .shared_reserved = 0, .shared_unit = 512, .register_unit = 512,
         .registers_by_block = true, .warp_unit = 2, .multiprocessors = 30,
         .partitions = 8, .gbps = 141.7, .gflops = 622},
    // With L1 on, lines have 128 bytes. Text 002 (the tutorial) says 256; the hardware has 128.
    Chip{.name = "cc20", .card = "Tesla M2070", .line_bytes = 128, .threads = 1536, .blocks = 8,
         .registers = 32768, .shared = 49152, .shared_reserved = 0, .register_unit = 64,
         .warp_unit = 2, .multiprocessors = 14, .gbps = 150, .gflops = 1030},
    Chip{.name = "sm_90", .card = "H200"},
};
// clang-format on

inline constexpr Chip sm_90 = chips[3];

constexpr const Chip* find_chip(std::string_view name) {
  for (const Chip& c : chips) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

// How many blocks of a launch a multiprocessor holds at one time, and what keeps more out.
struct Occupancy {
  unsigned blocks = 0;
  double percent = 0;  // of the multiprocessor's threads
  std::string_view limit;
};
constexpr Occupancy occupancy(const Chip& c, unsigned threads, unsigned registers,
                              unsigned shared) {
  const auto up = [](unsigned v, unsigned unit) { return (v + unit - 1) / unit * unit; };
  const unsigned warps = (threads + 31) / 32;
  const unsigned of_warp = up(registers * 32, c.register_unit);
  const unsigned of_block = up(up(warps, c.warp_unit) * registers * 32, c.register_unit);
  const unsigned bytes = up(shared + c.shared_reserved, c.shared_unit);
  Occupancy o{.blocks = threads > c.block_threads ? 0 : c.blocks, .limit = "blocks"};
  const auto at_most = [&](unsigned blocks, std::string_view limit) {
    if (blocks < o.blocks) o.blocks = blocks, o.limit = limit;
  };
  if (threads > c.block_threads) o.limit = "threads";
  at_most(c.threads / (warps * 32), "threads");
  if (registers != 0 && c.registers_by_block) at_most(c.registers / of_block, "registers");
  if (registers != 0 && !c.registers_by_block) {
    at_most(c.registers / of_warp / c.warp_unit * c.warp_unit / warps, "registers");
  }
  if (bytes != 0) at_most(c.shared / bytes, "shared");
  o.percent = 100. * o.blocks * warps * 32 / c.threads;
  return o;
}

}  // namespace onefold::sim
