#include "lab/kernel_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lab/kernel_judge.hpp"
#include "lab/report_text.hpp"
#include "onefold/error.hpp"
#include "onefold/machine/sim/chip.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string size_of(const KernelLaunch& l) {
  const bool one = dim(l.grid).count() == 1;
  return fmt::format("{} block{} of {} threads", extent_text(l.grid), one ? "" : "s",
                     extent_text(l.block));
}

// Compilers name the file by its whole path.
std::string shown_file(const std::string& file, const KernelResult& r) {
  return std::filesystem::absolute(r.file).lexically_normal() == file ? r.file : file;
}

Json rung_of(const KernelResult& r, const KernelFilm& film, const std::string& name) {
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
  Json rung{{"name", name},
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
    for (Json& file : told["files"]) file = shown_file(file, r);
    const auto s = std::find_if(each.spaces.begin(), each.spaces.end(),
                                [](const RecordedSpace& r) { return r.shared; });
    if (s == each.spaces.end()) continue;
    for (const auto& [at, name] : film.shared) told["declared"].push_back({name, at / s->grain});
  }
  return rung;
}

Json page_of(const KernelResult& r) {
  Json j{{"experiment", "run"}, {"machine", "sim"}, {"chip", r.chip}};
  j["chips"] = page_chips();
  j["texts"] = Json::object();
  j["rungs"] = Json::array();
  return j;
}

void add_texts(Json& j, const KernelResult& r, const KernelFilm& film) {
  j["texts"][r.file] = film.text;
  // For PTX, the source file from which it was compiled, if that still exists.
  for (const Recording& each : film.recordings) {
    for (const Moment& m : each.moments) {
      if (m.at.line == 0 || j["texts"].contains(shown_file(m.at.file, r))) continue;
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
}

}  // namespace

Filming::Filming(const std::vector<KernelArgument>& arguments, unsigned schedule,
                 std::size_t most) {
  constexpr Size most_contents = 1024;
  into_.schedule = schedule;
  RecordedTypes types{{"shared", DType::i32}};
  for (const KernelArgument& a : arguments) {
    if (!a.is_array) continue;
    if (types.size() == 1) types["shared"] = a.dtype;
    types[a.name] = a.dtype;
    std::vector<double> first;
    for (Size i = 0; a.written && i < std::min(a.n, most_contents); ++i) {
      first.push_back(element_value(a, i));
    }
    into_.contents.emplace_back(a.name, std::move(first));
  }
  if (into_.contents.empty()) into_.contents.emplace_back("", std::vector<double>());
  recorder_.emplace(into_, schedule == 0, std::move(types), most);
}

Recording Filming::end(const KernelLaunch& first, bool failed) {
  recorder_->end();
  for (sim::Flaw& f : into_.flaws) f.at = line_of(f.at), f.other = line_of(f.other);
  into_.outcome.block = static_cast<unsigned>(dim(first.block).count());
  into_.outcome.grid = dim(first.grid).count();
  into_.outcome.correct = into_.flaws.empty() && !failed;
  return std::move(into_);
}

std::string kernel_page_data(const KernelResult& r, const KernelFilm& film) {
  Json j = page_of(r);
  add_texts(j, r, film);
  j["rungs"].push_back(rung_of(r, film, "kernel"));
  return text_of(j, -1);
}

std::string program_page_data(const KernelResult& r, const std::vector<FilmedLaunch>& launches) {
  Json j = page_of(r);
  j["launches"] = launch_lines(r);
  for (std::size_t k = 0; k < launches.size(); ++k) {
    add_texts(j, launches[k].result, launches[k].film);
    j["rungs"].push_back(
        rung_of(launches[k].result, launches[k].film, fmt::format("launch-{}", k + 1)));
  }
  return text_of(j, -1);
}

}  // namespace onefold::lab
