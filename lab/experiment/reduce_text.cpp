// The rows of `lab reduce` as JSON and as a table.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/experiment.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/report_text.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: an infinite answer (f32 or f64, no elements) is written as a string.
Json value_json(const Value& v) {
  const double* x = std::get_if<double>(&v);
  if (x != nullptr && !std::isfinite(*x)) return fmt::format("{}", *x);
  return std::visit([](auto y) { return Json(y); }, v);
}

std::string value_text(const Value& v) {
  return std::visit([](auto x) { return fmt::format("{}", x); }, v);
}

Json row_json(const ReduceRow& row, bool simulated) {
  const Outcome& o = row.outcome;
  const Rung& about = row.rung->about;
  Json j{{"name", row.rung->name},
         {"title", about.title},
         {"source", about.source},
         {"published", published_json(about.published)},
         {"twin", row.twin},
         {"n", row.setting.n},
         {"block", o.block},
         {"grid", o.grid},
         {"type", name_of(row.setting.type)},
         {"result", value_json(o.result)},
         {"expected", value_json(o.expected)},
         {"correct", o.correct},
         {"launches", o.launches}};
  if (o.ms) j["ms"] = *o.ms, j["gbps"] = o.gbps;
  if (simulated && row.rung->has_kernel()) j["counters"] = counters_json(o.report);
  j["flaws"] = flaws_json(o.report);
  if (simulated) {
    const std::string elsewhere = flaws_elsewhere(row);
    if (!elsewhere.empty()) j["flaws_elsewhere"] = elsewhere;
  }
  for (const Compared& c : row.profile) j["profile"].push_back(profile_json(c));
  return j;
}

std::string efficiency(const sim::Traffic& t) {
  return t.moved == 0 ? "-" : fmt::format("{:.1f}", 100 * each_of(t.bytes, t.moved));
}
std::string each(uint64_t count, uint64_t requests) {
  return requests == 0 ? "-" : fmt::format("{:.2f}", each_of(count, requests));
}

std::string published_text(const Rung& r) {
  if (r.published[0].unit == nullptr) return "-";
  return fmt::format("{} {}, {}", r.published[0].value, r.published[0].unit, r.published[0].chip);
}

std::string title_text(const ReduceResult& r, const ReduceRow& row) {
  return std::string(row.rung->name) + (row.twin ? " (as published)" : "") +
         (r.sweep == "n" ? fmt::format(", n = {}", row.setting.n) : "");
}

Line simulated_line(const ReduceResult& r, const ReduceRow& row) {
  const Outcome& o = row.outcome;
  const sim::Counters& c = o.report.counters;
  const sim::Traffic shared = [&] {
    sim::Traffic t = c.shared_load;
    return t += c.shared_store;
  }();
  Line l{title_text(r, row), value_text(o.result), o.correct ? "right" : "wrong"};
  if (!row.rung->has_kernel()) {
    l.insert(l.end(), 11, "-");
  } else {
    l.insert(l.end(),
             {std::to_string(o.launches), fmt::format("{}x{}", o.grid, o.block),
              fmt::format("{:.1f}", c.instructions_per_warp()),
              fmt::format("{:.1f}", c.active_lanes()), efficiency(c.global_load),
              efficiency(c.global_store), each(c.global_load.count, c.global_load.requests),
              std::to_string(c.global_load.count), each(shared.count, shared.requests),
              std::to_string(c.divergent_branches), each(c.barriers, c.barrier_rounds)});
  }
  const std::string elsewhere = flaws_elsewhere(row);
  l.insert(l.end(), {elsewhere.empty() ? flaws_text(o.report) : "none here; " + elsewhere,
                     published_text(row.rung->about)});
  return l;
}

// The first column of a rung and the measured ones after it, in GB/s of this run.
Line measured_line(const ReduceResult& r, const ReduceRow& row) {
  const Outcome& o = row.outcome;
  const auto gain = [&](std::string_view over) -> std::string {
    for (const ReduceRow& other : r.rows) {
      const bool same = !other.twin && other.rung->name == over && other.outcome.ms &&
                        other.setting.n == row.setting.n && other.outcome.block == o.block;
      if (same && o.ms) return fmt::format("{:.2f}", *other.outcome.ms / *o.ms);
    }
    return "-";
  };
  Line l{title_text(r, row), value_text(o.result), o.correct ? "right" : "wrong"};
  const double size = row.setting.type == Type::i32 || row.setting.type == Type::f32 ? 4 : 8;
  if (o.ms) {
    l.insert(l.end(), {fmt::format("{:.4f}", *o.ms), fmt::format("{:.1f}", o.gbps),
                       fmt::format("{:.2f}", o.gbps / size),
                       r.limit_gbps ? fmt::format("{:.1f}", 100 * o.gbps / *r.limit_gbps) : "-"});
  } else {
    l.insert(l.end(), 4, "-");
  }
  l.insert(l.end(), {gain(row.rung->about.after), gain("reduce_neighbored"),
                     row.rung->has_kernel() ? std::to_string(o.launches) : "-",
                     row.rung->has_kernel() ? fmt::format("{}x{}", o.grid, o.block) : "-",
                     flaws_text(o.report), published_text(row.rung->about)});
  return l;
}

