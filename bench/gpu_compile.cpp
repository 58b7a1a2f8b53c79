// Measures how long NVRTC takes for the kernels of a fold. No device is needed.
//
//   gpu_compile [--chip sm_90] [--json FILE]
//   gpu_compile --first sum,max:f32,f64 [--elements 1000]
//
//   small  one launch, for few elements; large: all launches of a large array
//   first  on an open device: each op's first fold in this process, and its second. A second run
//          shows what kernels on disk save (ONEFOLD_CACHE)
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness.hpp"
#include "onefold/cuda/engine.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/onefold.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace {

using namespace onefold;
using cuda_backend::KernelKey;

// If there is a driver, NVRTC keeps compiled code and would not compile again; this turns that off.
const std::vector<std::string>& options() {
  static const std::vector<std::string> chosen = [] {
    std::vector<std::string> no_cache = {"--no-cache"};
    const auto tried = jit::Nvrtc::get().compile("", "sm_90", {}, no_cache);
    return tried.image.empty() ? std::vector<std::string>{} : no_cache;
  }();
  return chosen;
}

double compile_ms(const KernelKey& key, const std::string& chip) {
  const std::string source = cuda_backend::source_of(cuda_backend::module_of(
      key, [&](const KernelKey& k) { return cuda_backend::shape_of(k, chip); }));
  return 1e3 * bench::median_seconds(
                   [&] {
                     if (jit::Nvrtc::get()
                             .compile(source, chip, jit::device_headers(), options())
                             .image.empty()) {
                       throw std::runtime_error("NVRTC refuses " + source);
                     }
                   },
                   3);
}

DType type_of(std::string_view name) {
  for (int k = 0; k < dtype_count; ++k) {
    if (name == name_of(static_cast<DType>(k))) return static_cast<DType>(k);
  }
  throw std::runtime_error("there is no type " + std::string(name));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string s; std::getline(in, s, ',');) words.push_back(s);
  return words;
}

constexpr const char* describe =
    "count,count_nan,count_inf,count_zero,sum,mean,std,var,min,argmin,max,argmax,norm1,norm2";

// Milliseconds of one call, without warming up.
template <class F>
double once_ms(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  f();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void time_first_folds(const std::string& what, Size n) {
  jit::Gpu& gpu = cuda_backend::Engine::of(0).gpu();
  const jit::Gpu::Current current(gpu);
  const uint64_t x = gpu.allocate(8 * n), out = gpu.allocate(256);
  gpu.fill(x, 0, 8 * n);
  gpu.synchronize();
  const std::size_t colon = what.find(':');
  for (const std::string& op : words_of(what.substr(0, colon))) {
    for (const std::string& type : words_of(what.substr(colon + 1))) {
      const std::string ops = op == "describe" ? describe : op;
      const ArrayRef ref(reinterpret_cast<const void*>(x), type_of(type), Dims(n));
      Answers answers;
      const auto on_host = [&] { answers = fold(ops, ref, {.device = cuda()}); };
      const double host = once_ms(on_host), host_again = once_ms(on_host);
      std::vector<OutputRef> outs;
      for (const Answer& a : answers.list) {
        outs.emplace_back(reinterpret_cast<void*>(out + 8 * outs.size()), a.dtype, Dims(1));
      }
      const auto on_device = [&] {
        fold_into(outs, ops, ref, {.device = cuda()});
        gpu.synchronize(jit::Gpu::default_stream());
      };
      const double device = once_ms(on_device), device_again = once_ms(on_device);
      fmt::print("{:<10} {:<5} host result {:8.2f} {:8.3f}   on the device {:8.2f} {:8.3f} ms\n",
                 op, type, host, host_again, device, device_again);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::string what = bench::option(argc, argv, "first", ""); !what.empty()) {
    time_first_folds(what, std::stoul(bench::option(argc, argv, "elements", "1000")));
    return 0;
  }
  nlohmann::json result = bench::provenance(argc, argv);
  if (!jit::Nvrtc::get().usable()) {
    fmt::print(stderr, "gpu_compile: NVRTC was not found: {}\n", jit::Nvrtc::get().library().why);
    return 1;
  }
  const std::string chip = bench::option(argc, argv, "chip", "sm_90");
  fmt::print("{:<10} {:<5} {:>9} {:>9}   answers rounded: {:>9} {:>9}  ms\n", "ops", "type",
             "small", "large", "small", "large");
  for (const std::string ops : {"sum", "max", "argmax", "norm2", "var", "dot", describe}) {
    for (const DType t : {f32, f64, bf16, i8}) {
      const std::string name = ops == describe ? "describe" : ops;
      fmt::print("{:<10} {:<5}", name, name_of(t));
      nlohmann::json row = {{"ops", name}, {"type", name_of(t)}};
      for (const bool rounded : {false, true}) {
        KernelKey key{t, needs_of(parse_ops(ops))};
        if (rounded) {
          key.ops = cuda_backend::bits_of(parse_ops(ops));
        }
        const double large = compile_ms(key, chip);
        key.stage = kernel::Stage::single;
        const bool alone = kernel::has_launch(t, key.set, key.stage);
        const double small = alone ? compile_ms(key, chip) : large;
        fmt::print("{} {:>9.0f} {:>9.0f}", rounded ? "                   " : "", small, large);
        std::fflush(stdout);
        row[rounded ? "rounded_ms" : "state_ms"] = {{"small", small}, {"large", large}};
      }
      fmt::print("\n");
      result["rows"].push_back(row);
    }
  }
  if (const std::string file = bench::option(argc, argv, "json", ""); !file.empty()) {
    std::ofstream(file) << result.dump(1) << "\n";
  }
}
