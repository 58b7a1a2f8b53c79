// The counters that the tutorials quote: their names in nvprof and ncu, the simulated machine's
// predictions, and ncu's measurements.
#pragma once

#include <optional>
#include <span>

#include "lab/ncu.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

// Returns a / b; 0 without any b.
template <class T>
double each_of(T a, T b) {
  return b == 0 ? 0 : double(a) / double(b);
}

struct Metric {
  const char* nvprof = nullptr;
  const char* ncu = nullptr;
  const char* over = nullptr;    // the `ncu` counter is divided by this one
  const char* plus = nullptr;    // this counter is added to it
  const char* weight = nullptr;  // several launches: the mean weighted by this; null: the sum
  double (*predict)(const sim::Counters&) = nullptr;  // null: it needs a time, so is only measured
  const char* cause = "";  // the reason of a difference over 5 %, which other figures confirm
};

std::span<const Metric> metrics();

// Returns the counters that ncu must read on this chip ("sm_90"); `predicted`: only predicted ones.
std::vector<std::string> ncu_names(std::string_view chip, bool predicted = false);

struct Compared {
  const Metric* metric = nullptr;
  std::optional<double> predicted{}, measured{};

  // Returns measured / predicted - 1; nothing if one of them is missing.
  std::optional<double> difference() const;
  // Returns whether the difference is over 5 %.
  bool differs() const;
};

// Returns all metrics of a rung: the simulated machine's counters of its launches, and ncu's.
std::vector<Compared> compare(const sim::Counters& predicted, std::span<const Figures> launches);

}  // namespace onefold::lab
