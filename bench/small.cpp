// Measures one C++ call with few data, which are in the cache.
//
//   small [--json FILE]
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "harness.hpp"
#include "onefold/onefold.hpp"

namespace {

struct Case {
  std::size_t n;
  double goal_ns;
};
constexpr Case cases[] = {{8, 40}, {100, 0}, {1000, 250}, {10000, 2000}};

template <class T, class F>
void measure(nlohmann::json& result, const char* name, const std::vector<T>& data, std::size_t n,
             double goal, F call) {
  const std::span<const T> x(data.data(), n);
  const int repeats = static_cast<int>(2000000 / (n + 1000));
  const double t = bench::median_seconds([&] { bench::keep(call(x)); }, 101, repeats) * 1e9;
  fmt::print("{:<22} {:>6} {:>9.1f} ns{}\n", name, n, t,
             goal == 0 ? "" : fmt::format("  (at most {:.0f}{})", goal, t > goal ? ": above" : ""));
  result["rows"].push_back({{"what", name}, {"n", n}, {"ns", t}, {"goal_ns", goal}});
}

}  // namespace

int main(int argc, char** argv) {
  nlohmann::json result = bench::provenance(argc, argv);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> x(10000);
  for (double& v : x) v = normal(random);
  const std::vector<float> f(x.begin(), x.end());
  for (const Case& c : cases) {
    measure(result, "onefold::sum f64", x, c.n, c.goal_ns, [](auto s) { return onefold::sum(s); });
    measure(result, "std::accumulate f64", x, c.n, 0,
            [](auto s) { return std::accumulate(s.begin(), s.end(), 0.0); });
    measure(result, "onefold::sum f32", f, c.n, 0, [](auto s) { return onefold::sum(s); });
    measure(result, "onefold::max f64", x, c.n, 0, [](auto s) { return onefold::max(s); });
    measure(result, "onefold::mean f64", x, c.n, 0, [](auto s) { return onefold::mean(s); });
    measure(result, "onefold::var f64", x, c.n, 0, [](auto s) { return onefold::var(s); });
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
