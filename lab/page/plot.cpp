#include "lab/page/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace onefold::lab {
namespace {

constexpr double width = 560, height = 220, left = 64, right = 16, top = 30, bottom = 40;

// Returns the axis step: 1, 2 or 5 times a power of ten, so that there are at most six.
double step_of(double most) {
  const double unit = std::pow(10, std::floor(std::log10(most)));
  for (const double part : {0.1, 0.2, 0.5, 1.0, 2.0}) {
    if (most / (unit * part) <= 6) return unit * part;
  }
  return 5 * unit;
}

}  // namespace

std::string with_commas(double v) {
  std::string s = fmt::format("{:.0f}", std::fabs(v));
  for (std::size_t at = s.size(); at > 3; at -= 3) s.insert(at - 3, 1, ',');
  return (v < 0 ? "-" : "") + s;
}

std::string human(double v) {
  const double a = std::fabs(v);
  if (a >= 1e6) return fmt::format("{:.3g} million", v / 1e6);
  if (a >= 1e4) return with_commas(v);
  if (v == std::floor(v)) return fmt::format("{:.0f}", v);
  return fmt::format("{:.4g}", v);
}

std::string human_kib(double kib) {
  for (const char* unit : {"KiB", "MiB"}) {
    if (kib < 1024) return fmt::format("{:g} {}", kib, unit);
    kib /= 1024;
  }
  return fmt::format("{:g} GiB", kib);
}

std::string plot(const std::string& title, const std::string& x_name,
                 const std::vector<PlotLine>& lines) {
  double x0 = INFINITY, x1 = -INFINITY, y1 = 0;
  for (const PlotLine& l : lines) {
    for (const auto& [x, y] : l.points) {
      x0 = std::min(x0, x), x1 = std::max(x1, x), y1 = std::max(y1, y);
    }
  }
  if (!(x1 > x0) || !(y1 > 0)) return "";
  const bool log = x0 > 0 && x1 / x0 > 8;
  const auto across = [&](double x) {
    const double part = log ? std::log(x / x0) / std::log(x1 / x0) : (x - x0) / (x1 - x0);
    return left + (width - left - right) * part;
  };
  const auto up = [&](double y) { return height - bottom - (height - top - bottom) * y / y1; };
  const bool sizes = x_name.ends_with("KiB");
  std::string out =
      fmt::format("<svg class=\"graph\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
                  width, height, title);
  for (double y = 0; y <= y1 * 1.0001; y += step_of(y1)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text x=\"{}\" "
        "y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        left, width - right, up(y), up(y), left - 6, up(y) + 4, human(y));
  }
  const double factor = std::pow(2, std::max(1.0, std::ceil(std::log2(x1 / x0) / 7)));
  const double step = step_of(x1 - x0);
  for (double x = log ? x0 : std::ceil(x0 / step) * step; x <= x1 * 1.0001;
       x = log ? x * factor : x + step) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", across(x),
                       height - bottom + 16, sizes ? human_kib(x) : human(x));
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (left + width - right) / 2, height - 6, sizes ? "size" : x_name);
  double at = left;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const PlotLine& l = lines[k];
    const std::string kind = fmt::format("c{}{}", k % 6, l.dashed ? " dashed" : "");
    std::string way;
    for (const auto& [x, y] : l.points) {
      way += fmt::format("{}{:.1f} {:.1f}", way.empty() ? "M" : "L", across(x), up(y));
    }
    out += fmt::format("<path class=\"{}\" d=\"{}\"/>", kind, way);
    out += fmt::format("<path class=\"{}\" d=\"M{} 14h22\"/><text x=\"{}\" y=\"18\">{}</text>\n",
                       kind, at, at + 28, l.name);
    at += 60 + 7 * static_cast<double>(l.name.size());
  }
  return out + "</svg>\n";
}

}  // namespace onefold::lab
