#include "onefold/cuda/deal.hpp"

#include <algorithm>
#include <bit>

#include "onefold/cuda/kernel/quick/totals.hpp"

namespace onefold::cuda_backend {
namespace {

// The reciprocal that DigitDivisor multiplies by, of 32 bits.
uint32_t reciprocal_of(uint32_t n) {
  const uint32_t d = n << std::countl_zero(n);
  return static_cast<uint32_t>(~uint64_t{0} / d - (uint64_t{1} << 32));
}

// Returns how many parts of at least `least` items `groups` groups should have, so that there are
// `enough` parts in all.
Size parts_for(Size groups, Size enough, Size items, Size least, Size words_a_part) {
  if (groups >= enough || groups > Workspace::scratch_tickets) return 1;
  const Size wanted = std::min(enough / groups, items / least);
  return std::clamp<Size>(wanted, 1, std::max<Size>(Workspace::scratch_words / words_a_part, 1));
}

// Whether totals can answer these ops.
bool have_totals(DType t, kernel::OpSet ops) {
  return visit(t, [&]<class T>() { return kernel::all_have_totals<T>(ops); });
}

// The number of words that a lane holds of an answer.
int words_of(const Plan& plan, bool selects, bool digits) {
  const kernel::OpSet ops = bits_of(plan.ops) | (digits ? kernel::by_digits : 0);
  return visit(plan.dtype, [&]<class T>() { return kernel::total_words_of<T>(ops, selects); });
}

// Bytes of a warp's shared memory for each array (kernel/short_rows.hpp).
constexpr Size staged_of(bool two) { return two ? 2048 : 4096; }

// Whether rows are contiguous, are not 2^k loads of 16 bytes, and 32 of them fit into a warp's
// shared memory.
bool are_short(const NestInput& input, Size bytes, bool two, bool wide) {
  const Size length = input.elements, of_row = length * bytes;
  if (input.kept > 1 || input.folded != 1 || input.axis[input.kept].stride[0] != 1) return false;
  if (input.kept == 1 && input.axis[0].stride[0] != static_cast<int64_t>(length)) return false;
  // The second array must have the same strides
  for (unsigned k = 0; two && k < input.kept + input.folded; ++k) {
    if (input.axis[k].stride[1] != input.axis[k].stride[0]) return false;
  }
  return 32 * of_row <= staged_of(two) &&
         !(wide && of_row > 128 && of_row % 16 == 0 && std::has_single_bit(of_row / 16));
}

LaunchDeal deal_of_short_rows(const NestInput& input, Size bytes, bool two) {
  LaunchDeal dealt{.walk = kernel::Walk::short_rows, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  const Size length = input.elements;
  deal.answers = input.answers;
  deal.wide = input.x % 16 == 0;
  deal.wide_second = input.y % 16 == 0;
  deal.batch =
      static_cast<uint32_t>(std::clamp<Size>(staged_of(two) / (32 * length * bytes), 1, 8));
  // One pass of shared memory serves 32 lanes with words of 4 bytes, or 16 lanes with words of 8.
  const Size unit = std::max<Size>(bytes, length * bytes % 4 == 0 ? 4 : bytes);
  const Size units = length * bytes / unit, pass = unit <= 4 ? 32 : 16;
  deal.turn = static_cast<uint32_t>(pass / std::min<Size>(units & (0 - units), pass));
  deal.formulas.depth = static_cast<double>(length);
  dealt.blocks = static_cast<unsigned>(
      quotient(quotient(input.answers, 32 * deal.batch), kernel::block_warps));
  return dealt;
}

constexpr Size loads_each = 2;     // of each row that is short, for each lane
constexpr Size loads_of_turn = 4;  // the most loads that a lane has in flight

// Whether loads along the runs of both arrays begin at the same elements.
bool loads_together(const NestInput& input, Size bytes) {
  if ((input.y - input.x) % 16 != 0) return false;
  for (unsigned k = 0; k < input.kept + input.folded; ++k) {
    const auto& stride = input.axis[k].stride;
    if (k == input.kept && stride[1] != 1) return false;
    if (static_cast<Size>(stride[1] - stride[0]) * bytes % 16 != 0) return false;
  }
  return true;
}

// Whether the elements of a run are contiguous, and loads begin at the same elements of both
// arrays.
bool has_wide_run(const Plan& plan, const NestInput& input) {
  return input.axis[input.kept].stride[0] == 1 &&
         (plan.inputs == 1 || loads_together(input, bytes_of(plan.dtype)));
}

LaunchDeal deal_of_rows(const Plan& plan, const NestInput& input, Size all, int of_totals,
                        bool selects) {
  const Size bytes = bytes_of(plan.dtype), vector = 16 / bytes,
             rows = static_cast<Size>(kernel::rows_of_lane(of_totals, selects && plan.inputs == 2));
  const kernel::NestAxis& inner = input.axis[input.kept];
  LaunchDeal dealt{.walk = kernel::Walk::any_rows, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  deal.answers = input.answers;
  const Size length = inner.extent, runs = input.elements / length;
  deal.rows = runs;
  const bool two = plan.inputs == 2;
  deal.wide_second = two && loads_together(input, bytes);
  const bool dense = inner.stride[0] == 1 && (!two || deal.wide_second);
  deal.wide = input.x % (vector * bytes) == 0 && dense;
  for (unsigned k = 0; k < input.kept + input.folded; ++k) {
    if (k == input.kept) continue;
    deal.wide &= input.axis[k].stride[0] % static_cast<int64_t>(vector) == 0;
  }
  if (const auto even = deal_of_even_rows(plan, input, of_totals, all, selects)) return *even;
  if (runs == 1 && !selects && are_short(input, bytes, two, deal.wide)) {
    return deal_of_short_rows(input, bytes, two);
  }
  const Size loads = dense ? std::max<Size>(length / vector, 1) : length;
  const Size lanes = std::min<Size>(std::bit_floor(std::max<Size>(loads / loads_each, 1)), 32);
  deal.lane_bits = static_cast<uint32_t>(std::countr_zero(lanes));
  deal.length = length;
  deal.apart = inner.stride[0];
  // A warp folds one row if rows are long, or if there are too few of them for all warps.
  const Size wanted = 64 * all;
  const bool by_part = lanes == 32 && (loads >= 512 || quotient(input.answers, rows) < wanted / 4);
  if (by_part) dealt.walk = kernel::Walk::long_rows;
  const Size of_tile = by_part ? 1 : 32 / lanes * rows, tiles = quotient(input.answers, of_tile);
  Size parts = 1;
  deal.part = runs;
  if (by_part && runs == 1) {  // warps take turns along the run
    const auto words = static_cast<Size>(std::max(of_totals, 1));
    parts = parts_for(tiles, wanted, length, Size{1} << 10, words * tiles);
  } else if (by_part) {
    const auto words = static_cast<Size>(std::max(of_totals, 1));
    const Size least = std::max<Size>((Size{1} << 13) / length, 1);
    parts = parts_for(tiles, wanted, runs, least, words * tiles);
    deal.part = quotient(runs, parts);
    parts = quotient(runs, deal.part);
  }
  if (parts > 1) parts = quotient(parts, kernel::block_warps) * kernel::block_warps;
  deal.parts = static_cast<uint32_t>(parts);
  // If tiles are small, a warp folds several, since each warp has a fixed cost.
  const Size bytes_of_tile = of_tile * input.elements * bytes * static_cast<Size>(plan.inputs),
             // Groups of 32 answers in a tile; a lane may have eight
      slots = quotient(of_tile, 32);
  deal.batch = 1;
  if (parts == 1) {
    deal.batch = static_cast<uint32_t>(
        std::clamp<Size>(std::min((Size{16} << 10) / bytes_of_tile, tiles / wanted), 1, 8 / slots));
  }
  // The most elements that a lane adds: those of its turns, and a few outside of loads.
  const Size turn = lanes * loads_of_turn * (runs == 1 ? parts : 1),
             each = dense ? (quotient(length / vector, turn) * loads_of_turn + 1) * vector
                          : quotient(length, turn / loads_of_turn);
  deal.formulas.depth = static_cast<double>(each * (runs == 1 ? 1 : deal.part)) + 16 +
                        static_cast<double>(rows + quotient(parts, 32));
  dealt.blocks =
      static_cast<unsigned>(quotient(quotient(tiles, deal.batch) * parts, kernel::block_warps));
  return dealt;
}

LaunchDeal deal_of_columns(const Plan& plan, const NestInput& input, Size all, int of_totals) {
  if (const auto even = deal_of_even_columns(plan, input, of_totals, all)) return *even;
  const Size bytes = bytes_of(plan.dtype), w = static_cast<Size>(kernel::columns_of_lane(
                                               static_cast<unsigned>(bytes), of_totals, false));
  const kernel::NestAxis &across = input.axis[0], &inner = input.axis[input.kept];
  LaunchDeal dealt{.walk = kernel::Walk::columns, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  deal.answers = input.answers;
  const bool dense = across.stride[0] == 1;
  // Few columns in contiguous rows: several rows are folded as one.
  Size copies = 1;
  const auto follows = [&](int array) {
    return inner.stride[array] == across.stride[array] * static_cast<int64_t>(across.extent);
  };
  if (dense && across.extent < 64 && follows(0) && (plan.inputs == 1 || follows(1)) &&
      (!input.chosen.masked || follows(2))) {
    while (copies < 32 && across.extent * copies * 2 <= 32 * w && inner.extent >= 4 * copies) {
      copies *= 2;
    }
  }
  deal.copy_bits = static_cast<uint32_t>(std::countr_zero(copies));
  deal.width = across.extent * copies;
  deal.wide = has_loads(input, 0, input.x, bytes, w, 0, copies) &&
              (plan.inputs == 1 || has_loads(input, 1, input.y, bytes, w, 0, copies));
  deal.wide_mask = input.chosen.masked && has_loads(input, 2, input.mask, 1, w, 0, copies);
  const Size need = quotient(deal.width, w), outer = input.answers / across.extent,
             rows = quotient(inner.extent, copies) * (input.elements / inner.extent);
  deal.rows = rows;
  constexpr uint32_t whole_block = 32 * kernel::block_warps;
  // 512 neighbouring bytes are read as quickly as whole rows. With one column a lane, a tile of
  // bytes is 256 wide at most.
  const Size side = std::clamp<Size>(512 / (w * bytes), 32, whole_block);
  const auto tiles_of = [&](Size lanes) { return outer * quotient(need, lanes); };
  // A warp folds a tile, if rows are few enough for it and tiles are enough for all warps; else a
  // block does.
  const Size of_warp = std::min<Size>(need, 32);
  const bool few_rows = rows <= 64 * (32 / of_warp);
  deal.team = few_rows && (tiles_of(of_warp) >= 16 * all || rows <= 16) ? 32 : whole_block;
  deal.lanes = static_cast<uint32_t>(deal.team == 32                  ? of_warp
                                     : need <= 64 || need <= 2 * side ? std::min<Size>(need, 64)
                                                                      : side);
  const Size rows_each = deal.team / deal.lanes, tile = deal.lanes * w,
             tiles = tiles_of(deal.lanes);
  deal.tiles = quotient(need, deal.lanes);
  Size parts = 1;
  if (deal.team == whole_block) {
    // As many blocks as run at once, or four times as many.
    const Size wave = 2 * all, wanted = tiles * 8 <= wave ? wave : 4 * wave;
    const auto words = static_cast<Size>(std::max(of_totals, 1));
    parts = parts_for(tiles, wanted, rows, 16 * rows_each, 2 * words * tiles * tile);
    parts = std::min(parts, std::max<Size>(Workspace::scratch_tickets / tiles, 1));
  }
  deal.part = quotient(rows, parts);
  parts = quotient(rows, deal.part);
  deal.parts = static_cast<uint32_t>(parts);
  deal.formulas.depth = static_cast<double>(quotient(deal.part, rows_each)) + 64 +
                        static_cast<double>(copies + rows_each);
  dealt.blocks = static_cast<unsigned>(quotient(tiles * parts, whole_block / deal.team));
  return dealt;
}

}  // namespace

bool has_totals(kernel::Walk walk) {
  using enum kernel::Walk;
  return kernel::is_rows(walk) || kernel::is_columns(walk) || walk == short_rows ||
         walk == segments || walk == windows;
}
bool sums_by_digits(DType t, kernel::OpSet ops, bool few_f64) {
  return few_f64 && visit(t, [&]<class T>() { return kernel::digits_hold<T>(ops); });
}
bool may_be_undecided(DType t, kernel::OpSet ops) {
  return visit(t, [&]<class T>() { return kernel::any_is_rounded<T>(ops); });
}

LaunchDeal deal_of_blocks(const Plan& plan, const NestInput& input, const kernel::Deal& deal,
                          Size all) {
  LaunchDeal dealt{.deal = deal};
  // A block folds each answer; several blocks, with at least 2^14 elements each, if there are fewer
  // answers than the device can run blocks.
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

bool make_formulas(const Plan& plan, Size elements, const Results& results, bool selects,
                   kernel::Formulas& formulas) {
  const kernel::OpSet ops = bits_of(plan.ops);
  if (!have_totals(plan.dtype, ops)) return false;
  // Each lane counts its selected elements; here n must only be large enough for the formula's
  // division.
  if (selects) elements = std::max(elements, Size{1} << 20);
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const OpRow& op = *plan.ops[k];
    const std::size_t at = place_of(ops, op);
    if (plan.results[k] != op.about->result.of(plan.dtype)) return false;
    if (results.place[at].value % bytes_of(plan.results[k]) != 0) return false;
    if (op.recipe == nullptr) continue;
    const Recipe r = op.recipe({.n = elements, .nan = plan.nan, .correction = plan.correction});
    // Of integers only statistics of pairs, and moments, are rounded by quick numbers.
    const bool by_formula = plan.inputs == 2 || is_moment(r.numerator.of),
               rounded = is_floating(plan.dtype) || (by_formula && is_floating(plan.results[k]));
    if (!rounded) continue;
    if (!is_sum(r.numerator.of) && !kernel::is_of_terms(r.numerator.of)) {
      if (r.kind == Real::Kind::finite) continue;  // integers, extremes
      return false;
    }
    if (selects) continue;
    if (!quick_formula(r, elements, formulas.of[at])) return false;
    QuickFormula only;
    only.elements = formulas.of[at].elements;
    only.n = formulas.of[at].n;
    if (formulas.of[at] == only && only.n != 1) formulas.inverse[at] = 1 / only.n;
    formulas.scale[at] = scale_of(formulas.of[at]);
  }
  return true;
}

// The most elements of an answer: lanes count and number elements and add integers by 32 or 64
// bits. Sums and extremes of floats along one run have no such limit.
Size most_elements(const Plan& plan, const NestInput& input, bool selects) {
  const bool counts = visit(
      plan.dtype, [&]<class T>() { return kernel::needed_totals<T>(bits_of(plan.ops)).counts(); });
  const bool one_run = input.answers == 1 && input.folded == 1 && has_wide_run(plan, input);
  return one_run && is_floating(plan.dtype) && !counts && !selects && !plan.indexed
             ? (Size{1} << 35) / bytes_of(plan.dtype)
             : Size{1} << 31;
}

std::optional<LaunchDeal> quick_deal(const Plan& plan, const Nest& nest, const NestInput& input,
                                     const Results& results, Size all, bool selects, bool few_f64) {
  if (nest.repeats != 1 || input.elements == 0 || input.answers == 0 || input.folded == 0 ||
      input.elements >= most_elements(plan, input, selects)) {
    return {};
  }
  kernel::Formulas formulas;
  if (!make_formulas(plan, input.elements, results, selects, formulas)) return {};
  std::vector<Axis> folded;
  for (const Axis& a : nest.axes) {
    if (a.folded) folded.push_back(a);
  }
  // Elements are numbered in the order of the kernel's loops.
  if (plan.indexed && (!counts_on(folded) || nest.index != 0)) return {};
  const bool digits = !selects && input.elements < Size{1} << 31 &&
                      sums_by_digits(plan.dtype, bits_of(plan.ops), few_f64);
  const int words = words_of(plan, selects, digits);
  std::optional<LaunchDeal> dealt;
  if (nest.axes.back().folded) {
    dealt = deal_of_rows(plan, input, all, words, selects);
  } else {
    dealt = deal_of_columns(plan, input, all, words);
  }
  dealt->digits = digits && dealt->walk != kernel::Walk::short_rows;
  formulas.reciprocal = reciprocal_of(static_cast<uint32_t>(input.elements));
  const double depth = dealt->deal.formulas.depth;
  dealt->deal.formulas = formulas;
  dealt->deal.formulas.depth = depth;
  return dealt;
}

}  // namespace onefold::cuda_backend
