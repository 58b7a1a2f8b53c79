// Names all accumulators, and sets of them; accumulator.hpp says what each does. The build makes
// one list from the folder accumulator/ and one from pair/. An accumulator of pair/ is gathered
// from two arrays; it comes last in a state (docs/format.md).
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

enum class Accumulator : uint8_t {
#define ONEFOLD_ENTRY(name) name,
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
};

inline constexpr int accumulator_count = 0
#define ONEFOLD_ENTRY(name) +1
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
    ;

// Counts all accumulators; those of two arrays (pair/) have the last numbers.
inline constexpr int every_accumulator = accumulator_count
#define ONEFOLD_ENTRY(name) +1
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
    ;

// Limbs must be carried again before this many elements have been lifted.
inline constexpr Size most_uncarried = Size{1} << 30;

// A set of accumulators.
struct Accumulators {
  uint32_t bits = 0;

  constexpr Accumulators() = default;
  ONEFOLD_FN constexpr Accumulators(Accumulator a) : bits(uint32_t{1} << static_cast<int>(a)) {}
  ONEFOLD_FN constexpr explicit Accumulators(uint32_t b) : bits(b) {}
  ONEFOLD_FN constexpr bool has(Accumulator a) const {
    return (bits >> static_cast<int>(a) & 1) != 0;
  }
  ONEFOLD_FN constexpr bool empty() const { return bits == 0; }
  // basic(): this set without accumulators of two arrays; the other function returns only those.
  ONEFOLD_FN constexpr Accumulators basic() const {
    return Accumulators(bits & ((uint32_t{1} << accumulator_count) - 1));
  }
  ONEFOLD_FN constexpr Accumulators of_pairs() const { return Accumulators(bits & ~basic().bits); }
  // Returns whether the set has sums of x^3 or x^4, whose words fill a block's shared memory.
  ONEFOLD_FN constexpr bool of_high_powers() const {
    return has(Accumulator::sumcube) || has(Accumulator::sumfourth);
  }
  ONEFOLD_FN constexpr bool within(Accumulators o) const { return (bits & ~o.bits) == 0; }
  friend constexpr bool operator==(Accumulators, Accumulators) = default;
  ONEFOLD_FN friend constexpr Accumulators operator|(Accumulators a, Accumulators b) {
    return Accumulators(a.bits | b.bits);
  }
  ONEFOLD_FN friend constexpr Accumulators operator&(Accumulators a, Accumulators b) {
    return Accumulators(a.bits & b.bits);
  }
};

ONEFOLD_FN constexpr Accumulators operator|(Accumulator a, Accumulator b) {
  return Accumulators(a) | Accumulators(b);
}

constexpr const char* name_of(Accumulator a) {
  switch (a) {
#define ONEFOLD_ENTRY(name) \
  case Accumulator::name:   \
    return #name;
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
  }
  return "?";
}

}  // namespace onefold
