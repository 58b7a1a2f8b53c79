#include "onefold/cuda/bins.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/quantile/bins.hpp"
#include "onefold/engine/plan/check.hpp"

namespace onefold::cuda_backend {
namespace {

// More bytes than these are allocated for a call, and freed.
constexpr Size most_kept = Size{32} << 20;
// A block's counters have 32 bits.
constexpr Size most_of_a_block = Size{1} << 31;

void run(const Plan& plan, const ArrayRef& x, const KeyBins& bins, int64_t* counts,
         int64_t* places) {
  Engine& engine = Engine::of(plan.device.index);
  jit::Gpu& gpu = engine.gpu();
  const jit::Gpu::Current current(gpu);
  const jit::Gpu::RelaxedCapture relaxed;
  void* const stream = stream_of(plan);
  refuse_capture(engine, plan, stream);
  void* const kernel =
      engine.kernels().get({.dtype = x.dtype, .set = {}, .walk = kernel::Walk::bins});
  const Size count = bins.begin.size(), n = elements_of(x.shape);
  Engine::WorkspaceLease workspace = engine.borrow(stream);
  std::optional<Piece> own;
  visit(x.dtype, [&]<class T>() {
    using Key = typename OrderedBits<T>::Key;
    // Counters, then borders, which are keys of 4 or 8 bytes.
    std::vector<uint64_t> words(count + (count * sizeof(Key) + 7) / 8);
    std::copy(bins.begin.begin(), bins.begin.end(), reinterpret_cast<Key*>(words.data() + count));
    const Size bytes = 8 * words.size();
    const uint64_t memory = bytes <= most_kept ? engine.memory_of(*workspace, std::bit_ceil(bytes))
                                               : own.emplace(gpu, bytes).address();
    workspace->spoilt = true;
    gpu.copy_in(memory, words.data(), bytes, stream);
    kernel::BinnedElements<HostArguments, T> in{.x = address(x.data),
                                                .n = n,
                                                .begin = memory + 8 * count,
                                                .bins = static_cast<uint32_t>(count),
                                                .last = static_cast<Key>(bins.last),
                                                .low = bins.low,
                                                .per_unit = bins.per_unit,
                                                .wide = address(x.data) % 16 == 0,
                                                .of_each = places != nullptr,
                                                .counts = memory,
                                                .places = address(places)};
    void* args[] = {&in};
    const Size most = std::max<Size>(5 * static_cast<Size>(gpu.facts().multiprocessors),
                                     n / most_of_a_block + 1),
               wanted = (n + 8 * kernel::bin_threads - 1) / (8 * kernel::bin_threads);
    gpu.launch(kernel,
               {.grid = static_cast<unsigned>(std::clamp<Size>(wanted, 1, most)),
                .block = kernel::bin_threads,
                .stream = stream},
               args);
    gpu.synchronize(stream);
    if (counts != nullptr) gpu.copy_out(counts, memory, 8 * count);
  });
  workspace->unfinished = workspace->spoilt = false;
}

}  // namespace

void count_bins(const Plan& plan, const ArrayRef& x, const KeyBins& bins, int64_t* counts) {
  checked(plan, [&] { run(plan, x, bins, counts, nullptr); });
}
void write_bins(const Plan& plan, const ArrayRef& x, const KeyBins& bins, int64_t* places) {
  checked(plan, [&] { run(plan, x, bins, nullptr, places); });
}

}  // namespace onefold::cuda_backend
