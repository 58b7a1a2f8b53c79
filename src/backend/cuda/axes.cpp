#include "backend/cuda/axes.hpp"

#include "backend/cuda/deal.hpp"

namespace onefold::cuda_backend {
namespace {

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

}  // namespace

bool is_whole(const Plan& plan, const Nest& nest) {
  return family_of(nest) == Family::whole && nest.repeats == 1 && !plan.where.selects() &&
         !plan.initial && plan.needs.of_pairs().empty() && (!plan.indexed || counts_on(nest.axes));
}

LaunchedAxes::LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
                           std::span<const Destination> answers)
    : engine_(engine),
      input_(input_of(plan, nest, at)),
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  deal_.answers = input_.answers;
  place(results_, plan, answers);
  if (plan.initial) {
    input_.chosen.initial = true;
    input_.chosen.bits = plan.initial->bits;
  }
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs, .ops = bits_of(plan.ops)});
}

LaunchedAxes::LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
                           uint64_t states, Size first, Size count)
    : engine_(engine),
      input_(input_of(plan, nest, at)),
      results_{.state = states, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  deal_.first = first;
  deal_.answers = count;
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs});
}

void LaunchedAxes::choose(const Plan& plan, const Nest& nest, KernelKey key) {
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  // Words count NaN apart, and have no need to leave them out.
  const bool chosen = input_.chosen.masked || input_.chosen.initial,
             omits = plan.nan == NanPolicy::omit && is_floating(plan.dtype);
  const std::optional<Dealt> quick =
      key.ops == 0 ? std::nullopt : quick_deal(plan, nest, input_, results_, all, chosen || omits);
  key.walk = quick ? quick->walk : kernel::Walk::nest;
  key.selects = chosen || (quick && omits);
  input_.chosen.omit = key.selects && omits;
  const Dealt dealt = quick ? *quick : deal_of_blocks(plan, input_, deal_, all);
  deal_ = dealt.deal;
  how_ = {.grid = dealt.blocks, .block = 32 * dealt.warps};
  kernel_ = engine_.kernels().get(key);
}

void LaunchedAxes::queue(void* stream, Workspace& workspace, uint64_t states) const {
  if (how_.grid == 0) return;
  engine_.give_scratch(workspace);
  NestInput input = input_;
  kernel::Scratch<Passed> scratch = workspace.scratch;
  Results results = results_;
  if (states != 0) results.state = states;
  kernel::Deal deal = deal_;
  void* args[] = {&input, &scratch, &results, &deal};
  jit::Gpu::Launch how = how_;
  how.stream = stream;
  engine_.gpu().launch(kernel_, how, args);
  workspace.spoilt = true;
}

}  // namespace onefold::cuda_backend
