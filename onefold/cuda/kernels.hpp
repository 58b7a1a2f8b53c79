// The kernels of a device: compiled when first needed, then kept in memory and on disk.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/cuda/kernel/answer/op_set.hpp"
#include "onefold/cuda/kernel/stages.hpp"
#include "onefold/cuda/tuning.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/system/jit/cache.hpp"
#include "onefold/system/jit/cuda.hpp"

namespace onefold::cuda_backend {

// Returns why no kernel can gather these accumulators, or nothing. Atomics can lift accumulators
// whose words are added; others need a feed.
std::string why_not(DType t, Accumulators set);

// How a KernelKey encodes ops: the index of one op, a set of ops of equally many arrays, and the
// number of a set's ops before one of them.
kernel::OpIndex index_of(const OpRow& op);
kernel::OpSet bits_of(std::span<const OpRow* const> ops);
std::size_t place_of(kernel::OpSet ops, const OpRow& op);

// The kernels that are compiled into one module: the consecutive launches of a fold. The driver
// takes 1 ms to load a module, whatever it contains (bench/results/gpu_compile.md).
struct Kernel {
  KernelKey key;
  KernelShape shape;
};
using Shapes = std::function<KernelShape(const KernelKey&)>;
std::vector<Kernel> module_of(const KernelKey& key, const Shapes& shape_of);
// Returns a kernel's name, which profilers show: onefold_sum_f32_whole.
std::string function_name(const KernelKey& key);

// Returns the source to compile: a few lines that include the kernels and name their parameters.
std::string source_of(std::span<const Kernel> module);

class Kernels {
 public:
  explicit Kernels(jit::Gpu& gpu) : gpu_(gpu) {}
  // Finds the kernel in this user's cache on disk, then among shipped kernels (shipped.hpp), and
  // otherwise compiles it.
  //   throws  no_backend: there is no compiler; internal: the compiler refuses the source
  void* get(const KernelKey& key);
  // Finds several kernels without stages, and compiles the missing ones in parallel.
  std::vector<void*> get(std::span<const KernelKey> keys);
  // Returns a kernel's launch configuration.
  KernelShape shape_of(const KernelKey& key) const;
  // Forgets all kernels, for tests. No other call may run meanwhile.
  void forget() { known_.clear(); }

 private:
  jit::Gpu& gpu_;
  struct Module {
    std::mutex mutex;
    void* loaded = nullptr;
    void* functions[6] = {};  // by stage
  };
  void* load(const KernelKey& key);
  void* known(const KernelKey& key);

  jit::Cache cache_ = jit::Cache::from_environment(), shipped_ = jit::Cache::shipped();
  mutable std::mutex mutex_;
  mutable std::map<KernelKey, std::optional<KernelShape>> shapes_;
  std::map<KernelKey, Module> known_;  // loaded modules, by the key of their first kernel
};

}  // namespace onefold::cuda_backend
