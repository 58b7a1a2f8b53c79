#include "backend/cuda/kernels.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "backend/cuda/shipped.hpp"
#include "jit/nvrtc.hpp"
#include "onefold/error.hpp"
#include "onefold/kernel/ring.hpp"

namespace onefold::cuda_backend {
namespace {

const char* type_name(DType t) {
  switch (t) {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  case DType::name:                                      \
    return "onefold::" #type;
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
  }
  return "?";
}

// Than sm_90, by whose figures shapes are chosen.
bool is_newer(std::string_view chip) {
  int number = 0;
  std::from_chars(chip.data() + std::min<std::size_t>(3, chip.size()), chip.data() + chip.size(),
                  number);
  return number > 90;
}

}  // namespace

// Of 4 loads, that a block gets at least where a ring brings them: it begins and ends slowly. Of
// 0.5 GiB sum bf16 0.904, with several waves 0.807 to 0.889; dot 0.945 and 0.923; describe f32
// 0.823 and 0.738 to 0.790.
constexpr unsigned tiles_by_ring = 96;

// Shares of a plain read at 4 GiB of N(0,1) on an H200, loads/warps/blocks/waves as
// bench/gpu_whole --shapes has them; the full table is in bench/results/gpu_whole.md.
KernelShape shape_of(const KernelKey& key, std::string_view chip, std::size_t most_shared) {
  const bool squares = key.set.has(Accumulator::sumsq);
  const bool sums = squares || key.set.has(Accumulator::sum) || key.set.has(Accumulator::sumabs);
  const int shared_bytes = static_cast<int>(most_shared) - (3 << 10);  // beside other arrays
  const int of_warp = 32 * kernel::bin_bytes(key.dtype, key.set);
  const bool ring = kernel::has_ring(key.dtype, key.set, key.depth);
  // Loads of both arrays are in flight. dot f32 0.992, f64 0.982, bf16 0.992, f16 0.988; random
  // bits 0.961, 0.526, 0.812.
  if (is_floating(key.dtype) && key.set.has(Accumulator::dot)) {
    const int loads = key.dtype == f16 && kernel::takes_all(key.depth) ? 2 : 4;
    const int most = key.dtype == bf16 || is_newer(chip) ? 4 : 5;
    if (key.depth == kernel::Depth::hot) {
      if (!ring) return {.warps = 4, .loads = loads, .blocks = most, .waves = 128};
      return {.warps = 4, .loads = loads, .blocks = 3, .waves = 128, .tiles = tiles_by_ring};
    }
    const bool bins = key.depth == kernel::Depth::bins;
    const int warps = std::min(key.dtype == f64 ? 3 : 4, shared_bytes / of_warp);
    if (warps <= 0) return {.warps = 0, .loads = loads};
    const int at_once = std::clamp(shared_bytes / (warps * of_warp + (1 << 10)), 1,
                                   bins && !is_newer(chip) ? 5 : most);
    return {.warps = warps,
            .loads = loads,
            .blocks = at_once,
            .waves = bins ? at_once : 128,
            .bins = warps};
  }
  // Small parts, for the instructions of one warp decide: f32 sum of 2^10 elements 2.0 us, 2.3 with
  // 8 loads; of 2^14 2.6 and 2.9.
  if (key.depth == kernel::Depth::few) {
    if (kernel::is_near_sum(key.dtype, key.set)) {
      // At most: one block of them takes 2^12 elements. With 2 loads 2^20 take 5.6 us, with 4 4.2.
      const int warps = std::min(8, shared_bytes / of_warp);
      return {.warps = warps, .loads = 4, .blocks = 1, .waves = 8, .tiles = 1, .bins = warps};
    }
    // At most: one block of them takes 2^13 f32, argmax 2.3 us; in blocks of 8 2.6. With 2 loads
    // 2^14 take 2.9 us, with 4 2.7.
    if (kernel::only_extremes(key.set)) {
      return {.warps = 16, .loads = 4, .blocks = 1, .waves = 8, .tiles = 1};
    }
    const bool binned = kernel::has_bins(key.dtype, key.set, key.depth);
    const int bins = !binned ? 0 : std::min(key.dtype == f64 ? 1 : 4, shared_bytes / of_warp);
    const bool room = !binned || bins == (key.dtype == f64 ? 1 : 4);
    return {.warps = room ? 4 : 0,
            .loads = key.dtype == f64 ? 4 : 2,
            .blocks = 1,
            .waves = 8,
            .tiles = 1,
            .bins = bins};
  }
  // Integers 0.990 to 0.999, extremes 0.986 to 0.991, counts 0.995 to 0.999, f16 sums 0.989;
  // 4/8/4/64 and 8/4/4/64 are 0.003 to 0.010 slower.
  if (!is_floating(key.dtype) || !sums) {
    // any f32 of 2^24 and 2^28 17.6 and 238.8 us, with 2 blocks 18.0 and 238.0, 4/8/4/64 17.9 and
    // 241.2. argmax with 4 blocks 19.1 and 237.0 instead of 19.3 and 237.7, but sm_80 spills
    // halves.
    if (kernel::only_counts(key.dtype, key.set)) {
      const int blocks = key.dtype == f64 ? 3 : 4;  // which wants more than 64 registers
      return {.warps = 8, .loads = 8, .blocks = blocks, .waves = 64};
    }
    // There squares or magnitudes of 64 bits beside others want up to 158 registers.
    const bool large = sums && bytes_of(key.dtype) == 8 && std::popcount(key.set.bits) > 3;
    if (is_newer(chip) && large) return {.warps = 4, .blocks = 3};
    return {};
  }
  const bool few =
      key.set.within(Accumulators(Accumulator::tally) | (Accumulator::sum | Accumulator::sumsq)) ||
      key.set.within(Accumulator::tally | Accumulator::sumabs);
  const bool many = std::popcount(key.set.bits) > 5;
  const bool counted = kernel::has_launch(key.dtype, key.set, kernel::Depth::few);
  if (key.dtype == f16) {
    // 8/8/2/64 0.945, 4/4/7/128 0.984.
    if (!squares) return {.warps = 8, .loads = 8, .blocks = 3, .waves = 64};
    // sumsq 0.979, var 0.925, describe (4 blocks) 0.752; 4/4/7/64 0.957, 0.914.
    return {.warps = 4, .loads = 8, .blocks = many ? 4 : 5, .waves = many ? 32 : 64};
  }
  // bf16 sum 0.982 and of lognormal data 0.967, 4/8/3/60 0.984 and 0.935, 4/4/7/128 0.957, one wave
  // 0.977; sumsq 0.981, var (4 blocks) 0.908, describe 0.699, with 64 waves 0.688.
  if (key.dtype == bf16 && key.depth == kernel::Depth::hot) {
    if (!squares) return {.warps = 4, .loads = 4, .blocks = 5, .waves = 60, .tiles = tiles_by_ring};
    const bool alone = key.set.within(Accumulator::sumsq | Accumulator::tally);
    const int blocks = alone && !is_newer(chip) ? 5 : 4;  // of which sm_100 wants a register more
    return {.warps = 4, .loads = 8, .blocks = blocks, .waves = many ? 32 : 64};
  }
  // Of 4 GiB, of lognormal data and of random bits, in one run with others: sum f32 1.000, 0.994,
  // 0.969, with 20 waves 0.993, 0.987, 0.970; bf16 0.993, 0.974, 0.875, with 63 waves 0.993, 0.980,
  // 0.825, 8/4/5/60 0.993, 0.954, 0.769. Of 2^28 f32 237 us, 8/4/4 241.
  if (key.depth == kernel::Depth::alone && kernel::is_near_sum(key.dtype, key.set)) {
    const bool halves = key.dtype == bf16;
    const int warps = std::min(halves ? 8 : 4, shared_bytes / of_warp);
    if (warps == 0) return {.warps = 0};
    const int most = halves ? 3 : 5;
    return {.warps = warps,
            .blocks = std::clamp(shared_bytes / (warps * of_warp + (4 << 10)), 1, most),
            .waves = halves ? 24 : 64,
            .tiles = 24,
            .bins = warps};
  }
  if (key.dtype == bf16 && key.depth == kernel::Depth::alone) {
    // Of 7 and 5 blocks a thread may have 72 and 96 registers, and the end wants a few more.
    const int room = shared_bytes / (4 * of_warp + (2 << 10));
    if (room == 0) return {.warps = 0};
    return {.warps = 4,
            .loads = squares ? 8 : 4,
            .blocks = std::min(squares ? 4 : 6, room),
            .waves = squares ? 64 : 128,
            .bins = 4};
  }
  // f32 sum 0.989, sumsq 0.980, var 0.974, f64 sum 0.995, var 0.960; with 32 waves 0.971, 0.964,
  // 0.961, 0.981, 0.948, with 128 f32 sum 0.979. Of 5, 4 and 3 blocks a thread may have 96, 128 and
  // 168 registers; chips from sm_100 on want a few more for squares.
  // Sums of f64: 35 waves are a multiple of the 7 warps that take what is left, so that they get as
  // much each: random bits 0.803, N(0,1) 0.993; with 40 0.793, 0.996, with 60 0.769, 0.997.
  // describe of f32 0.952 and of f64 0.918, with 8 loads, 3 blocks 0.947 and 0.901.
  if (ring && key.depth == kernel::Depth::hot) {
    return {.warps = 4,
            .loads = 4,
            .blocks = is_newer(chip) ? 4 : 5,
            .waves = 30,
            .tiles = tiles_by_ring};
  }
  const bool few_loads =
      key.dtype == bf16 ? !squares : kernel::has_ring(key.dtype, key.set, kernel::Depth::hot);
  const int loads = few_loads ? 4 : 8;  // as the first launch
  if (key.depth == kernel::Depth::hot) {
    return {.warps = 4,
            .loads = 8,
            .blocks = (few ? 5 : 4) - (squares && is_newer(chip) ? 1 : 0),
            .waves = key.dtype == f64 && !squares ? 35 : 64,
            .tiles = 24};  // f32 sum of 2^26 elements 68.5 us, with 8 tiles 76.5
  }
  if (key.depth == kernel::Depth::wide) {
    const bool alone = key.dtype == f32 && key.set.within(Accumulator::sumsq | Accumulator::tally);
    const bool both = key.set.has(Accumulator::sum) && key.set.has(Accumulator::sumabs);
    // lognormal sumsq f32 0.939, with 4 blocks 0.923.
    // Beside extremes tiles are small: describe f32 0.642, with 4 blocks 0.612 and 3 0.609; f64
    // 0.722, with 30 waves 0.697.
    if (few_loads) {
      const bool all = std::popcount(key.set.bits) > 6;
      const int blocks = key.dtype == f32 && all && !is_newer(chip) ? 5 : 4;
      return {.warps = 4, .loads = 4, .blocks = blocks, .waves = key.dtype == f64 ? 16 : 30};
    }
    return {.warps = 4,
            .loads = 8,
            .blocks = alone && !is_newer(chip)   ? 5
                      : key.dtype == f32 && both ? 3  // 4 have too few registers for sm_80
                                                 : 4,
            .waves = key.dtype == f64 ? 16 : 32};
  }
  // Of f64 few warps have bins, and take what the others cannot.
  if (key.depth == kernel::Depth::alone && key.dtype == f64 && counted) {
    const bool both =
        squares && (key.set.has(Accumulator::sum) || key.set.has(Accumulator::sumabs));
    const int bins = std::min(8, (shared_bytes / 2 - (2 << 10)) / of_warp);
    if (bins == 0) return {.warps = 0};
    const int loads = both || is_newer(chip) ? 4 : 8;
    return {.warps = 8, .loads = loads, .blocks = 2, .waves = 2, .tiles = 1, .bins = bins};
  }
  if (key.depth == kernel::Depth::alone) {
    // Beside bins that may not be wanted as many warps as there is room for.
    const int warps = of_warp == 0 ? 4 : std::min(4, shared_bytes / of_warp);
    const int most = many || (squares && is_newer(chip)) ? 3 : 4;
    const int at_once = std::clamp(shared_bytes / (warps * of_warp + (4 << 10)), 1, most);
    // Long launches have more than one wave, so that the hardware balances them.
    return {.warps = warps,
            .loads = 8,
            .blocks = at_once,
            .waves = squares ? at_once : 16,
            .tiles = 24,
            .bins = warps};
  }
  // Bins fill the shared memory, and their blocks live as long as the launch. Tiles are those of
  // the first launch. Random bits, sum f32 0.947, with 16 warps 0.921; bf16, in four waves,
  // 0.867, with one wave 0.837.
  if ((ring || of_warp <= 4 << 10) && shared_bytes >= 4 * of_warp) {
    const int beside = ring ? kernel::ring_bytes(key.set, 4) : 0, most = key.dtype == bf16 ? 6 : 5;
    const int at_once = std::clamp(shared_bytes / (4 * (of_warp + beside) + (1 << 10)), 1, most);
    return {.warps = 4, .loads = loads, .blocks = at_once, .waves = ring ? 4 * at_once : at_once};
  }
  // dot f64 of 2 blocks of 3 warps 0.531, of 6 warps 0.515; sumsq f32 0.706, of 8 warps 0.488.
  const int warps = std::min(16, shared_bytes / of_warp);
  const int at_once = key.dtype == f64 && warps > 0 && warps % 2 == 0 ? 2 : 1;
  return {.warps = warps / at_once, .loads = loads, .blocks = at_once, .waves = at_once};
}

unsigned shared_bytes_of(const KernelKey& key, const KernelShape& shape) {
  if (!kernel::has_bins(key.dtype, key.set, key.depth)) return 0;
  const int warps = kernel::takes_all(key.depth) ? shape.bins : shape.warps;
  return static_cast<unsigned>(warps * 32 * kernel::bin_bytes(key.dtype, key.set));
}

uint32_t bits_of(std::span<const OpRow* const> ops) {
  uint32_t bits = 0;
  for (const OpRow* op : ops) bits |= uint32_t{1} << (op - op_rows().data());
  return bits;
}

std::vector<Kernel> module_of(const KernelKey& key, const Shapes& shape_of) {
  using kernel::Depth;
  std::vector<Kernel> module;
  for (const auto depth : {Depth::hot, Depth::wide, Depth::bins, Depth::alone, Depth::few}) {
    const bool together = depth == key.depth || !(takes_all(depth) || takes_all(key.depth));
    if (!together || !kernel::has_launch(key.dtype, key.set, depth)) continue;
    Kernel k{.key = key, .shape = {}};
    k.key.depth = depth;
    k.shape = shape_of(k.key);
    if (k.shape.warps != 0) module.push_back(k);
  }
  return module;
}

std::string function_name(kernel::Depth depth) {
  return "gather" + std::to_string(static_cast<int>(depth));
}

std::string source_of(std::span<const Kernel> module) {
  std::string source =
      "#include \"onefold/kernel/whole.hpp\"\n"
      "#include \"onefold/machine/gpu.cuh\"\n"
      "using namespace onefold;\n";
  for (const auto& [key, shape] : module) {
    std::string type = type_name(key.dtype);
    if (type.ends_with("::float") || type.ends_with("::double") || type.ends_with("_t")) {
      type.erase(0, sizeof("onefold::") - 1);
    }
    const std::string set = std::to_string(key.set.bits) + "u";
    const std::string ops = std::to_string(key.ops) + "u";
    const std::string loads = std::to_string(shape.loads), warps = std::to_string(shape.warps);
    const std::string depth = std::to_string(static_cast<int>(key.depth));
    source += "extern \"C\" __global__ void __launch_bounds__(32 * " + warps + ", " +
              std::to_string(shape.blocks) + ") " + function_name(key.depth) +
              "(kernel::Input<Gpu, " + type +
              "> input, kernel::Workspace<Gpu> workspace, kernel::Results<Gpu, " + ops +
              "> results, kernel::Steps steps) {\n  kernel::whole<" + type + ", " + set + ", " +
              loads + ", " + warps + ", " + ops + ", kernel::Depth(" + depth +
              ")>(Gpu{}, input, workspace, results, steps);\n}\n";
  }
  return source;
}

KernelShape Kernels::shape_of(const KernelKey& key) const {
  const auto tried = tried_.find(key.depth);
  if (tried != tried_.end()) return tried->second;
  return cuda_backend::shape_of(key, gpu_.facts().chip, gpu_.facts().shared_bytes);
}

void Kernels::try_shape(kernel::Depth depth, const KernelShape& shape) {
  tried_[depth] = shape;
  known_.clear();
}

void* Kernels::get(const KernelKey& key) {
  KernelKey first = key;
  if (!kernel::takes_all(key.depth)) first.depth = kernel::Depth::hot;
  Module* module = nullptr;
  {
    const std::lock_guard lock(mutex_);
    module = &known_[first];
  }
  // Others may compile other kernels meanwhile.
  const std::lock_guard lock(module->mutex);
  void*& function = module->functions[static_cast<int>(key.depth)];
  if (function == nullptr) {
    const jit::Gpu::Relaxed relaxed;
    if (module->loaded == nullptr) module->loaded = load(key);
    void* const found = gpu_.function(module->loaded, function_name(key.depth).c_str());
    gpu_.allow_shared(found, shared_bytes_of(key, shape_of(key)));
    function = found;
  }
  return function;
}

// The module that the kernel is in.
void* Kernels::load(const KernelKey& key) {
  const std::string source =
      source_of(module_of(key, [&](const KernelKey& k) { return shape_of(k); }));
  const std::string& chip = gpu_.facts().chip;
  const std::string kept_as = "driver " + std::to_string(jit::Driver::get().version()) + " " +
                              jit::Nvrtc::asked_for() + image_key(source, chip);
  // Null: there is none, or the driver does not take it.
  const auto found = [&](const jit::Cache& cache, const std::string& name) -> void* {
    const auto image = cache.find(name);
    try {
      return image ? gpu_.load(*image) : nullptr;
    } catch (const jit::CudaError&) {
      return nullptr;
    }
  };
  if (void* const module = found(cache_, kept_as)) return module;
  for (const std::string& served : chips_for(chip)) {
    if (void* const module = found(shipped_, image_key(source, served))) return module;
  }
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) {
    throw Error(ErrorCode::no_backend,
                "device \"cuda\" was asked for, but NVRTC, which compiles its kernels, cannot be "
                "used: " +
                    nvrtc.library().why +
                    "; install the CUDA toolkit's libnvrtc, have onefold kernels compile them "
                    "elsewhere, or choose the device cpu");
  }
  const jit::Nvrtc::Result made = nvrtc.compile(source, chip);
  if (made.image.empty()) {
    throw Error(ErrorCode::internal, "NVRTC refuses a kernel: " + made.log.substr(0, 400));
  }
  if (const std::string file = nvrtc.file(); !file.empty()) cache_.keep(kept_as, made.image, file);
  return gpu_.load(made.image);
}

}  // namespace onefold::cuda_backend
