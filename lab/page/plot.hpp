// Plots points of an experiment as lines over one parameter, in SVG within a page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace onefold::lab {

struct PlotLine {
  std::string name;
  bool dashed = false;  // predicted
  std::vector<std::pair<double, double>> points;
};

// Writes 31936 as 31,936.
std::string with_commas(double v);
// Returns a number as people write it: 31,936; 0.6345; 12.3 million.
std::string human(double v);
// Returns a size: 16 KiB, 1 GiB.
std::string human_kib(double kib);

// Plots lines; the x axis is logarithmic if x covers more than a factor of 8.
std::string plot(const std::string& title, const std::string& x_name,
                 const std::vector<PlotLine>& lines);

}  // namespace onefold::lab
