// Even rows and columns: those made of whole vector loads, and enough of them to keep all warps
// busy.
#include <algorithm>
#include <bit>

#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/kernel/quick/needed_totals.hpp"
#include "onefold/cuda/tuning_axes_rows.hpp"

namespace onefold::cuda_backend {
namespace {

bool all_have_loads(const Plan& plan, const NestInput& input, Size w, unsigned axis) {
  const Size bytes = bytes_of(plan.dtype);
  return has_loads(input, 0, input.x, bytes, w, axis) &&
         (plan.inputs == 1 || has_loads(input, 1, input.y, bytes, w, axis)) &&
         (!input.chosen.masked || has_loads(input, 2, input.mask, 1, w, axis));
}

}  // namespace

bool has_loads(const NestInput& input, int array, uint64_t first, Size bytes, Size w, unsigned axis,
               Size copies) {
  if (input.axis[axis].stride[array] != 1 || first % (w * bytes) != 0) return false;
  for (unsigned k = 0; k < input.kept + input.folded; ++k) {
    const Size some = k == input.kept ? copies : 1;
    if (k != axis && static_cast<Size>(input.axis[k].stride[array]) * some % w != 0) return false;
  }
  return true;
}

std::optional<LaunchDeal> deal_of_even_rows(const Plan& plan, const NestInput& input, int words,
                                            Size all, bool selects) {
  if (input.kept != 1 || input.folded != 1) return {};
  const Size w = 16 / bytes_of(plan.dtype), length = input.elements;
  if (length % w != 0 || !all_have_loads(plan, input, w, 1)) return {};
  const Size loads = length / w;
  if (loads < 8 && !std::has_single_bit(loads)) return {};  // short rows would leave lanes idle
  const auto row = std::ranges::find_if(tuning::lane_rows, [&](const tuning::LaneTuning& r) {
    const bool pairs = plan.inputs == 2, sums = !(needs_of(plan.ops) & tuning::any_sum).empty();
    return (r.types & tuning::bit(plan.dtype)) != 0 && r.selects.value_or(selects) == selects &&
           r.pairs.value_or(pairs) == pairs && r.sums.value_or(sums) == sums &&
           words >= r.least_words;
  });
  const Size each_lane = loads >= row->four && loads % 4 == 0  ? 4
                         : loads >= row->two && loads % 2 == 0 ? 2
                                                               : 1,
             wanted = loads / each_lane;
  const Size lanes = std::min<Size>(std::bit_floor(wanted), 32);
  const Size tile = 32 / lanes *
                    static_cast<Size>(kernel::rows_of_lane(words, selects && plan.inputs == 2)),
             tiles = quotient(input.answers, tile);
  if (tiles < 32 * all) return {};
  const auto bits = static_cast<unsigned>(std::countr_zero(lanes));
  LaunchDeal dealt{.walk = kernel::rows_by(bits), .deal = {}};
  dealt.deal.answers = input.answers;
  dealt.deal.loads = static_cast<uint32_t>(loads);
  dealt.deal.formulas.depth = static_cast<double>(quotient(loads, lanes) * w + bits);
  // A warp's fixed cost should be small compared with its loads.
  const Size bytes = tile * loads * 16 * static_cast<Size>(plan.inputs),
             each = std::clamp<Size>((Size{4} << 10) / bytes, 1,
                                     std::max<Size>(tiles / (64 * all), 1));
  dealt.deal.batch = static_cast<uint32_t>(each);
  dealt.blocks = static_cast<unsigned>(quotient(quotient(tiles, each), kernel::block_warps));
  return dealt;
}

std::optional<LaunchDeal> deal_of_even_columns(const Plan& plan, const NestInput& input, int words,
                                               Size all) {
  if (input.kept == 0 || input.folded != 1) return {};
  const auto bytes = static_cast<unsigned>(bytes_of(plan.dtype));
  const Size across = input.axis[0].extent, outer = input.answers / across;
  LaunchDeal dealt{.walk = kernel::Walk::even_columns, .deal = {}};
  kernel::Deal& deal = dealt.deal;
  constexpr uint32_t warp = 32, block = warp * kernel::block_warps;
  // Returns whether few lanes would be idle and teams are enough; sets the tile's lanes and the
  // team.
  //   w   columns of a lane
  const auto suits = [&](Size w) {
    const Size need = quotient(across, w), lanes = std::min<Size>(need, 32), rows = 32 / lanes;
    if (lanes * rows < 24) return false;
    deal.lanes = static_cast<uint32_t>(lanes);
    deal.tiles = quotient(need, lanes);
    const Size teams = outer * deal.tiles;
    if (lanes < 32 && input.elements < 4 * rows) return false;
    deal.team = teams >= 32 * all ? warp : block;
    if (deal.team == warp) return true;
    // Teams of a block: if they fill the device once or several times, nearly without a rest.
    const Size room = (words <= 4 ? 4 : 2) * all, rounds = quotient(teams, room);
    return lanes == 32 && input.elements >= 64 && input.elements <= 2048 &&
           8 * teams >= 7 * rounds * room;
  };
  const auto w = static_cast<Size>(kernel::columns_of_lane(bytes, words, true));
  if (across % w != 0 || !all_have_loads(plan, input, w, 0) || !suits(w)) {
    dealt.walk = kernel::Walk::single_columns;
    if (!suits(1) || deal.team != warp) return {};
  }
  deal.answers = input.answers;
  deal.rows = input.elements;
  deal.width = across;
  deal.part = quotient(input.elements, deal.team / deal.lanes);
  deal.formulas.depth = static_cast<double>(deal.part) + 16;
  const Size teams = outer * deal.tiles;
  // Two tiles for each warp, one after the other: (N, 100, 7) and (N, 256, 3) .891 and .911; with
  // one .843 and .860, with eight .873 and .899; H100, bench/gpu_axes.
  if (dealt.walk == kernel::Walk::single_columns && teams >= 128 * all) deal.batch = 2;
  dealt.blocks = static_cast<unsigned>(quotient(quotient(teams, deal.batch), block / deal.team));
  return dealt;
}

}  // namespace onefold::cuda_backend
