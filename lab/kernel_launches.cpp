// Launches from a file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/kernel_run.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::bad_option, "lab run: --launches " + what);
}

// A number or a text as text: what an option would have said.
std::string word(const Json& j, const std::string& file, const std::string& what) {
  if (j.is_string()) return j.get<std::string>();
  if (j.is_number() || j.is_boolean()) return j.dump();
  refuse(fmt::format("{}: {} is {}, not a number or a text", file, what, j.dump()));
}

Extent3 extent(const Json& j, const std::string& file, const std::string& what) {
  if (!j.is_array()) return extent_of(what, word(j, file, what));
  std::string all;
  for (const Json& each : j) all += (all.empty() ? "" : ",") + word(each, file, what);
  return extent_of(what, all);
}

KernelLaunch launch(const Json& j, const std::string& file) {
  if (!j.is_object()) refuse(fmt::format("{}: {} is no launch", file, j.dump()));
  KernelLaunch l;
  for (const auto& [name, value] : j.items()) {
    if (name == "kernel") {
      l.kernel = word(value, file, name);
    } else if (name == "grid") {
      l.grid = extent(value, file, name);
    } else if (name == "block") {
      l.block = extent(value, file, name);
    } else if (name == "shared" && value.is_number_unsigned()) {
      l.shared = value.get<std::size_t>();
    } else if (name == "args" && value.is_array()) {
      for (const Json& each : value) l.arguments.push_back(word(each, file, name));
      if (l.arguments.empty()) l.arguments.emplace_back();  // none, rather than all
    } else {
      refuse(
          fmt::format("{}: \"{}\": {} is not known; a launch has kernel, grid, block, shared and "
                      "args",
                      file, name, value.dump()));
    }
  }
  return l;
}

}  // namespace

std::vector<KernelLaunch> kernel_launches_of_file(const std::string& file) {
  Json all;
  try {
    all = Json::parse(text_of_file(file));
  } catch (const Json::parse_error& e) {
    refuse(fmt::format("{} is no JSON from byte {} on", file, e.byte));
  }
  if (all.is_object()) all = Json::array({all});
  if (!all.is_array() || all.empty()) refuse(file + " holds no launch");
  std::vector<KernelLaunch> launches;
  for (const Json& each : all) launches.push_back(launch(each, file));
  return launches;
}

}  // namespace onefold::lab
