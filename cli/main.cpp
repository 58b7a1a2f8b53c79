#include <cstdio>
#include <onefold/onefold.hpp>
#include <vector>
int main() {
  std::vector<double> x{1, 2, 3.5};
  auto [m, v] = onefold::fold<onefold::mean, onefold::var>(x, {.ddof = 1});
  std::vector<float> f{1e30f, 1, -1e30f};
  std::printf("%g %g %g %g\n", onefold::sum(x), m, v, double(onefold::sum(f)));
  int rows = 1;
  std::size_t cols = 3;
  auto a = onefold::fold("mean,argmin", {f.data(), onefold::f32, {rows, cols}}, {.axes = {0}});
  std::printf("%ld\n", (long)onefold::argmin(x));
}
