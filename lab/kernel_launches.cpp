// Reads launches from a file, and files as text.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/kernel_run.hpp"
#include "lab/refuse.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

// Returns a JSON number or string as the text of an option.
std::string word(const Json& j, const std::string& file, const std::string& what) {
  if (j.is_string()) return j.get<std::string>();
  if (j.is_number() || j.is_boolean()) return j.dump();
  refuse(fmt::format("--launches {}: {} is {}, not a number or a text", file, what, j.dump()));
}

Extent3 extent(const Json& j, const std::string& file, const std::string& what) {
  if (!j.is_array()) return extent_of(what, word(j, file, what));
  std::string all;
  for (const Json& each : j) all += (all.empty() ? "" : ",") + word(each, file, what);
  return extent_of(what, all);
}

KernelLaunch launch(const Json& j, const std::string& file) {
  if (!j.is_object()) refuse(fmt::format("--launches {}: {} is no launch", file, j.dump()));
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
      if (l.arguments.empty()) l.arguments.emplace_back();  // no arguments, instead of all
    } else {
      refuse(fmt::format(
          "--launches {}: \"{}\": {} is not known; a launch has kernel, grid, block, shared and "
          "args",
          file, name, value.dump()));
    }
  }
  return l;
}

}  // namespace

void check_launches(const KernelOptions& o) {
  if (o.launches.empty()) refuse("no launch is given");
  if (o.schedules == 0 || o.schedules > 4096) {
    refuse(fmt::format("--schedules {} is not between 1 and 4096", o.schedules));
  }
  for (const KernelLaunch& l : o.launches) {
    const uint64_t threads = uint64_t{l.block.x} * l.block.y * l.block.z;
    const uint64_t blocks = uint64_t{l.grid.x} * l.grid.y * l.grid.z;
    if (threads > 1024) refuse(fmt::format("a block of {} threads; at most 1024", threads));
    if (l.block.z > 64) refuse(fmt::format("a block {} threads deep; at most 64", l.block.z));
    if (blocks > (uint64_t{1} << 24))
      refuse(fmt::format("a grid of {} blocks; at most 2^24", blocks));
    if (std::max(l.grid.y, l.grid.z) > 65535) {
      refuse(fmt::format("a grid of {} blocks; at most 65535 in y and z", extent_text(l.grid)));
    }
    if (l.shared > (std::size_t{228} << 10)) {
      refuse(fmt::format("{} bytes of shared memory; at most 228 KB", l.shared));
    }
  }
}

std::string text_of_file(const std::string& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 65536> part{};
  while (in.is_open() && in && text.size() <= most) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) {
    throw Error(ErrorCode::cannot_open, "lab run: " + file + " cannot be read");
  }
  if (text.size() > most) {
    throw Error(ErrorCode::cannot_open,
                fmt::format("lab run: {} holds more than {} bytes", file, most));
  }
  return text;
}

std::vector<KernelLaunch> kernel_launches_of_file(const std::string& file) {
  Json all;
  try {
    all = Json::parse(text_of_file(file));
  } catch (const Json::parse_error& e) {
    refuse(fmt::format("--launches {} is no JSON from byte {} on", file, e.byte));
  }
  if (all.is_object()) all = Json::array({all});
  if (!all.is_array() || all.empty()) refuse("--launches " + file + " holds no launch");
  std::vector<KernelLaunch> launches;
  for (const Json& each : all) launches.push_back(launch(each, file));
  return launches;
}

void LaunchCounts::add(const sim::Counters& before, const sim::Counters& after, uint64_t more) {
  using Words = std::array<uint64_t, sizeof counters / sizeof(uint64_t)>;
  Words sum = std::bit_cast<Words>(counters);
  const Words from = std::bit_cast<Words>(before), to = std::bit_cast<Words>(after);
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += to[k] - from[k];
  counters = std::bit_cast<sim::Counters>(sum);
  steps += more;
  ++times;
}

}  // namespace onefold::lab
