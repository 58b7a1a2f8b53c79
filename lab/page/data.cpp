// The data of a run that the page shows, as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "lab/ladder.hpp"
#include "lab/page/page.hpp"
#include "lab/record.hpp"
#include "lab/report_text.hpp"
#include "lab/time_model.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::jit {
std::span<const Header> lab_headers();  // the build makes it from lab/
}  // namespace onefold::jit

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* flow_names[] = {"partials",    "levels",  "two passes",
                                      "one launch",  "atomic",  "pairs",
                                      "cooperative", "library", "host"};

Json flaw_names(unsigned flaws) {
  Json names = Json::array();
  for (int k = 0; k < 7; ++k) {
    if ((flaws >> k & 1) != 0) names.push_back(name_of(static_cast<sim::FlawKind>(k)));
  }
  return names;
}

struct PublishedKernel {
  std::string_view rung, text, kernel;
};
// tests/lab/test_published_texts.cpp runs these.
constexpr PublishedKernel published_kernels[] = {
    {"unroll_last_six", "000", "reduction5"},
    {"completely_unrolled", "000", "reduction6"},
    {"reduction_1", "000", "reduction_1"},
    {"reduction_2", "000", "reduction_2"},
    {"reduce_neighbored", "001", "reduceNeighbored"},
    {"reduce_neighbored_less", "001", "reduceNeighboredLess"},
    {"reduce_interleaved", "001", "reduceInterleaved"},
    {"reduce_unrolling2", "001", "reduceUnrolling2"},
    {"reduce_unroll_warps8", "001", "reduceUnrollWarps8"},
    {"reduce_complete_unroll_warps8", "001", "reduceCompleteUnrollWarps8"},
    {"reduce_complete_unroll", "001", "reduceCompleteUnroll"},
    {"modulo", "002", "reduce1"},
    {"strided_index", "002", "reduce2"},
    {"sequential", "002", "reduce3"},
    {"first_add_on_load", "002", "reduce4"},
    {"last_warp_unrolled", "002", "reduce5"},
    {"templated", "002", "reduce6"},
    {"many_elements_a_thread", "002", "reduce7"},
    {"interleaved_global", "003", "interleaved_global"},
    {"interleaved_shared", "003", "interleaved_shared"},
    {"neighbored_shared", "003", "neighbored_shared"},
    {"shuffle_two_level", "003", "shuffle_two_level"},
    {"reduction1_kernel", "004", "Reduction1_kernel"},
    {"reduction2_kernel", "004", "Reduction2_kernel"},
    {"reduction3_kernel", "004", "Reduction3_kernel"}};

// Returns the kernel that a tutorial prints for a rung, with its line there; null if none does.
Json published_cuda(std::string_view rung) {
  for (const PublishedKernel& k : published_kernels) {
    if (k.rung != rung) continue;
    const std::string_view text = page_part(std::string(k.text) + ".cu");
    const auto name = text.find(" " + std::string(k.kernel) + "(");
    const auto at = name == text.npos ? text.find("\n" + std::string(k.kernel) + "(") : name;
    if (at == text.npos) return {};
    auto from = text.rfind("__global__", at);
    if (const auto head = text.rfind("\n\n", at); text.substr(head + 2).starts_with("template")) {
      from = head + 2;
    }
    const auto end = text.find("\n}", at);
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(from), '\n');
    return {{"text", k.text},
            {"kernel", k.kernel},
            {"line", line + 1},
            {"code", text.substr(from, end + 2 - from)}};
  }
  return {};
}

Json facts(const Entry& e) {
  const Rung& r = e.about;
  Json published = Json::array();
  for (const Published& p : r.published) {
    if (p.unit != nullptr) published.push_back({p.value, p.unit, p.chip});
  }
  Json j{{"name", e.name},
         {"title", r.title},
         {"idea", r.idea},
         {"source", r.source},
         {"published", published},
         {"after", r.after},
         {"flow", flow_names[static_cast<int>(r.flow)]},
         {"in_place", r.in_place},
         {"file", "lab/rung/" + std::string(e.file)}};
  if (const Json cuda = published_cuda(e.name); !cuda.is_null()) j["cuda"] = cuda;
  if (e.has_twin) j["twin"] = {{"why", e.twin.why}, {"flaws", flaw_names(e.twin.flaws)}};
  return j;
}

