// A recording as short JSON, without what loads bring: the player has memory.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/record.hpp"
#include "lab/report_text.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

// Returns the index of `v` in `list`, and appends it if it is new.
template <class T>
std::size_t number(std::vector<T>& list, const T& v) {
  const auto at = std::find(list.begin(), list.end(), v);
  if (at != list.end()) return static_cast<std::size_t>(at - list.begin());
  list.push_back(v);
  return list.size() - 1;
}

// Writes one number if all are equal; first value and stride if they are evenly spaced.
Json series(const std::vector<int64_t>& v) {
  if (v.empty()) return 0;
  const int64_t stride = v.size() > 1 ? v[1] - v[0] : 0;
  bool even = true;
  for (std::size_t k = 1; k < v.size(); ++k) even = even && v[k] - v[k - 1] == stride;
  if (!even) return v;
  return stride == 0 ? Json(v[0]) : Json{v[0], stride};
}

// Does the same, but never writes a single number, since 0 means an empty list.
Json explicit_values(const std::vector<int64_t>& v) {
  if (v.size() == 1) return v;
  const Json s = series(v);
  return s.is_array() ? s : Json{v[0], 0};
}

// Rounds to as many digits as a page shows.
std::vector<double> shortened(std::vector<double> v) {
  for (double& x : v) {
    if (!std::isfinite(x) || x == 0) continue;
    // A quotient by a power of ten is the nearest number to its digits; a product by 0.1 is not.
    const double places = 5 - std::floor(std::log10(std::fabs(x)));
    const double scale = std::pow(10, std::fabs(places));
    x = places > 0 ? std::round(x * scale) / scale : std::round(x / scale) * scale;
  }
  if (v.size() == 2) v.push_back(0);  // two numbers would mean start and stride
  return v;
}

}  // namespace

Json to_json(const Recording& r) {
  std::vector<std::string> files;
  std::vector<sim::Site> sites;
  std::vector<uint32_t> lanes;
  std::vector<std::array<unsigned, 4>> costs;
  const auto file = [&](const sim::Site& s) {
    return number(files, std::string(short_path(s.file)));
  };
  Json steps = Json::array();
  for (const Moment& m : r.moments) {
    const bool loads = m.act == Act::load || m.act == Act::outside;
    const bool access = m.act <= Act::outside && m.act != Act::branch && m.act != Act::fence;
    Json step{static_cast<int>(m.act),
              m.at.line == 0 ? 0 : number(sites, m.at) + 1,
              m.block,
              m.warp,
              m.act == Act::branch ? Json{number(lanes, m.lanes), number(lanes, m.argument)}
                                   : Json(number(lanes, m.lanes)),
              access || m.act == Act::landed ? m.space : m.argument,
              series(m.elements),
              access ? number(costs, m.cost) : 0,
              loads || m.values.empty() ? Json(0)
              : m.reals.empty()         ? explicit_values(m.values)
                                        : Json(shortened(m.reals)),
              m.act == Act::landed ? m.argument
              : m.width == 1       ? 0
                                   : m.width,
              m.flaws.empty() ? Json(0) : Json(m.flaws)};
    if (m.act == Act::branch) step[5] = 0;
    while (step.back() == 0) step.erase(step.size() - 1);
    steps.push_back(std::move(step));
  }
  Json j{{"twin", r.twin},
         {"schedule", r.schedule},
         {"n", r.setting.n},
         {"block", r.outcome.block},
         {"grid", r.outcome.grid},
         {"result", std::get<int64_t>(r.outcome.result)},
         {"correct", r.outcome.correct}};
  if (!r.contents.empty()) {
    j["contents"] = Json::object();
    for (const auto& [name, values] : r.contents) j["contents"][name] = shortened(values);
    j["cut"] = r.cut;
  }
  j["flaws"] = Json::array();
  for (const sim::Flaw& f : r.flaws) {
    Json flaw{{"kind", name_of(f.kind)}, {"file", file(f.at)},   {"line", f.at.line},
              {"space", f.space},        {"element", f.element}, {"block", f.block},
              {"threads", f.threads}};
    if (f.other.line != 0) flaw["other"] = {f.other.line, f.other_block};
    j["flaws"].push_back(flaw);
  }
  j["spaces"] = Json::array();
  for (const RecordedSpace& s : r.spaces) {
    j["spaces"].push_back({s.name, int(s.shared), s.size, s.bank_base, s.grain});
  }
  j["sites"] = Json::array();
  for (const sim::Site& s : sites) j["sites"].push_back({file(s), s.line, s.column});
  j["files"] = files;
  j["lanes"] = lanes;
  j["costs"] = costs;
  j["steps"] = std::move(steps);
  return j;
}

}  // namespace onefold::lab
