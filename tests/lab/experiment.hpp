// Runs experiments on the simulated machine.
#pragma once

#include <gtest/gtest.h>

#include "lab/experiment.hpp"

namespace onefold::lab {

inline std::vector<Point> points_of(const char* experiment, const char* chip = "sm_90",
                                    ExperimentOptions options = {}) {
  options.insert_or_assign("chip", chip);
  const auto bench = simulated_workbench(chip_of(options), 2);
  return find_experiment(experiment)->run(*bench, options).points;
}

// Returns the point of a kernel with these parameters.
inline const Point& point(const std::vector<Point>& points, std::string_view name,
                          const std::vector<std::pair<std::string, Param>>& params) {
  for (const Point& p : points) {
    if (p.name == name && p.params == params) return p;
  }
  ADD_FAILURE() << "there is no such point of " << name;
  return points.at(0);
}

inline double figure(const Point& p, std::string_view name) {
  for (const Figure& f : p.figures) {
    if (f.name == name) return f.found;
  }
  ADD_FAILURE() << "there is no " << name;
  return -1;
}

inline void expect_all_right(const std::vector<Point>& points) {
  EXPECT_FALSE(points.empty());
  for (const Point& p : points) {
    EXPECT_TRUE(p.correct) << p.name;
    EXPECT_TRUE(!p.report || p.report->flaws.empty()) << p.name;  // none for loops on the host
  }
}

}  // namespace onefold::lab
