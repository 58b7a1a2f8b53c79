// Measures one call on a device with few data, from host call to host result, and queued. Compares
// it with an empty kernel that is launched and waited for.
//
//   gpu_small [--json FILE]
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;

// Returns the median microseconds of one call.
template <class F>
double microseconds(F&& f, int repeats = 1000) {
  for (int k = 0; k < 5; ++k) f();
  return bench::median_seconds(f, repeats, 1) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  nlohmann::json result = bench::provenance(argc, argv);
  if (!jit::Driver::get().usable()) {
    fmt::print(stderr, "gpu_small: {}\n", jit::Driver::get().why());
    return 1;
  }
  jit::Gpu gpu;
  const auto made =
      jit::Nvrtc::get().compile("extern \"C\" __global__ void empty() {}", gpu.facts().chip);
  void* const empty = gpu.function(gpu.load(made.image), "empty");
  const double floor = microseconds([&] {
    gpu.launch(empty, {.stream = jit::Gpu::default_stream()}, nullptr);
    gpu.synchronize(jit::Gpu::default_stream());
  });
  fmt::print("{:<28} {:>9} {:>7.2f} us\n", "empty kernel, waited for", "", floor);
  result["empty_us"] = floor;

  const uint64_t x = gpu.allocate(std::size_t{1} << 26), out = gpu.allocate(256);
  gpu.fill(x, 0, std::size_t{1} << 26);
  gpu.synchronize();
  const auto* const data = reinterpret_cast<const void*>(x);
  const OutputRef to(reinterpret_cast<void*>(out), f64, Dims(1),
                     reinterpret_cast<Status*>(out + 8));
  const auto row = [&](const char* what, const std::string& op, Size n, double us) {
    fmt::print("{:<28} {:>9} {:>7.2f} us {:>5.2f} of empty\n", what + (" " + op), n, us,
               us / floor);
    std::fflush(stdout);
    result["rows"].push_back({{"what", what}, {"op", op}, {"n", n}, {"us", us}});
  };
  for (const std::string op : {"sum", "mean", "var", "norm2", "max"}) {
    for (const Size n : {Size{1}, Size{1} << 12, Size{1} << 16, Size{1} << 20}) {
      const ArrayRef ref(data, f64, Dims(n));
      row("host result", op, n, microseconds([&] { fold(op, ref, {.device = cuda()}); }));
      row("on the device, waited for", op, n, microseconds([&] {
            fold_into(to, op, ref, {.device = cuda()});
            gpu.synchronize(jit::Gpu::default_stream());
          }));
      constexpr int batch = 100;
      row("on the device, queued", op, n,
          microseconds(
              [&] {
                for (int k = 0; k < batch; ++k) fold_into(to, op, ref, {.device = cuda()});
                gpu.synchronize(jit::Gpu::default_stream());
              },
              21) /
              batch);
    }
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << '\n';
  }
}
