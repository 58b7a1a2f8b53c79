#include "lab/kernel_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/report_text.hpp"
#include "onefold/error.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string size_of(const KernelLaunch& l) {
  const auto text = [](const Extent3& e) {
    return e.z != 1   ? fmt::format("{} x {} x {}", e.x, e.y, e.z)
           : e.y != 1 ? fmt::format("{} x {}", e.x, e.y)
                      : fmt::format("{}", e.x);
  };
  return fmt::format("{} blocks of {} threads", text(l.grid), text(l.block));
}

}  // namespace

std::string kernel_page_data(const KernelResult& r, const KernelFilm& film) {
  const KernelLaunch& first = r.launches.front();
  std::string launches, arguments;
  for (const KernelLaunch& l : r.launches) {
    launches += (launches.empty() ? "" : "; then ") + l.kernel + " in " + size_of(l);
  }
  for (const KernelArgument& a : r.arguments) {
    arguments += (arguments.empty() ? "" : ", ") +
                 (a.is_array ? fmt::format("{}: {}[{}]", a.name, name_of(a.dtype), a.n)
                             : fmt::format("{} = {}", a.name, a.value));
  }
  Json rung{{"name", "kernel"},
            {"title", first.kernel},
            {"idea", launches},
            {"source", r.file},
            {"published", Json::array()},
            {"after", ""},
            {"file", r.file},
            {"arguments", arguments},
            {"compiler", r.compiler},
            {"printed", r.printed},
            {"failure", r.failure},
            {"flaws", r.flaws},
            {"launches", r.launches.size()},
            {"simulated_grid", std::size_t{first.grid.x} * first.grid.y * first.grid.z}};
  Json counters = Json::object();
  for (const auto& [chip, c] : film.by_chip) counters[chip] = page_counters(c);
  rung["counters"] = std::move(counters);
  rung["recordings"] = Json::array();
  for (const Recording& each : film.recordings) {
    Json& told = rung["recordings"].emplace_back(to_json(each));
    const auto s = std::find_if(each.spaces.begin(), each.spaces.end(),
                                [](const RecordedSpace& r) { return r.shared; });
    if (s == each.spaces.end()) continue;
    for (const auto& [at, name] : film.shared) told["declared"].push_back({name, at / s->grain});
  }
  Json j{{"experiment", "run"}, {"machine", "sim"}, {"chip", r.chip}};
  j["chips"] = page_chips();
  j["texts"] = {{r.file, film.text}};
  // For PTX, the source file from which it was compiled, if that still exists.
  for (const Recording& each : film.recordings) {
    for (const Moment& m : each.moments) {
      if (m.at.line == 0 || j["texts"].contains(m.at.file)) continue;
      if (const auto at = film.sources.find(m.at.file); at != film.sources.end()) {
        j["texts"][m.at.file] = at->second;
        continue;
      }
      try {
        j["texts"][m.at.file] = text_of_file(m.at.file);
      } catch (const Error&) {
        j["texts"][m.at.file] = "";
      }
    }
  }
  j["rungs"] = Json::array({rung});
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace onefold::lab
