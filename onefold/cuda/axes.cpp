#include "onefold/cuda/axes.hpp"

#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/matrix.hpp"

namespace onefold::cuda_backend {

NestInput input_of(const Plan& plan, const Nest& nest, const Addresses& at) {
  NestInput input{.x = at.x,
                  .y = at.y,
                  .mask = at.mask,
                  .answers = nest.answers(),
                  .elements = nest.elements(),
                  .repeats = nest.repeats,
                  .answer = nest.answer,
                  .index = nest.index,
                  .chosen = {.masked = plan.where.selects()},
                  .axis = {}};
  unsigned n = 0;
  const auto bytes = static_cast<int64_t>(nest.bytes);
  for (const bool folded : {false, true}) {
    for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
      if (a->folded != folded) continue;
      input.axis[n++] = {.extent = a->extent,
                         .stride = {a->stride[0] / bytes, a->stride[1] / bytes, a->stride[2]},
                         .step = a->step};
      ++(folded ? input.folded : input.kept);
    }
  }
  return input;
}

NestDeal deal_of(const Plan& plan, const Nest& nest, NestInput& input, const Results& results,
                 const kernel::Deal& answers, bool rounds, Size all, bool few_f64) {
  kernel::ElementSelection& given = input.chosen;
  // Exact words count NaN separately, so their kernel need not omit them.
  const bool chosen = given.masked || given.initial,
             omits = plan.nan == NanPolicy::omit && is_floating(plan.dtype);
  const std::optional<LaunchDeal> quick =
      rounds ? quick_deal(plan, nest, input, results, all, chosen || omits, few_f64) : std::nullopt;
  const bool selects = chosen || (quick && omits);
  given.omit = selects && omits;
  return {quick ? *quick : deal_of_blocks(plan, input, answers, all), selects};
}

bool is_whole(const Plan& plan, const Nest& nest) {
  return family_of(nest) == Family::whole && nest.repeats == 1 && !plan.where.selects() &&
         !plan.initial && plan.needs.of_pairs().empty() && (!plan.indexed || counts_on(nest.axes));
}

Route route_of(Engine& engine, const Plan& plan, const Addresses& at) {
  if (plan.function != RowFunction::none) return Route::exponential;
  if (MatrixLaunch::product_of(engine, plan)) return Route::matrix;
  // Kernels for whole arrays hold bins in shared memory, which leave moments no room there.
  if (!is_whole(plan, plan.nest) || plan.needs.of_high_powers()) return Route::nest;
  const Size least = least_long_row(plan.dtype, plan.needs);
  if (plan.nest.bytes * plan.elements < least || engine.few_f64 ||
      plan.elements > most_at_once(engine, plan)) {
    return Route::whole;
  }
  NestInput input = input_of(plan, plan.nest, at);
  const Results results{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}};
  kernel::Deal one;
  one.answers = 1;
  const NestDeal deal =
      deal_of(plan, plan.nest, input, results, one, true,
              static_cast<Size>(engine.gpu().facts().multiprocessors), engine.few_f64);
  return deal.dealt.walk == kernel::Walk::long_rows ? Route::row : Route::whole;
}

AxesLaunch::AxesLaunch(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
                       std::span<const Destination> answers, bool alone)
    : launch_{.engine = engine,
              .input = input_of(plan, nest, at),
              .results = {.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
              .deal = {},
              .steps = {}} {
  launch_.deal.answers = launch_.input.answers;
  place(launch_.results, plan, answers);
  if (plan.initial) {
    launch_.input.chosen.initial = true;
    launch_.input.chosen.bits = plan.initial->bits;
  }
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs, .ops = bits_of(plan.ops)}, alone);
}

AxesLaunch::AxesLaunch(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
                       uint64_t states, Size first, Size count)
    : launch_{
          .engine = engine,
          .input = input_of(plan, nest, at),
          .results = {.state = states, .correction = plan.correction, .nan = plan.nan, .place = {}},
          .deal = {},
          .steps = {}} {
  launch_.deal.first = first;
  launch_.deal.answers = count;
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs});
}

void AxesLaunch::choose(const Plan& plan, const Nest& nest, KernelKey key, bool alone) {
  NestDeal deal = deal_of(plan, nest, launch_.input, launch_.results, launch_.deal, key.ops != 0,
                          static_cast<Size>(launch_.engine.gpu().facts().multiprocessors),
                          launch_.engine.few_f64);
  key.selects = deal.selects;
  deal.dealt.deal.alone = alone;
  launch_.add(plan, deal.dealt, kernel::Walk::undecided);
  launch_.find(key);
}

}  // namespace onefold::cuda_backend
