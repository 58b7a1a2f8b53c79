// `--counters` of the experiments: compares ncu's counters with those that the simulated machine
// predicts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/experiment.hpp"
#include "lab/experiment/option.hpp"
#include "lab/report_text.hpp"

namespace onefold::lab {
namespace {

std::string params_text(const Point& p) {
  std::string out = p.name;
  for (const auto& [name, value] : p.params) {
    out += std::visit([&, &key = name](const auto& v) { return fmt::format(" {}={}", key, v); },
                      value);
  }
  return out;
}

std::string share_text(const Compared& c) {
  const auto d = c.difference();
  return d ? fmt::format("{:+.1f} %", 100 * *d) : "not predicted";
}

}  // namespace

std::vector<Agreement> agreements(std::span<const Point> points) {
  std::vector<Agreement> all;
  for (const Metric& m : metrics()) {
    Agreement a{.metric = &m};
    double most = -1;
    for (const Point& p : points) {
      for (const Compared& c : p.profile) {
        const bool said = c.predicted && c.measured && (*c.predicted != 0 || *c.measured != 0);
        if (c.metric != &m || !said) continue;
        a.points += 1;
        a.equal += *c.predicted == *c.measured ? 1 : 0;
        a.near += c.differs() ? 0 : 1;
        const double off = std::abs(c.difference().value_or(1e300));
        if (off > most) most = off, a.furthest = &p, a.there = c;
      }
    }
    if (a.points != 0) all.push_back(a);
  }
  return all;
}

Findings counted(const Experiment& e, const ExperimentOptions& options, const Counting& how) {
  ExperimentOptions here = options;
  here.erase("counters");
  here.emplace("chip", "sm_90");
  if (chip_of(here) != sim::sm_90) {
    refuse("chip", here.at("chip"), "counters of a GPU are predicted by the rules of sm_90");
  }
  std::vector<std::string> again{how.program, "lab", e.name, "--machine", "gpu", "--replays", "0"};
  for (const char* name : {"chip", "n", "seed", "threads"}) {
    if (const auto at = here.find(name); at != here.end()) {
      again.push_back("--" + at->first);
      again.push_back(at->second);
    }
  }
  std::vector<Figures> launches;
  std::string why;
  try {
    launches = run_ncu(how.ncu, "point", ncu_names(how.chip, true), again);
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  const std::size_t seen = launches.size();
  const auto bench = simulated_workbench(sim::sm_90, threads_of(here), std::move(launches));
  Findings found = e.run(*bench, here);
  if (why.empty() && seen != bench->launched()) {
    why = fmt::format("left out, because ncu recorded {} launches instead of {}", seen,
                      bench->launched());
    for (Point& p : found.points) p.profile.clear();
  }
  if (!why.empty()) found.remarks.push_back("--counters: " + why);
  found.counted_on = how.gpu;
  return found;
}

std::string agreement_table(const Findings& f) {
  const std::vector<Agreement> all = agreements(f.points);
  if (all.empty()) return "";
  std::string out = fmt::format(
      "\ncounters, predicted by the simulated machine and measured by ncu on {}\n", f.counted_on);
  std::vector<Line> lines{{"  nvprof", "launches", "equal", "within 5 %", "furthest", "", ""}};
  for (const Agreement& a : all) {
    const bool off = a.equal != a.points;
    lines.push_back({std::string("  ") + a.metric->nvprof, std::to_string(a.points),
                     std::to_string(a.equal), std::to_string(a.near),
                     off ? share_text(a.there) : "", off ? params_text(*a.furthest) : "",
                     a.near == a.points         ? ""
                     : *a.metric->cause == '\0' ? "the cause is unknown"
                                                : a.metric->cause});
  }
  return out + aligned(lines);
}

}  // namespace onefold::lab
