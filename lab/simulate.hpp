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

// An answer, or the expected one: an integer for integer types, otherwise a double.
using Value = std::variant<int64_t, double>;

struct Setting {
  Type type = Type::i32;
  Op op = Op::sum;
  Size n = Size{1} << 16;
  unsigned block = 256;
  Size grid = 16;       // used if the rung does not fix it
  unsigned offset = 0;  // elements from a multiple of 256 bytes to the input
  uint64_t seed = 1;
  sim::Chip chip = sim::sm_90;
  unsigned schedules = 2;
  std::optional<sim::Site> without{};       // a sync or bounds test that is left out
  std::optional<unsigned> only_schedule{};  // instead of the first `schedules`
  sim::Observer* observer = nullptr;        // sees every schedule
};

struct Outcome {
  Value result{}, expected{};
  bool correct = false;  // under all schedules
  std::size_t launches = 0;
  Size grid = 0;  // of the first launch
  unsigned block = 0;
  std::optional<double> ms{};  // if the rung is a loop on the host; on a GPU the median of replays
  double gbps = 0;
  sim::Report report{};  // counters of the convergent schedule, flaws of all schedules
};

// The elements: integers 0..255, or 0..7 if there are more than 2^24, so that an int holds their
// sum.
std::vector<int32_t> elements(Size n, uint64_t seed);
Value expected(const std::vector<int32_t>& x, Op op, Type type);

// Runs a rung; nothing if it lacks the type, op or block.
std::optional<Outcome> simulate(const Entry& rung, bool twin, const Setting& setup,
                                const std::vector<int32_t>& x);

}  // namespace onefold::lab
