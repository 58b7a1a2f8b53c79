#include "onefold/cuda/kernels.hpp"

#include <array>
#include <bit>

#include "onefold/cuda/kernel/answer/ops.hpp"
#include "onefold/cuda/kernel/words.hpp"
#include "onefold/cuda/shipped.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cuda_backend {
namespace {

const char* type_name(DType t) {
  switch (t) {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  case DType::name:                                      \
    return "onefold::" #type;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  }
  return "?";
}

}  // namespace

std::string why_not(DType t, Accumulators set) {
  // The same for every element type: what an accumulator is does not depend on it.
  const Accumulators lifted(set.bits & ~kernel::fed_of(t, set).bits);
  for (int k = 0; k < accumulator_count; ++k) {
    const auto a = static_cast<Accumulator>(k);
    if (lifted.has(a) && !kernel::additive_of<double>().has(a)) {
      return std::string("no kernel can compute the accumulator ") + name_of(a) +
             ", and its state is not one that atomics add to";
    }
  }
  return "";
}

kernel::OpIndex index_of(const OpRow& op) {
  // A table, since each call of the backend asks for about ten indices.
  static constexpr auto indices = [] {
    std::array<kernel::OpIndex, static_cast<std::size_t>(kernel::listed::Op::end)> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = kernel::index_at(static_cast<int>(k));
    return all;
  }();
  return indices[op.index];
}

kernel::OpSet bits_of(std::span<const OpRow* const> ops) {
  kernel::OpSet bits = 0;
  for (const OpRow* op : ops) bits |= kernel::bit_of(index_of(*op));
  return bits;
}
std::size_t place_of(kernel::OpSet ops, const OpRow& op) {
  return static_cast<std::size_t>(kernel::count_ops(ops & (kernel::bit_of(index_of(op)) - 1)));
}

std::vector<Kernel> module_of(const KernelKey& key, const Shapes& shape_of) {
  using kernel::Stage;
  std::vector<Kernel> module;
  if (key.walk != kernel::Walk::whole) return {{.key = key, .shape = shape_of(key)}};
  for (const auto stage :
       {Stage::first, Stage::wide, Stage::bins, Stage::single, Stage::small, Stage::digits}) {
    const bool together = stage == key.stage || !(takes_all(stage) || takes_all(key.stage));
    if (!together || !kernel::has_launch(key.dtype, key.set, stage)) continue;
    Kernel k{.key = key, .shape = {}};
    k.key.stage = stage;
    k.shape = shape_of(k.key);
    if (k.shape.warps != 0) module.push_back(k);
  }
  return module;
}

namespace {

std::string row_function_name(const KernelKey& key) {
  constexpr const char* steps[] = {
      "_logsumexp",       "_softmax",         "_softmax_held", "_logsumexp_again", "_softmax_again",
      "_logsumexp_state", "_logsumexp_merge", "_norm",         "_norm_held",       "_norm_again"};
  return std::string("_") + name_of(key.dtype) +
         steps[static_cast<int>(key.walk) - static_cast<int>(kernel::Walk::logsumexp)] +
         (key.wide ? "_by_pairs" : "");
}
std::string quantile_name(const KernelKey& key) {
  constexpr const char* steps[] = {"_rows",    "_sample",   "_bracket", "_pass",
                                   "_answers", "_segments", "_weights"};
  return std::string("_") + name_of(key.dtype) + "_quantile" +
         steps[static_cast<int>(key.walk) - static_cast<int>(kernel::Walk::quantile_rows)] +
         (!key.wide                                     ? ""
          : key.walk == kernel::Walk::quantile_segments ? "_longer"
          : key.walk == kernel::Walk::quantile_weights  ? "_long"
                                                        : "_of_several") +
         (key.selects ? "_where" : "");
}

}  // namespace

std::string function_name(const KernelKey& key) {
  std::string name = "onefold";
  if (key.walk == kernel::Walk::keys) return name + "_keys";
  if (key.walk == kernel::Walk::labels) return name + "_labels_" + name_of(key.dtype);
  if (key.walk == kernel::Walk::bins) return name + "_" + name_of(key.dtype) + "_bins";
  if (kernel::is_row_function(key.walk)) return name + row_function_name(key);
  if (kernel::is_quantile(key.walk)) return name + quantile_name(key);
  const bool weighted = is_weighted(key);
  if (key.ops == 0 && !weighted) {
    name += "_state";
    for (int a = 0; a < every_accumulator; ++a) {
      if (key.set.has(static_cast<Accumulator>(a))) {
        name += std::string("_") + name_of(static_cast<Accumulator>(a));
      }
    }
  } else if (constexpr int most_named = 4; kernel::count_ops(key.ops) > most_named) {
    name += "_" + std::to_string(kernel::count_ops(key.ops)) + "ops";
  } else {
    for (const OpRow& op : op_rows()) {
      if (kernel::asks(key.ops, index_of(op))) name += std::string("_") + op.name;
    }
  }
  if (weighted) {
    return name + "_" + name_of(key.dtype) + (key.selects ? "_repeated" : "_weighted") +
           (key.wide ? "_wide" : "") + (key.walk == kernel::Walk::weighted ? "" : "_undecided");
  }
  if (kernel::is_matrix(key.walk)) {
    constexpr const char* steps[] = {"_survey", "_split",   "_multiply",
                                     "_answer", "_entries", "_doubles"};
    using enum kernel::Walk;
    static_assert(std::size(steps) ==
                  static_cast<int>(matrix_doubles) - static_cast<int>(matrix_survey) + 1);
    return name + "_" + name_of(key.dtype) + "_matrix" +
           steps[static_cast<int>(key.walk) - static_cast<int>(matrix_survey)];
  }
  if (key.walk == kernel::Walk::scan) return name + "_" + name_of(key.dtype) + "_scan";
  if (key.walk == kernel::Walk::short_scan) {
    return name + "_" + name_of(key.dtype) + "_short_scan";
  }
  constexpr const char* walks[] = {"",
                                   "_axes",
                                   "_short_rows",
                                   "_columns",
                                   "_segments",
                                   "_long_segments",
                                   "_ranks",
                                   "_labels",
                                   "_words_of_segments",
                                   "_label_sums",
                                   "_undecided",
                                   "_undecided_segments",
                                   "_windows",
                                   "_even_columns",
                                   "_single_columns",
                                   "_rows_by_1",
                                   "_rows_by_2",
                                   "_rows_by_4",
                                   "_rows_by_8",
                                   "_rows_by_16",
                                   "_rows_by_32",
                                   "_any_rows",
                                   "_long_rows"};
  static_assert(std::size(walks) == static_cast<std::size_t>(kernel::Walk::long_rows) + 1);
  if (key.walk != kernel::Walk::whole) {
    return name + "_" + name_of(key.dtype) + walks[static_cast<int>(key.walk)] +
           ((key.ops & kernel::by_digits) != 0 ? "_by_digits" : "") + (key.selects ? "_where" : "");
  }
  constexpr const char* stages[] = {"", "_wide", "_bins", "_single", "_small", "_digits"};
  return name + "_" + name_of(key.dtype) + "_whole" + stages[static_cast<int>(key.stage)];
}

namespace {

// The text of a kind of kernels: its header, its parameters and its body. `$name` stands for what a
// key and a launch configuration say.
struct KernelText {
  const char* header;
  const char* text;
};
#define ONEFOLD_RESULTS "const __grid_constant__ kernel::Results<Gpu, $ops> results"
KernelText text_for(kernel::Walk walk) {
  using enum kernel::Walk;
  if (kernel::is_matrix(walk)) {
    return {"matrix/matrix",
            "(const __grid_constant__ kernel::Matrix<Gpu, $type> in, kernel::Scratch<Gpu> "
            "scratch, " ONEFOLD_RESULTS
            ") {\n  kernel::matrix<$type, $ops, $walk>(Gpu{}, in, scratch, "
            "results);\n}\n"};
  }
  if (walk == bins) {
    return {"quantile/bins",
            "(const __grid_constant__ kernel::BinnedElements<Gpu, $type> in) {\n  "
            "kernel::count_bins<$type>(Gpu{}, in);\n}\n"};
  }
  if (walk == quantile_weights) {
    return {"quantile/weights",
            "(const __grid_constant__ kernel::WeightedQuantiles<Gpu, $type> in) {\n  "
            "kernel::weighted_quantiles<$type$wide>(Gpu{}, in);\n}\n"};
  }
  if (kernel::is_quantile(walk)) {
    return {"quantile/quantile",
            "(const __grid_constant__ kernel::QuantileSlices<Gpu, $type> in) {\n  "
            "kernel::quantiles<$type, $walk, $masks$wide>(Gpu{}, in);\n}\n"};
  }
  if (kernel::is_norm(walk)) {
    return {"layer_norm/layer_norm",
            "(const __grid_constant__ kernel::Exponential<Gpu, $type> in, kernel::Scratch<Gpu> "
            "scratch) {\n  kernel::layer_norm<$type, $walk>(Gpu{}, in, scratch);\n}\n"};
  }
  if (kernel::is_row_function(walk)) {
    return {"exponential/exponential",
            "(const __grid_constant__ kernel::Exponential<Gpu, $type> in, kernel::Scratch<Gpu> "
            "scratch) {\n  kernel::exponential<$type, $walk$wide>(Gpu{}, in, scratch);\n}\n"};
  }
  switch (walk) {
    case whole:
      return {
          "whole",
          "(kernel::Input<Gpu, $type> input, kernel::Workspace<Gpu> workspace, "
          "kernel::Results<Gpu, $ops> results, kernel::Stages stages) {\n  kernel::whole<$type, "
          "$set, $loads, $warps, $ops, $stage>(Gpu{}, input, workspace, results, stages);\n}\n"};
    case ranks:
      return {"ranks", "(const __grid_constant__ kernel::Ranks<Gpu> ranks, " ONEFOLD_RESULTS
                       ") {\n  kernel::ranks<$type, $set, $ops>(Gpu{}, ranks, results);\n}\n"};
    case labels:
      return {"labels/sort",
              "(const __grid_constant__ kernel::Labels<Gpu, $type> labels) {\n  "
              "kernel::by_label<$type>(Gpu{}, labels);\n}\n"};
    case keys:
      return {"labels/keys",
              "(const __grid_constant__ kernel::KeyNumbers<Gpu> keys) {\n  "
              "kernel::number_keys(Gpu{}, keys);\n}\n"};
    case label_sums:
      return {"labels/answers",
              "(const __grid_constant__ kernel::LabelSums<Gpu, $type> in, " ONEFOLD_RESULTS
              ") {\n  kernel::label_sums<$type, $set, $ops$selects>(Gpu{}, in, results);\n}\n"};
    case weighted:
    case undecided_weighted:
      return {"weighted/undecided",
              "(const __grid_constant__ kernel::WeightedInput<Gpu, $type> input, "
              "kernel::Scratch<Gpu> scratch, " ONEFOLD_RESULTS
              ") {\n  kernel::weighted_answers<$type, $set, $ops, $walk, $repeats$wide>(Gpu{}, "
              "input, scratch, results);\n}\n"};
    case scan:
    case short_scan:
      return {"scan/scan",
              "(const __grid_constant__ kernel::Scan<Gpu, $type> in, " ONEFOLD_RESULTS
              ") {\n  kernel::scan<$type, $set, $ops, $warps>(Gpu{}, in, results);\n}\n"};
    default:
      return {"axes",
              "(const __grid_constant__ kernel::NestInput<Gpu, $type> input, "
              "kernel::Scratch<Gpu> scratch, " ONEFOLD_RESULTS
              ", const __grid_constant__ kernel::Deal deal) {\n  kernel::axes<$type, $set, $ops, "
              "$walk$selects>(Gpu{}, input, scratch, results, deal);\n}\n"};
  }
}
#undef ONEFOLD_RESULTS

// Returns what `$name` in a kernel's text stands for.
std::string word_of(std::string_view name, const Kernel& k) {
  const auto number = [](auto n) { return std::to_string(static_cast<uint64_t>(n)); };
  if (name == "type") {
    const std::string type = type_name(k.key.dtype);
    const bool ours =
        !type.ends_with("::float") && !type.ends_with("::double") && !type.ends_with("_t");
    return ours ? type : type.substr(sizeof("onefold::") - 1);
  }
  if (name == "set") return number(k.key.set.bits) + "u";
  if (name == "ops") return number(k.key.ops) + "u";
  if (name == "walk") return "kernel::Walk(" + number(k.key.walk) + ")";
  if (name == "stage") return "kernel::Stage(" + number(k.key.stage) + ")";
  if (name == "loads") return number(k.shape.loads);
  if (name == "warps") return number(k.shape.warps);
  if (name == "selects") return k.key.selects ? ", true" : "";
  if (name == "repeats" || name == "masks") return k.key.selects ? "true" : "false";
  return k.key.wide ? ", true" : "";
}

}  // namespace

std::string source_of(std::span<const Kernel> module) {
  const KernelText text = text_for(module.empty() ? kernel::Walk::whole : module[0].key.walk);
  std::string source = std::string("#include \"onefold/cuda/kernel/") + text.header +
                       ".hpp\"\n"
                       "#include \"onefold/machine/gpu.cuh\"\n"
                       "using namespace onefold;\n";
  for (const Kernel& k : module) {
    source += "extern \"C\" __global__ void __launch_bounds__(32 * " +
              std::to_string(k.shape.warps) + ", " + std::to_string(k.shape.blocks) + ") " +
              function_name(k.key);
    std::string_view rest = text.text;
    for (std::size_t at; (at = rest.find('$')) != std::string_view::npos;) {
      source += rest.substr(0, at);
      rest.remove_prefix(at + 1);
      const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
      source += word_of(rest.substr(0, end), k);
      rest.remove_prefix(end);
    }
    source += rest;
  }
  return source;
}

KernelShape Kernels::shape_of(const KernelKey& key) const {
  // Kept after the first search through the rows, since a call asks five times; it also depends on
  // ops and masks.
  const std::lock_guard lock(mutex_);
  auto& shape = shapes_[key];
  if (!shape) shape = cuda_backend::shape_of(key, gpu_.facts().chip, gpu_.facts().shared_bytes);
  return *shape;
}

void* Kernels::get(const KernelKey& key) {
  KernelKey first = key;
  if (!kernel::takes_all(key.stage)) first.stage = kernel::Stage::first;
  Module* module = nullptr;
  {
    const std::lock_guard lock(mutex_);
    module = &known_[first];
  }
  // Other threads may compile other kernels meanwhile.
  const std::lock_guard lock(module->mutex);
  void*& function = module->functions[static_cast<int>(key.stage)];
  if (function == nullptr) {
    const jit::Gpu::RelaxedCapture relaxed;
    if (module->loaded == nullptr) module->loaded = load(key);
    void* const found = gpu_.function(module->loaded, function_name(key).c_str());
    gpu_.allow_shared(found, shared_bytes_of(key, shape_of(key)));
    function = found;
  }
  return function;
}

// Returns null if the kernel is not compiled yet, or another thread is compiling it.
void* Kernels::known(const KernelKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return nullptr;
  const std::unique_lock of_module(found->second.mutex, std::try_to_lock);
  return of_module ? found->second.functions[static_cast<int>(key.stage)] : nullptr;
}

std::vector<void*> Kernels::get(std::span<const KernelKey> keys) {
  std::vector<void*> found;
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    found.push_back(known(keys[k]));
    if (found[k] == nullptr) missing.push_back(k);
  }
  in_threads(missing.size(), static_cast<int>(missing.size()), [&](std::size_t k) {
    const jit::Gpu::Current current(gpu_);
    found[missing[k]] = get(keys[missing[k]]);
  });
  return found;
}

