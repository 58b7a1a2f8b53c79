// Runs one rung on the simulated machine.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "lab/plan.hpp"
#include "onefold/machine/sim/chip.hpp"
#include "onefold/machine/sim/observer.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

// An answer or what it should be: an integer for integer types, else a double.
using Value = std::variant<int64_t, double>;

struct Setting {
  Type type = Type::i32;
  Op op = Op::sum;
  Size n = Size{1} << 16;
  unsigned block = 256;
  Size grid = 16;       // where the rung leaves it open
  unsigned offset = 0;  // elements that the input is off a 256-byte border
  uint64_t seed = 1;
  sim::Chip chip = sim::sm_90;
  unsigned schedules = 2;
  std::optional<sim::Site> without{};       // a sync or bounds test that is taken away
  std::optional<unsigned> only_schedule{};  // instead of the first `schedules`
  sim::Observer* observer = nullptr;        // of every schedule
};

struct Outcome {
  Value result{}, expected{};
  bool correct = false;  // under every schedule
  std::size_t launches = 0;
  Size grid = 0;  // of the first launch
  unsigned block = 0;
  std::optional<double> ms{};  // of a rung of the host; on a GPU: median of replays
  double gbps = 0;
  sim::Report report{};  // counters of the convergent schedule, flaws of all
};

// The elements: integers 0..255, 0..7 above 2^24 of them, so that an int holds their sum. Of
// `seed_of_rand` they are what text 001 adds: rand() of glibc without a seed, & 0xFF.
constexpr uint64_t seed_of_rand = ~uint64_t{0};
std::vector<int32_t> elements(Size n, uint64_t seed);
Value expected(const std::vector<int32_t>& x, Op op, Type type);

// Empty if the rung has no such type, op or block.
std::optional<Outcome> simulate(const Entry& rung, bool twin, const Setting& setup,
                                const std::vector<int32_t>& x);

}  // namespace onefold::lab