constexpr Size timed_n = Size{1} << 24;
constexpr Size timed_grid = 2112;  // 16 blocks a multiprocessor of the H200

// Adds where the time goes on an H200, as the counters tell.
void add_time(Json& j, const Entry& e) {
  if (!e.has_kernel()) {
    j["limit"] = e.about.flow == Flow::host ? "host" : "library";
    j["limit_text"] = e.about.flow == Flow::host ? "One core adds; the GPU does nothing."
                                                 : "It is a library call, which is not counted.";
    return;
  }
  const Size grid = e.about.flow == Flow::cooperative ? timed_grid / 4 : timed_grid;
  const TimeParts t = time_of(work_of(e, timed_n, 256, grid));
  j["limit"] = name_of(t.limit());
  j["limit_text"] = sentence_of(t.limit());
  Json parts = Json::array();
  for (std::size_t k = 0; k < part_count; ++k) {
    if (t.us[k] < t.sum() / 200) continue;
    parts.push_back({name_of(static_cast<Part>(k)), std::round(10 * t.us[k]) / 10});
  }
  j["time"] = {{"n", timed_n}, {"us", std::round(10 * t.sum()) / 10}, {"parts", parts}};
}

// Adds the corrected kernel's counters under each chip's rules, and the recordings.
void add_simulated(Json& j, const Entry& e, Setting s) {
  if (!e.has_kernel()) return;
  s.n = std::min<Size>(s.n, 1 << 14);
  s.grid = std::min<Size>(s.grid, 16);
  s.schedules = 1;
  const auto x = elements(s.n, s.seed);
  Json chips = Json::object();
  for (const sim::Chip& chip : sim::chips) {
    s.chip = chip;
    const Outcome o = simulate(e, false, s, x).value();
    chips[std::string(chip.name)] = page_counters(o.report.counters);
    j["launches"] = o.launches;
    j["simulated_grid"] = o.grid;
  }
  j["counters"] = std::move(chips);
  j["recordings"] = Json::array();
  for (const Recording& r : recordings(e)) j["recordings"].push_back(to_json(r));
}

[[noreturn]] void refuse_results(const std::string& why) {
  throw Error(ErrorCode::bad_option,
              "--results: the file " + why +
                  "; pass a file printed by `onefold lab reduce --machine gpu --json`");
}

// Returns the times of a run on a GPU; if it has several n, of the largest. A file of
// bench/results/ has several runs and says where they were made; the first is the ladder's.
Json measured(const std::string& text) try {
  const Json file = Json::parse(text);
  const Json all = file.contains("runs") ? file.at("runs").at(0).at("result") : file;
  if (all.at("experiment") != "reduce" || all.at("machine") != "gpu") {
    refuse_results("belongs to another experiment or machine");
  }
  Json out = Json::object(), rungs = Json::object(), twins = Json::object();
  for (const auto& [key, value] : all.items()) {
    if (key == "chip" || key == "type" || key.ends_with("gbps")) out[key] = value;
  }
  uint64_t n = 0;
  for (const Json& row : all.at("rungs")) n = std::max(n, row.at("n").get<uint64_t>());
  for (const Json& row : all.at("rungs")) {
    if (row.at("n") != n) continue;
    Json r = Json::object();
    for (const char* key : {"correct", "launches", "grid", "block"}) r[key] = row.at(key);
    for (const char* key : {"ms", "gbps", "profile"}) {
      if (row.contains(key)) r[key] = row[key];
    }
    (row.at("twin").get<bool>() ? twins : rungs)[row.at("name").get<std::string>()] = r;
  }
  out["n"] = n;
  out["profile_n"] = n;
  for (const char* key : {"machine", "date", "commit"}) {
    if (!file.contains("runs")) continue;
    const Json& run = file.at("runs").at(0);  // may have a later date than the others, which it
                                              // which is then shown
    if (run.contains(key) || file.contains(key))
      out[key] = run.contains(key) ? run[key] : file[key];
  }
  out["rungs"] = std::move(rungs);
  out["twins"] = std::move(twins);
  return out;
} catch (const Json::parse_error& e) {
  refuse_results("is not valid JSON from byte " + std::to_string(e.byte) + " on");
} catch (const Json::exception&) {
  refuse_results("does not have the data of such a run");
}

