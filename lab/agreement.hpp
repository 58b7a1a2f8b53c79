// Compares counters with their predictions, over the points of an experiment.
#pragma once

#include <span>
#include <vector>

#include "lab/workbench.hpp"

namespace onefold::lab {

struct Agreement {
  const Metric* metric = nullptr;
  std::size_t points = 0;  // points at which one of the two is not 0
  std::size_t equal = 0;
  std::size_t near = 0;  // within 5 %
  const Point* furthest = nullptr;
  Compared there{};  // the metric's two values at `furthest`
};

// Compares all metrics that were both predicted and measured at some point.
std::vector<Agreement> agreements(std::span<const Point> points);

}  // namespace onefold::lab
