#include "backend/cuda/axes.hpp"

#include "backend/cuda/deal.hpp"

namespace onefold::cuda_backend {
namespace {

NestInput input_of(const Nest& nest, uint64_t x, uint64_t y) {
  NestInput input{.x = x,
                  .y = y,
                  .answers = nest.answers(),
                  .elements = nest.elements(),
                  .repeats = nest.repeats,
                  .answer = nest.answer,
                  .index = nest.index,
                  .axis = {}};
  unsigned n = 0;
  const auto bytes = static_cast<int64_t>(nest.bytes);
  for (const bool folded : {false, true}) {
    for (auto a = nest.axes.rbegin(); a != nest.axes.rend(); ++a) {
      if (a->folded != folded) continue;
      input.axis[n++] = {.extent = a->extent,
                         .stride = {a->stride[0] / bytes, a->stride[1] / bytes},
                         .step = a->step};
      ++(folded ? input.folded : input.kept);
    }
  }
  return input;
}

}  // namespace

bool is_whole(const Plan& plan, const Nest& nest) {
  return family_of(nest) == Family::whole && nest.repeats == 1 &&
         (!plan.indexed || counts_on(nest.axes));
}

LaunchedAxes::LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, uint64_t x,
                           uint64_t y, std::span<const Destination> answers)
    : engine_(engine),
      input_(input_of(nest, x, y)),
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  deal_.answers = input_.answers;
  place(results_, plan, answers);
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs, .ops = bits_of(plan.ops)});
}

LaunchedAxes::LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, uint64_t x,
                           uint64_t y, uint64_t states, Size first, Size count)
    : engine_(engine),
      input_(input_of(nest, x, y)),
      results_{.state = states, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  deal_.first = first;
  deal_.answers = count;
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs});
}

void LaunchedAxes::choose(const Plan& plan, const Nest& nest, KernelKey key) {
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  const std::optional<Dealt> quick =
      key.ops == 0 ? std::nullopt : quick_deal(plan, nest, input_, results_, all);
  key.walk = quick ? quick->walk : kernel::Walk::nest;
  const Dealt dealt = quick ? *quick : deal_of_blocks(plan, input_, deal_, all);
  deal_ = dealt.deal;
  how_ = {.grid = dealt.blocks, .block = 32 * dealt.warps};
  kernel_ = engine_.kernels().get(key);
}

void LaunchedAxes::queue(void* stream, Workspace& workspace) const {
  if (how_.grid == 0) return;
  engine_.give_scratch(workspace);
  NestInput input = input_;
  kernel::Scratch<Passed> scratch = workspace.scratch;
  Results results = results_;
  kernel::Deal deal = deal_;
  void* args[] = {&input, &scratch, &results, &deal};
  jit::Gpu::Launch how = how_;
  how.stream = stream;
  engine_.gpu().launch(kernel_, how, args);
  workspace.spoilt = true;
}

}  // namespace onefold::cuda_backend