// Returns the results that are compiled into the program: times, and a profiler's counters.
Json carried() {
  Json times = measured(std::string(page_part("lab_reduce_h200.json")));
  const Json counters = Json::parse(page_part("lab_reduce_h200_counters.json"));
  times["profile_n"] = counters.at("n");
  for (const Json& r : counters.at("rungs")) {
    const auto rung = times.at("rungs").find(r.at("name").get<std::string>());
    if (r.at("twin") || rung == times.at("rungs").end()) continue;
    for (Json row : r.at("profile")) {
      row.erase("ncu");
      (*rung)["profile"].push_back(std::move(row));
    }
  }
  return times;
}

// Returns the source of the rungs, and of the files of lab/rung/ that they include.
Json texts(const std::vector<const Entry*>& rungs) {
  std::map<std::string, std::string> all;
  for (const jit::Header& h : jit::lab_headers()) all[h.name] = h.text;
  std::vector<std::string> names;
  for (const Entry* e : rungs) names.push_back("lab/rung/" + std::string(e->file));
  Json out = Json::object();
  while (!names.empty()) {
    const std::string name = names.back();
    names.pop_back();
    if (!all.contains(name) || out.contains(name)) continue;
    const std::string& text = all[name];
    out[name] = text;
    constexpr std::string_view include = "#include \"lab/rung/";
    for (auto at = text.find(include); at != text.npos; at = text.find(include, at + 1)) {
      const auto begin = at + 10;
      names.push_back(text.substr(begin, text.find('"', begin) - begin));
    }
  }
  return out;
}

}  // namespace

void check_results(const std::string& results) { measured(results); }

std::string page_data(const ReduceResult& run, const std::string& results) {
  Json j{{"experiment", "reduce"},
         {"machine", run.simulated ? "sim" : "gpu"},
         {"chip", run.chip},
         {"n", run.setting.n},
         {"simulated_n", std::min<Size>(run.setting.n, 1 << 14)},
         {"block", run.setting.block},
         {"type", name_of(run.setting.type)},
         {"op", name_of(run.setting.op)}};
  if (!run.simulated) {
    j["measured"] = measured(to_json(run));
  } else if (!results.empty()) {
    j["measured"] = measured(results);
  } else {
    j["measured"] = carried();
  }
  std::vector<const ReduceRow*> rows;
  std::vector<const Entry*> rungs;
  for (const ReduceRow& row : run.rows) {
    if (row.twin || std::find(rungs.begin(), rungs.end(), row.rung) != rungs.end()) continue;
    rows.push_back(&row);
    rungs.push_back(row.rung);
  }
  j["path"] = Json::array();
  for (const Entry* e : reduce_path()) j["path"].push_back(e->name);
  j["chips"] = page_chips();
  std::vector<Json> shown(rows.size());
  parallel(rows.size(), 0, [&](std::size_t k) {
    shown[k] = facts(*rungs[k]);
    add_time(shown[k], *rungs[k]);
    add_simulated(shown[k], *rungs[k], rows[k]->setting);
  });
  j["rungs"] = std::move(shown);
  j["texts"] = texts(rungs);
  return j.dump();
}

}  // namespace onefold::lab
