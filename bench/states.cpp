// Measures what states cost on one thread: loading, merging, merging parts of one element in any
// order, and gathering those of many slices.
//
//   states
//
// Prints tables for bench/results/scale.md: processor time, the least of 9 rounds.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "onefold/states.hpp"

namespace {

using namespace onefold;

double processor_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

double least_us(const std::function<void()>& f, int rounds = 9) {
  double least = 1e300;
  for (int k = 0; k < rounds; ++k) {
    const double begin = processor_us();
    f();
    least = std::min(least, processor_us() - begin);
  }
  return least;
}

std::vector<double> numbers(std::size_t n) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(random);
  return x;
}

void print_loads() {
  std::printf("| state, f64 | bytes | load, us | merge, us |\n|---|---|---|---|\n");
  const std::vector<double> x = numbers(1000);
  for (const char* ops : {"sum", "mean,var", "min,max", "mean,argmax"}) {
    const State state = gather(ops, x, {.threads = 1}),
                other = gather(ops, x, {.threads = 1, .first = 1000});
    const std::vector<std::byte> saved = state.save();
    constexpr int times = 10'000;
    const double load = least_us([&] {
      for (int k = 0; k < times; ++k) (void)State::load(saved);
    });
    // Parts with indices cannot be merged twice, so each round merges into a new empty state.
    const bool indexed = std::string(ops).find("arg") != std::string::npos;
    State all = state;
    const double merge = least_us([&] {
      for (int k = 0; k < times; ++k) {
        if (indexed) all = state;
        all.merge(other);
      }
    });
    std::printf("| `%s` | %zu | %.2f | %.2f |\n", ops, saved.size(), load / times, merge / times);
  }
}

void print_parts() {
  std::printf(
      "\n| parts of one element, `argmax` f64 | in order, s | shuffled, s |\n|---|---|---|\n");
  for (const std::size_t parts : {64'000u, 1'000'000u}) {
    const std::vector<double> x = numbers(parts);
    std::vector<State> states;
    for (std::size_t k = 0; k < parts; ++k) {
      states.push_back(gather("argmax", ArrayRef(&x[k], DType::f64, {1}), {.first = k}));
    }
    double us[2];
    for (double& each : us) {
      State all;
      const double begin = processor_us();
      for (const State& s : states) all.merge(s);
      each = processor_us() - begin;
      if (all != gather("argmax", x)) std::printf("wrong\n");
      std::shuffle(states.begin(), states.end(), std::mt19937_64(5));
    }
    std::printf("| %zu | %.3f | %.3f |\n", parts, us[0] / 1e6, us[1] / 1e6);
  }
}

void print_gathers() {
  std::printf(
      "\n| shape, f64 | axis | ops | fold, ms | gather_states, ms | ratio |\n"
      "|---|---|---|---|---|---|\n");
  const std::vector<double> x = numbers(std::size_t{1} << 22);
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{16, 1 << 18}, {256, 1 << 14}, {4096, 1024}}) {
    const ArrayRef a(x.data(), DType::f64, {rows, columns});
    for (const int axis : {0, 1}) {
      for (const char* ops : {"sum", "mean,var", "min,max"}) {
        const Options options{.axes = {axis}, .threads = 1};
        const double fold_us = least_us([&] { (void)fold(ops, a, options); });
        const double states_us = least_us([&] { (void)gather_states(ops, a, options); });
        std::printf("| (%lld, %lld) | %d | `%s` | %.1f | %.1f | %.1f |\n",
                    static_cast<long long>(rows), static_cast<long long>(columns), axis, ops,
                    fold_us / 1e3, states_us / 1e3, states_us / fold_us);
      }
    }
  }
}

}  // namespace

int main() {
  print_loads();
  print_parts();
  print_gathers();
}
