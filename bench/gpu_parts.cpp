// Compares an array whose parts are on several devices with each device alone.
//
//   gpu_parts [--gib 64] [--folds 8]
//
// Prints TB/s of sum f32: each part alone, and all by gather of parts; medians over the folds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "onefold/states.hpp"
#include "onefold/system/jit/cuda.hpp"

namespace {

using namespace onefold;

double median_seconds(int folds, const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int k = 0; k <= folds; ++k) {
    const auto begin = Clock::now();
    f();
    if (k != 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

// Makes an array of f32 on a device, by repeating a block of values.
ArrayRef make_part(jit::Gpu& gpu, int device, std::size_t bytes) {
  const jit::Gpu::Current current(gpu);
  const uint64_t memory = gpu.allocate(bytes);
  std::vector<float> some(std::size_t{1} << 20);
  for (std::size_t i = 0; i < some.size(); ++i) {
    some[i] = static_cast<float>(static_cast<int>(i * 2654435761u % 2000) - 1000) * 0.37f;
  }
  gpu.copy_in(memory, some.data(), 4 * some.size());
  for (std::size_t n = 4 * some.size(); n < bytes; n *= 2) {
    gpu.copy(memory + n, memory, std::min(n, bytes - n));
  }
  gpu.synchronize();
  ArrayRef x(reinterpret_cast<void*>(memory), f32, {static_cast<int64_t>(bytes / 4)});
  x.device = cuda(device);
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t gib = 64;
  int folds = 8;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--gib") gib = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string(argv[i]) == "--folds") folds = std::atoi(argv[i + 1]);
  }
  const jit::Driver& driver = jit::Driver::get();
  if (!driver.usable()) return std::fprintf(stderr, "%s\n", driver.why().c_str()), 1;
  const std::size_t bytes = gib << 30;
  std::vector<std::unique_ptr<jit::Gpu>> gpus;
  std::vector<Part> parts;
  for (int d = 0; d < driver.devices(); ++d) {
    gpus.push_back(std::make_unique<jit::Gpu>(d));
    parts.push_back({make_part(*gpus.back(), d, bytes)});
  }
  double together = 0, slowest = 0;
  State merged;
  for (const Part& p : parts) {
    State found;
    const double s = median_seconds(folds, [&] { found = gather("sum", p.x); });
    std::printf("cuda:%d alone  %8.3f TB/s  %8.3f ms\n", p.x.device.index,
                static_cast<double>(bytes) / s / 1e12, 1e3 * s);
    together += static_cast<double>(bytes) / s;
    slowest = std::max(slowest, s);
    merged.merge(found);
  }
  State all;
  const double s = median_seconds(folds, [&] { all = gather({.ops = "sum", .parts = parts}); });
  const double rate = static_cast<double>(bytes) * static_cast<double>(parts.size()) / s;
  std::printf(
      "%zu parts       %8.3f TB/s  %8.3f ms: %.3f of all alone, %.3f of the slowest's time%s\n",
      parts.size(), rate / 1e12, 1e3 * s, rate / together, s / slowest,
      all == merged ? "" : "  WRONG");
  std::printf("%.2f TB folded by all\n",
              static_cast<double>(bytes) * static_cast<double>(parts.size()) * folds / 1e12);
}
