// The counters that the texts quote: under their names in nvprof and ncu, as the simulated machine
// predicts them and as ncu measures them.
#pragma once

#include <optional>
#include <span>

#include "lab/ncu.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::lab {

struct Metric {
  const char* nvprof = nullptr;
  const char* ncu = nullptr;
  const char* over = nullptr;    // `ncu` is divided by this
  const char* plus = nullptr;    // this is added to it
  const char* weight = nullptr;  // over several launches: their mean, weighted by this; null: added
  double (*predict)(const sim::Counters&) = nullptr;  // null: it needs time, and is measured only
  const char* cause = "";  // of a difference over 5 %, which other figures confirm
};

std::span<const Metric> metrics();

// What ncu is asked for on this chip ("sm_90"); `predicted`: only what has a prediction.
std::vector<std::string> ncu_names(std::string_view chip, bool predicted = false);

struct Compared {
  const Metric* metric = nullptr;
  std::optional<double> predicted{}, measured{};

  // Measured over predicted, less 1; empty where one of them is missing.
  std::optional<double> difference() const;
  // Over 5 %.
  bool differs() const;
};

// All metrics of a rung: what its launches on the simulated machine counted, what ncu said of them.
std::vector<Compared> compare(const sim::Counters& predicted, std::span<const Figures> launches);

}  // namespace onefold::lab
