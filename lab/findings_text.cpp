// An experiment's results, as JSON in the format of `lab reduce` and as tables.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/experiment.hpp"
#include "lab/report_text.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

Json param_json(const Param& p) {
  return std::visit([](const auto& v) { return Json(v); }, p);
}
std::string param_text(const Param& p) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, p);
}

// Returns a number with four digits, since more are noise; counts of up to six digits stay whole.
std::string short_number(double v) {
  if (v == static_cast<double>(static_cast<int64_t>(v)) && v < 1e6) {
    return fmt::format("{}", static_cast<int64_t>(v));
  }
  return fmt::format("{:.4g}", v);
}

Json point_json(const Point& p) {
  Json params = Json::object(), found = Json::object(), predicted = Json::object();
  for (const auto& [name, value] : p.params) params[name] = param_json(value);
  for (const Figure& f : p.figures) {
    found[f.name] = f.found;
    if (f.predicted) predicted[f.name] = *f.predicted;
  }
  Json j{{"name", p.name},           {"title", p.about.title},
         {"source", p.about.source}, {"published", published_json(p.about.published)},
         {"params", params},         {"block", p.block},
         {"grid", p.grid},           {"correct", p.correct},
         {"predicted", predicted},   {"found", found}};
  if (p.ms) j["ms"] = *p.ms;
  if (p.gbps) j["gbps"] = *p.gbps;
  for (const Compared& c : p.profile) {
    if (c.predicted && c.measured) j["profile"].push_back(profile_json(c));
  }
  if (p.report) j["counters"] = counters_json(*p.report), j["flaws"] = flaws_json(*p.report);
  return j;
}

// Returns whether two points belong to one table: the same kernel and the same columns.
bool together(const Point& a, const Point& b) {
  const auto same = [](const auto& x, const auto& y) { return x == y; };
  return a.name == b.name &&
         std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end(),
                    [&](const auto& x, const auto& y) { return same(x.first, y.first); }) &&
         std::equal(a.figures.begin(), a.figures.end(), b.figures.begin(), b.figures.end(),
                    [&](const auto& x, const auto& y) { return same(x.name, y.name); }) &&
         a.ms.has_value() == b.ms.has_value() && a.gbps.has_value() == b.gbps.has_value();
}

std::string points_table(std::span<const Point> points) {
  const Point& first = points[0];
  std::string out = fmt::format("{}: {}\n", first.name, first.about.title);
  out += fmt::format("  {} ({})\n", first.about.idea, first.about.source);
  for (const Published& p : first.about.published) {
    if (p.unit != nullptr) {
      out += fmt::format("  published: {} {}, {}\n", p.value, p.unit, p.chip);
    }
  }
  std::vector<char> predicted(first.figures.size());
  for (const Point& p : points) {
    for (std::size_t k = 0; k < p.figures.size(); ++k) {
      if (p.figures[k].predicted) predicted[k] = 1;
    }
  }
  std::vector<Line> lines(1, Line{""});
  for (const auto& [name, value] : first.params) lines[0].push_back(name);
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    lines[0].push_back(first.figures[k].name);
    if (predicted[k] != 0) lines[0].push_back("predicted");
  }
  if (first.ms) lines[0].push_back("ms");
  if (first.gbps) lines[0].push_back("GB/s");
  lines[0].push_back("");
  for (const Point& p : points) {
    Line l{""};
    for (const auto& [name, value] : p.params) l.push_back(param_text(value));
    for (std::size_t k = 0; k < p.figures.size(); ++k) {
      l.push_back(short_number(p.figures[k].found));
      if (predicted[k] == 0) continue;
      l.push_back(p.figures[k].predicted ? short_number(*p.figures[k].predicted) : "-");
    }
    if (p.ms) l.push_back(fmt::format("{:.4f}", *p.ms));
    if (p.gbps) l.push_back(fmt::format("{:.1f}", *p.gbps));
    std::string verdict = p.correct ? "right" : "wrong";
    if (p.report && !p.report->flaws.empty()) verdict += ", " + flaws_text(*p.report);
    l.push_back(verdict);
    lines.push_back(std::move(l));
  }
  return out + aligned(lines, 1);
}

Json agreements_json(const Findings& f) {
  Json all = Json::array();
  for (const Agreement& a : agreements(f.points)) {
    Json j{{"nvprof", a.metric->nvprof},
           {"ncu", a.metric->ncu},
           {"launches", a.points},
           {"equal", a.equal},
           {"within_5", a.near}};
    if (a.equal != a.points) {
      j["furthest"] = {{"name", a.furthest->name}, {"params", Json::object()}};
      for (const auto& [name, v] : a.furthest->params)
        j["furthest"]["params"][name] = param_json(v);
      j["furthest"]["predicted"] = *a.there.predicted;
      j["furthest"]["measured"] = *a.there.measured;
    }
    if (a.near != a.points) j["cause"] = a.metric->cause;
    all.push_back(j);
  }
  return all;
}

bool is_simulated(const Workbench& bench) { return bench.simulated() && !bench.bare(); }

}  // namespace

Json words_json(const Experiment& e) {
  return {{"experiment", e.name},
          {"question", e.question},
          {"prediction", e.prediction},
          {"lesson", e.lesson}};
}

std::string findings_json(const Experiment& e, const Workbench& bench, const Findings& f) {
  Json j = words_json(e);
  j["machine"] = is_simulated(bench) ? "sim" : "gpu";
  j["chip"] = bench.chip();
  if (f.limit_gbps) j["limit_gbps"] = *f.limit_gbps;
  if (!f.counted_on.empty()) j["counted_on"] = f.counted_on, j["agreement"] = agreements_json(f);
  j["remarks"] = f.remarks;
  j["rungs"] = Json::array();
  for (const Point& p : f.points) j["rungs"].push_back(point_json(p));
  return j.dump(2) + "\n";
}

std::string skipped_json(const Experiment& e, const std::string& why) {
  Json j = words_json(e);
  j["skipped"] = why;
  return j.dump(2) + "\n";
}

std::string findings_table(const Experiment& e, const Workbench& bench, const Findings& f) {
  std::string out = fmt::format("{}, on {}{}\n\n", e.name,
                                is_simulated(bench) ? "a simulated " : "", bench.chip()) +
                    said("question", e.question) + said("prediction", e.prediction);
  const std::span<const Point> all(f.points);
  for (std::size_t from = 0; from < all.size();) {
    std::size_t to = from + 1;
    while (to < all.size() && together(all[from], all[to])) ++to;
    out += '\n' + points_table(all.subspan(from, to - from));
    from = to;
  }
  out += agreement_table(f) + '\n';
  for (const std::string& remark : f.remarks) out += said("found", remark);
  if (f.limit_gbps) {
    out += said("limit", fmt::format("device copy of this run: {:.0f} GB/s", *f.limit_gbps));
  }
  return out + said("lesson", e.lesson);
}

}  // namespace onefold::lab
