#include "backend/cuda/deal.hpp"

#include <algorithm>
#include <bit>

#include "onefold/kernel/quick/totals.hpp"

namespace onefold::cuda_backend {
namespace {

Size quotient(Size n, Size d) { return (n + d - 1) / d; }

// Parts of so many items at least, so that `groups` groups of them make `enough`.
Size parts_for(Size groups, Size enough, Size items, Size least, Size words_a_part) {
  if (groups >= enough || groups > Workspace::scratch_tickets) return 1;
  const Size wanted = std::min(enough / groups, items / least);
  return std::clamp<Size>(wanted, 1, std::max<Size>(Workspace::scratch_words / words_a_part, 1));
}

// Whether totals answer an op of T, and the words of those of a set.
template <class T, std::size_t... k>
bool all_have_totals(uint32_t ops, std::index_sequence<k...>) {
  return (((ops >> k & 1) == 0 || kernel::has_totals<T, uint32_t{1} << k>()) && ...);
}
bool have_totals(DType t, uint32_t ops) {
  return visit(t, [&]<class T>() {
    return all_have_totals<T>(ops, std::make_index_sequence<kernel::op_count>());
  });
}

// At most, of any set of ops.
constexpr Size total_words = 24;

// Whether the first element is where vectors of so many may begin.
bool aligned(const NestInput& input, Size bytes, Size vector) {
  return input.x % (vector * bytes) == 0;
}

std::optional<Dealt> deal_of_rows(const Plan& plan, const NestInput& input, Size all) {
  const Size bytes = bytes_of(plan.dtype), vector = 16 / bytes;
  const kernel::NestAxis& inner = input.axis[input.kept];
  Dealt dealt{.walk = kernel::Walk::rows, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  deal.answers = input.answers;
  const Size length = inner.extent, runs = input.elements / length;
  deal.wide = aligned(input, bytes, vector) && inner.stride[0] == 1;
  for (unsigned k = 0; k < input.kept + input.folded; ++k) {
    if (k == input.kept) continue;
    deal.wide &= input.axis[k].stride[0] % static_cast<int64_t>(vector) == 0;
  }
  const Size loads = deal.wide ? quotient(length, vector) : length;
  deal.lanes = static_cast<uint32_t>(std::min<Size>(std::bit_ceil(std::max<Size>(loads, 1)), 32));
  // A lane that has a row for itself reads all of it.
  if (length * bytes <= 32) deal.lanes = 1;
  const Size groups = 32 / deal.lanes;
  // Fewer answers a warp where there would be fewer than 8 warps a multiprocessor.
  deal.batch = 32;
  while (deal.batch > groups && quotient(input.answers, deal.batch) < 8 * all) deal.batch /= 2;
  const Size batches = quotient(input.answers, deal.batch), items = runs == 1 ? length : runs;
  const Size least = runs == 1 ? (Size{1} << 13) : std::max<Size>((Size{1} << 13) / length, 1);
  Size parts = parts_for(batches, 64 * all, items, least, total_words * batches * deal.batch);
  deal.part = quotient(items, parts);
  if (runs == 1) deal.part = quotient(deal.part, 32 * vector) * 32 * vector;
  parts = quotient(items, deal.part);
  deal.parts = static_cast<uint32_t>(parts);
  deal.formulas.depth =
      static_cast<double>(quotient(runs == 1 ? deal.part : deal.part * length, deal.lanes)) +
      static_cast<double>(vector) + 16 + static_cast<double>(quotient(parts, 32));
  dealt.warps = 8;
  dealt.blocks = static_cast<unsigned>(std::min<Size>(quotient(batches * parts, 8), 1u << 30));
  return dealt;
}

std::optional<Dealt> deal_of_columns(const Plan& plan, const NestInput& input, Size all) {
  const Size bytes = bytes_of(plan.dtype),
             w = static_cast<Size>(kernel::columns_of_lane(plan.dtype, plan.needs));
  const kernel::NestAxis &across = input.axis[0], &inner = input.axis[input.kept];
  Dealt dealt{.walk = kernel::Walk::columns, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  deal.answers = input.answers;
  const bool dense = across.stride[0] == 1;
  // Few columns that lie one behind the other: several rows are one.
  deal.copies = 1;
  if (dense && across.extent < 64 && input.folded > 0 &&
      inner.stride[0] == static_cast<int64_t>(across.extent)) {
    while (deal.copies < 32 && across.extent * deal.copies * 2 <= 128 &&
           inner.extent >= 4 * deal.copies) {
      deal.copies *= 2;
    }
  }
  deal.width = across.extent * deal.copies;
  deal.wide = dense && aligned(input, bytes, w);
  for (unsigned k = 1; k < input.kept + input.folded; ++k) {
    const int64_t step = input.axis[k].stride[0] * (k == input.kept ? deal.copies : 1);
    deal.wide &= step % static_cast<int64_t>(w) == 0;
  }
  const Size need = quotient(deal.width, w);
  Size threads = 256;
  if (need * w <= 256) {
    deal.lanes = static_cast<uint32_t>(need);
  } else {
    threads = std::min<Size>(quotient(need, 32) * 32, 256);
    deal.lanes = static_cast<uint32_t>(threads);
  }
  const Size rows_each = threads / deal.lanes, tile = deal.lanes * w;
  const Size tiles = quotient(deal.width, tile) * (input.answers / across.extent);
  const Size rows = quotient(inner.extent, deal.copies) * (input.elements / inner.extent);
  Size parts = parts_for(tiles, 2 * all, rows, 16 * rows_each, total_words * tiles * tile);
  deal.part = quotient(rows, parts);
  parts = quotient(rows, deal.part);
  deal.parts = static_cast<uint32_t>(parts);
  deal.formulas.depth = static_cast<double>(quotient(deal.part, rows_each)) + 16 +
                        static_cast<double>(deal.copies + parts);
  dealt.warps = static_cast<unsigned>(threads / 32);
  dealt.blocks = static_cast<unsigned>(std::min<Size>(tiles * parts, 1u << 30));
  return dealt;
}

}  // namespace

Dealt deal_of_blocks(const Plan& plan, const NestInput& input, const kernel::Deal& deal, Size all) {
  Dealt dealt{.deal = deal};
  // Each answer is folded by a block; by several where there are fewer than the device has room
  // for, of 2^14 elements at least.
  const auto words = static_cast<Size>(plan.layout.words);
  Size parts = deal.answers == 0 ? 1
                                 : parts_for(deal.answers, 4 * all, input.elements, Size{1} << 14,
                                             words * deal.answers);
  dealt.deal.part = std::max<Size>(quotient(input.elements, parts), 1);
  parts = std::max<Size>(quotient(input.elements, dealt.deal.part), 1);
  dealt.deal.parts = static_cast<uint32_t>(parts);
  dealt.warps = static_cast<unsigned>(std::clamp<Size>(dealt.deal.part / 64, 1, 8));
  dealt.blocks = static_cast<unsigned>(std::min<Size>(deal.answers * parts, 64 * all));
  return dealt;
}

std::optional<Dealt> quick_deal(const Plan& plan, const Nest& nest, const NestInput& input,
                                const Results& results, Size all) {
  if (plan.inputs != 1 || nest.repeats != 1 || input.elements == 0 || input.answers == 0 ||
      input.folded == 0 || input.elements >= Size{1} << 31) {
    return {};
  }
  const uint32_t ops = bits_of(plan.ops);
  if (!have_totals(plan.dtype, ops)) return {};
  kernel::Formulas formulas;
  std::vector<Axis> folded;
  for (const Axis& a : nest.axes) {
    if (a.folded) folded.push_back(a);
  }
  // Elements are numbered as the walk counts them.
  if (plan.indexed && (!counts_on(folded) || nest.index != 0)) return {};
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const OpRow& op = *plan.ops[k];
    const uint32_t before = ops & ((uint32_t{1} << (&op - op_rows().data())) - 1);
    const auto at = static_cast<std::size_t>(std::popcount(before));
    if (plan.results[k] != op.about->result.of(plan.dtype)) return {};
    if (results.place[at].value % bytes_of(plan.results[k]) != 0) return {};
    if (op.recipe == nullptr || !is_floating(plan.dtype)) continue;
    const Recipe r =
        op.recipe({.n = input.elements, .nan = plan.nan, .correction = plan.correction});
    using enum Recipe::Name;
    const Recipe::Name name = r.numerator.name;
    if (name != sum && name != sumabs && name != sumsq && name != spread) {
      if (r.kind == Real::Kind::finite) continue;  // whole numbers, extremes
      return {};
    }
    if (!quick_formula(r, input.elements, formulas.of[at])) return {};
  }
  std::optional<Dealt> dealt;
  if (nest.axes.back().folded) {
    dealt = deal_of_rows(plan, input, all);
  } else {
    dealt = deal_of_columns(plan, input, all);
  }
  const double depth = dealt->deal.formulas.depth;
  dealt->deal.formulas = formulas;
  dealt->deal.formulas.depth = depth;
  return dealt;
}

}  // namespace onefold::cuda_backend