// Returns the kernel, after loading the module that contains it.
void* Kernels::load(const KernelKey& key) {
  const std::string source =
      source_of(module_of(key, [&](const KernelKey& k) { return shape_of(k); }));
  const std::string& chip = gpu_.facts().chip;
  const std::string kept_as = "driver " + std::to_string(jit::Driver::get().version()) + " " +
                              jit::Nvrtc::asked_for() + image_key(source, chip);
  // Null if there is no image, or the driver refuses it.
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
    throw Error(
        ErrorCode::no_backend,
        "device \"cuda\" was requested, but NVRTC, which compiles its kernels, cannot be used: " +
            nvrtc.library().why +
            "; install the CUDA toolkit's libnvrtc, compile the kernels elsewhere with "
            "onefold kernels, or choose the device cpu");
  }
  const jit::Nvrtc::Result made = nvrtc.compile(source, chip);
  if (made.image.empty()) {
    const std::size_t at = made.log.find("error");  // after warnings
    throw Error(ErrorCode::internal, "NVRTC could not compile a kernel: " +
                                         made.log.substr(at == std::string::npos ? 0 : at, 400));
  }
  if (const std::string file = nvrtc.file(); !file.empty())
    cache_.keep(kept_as, made.image, {file});
  return gpu_.load(made.image);
}

}  // namespace onefold::cuda_backend
