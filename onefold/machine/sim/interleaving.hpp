// Who goes on when threads of several warps and blocks stop between two strong accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/machine/sim/thread.hpp"

namespace onefold::sim {

// At choice number `at` the `to`-th other actor goes on, instead of the one that ran last.
struct Departure {
  uint32_t at = 0, to = 0;
  bool operator==(const Departure&) const = default;
};

struct Interleaving {
  enum class Way : uint8_t {
    none,   // blocks run one after another, and threads do not stop at strong accesses
    drawn,  // Options::schedule is the seed
    listed  // an actor goes on until it ends or waits, then the next one, but for `departures`
  };
  Way way = Way::none;
  unsigned blocks = 2;  // listed: the most blocks in flight
  std::vector<Departure> departures{};
};

// Some lanes of a warp, which go on together.
struct Actor {
  Block* block = nullptr;
  unsigned warp = 0;
  uint32_t lanes = 0;  // one bit for each lane
};

// What a drawn order keeps for a whole launch. Seeds from 2 on go through all of it: short turns
// find another block between test and set, long ones a pop that is overtaken by several others.
struct Habits {
  unsigned blocks = 2;                  // the most in flight
  unsigned stay = 0;                    // of 64 turns, so many are the same warp's again
  enum { all, half, one } lanes = all;  // of a warp that take a turn

  static Habits of(unsigned seed) {
    constexpr unsigned blocks[] = {4, 2, 8, 3, 2}, stay[] = {0, 32, 56, 63};
    constexpr decltype(Habits::lanes) lanes[] = {all, one, half};
    return {blocks[(seed - 2) % 5], stay[(seed - 2) % 4], lanes[(seed - 2) % 3]};
  }
};

class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  uint32_t operator()(uint32_t n) {  // from 0 to n - 1, by splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>(((z ^ z >> 31) >> 32) * n >> 32);
  }

 private:
  uint64_t state_;
};

}  // namespace onefold::sim
