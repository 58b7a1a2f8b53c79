// Converts the options of `onefold lab run` from text to those of a run.
#include <fmt/format.h>

#include <sstream>

#include "lab/kernel_run.hpp"
#include "lab/refuse.hpp"

namespace onefold::lab {
namespace {

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream all(list);
  for (std::string part; std::getline(all, part, ',');) parts.push_back(trimmed(part));
  std::erase(parts, "");
  return parts;
}

uint64_t whole(const char* option, const std::string& text, uint64_t least, uint64_t most) {
  const auto v = whole_value(text);
  if (!v || *v < least || *v > most) {
    refuse(fmt::format("--{} {} is not a whole number from {} to {}", option, text, least, most));
  }
  return static_cast<uint64_t>(*v);
}

}  // namespace

KernelOptions kernel_options(const std::string& file, const WrittenOptions& options) {
  const auto given = [&](const char* name, const char* otherwise) {
    const auto at = options.find(name);
    return at == options.end() ? std::string(otherwise) : at->second;
  };
  KernelOptions o;
  o.file = file;
  o.compiler = given("compiler", "");
  if (!o.compiler.empty() && o.compiler != "nvrtc" && o.compiler != "clang") {
    refuse("--compiler " + o.compiler + " is not known; choose one of nvrtc, clang");
  }
  o.arch = std::to_string(whole("arch", given("arch", "80"), 50, 200));
  o.arguments = kernel_arguments(given("args", ""), whole("seed", given("seed", "1"), 0, ~0ull));
  o.as_written = options.contains("as-written");
  if (options.contains("launch")) {
    for (const char* other : {"kernel", "grid", "block", "shared"}) {
      if (!options.contains(other)) continue;
      refuse(fmt::format("--{} is already part of --launch", other));
    }
    o.launches = kernel_launches(given("launch", ""));
  } else {
    o.launches = {
        {.kernel = given("kernel", ""),
         .grid = extent_of("--grid", given("grid", "1")),
         .block = extent_of("--block", given("block", "256")),
         .shared = static_cast<std::size_t>(whole("shared", given("shared", "0"), 0, 1 << 20)),
         .arguments = {}}};
  }
  const std::string name = given("chip", "sm_90");
  const sim::Chip* const chip = sim::find_chip(name);
  if (chip == nullptr) {
    refuse("--chip " + name + " is not known; choose one of cc10, cc12, cc20, sm_90");
  }
  o.chip = *chip;
  o.schedules = static_cast<unsigned>(whole("schedules", given("schedules", "2"), 1, 4096));
  o.draws = !options.contains("schedules");
  o.order = given("order", "");
  o.preemptions = static_cast<unsigned>(whole("preemptions", given("preemptions", "0"), 0, 8));
  o.actors = static_cast<unsigned>(whole("actors", given("actors", "2"), 2, 8));
  o.cooperative = options.contains("cooperative");
  o.budget = whole("budget", given("budget", "4294967296"), 1, uint64_t{1} << 48);
  if (options.contains("budget")) o.budget_after_flaw = o.budget;
  o.expect = parts_of(given("expect", ""));
  o.print = parts_of(given("print", ""));
  if (options.contains("suppress")) o.allowed = suppressions_of_file(given("suppress", ""));
  return o;
}

}  // namespace onefold::lab
