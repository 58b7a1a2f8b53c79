// Folds of host arrays on devices, compared with the copy engines' limit and with the processor.
//
//   gpu_host [--gib 8] [--devices N]
//
// Prints GB/s: copies of pinned memory by the copy engine (the limit of one device), folds of
// pageable and of pinned memory by one device and by all, and by the processor's cores.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "onefold/system/jit/cuda.hpp"

namespace {

double best_rate(double bytes, const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int k = 0; k < 6; ++k) {
    const auto begin = Clock::now();
    f();
    if (k != 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return bytes / seconds[seconds.size() / 2] / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace onefold;
  double gib = 8;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--gib") gib = std::atof(argv[i + 1]);
  }
  const jit::Driver& driver = jit::Driver::get();
  if (!driver.usable()) return std::fprintf(stderr, "%s\n", driver.why().c_str()), 1;
  jit::Gpu gpu(0);
  const auto n = static_cast<std::size_t>(gib * (1 << 28));
  const double bytes = 4.0 * static_cast<double>(n);
  auto* const pinned = static_cast<float*>(gpu.allocate_pinned(4 * n));
  std::vector<float> pageable(n);
  for (std::size_t i = 0; i < n; ++i) {
    pageable[i] = pinned[i] = static_cast<float>(i % 1000) * 0.25f - 100;
  }
  constexpr std::size_t piece = std::size_t{256} << 20;
  const uint64_t memory = gpu.allocate(piece);
  std::printf("%-28s %8.1f GB/s\n", "copy engine, pinned", best_rate(bytes, [&] {
                for (std::size_t i = 0; i < 4 * n; i += piece) {
                  gpu.copy_in(memory, reinterpret_cast<std::byte*>(pinned) + i,
                              std::min(piece, 4 * n - i), gpu.stream());
                }
                gpu.synchronize();
              }));
  float want = 0;
  for (const auto& [name, device] :
       {std::pair("cpu", cpu), {"cuda:0", cuda(0)}, {"cuda:all", cuda_all()}}) {
    for (const auto& [kind, data] : {std::pair("pageable", pageable.data()), {"pinned", pinned}}) {
      const ArrayRef x(data, f32, {static_cast<int64_t>(n)});
      float sum = 0;
      const double rate = best_rate(
          bytes, [&, d = device] { sum = fold("sum", x, {.device = d}).get<float>("sum"); });
      if (want == 0) want = sum;
      std::printf("sum f32, %-8s on %-8s %8.1f GB/s%s\n", kind, name, rate,
                  sum == want ? "" : "  WRONG");
    }
  }
}
