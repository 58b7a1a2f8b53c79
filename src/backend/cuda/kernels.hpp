// The kernels of a device, compiled when first asked for and kept, in memory and on disk.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "jit/cache.hpp"
#include "jit/cuda.hpp"
#include "onefold/kernel/state.hpp"
#include "plan/table.hpp"

namespace onefold::cuda_backend {

// What a kernel is made for.
struct KernelKey {
  DType dtype = DType::f64;
  Accumulators set;
  uint32_t ops = 0;  // answered by the kernel, as kernel/answers.hpp has them
  kernel::Depth depth = kernel::Depth::hot;
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return std::tie(a.dtype, a.set.bits, a.ops, a.depth) <
           std::tie(b.dtype, b.set.bits, b.ops, b.depth);
  }
};

// How it is launched.
struct KernelShape {
  int warps = 8;       // of a block
  int loads = 8;       // of 16 bytes that a thread has in flight
  int blocks = 2;      // a multiprocessor holds at once
  int waves = 64;      // blocks a multiprocessor gets in all, at most
  unsigned tiles = 8;  // that a block gets at least
  int bins = 0;        // warps of a block that have bins
};
// The tuned one. Bins fill the shared memory that a block may ask for; warps: 0, where not one
// warp's bins fit.
KernelShape shape_of(const KernelKey& key, std::string_view chip = "sm_90",
                     std::size_t shared_bytes = 227 << 10);
// Of shared memory, that a block is launched with.
unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape);

// Ops as a KernelKey has them.
uint32_t bits_of(std::span<const OpRow* const> ops);

// What is compiled together and is one file: the launches of a fold that follow one another, for it
// is the module that takes the driver 1 ms to load, not what is in it
// (bench/results/gpu_compile.md).
struct Kernel {
  KernelKey key;
  KernelShape shape;
};
using Shapes = std::function<KernelShape(const KernelKey&)>;
std::vector<Kernel> module_of(const KernelKey& key, const Shapes& shape_of);
// What a kernel is called in its module.
std::string function_name(kernel::Depth depth);

// The text that is compiled: a few lines that include the kernels and name what they are made for.
std::string source_of(std::span<const Kernel> module);

class Kernels {
 public:
  explicit Kernels(jit::Gpu& gpu) : gpu_(gpu) {}
  // What this user has on disk comes first, then what was shipped (shipped.hpp).
  //   throws  no_backend: there is no compiler; internal: it refuses the source
  void* get(const KernelKey& key);
  // The shape of a kernel: the tuned one, or what a benchmark tries instead. No other call may be
  // under way while that changes.
  KernelShape shape_of(const KernelKey& key) const;
  void try_shape(kernel::Depth depth, const KernelShape& shape);

 private:
  jit::Gpu& gpu_;
  struct Module {
    std::mutex mutex;
    void* loaded = nullptr;
    void* functions[5] = {};  // by depth
  };
  void* load(const KernelKey& key);

  jit::Cache cache_ = jit::Cache::from_environment(), shipped_ = jit::Cache::shipped();
  std::mutex mutex_;
  std::map<KernelKey, Module> known_;  // by the first kernel's key
  std::map<kernel::Depth, KernelShape> tried_;
};

}  // namespace onefold::cuda_backend
