// How long does NVRTC take for the kernels of a fold? No device is needed.
//
//   gpu_compile [--chip sm_90] [--json FILE]
//
//   small  one launch, as few elements have; large: with those that follow
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/cuda/kernels.hpp"
#include "harness.hpp"
#include "jit/nvrtc.hpp"
#include "plan/plan.hpp"

namespace {

using namespace onefold;
using cuda_backend::KernelKey;

double compile_ms(const KernelKey& key, const std::string& chip) {
  const std::string source = cuda_backend::source_of(key, cuda_backend::shape_of(key));
  return 1e3 * bench::median_seconds(
                   [&] {
                     if (jit::Nvrtc::get().compile(source, chip).image.empty()) {
                       throw std::runtime_error("NVRTC refuses " + source);
                     }
                   },
                   3);
}

constexpr const char* describe =
    "count,count_nan,count_inf,count_zero,sum,mean,std,min,argmin,max,argmax,norm1,norm2";

}  // namespace

int main(int argc, char** argv) {
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
          for (const OpRow* op : parse_ops(ops)) key.ops |= uint32_t{1} << (op - op_rows().data());
        }
        double small = 0, large = 0;
        for (const auto depth : {kernel::Depth::hot, kernel::Depth::wide, kernel::Depth::bins}) {
          if (!kernel::has_launch(t, key.set, depth)) continue;
          key.depth = depth;
          const double ms = compile_ms(key, chip);
          if (depth == kernel::Depth::hot) small = ms;
          large += ms;
        }
        key.depth = kernel::Depth::alone;
        if (kernel::has_launch(t, key.set, key.depth)) small = compile_ms(key, chip);
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
