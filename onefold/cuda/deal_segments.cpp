// Divides segments, and windows, which are segments that overlap.
#include <algorithm>
#include <bit>

#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/kernel/window_tile.hpp"

namespace onefold::cuda_backend {
namespace {

// The number of elements from the first to the last one in memory; strides are not negative.
Size extent_of(const NestInput& input) {
  Size extent = 1;
  for (unsigned k = 0; k <= input.kept; ++k) {
    const Size n = k == input.kept ? input.elements : input.axis[k].extent;
    if (n == 0) return 0;
    extent += (n - 1) * static_cast<Size>(input.axis[k].stride[0]);
  }
  return extent;
}
// Whether the axis of segments has neighbouring elements, and a copy of memory from one element to
// another has those of all arrays between them.
bool are_one_run(const NestInput& input, bool two) {
  if (input.axis[input.kept].stride[0] != 1) return false;
  for (unsigned k = 0; k <= input.kept; ++k) {
    const int64_t stride = input.axis[k].stride[0];
    if (stride < 0 || (two && input.axis[k].stride[1] != stride) ||
        (input.chosen.masked && input.axis[k].stride[2] != stride)) {
      return false;
    }
  }
  return extent_of(input) < Size{1} << 31;
}

}  // namespace

Size elements_of_segments(const NestInput& input) {
  const kernel::WindowRule& w = input.windows;
  if (w.count != 0) return input.answers / w.count * w.widths;
  Size all = input.elements;
  for (unsigned k = 0; k < input.kept; ++k) all *= input.axis[k].extent;
  return all;
}

LaunchDeal deal_of_segments(const Plan& plan, const NestInput& input, const Results& results,
                            Size all) {
  LaunchDeal dealt{.walk = kernel::Walk::segments, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  deal.width = 1;
  for (unsigned k = 0; k < input.kept; ++k) deal.width *= input.axis[k].extent;
  deal.apart = input.axis[input.kept].stride[0];
  const bool two = plan.inputs == 2, windows = input.windows.count != 0;
  deal.wide = are_one_run(input, two) && (windows || input.kept == 0);
  deal.rows = extent_of(input);
  if (input.elements >= Size{1} << 31 || !make_formulas(plan, 0, results, true, deal.formulas)) {
    dealt.walk = kernel::Walk::segment_words;
    dealt.blocks = static_cast<unsigned>(std::min<Size>(input.answers, 64 * all));
    return dealt;
  }
  const Size all_elements = elements_of_segments(input),
             mean = std::max<Size>(all_elements / std::max<Size>(input.answers, 1), 1),
             tile = kernel::segment_tile_bytes / bytes_of(plan.dtype) / (two ? 2 : 1);
  deal.answers = input.answers;
  deal.part = std::max<Size>(Size{1} << 12, 2 * quotient(all_elements, Workspace::segment_parts));
  // All parts of a long segment but the last have full length, so segments have at most twice as
  // many parts as one array of all elements.
  deal.most_parts = static_cast<uint32_t>(2 * quotient(all_elements, deal.part));
  const auto power = [](Size n, Size most) {
    return static_cast<uint32_t>(std::bit_floor(std::clamp<Size>(n, 1, most)));
  };
  deal.lanes = 32;
  // Half of a tile, since tiles are half as long under a mask.
  Size chain = tile + quotient(deal.part, tile / 2);
  if (deal.wide) {
    deal.length = 32;
    // A warp has four tiles, or fewer if otherwise some warps would have none.
    const Size each = std::min(4 * tile, quotient(all_elements, 64 * all));
    deal.lanes = power(each / mean, 32);
    deal.batch = power(std::min(each / (32 * mean), input.answers / (32 * 64 * all)), 8);
  } else {  // if answers are many, neighbouring lanes read neighbouring answers
    deal.length = deal.width >= 8 ? 1024 : 64;
    chain = deal.length + deal.part / 32;
  }
  deal.formulas.depth = static_cast<double>(chain) + 128;
  dealt.blocks = static_cast<unsigned>(
      quotient(input.answers, Size{kernel::block_warps} * deal.lanes * deal.batch));
  return dealt;
}

std::optional<LaunchDeal> deal_of_windows(const Plan& plan, const NestInput& input,
                                          const Results& results) {
  const kernel::WindowRule& rule = input.windows;
  const kernel::OpSet ops = bits_of(plan.ops);
  const Size tile = visit(plan.dtype, [&]<class T>() -> Size {
    return kernel::tiles_hold<T>(ops) ? kernel::window_tile<T>(ops) : 0;
  });
  // Others are folded as segments.
  if (tile == 0 || rule.step != 1 || rule.width >= Size{1} << 31 || rule.count < tile / 4 ||
      input.axis[input.kept].stride[0] != 1) {
    return {};
  }
  LaunchDeal dealt = deal_of_segments(plan, input, results, 1);
  if (dealt.walk != kernel::Walk::segments) return {};
  kernel::Deal& deal = dealt.deal;
  dealt.walk = kernel::Walk::windows;
  dealt.warps = static_cast<unsigned>(tile / (32 * kernel::window_run));
  deal.length = kernel::are_wide(rule.width, tile)
                    ? std::min(tile, rule.width / kernel::window_run * kernel::window_run)
                    : tile + 1 - rule.width;
  deal.tiles = quotient(rule.count, deal.length);
  kernel::Formulas whole;
  if (make_formulas(plan, rule.width, results, false, whole)) {
    whole.made_for = rule.width;
    deal.formulas = whole;
  }
  deal.formulas.depth = static_cast<double>(rule.width) + 64;
  const Size blocks = rule.count == 0 ? 0 : input.answers / rule.count * deal.tiles;
  if (blocks >= Size{1} << 31) return {};
  dealt.blocks = static_cast<unsigned>(blocks);
  return dealt;
}

}  // namespace onefold::cuda_backend