std::string measured_table(const ReduceResult& r, std::size_t columns) {
  std::vector<Line> lines{{"rung", "result", "", "ms", "GB/s", "Gelem/s", "% of read", "x after",
                           "x neighbored", "launches", "grid", "flaws", "published"}};
  for (const ReduceRow& row : r.rows) lines.push_back(measured_line(r, row));
  return aligned(lines, 2, columns) +
         fmt::format(
             "\nbest plain read of this run: {:.0f} GB/s; ms: median of "
             "graph replays, inputs out of cache\n",
             r.limit_gbps.value_or(0));
}

}  // namespace

std::string flaws_elsewhere(const ReduceRow& row) {
  if (!row.twin || row.rung->twin.flaws == 0 || !row.outcome.report.flaws.empty()) return "";
  for (const unsigned block : {row.setting.block, 32u, 1024u}) {
    if (block < row.rung->about.min_block) continue;
    for (const Size n : {1000u, 5003u}) {
      const auto o = simulate(*row.rung, true, {.n = n, .block = block, .grid = 4}, elements(n, 1));
      if (!o || o->report.flaws.empty()) continue;
      return fmt::format("at n = {}{}: {}", n,
                         block == row.setting.block ? "" : fmt::format(", block {}", block),
                         flaws_text(o->report));
    }
  }
  return "";
}

std::string to_json(const ReduceResult& r) {
  const Experiment& e = reduce_experiment;
  Json j = words_json(e);
  j.update({{"machine", r.simulated ? "sim" : "gpu"},
            {"chip", r.chip},
            {"n", r.setting.n},
            {"type", name_of(r.setting.type)}});
  if (r.limit_gbps) j["limit_gbps"] = *r.limit_gbps;
  for (const ReduceRow& row : r.rows) {
    const bool cub = row.rung->name == "cub" && row.outcome.ms;
    if (cub) j["cub_gbps"] = row.outcome.gbps;  // in a sweep the largest n, which comes last
  }
  j["rungs"] = Json::array();
  for (const ReduceRow& row : r.rows) j["rungs"].push_back(row_json(row, r.simulated));
  return j.dump(2) + "\n";
}

std::string to_table(const ReduceResult& r, std::size_t columns) {
  const Experiment& e = reduce_experiment;
  std::string out = fmt::format(
      "reduce, {} of {} {} ({}), on {}\n\n{}{}\n", name_of(r.setting.op), r.setting.n,
      name_of(r.setting.type), r.setting.n > Size{1} << 24 ? "0..7" : "0..255",
      r.simulated ? fmt::format("a simulated {} ({})", r.chip, r.setting.chip.card) : r.chip,
      said("question", e.question), said("prediction", e.prediction));
  std::string last = '\n' + said("lesson", e.lesson);
  for (const std::string& note : r.notes) last += "\nnote: " + note;
  last += fmt::format("{}\nresults {}\n", r.notes.empty() ? "" : "\n",
                      r.agree ? "agree" : "do not agree");
  if (!r.simulated) return out + measured_table(r, columns) + profile_table(r) + last;
  std::vector<Line> lines{{"rung", "result", "", "launches", "grid", "inst/warp", "lanes",
                           "gld_eff%", "gst_eff%", "gld_tx/req", "gld_tx", "shared_wf/req",
                           "divergent", "waiting", "flaws", "published"}};
  for (const ReduceRow& row : r.rows) lines.push_back(simulated_line(r, row));
  out += aligned(lines, 2, columns);
  out +=
      "\ninst/warp counts what the text says (loads, stores, atomics, conditions on the thread, "
      "barriers, warp-wide steps), not\nmachine instructions; lanes: active of 32; gld_tx: sectors "
      "or transactions; wf: wavefronts; waiting: warps at a barrier,\nthe stand-in for stall_sync; "
      "counters are of the convergent schedule, flaws of all.\n";
  return out + last;
}

}  // namespace onefold::lab
