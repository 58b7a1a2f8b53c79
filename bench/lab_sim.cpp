// Measures each rung of the lab on the simulated machine: processor seconds under two schedules,
// with counters in the first. Then the whole ladder, on as many threads as there are cores.
//
//   lab_sim [--n 1048576] [--json FILE]
#include <fmt/format.h>
#include <time.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/simulate.hpp"

namespace {

using namespace onefold;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  nlohmann::json result = bench::provenance(argc, argv);
  const std::string n = bench::option(argc, argv, "n", "1048576");
  const Size elements = std::stoull(n);
  const auto x = lab::elements(elements, 1);
  double total = 0;
  for (const lab::Entry* e : lab::reduce_ladder()) {
    if (!e->has_kernel()) continue;
    for (const bool twin : {false, true}) {
      if (twin && !e->has_twin) continue;
      const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      lab::simulate(*e, twin, {.n = elements}, x);
      const double took = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
      total += took;
      fmt::print("{:<30} {:<13} {:6.2f} s\n", e->name, twin ? "as published" : "", took);
      result["rungs"].push_back({{"name", e->name}, {"twin", twin}, {"seconds", took}});
    }
  }
  const double wall = bench::seconds(), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  lab::reduce({.n = n, .machine = "sim"});
  result["seconds"] = total;
  result["ladder_wall"] = bench::seconds() - wall;
  result["ladder_processor"] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
  fmt::print("{:<44} {:6.2f} s\nthe ladder at once: {:.2f} s, of processors {:.2f} s\n", "total",
             total, result["ladder_wall"].get<double>(), result["ladder_processor"].get<double>());
  const std::string file = bench::option(argc, argv, "json", "");
  if (!file.empty()) std::ofstream(file) << result.dump(1) << '\n';
}
