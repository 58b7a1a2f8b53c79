#include "onefold/cuda/shipped.hpp"

#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/kernel/quick/needed_totals.hpp"
#include "onefold/cuda/tuning.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/version.hpp"

namespace onefold::cuda_backend {

std::string image_key(const std::string& source, std::string_view chip) {
  return "onefold " ONEFOLD_VERSION " " + jit::Nvrtc::key_of(source, chip);
}

std::vector<std::string> chips_for(std::string_view chip) {
  std::vector<std::string> chips{std::string(chip)};
  for (char minor = chip.back(); minor > '0'; --minor) {
    chips.push_back(std::string(chip.substr(0, chip.size() - 1)) + static_cast<char>(minor - 1));
  }
  return chips;
}

std::span<const Chip> known_chips() {
  // CUDA C++ Programming Guide, technical specifications by compute capability. Chips before sm_80
  // lack redux, which adds over a warp.
  constexpr std::size_t kib = 1 << 10;
  static constexpr Chip chips[] = {
      {"sm_80", 163 * kib}, {"sm_86", 99 * kib},   {"sm_87", 163 * kib},  {"sm_89", 99 * kib},
      {"sm_90", 227 * kib}, {"sm_100", 227 * kib}, {"sm_103", 227 * kib}, {"sm_110", 227 * kib},
      {"sm_120", 99 * kib}, {"sm_121", 99 * kib}};
  return chips;
}

namespace {

bool has_totals(DType dtype, kernel::OpSet ops) {
  return visit(dtype, [&]<class T>() { return kernel::all_have_totals<T>(ops); });
}

// The walks of a fold along axes.
std::vector<kernel::Walk> walks_of(DType dtype, kernel::OpSet ops) {
  using kernel::Walk;
  if (!has_totals(dtype, ops)) return {Walk::nest};
  std::vector<Walk> walks = {Walk::nest, Walk::short_rows, Walk::columns, Walk::even_columns,
                             Walk::single_columns};
  for (unsigned bits = 0; bits <= kernel::long_bits; ++bits) walks.push_back(kernel::rows_by(bits));
  if (may_be_undecided(dtype, ops)) walks.push_back(Walk::undecided);
  return walks;
}

std::vector<kernel::Walk> walks_of_segments(DType dtype, kernel::OpSet ops) {
  using kernel::Walk;
  if (!has_totals(dtype, ops)) return {Walk::segment_words};
  std::vector<Walk> walks = {Walk::segments, Walk::long_segments, Walk::segment_words};
  if (may_be_undecided(dtype, ops)) walks.push_back(Walk::undecided_segments);
  return walks;
}

}  // namespace

std::vector<std::vector<Kernel>> modules_of(std::string_view ops, DType dtype, const Chip& chip,
                                            const ShippedFolds& folds) {
  alignas(16) static constexpr std::byte element[16] = {};
  const ArrayRef x(element, dtype, Dims(1));
  const bool two = parse_ops(ops)[0]->about->inputs == 2;
  const Plan plan = make_plan(ops, x, two ? &x : nullptr, {});
  const auto shape = [&](const KernelKey& key) {
    return shape_of(key, chip.name, chip.shared_bytes);
  };
  using kernel::Stage;
  std::vector<std::vector<Kernel>> modules;
  if (!why_not(dtype, plan.needs).empty()) return modules;
  const kernel::OpSet all = bits_of(plan.ops);
  const bool row = !plan.needs.of_pairs().empty();
  const auto add = [&](const std::vector<kernel::Walk>& walks, kernel::OpSet set, bool selects) {
    for (const kernel::Walk walk : walks) {
      if (selects && walk == kernel::Walk::short_rows) continue;
      modules.push_back(module_of(
          {.dtype = dtype, .set = plan.needs, .ops = set, .walk = walk, .selects = selects},
          shape));
    }
  };
  if (folds.axes || row) add(walks_of(dtype, all), all, false);
  if (folds.axes && sums_by_digits(dtype, all, has_few_f64(chip.name))) {
    std::vector<kernel::Walk> walks = walks_of(dtype, all);
    std::erase_if(walks, [](kernel::Walk walk) {
      return walk == kernel::Walk::nest || walk == kernel::Walk::short_rows;
    });
    add(walks, all | kernel::by_digits, false);
  }
  if (folds.masks) add(walks_of(dtype, all), all, true);
  if (folds.segments) {
    // Segments of non-contiguous elements use the kernels for masks.
    for (const bool selects : {false, true}) add(walks_of_segments(dtype, all), all, selects);
  }
  if (row) return modules;
  const bool digits =
      has_few_f64(chip.name) && kernel::has_launch(dtype, plan.needs, Stage::digits);
  for (const kernel::OpSet answers : {kernel::OpSet{0}, all}) {
    if (answers != 0 && plan.needs.of_high_powers()) continue;  // they are rows (run.cpp)
    for (const auto stage : {Stage::first, Stage::single, Stage::small, Stage::digits}) {
      if ((stage == Stage::digits) != digits) continue;
      auto module =
          module_of({.dtype = dtype, .set = plan.needs, .ops = answers, .stage = stage}, shape);
      if (!module.empty()) modules.push_back(std::move(module));
    }
  }
  return modules;
}

}  // namespace onefold::cuda_backend
