// `--counters`: compares ncu's counters with those that the simulated machine predicts.
#include <fmt/format.h>

#include <stdexcept>

#include "lab/experiment/reduce.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::lab {
namespace {

// Returns the command that runs the same rows once each.
std::vector<std::string> command_of(const ReduceOptions& o, const ReduceResult& r,
                                    const std::string& program) {
  std::vector<std::string> words{program, "lab", "reduce", "--machine", "gpu", "--replays", "0"};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  std::string rungs;
  const Entry* last = nullptr;
  for (const ReduceRow& row : r.rows) {
    if (row.rung == last) continue;
    last = row.rung;
    rungs += (rungs.empty() ? "" : ",") + std::string(last->name);
  }
  add("--rung", rungs);
  add("--n", std::to_string(r.setting.n));
  add("--block", o.block);
  add("--grid", o.grid);
  add("--sweep", o.sweep);
  add("--type", o.type);
  add("--op", o.op);
  add("--offset", o.offset);
  add("--seed", o.seed);
  return words;
}

std::string number_text(const std::optional<double>& v) {
  if (!v) return "-";
  if (*v >= 1e15) return fmt::format("{:.3e}", *v);
  return *v == static_cast<double>(static_cast<int64_t>(*v)) ? fmt::format("{:.0f}", *v)
                                                             : fmt::format("{:.2f}", *v);
}

}  // namespace

void profile(ReduceResult& result, const ReduceOptions& o, const std::string& ncu,
             const std::string& program, std::string_view chip) {
  std::vector<Figures> launches;
  try {
    launches = run_ncu(ncu, "rung", ncu_names(chip), command_of(o, result, program));
  } catch (const std::runtime_error& e) {
    result.notes.emplace_back(std::string("--counters: ") + e.what());
    return;
  }
  std::size_t expected = 0;
  for (const ReduceRow& row : result.rows) expected += row.outcome.launches;
  if (launches.size() != expected) {
    result.notes.push_back(
        fmt::format("--counters: left out, because ncu recorded {} launches instead of {}",
                    launches.size(), expected));
    return;
  }
  std::vector<std::size_t> first;
  std::size_t at = 0;
  for (const ReduceRow& row : result.rows) first.push_back(at), at += row.outcome.launches;
  parallel(result.rows.size(), o.threads, [&](std::size_t k) {
    ReduceRow& row = result.rows[k];
    if (row.outcome.launches == 0) return;
    Setting s = row.setting;
    s.schedules = 1;
    if (row.rung->about.grid == Grid::chosen) s.grid = row.outcome.grid;
    const auto predicted = simulate(*row.rung, row.twin, s, elements(s.n, s.seed)).value();
    row.profile = compare(predicted.report.counters,
                          std::span(launches).subspan(first[k], row.outcome.launches));
  });
}

std::string profile_table(const ReduceResult& r) {
  std::string out;
  for (const ReduceRow& row : r.rows) {
    if (row.profile.empty()) continue;
    out += fmt::format("\n{}{}, {} x {} threads, {} launch{}\n", row.rung->name,
                       row.twin ? " (as published)" : "", row.outcome.grid, row.outcome.block,
                       row.outcome.launches, row.outcome.launches == 1 ? "" : "es");
    out +=
        fmt::format("  {:<36}  {:<70}  {:>14}  {:>14}\n", "nvprof", "ncu", "predicted", "measured");
    for (const Compared& c : row.profile) {
      const Metric& m = *c.metric;
      std::string ncu = m.ncu;
      if (m.over != nullptr) ncu = "wavefronts / " + std::string(m.over);
      if (m.plus != nullptr) ncu += " + membar";
      std::string line = fmt::format("  {:<36}  {:<70}  {:>14}  {:>14}", m.nvprof, ncu,
                                     number_text(c.predicted), number_text(c.measured));
      if (c.differs()) {
        const auto d = c.difference();
        line += fmt::format("  {}: {}", d ? fmt::format("{:+.0f} %", 100 * *d) : "differs",
                            *m.cause == '\0' ? "the cause is unknown" : m.cause);
      }
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace onefold::lab
