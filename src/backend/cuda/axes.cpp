#include "backend/cuda/axes.hpp"

#include <algorithm>

#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

kernel::NestInput<Passed, std::byte> input_of(const Nest& nest, uint64_t x, uint64_t y) {
  kernel::NestInput<Passed, std::byte> input{.x = x,
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
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}},
      deal_{.first = 0, .answers = input_.answers} {
  place(results_, plan, answers);
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs, .ops = bits_of(plan.ops)});
}

LaunchedAxes::LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, uint64_t x,
                           uint64_t y, uint64_t states, Size first, Size count)
    : engine_(engine),
      input_(input_of(nest, x, y)),
      results_{.state = states, .correction = plan.correction, .nan = plan.nan, .place = {}},
      deal_{.first = first, .answers = count} {
  choose(plan, nest, {.dtype = plan.dtype, .set = plan.needs});
}

void LaunchedAxes::choose(const Plan& plan, const Nest&, KernelKey key) {
  key.walk = kernel::Walk::nest;
  const auto all = static_cast<Size>(engine_.gpu().facts().multiprocessors);
  // Each answer is folded by a block; by several where there are fewer than the device has room
  // for, of 2^14 elements at least.
  const Size enough = 4 * all, words = static_cast<Size>(plan.layout.words);
  Size parts = 1;
  if (deal_.answers < enough && deal_.answers <= Workspace::scratch_tickets) {
    parts = std::min({enough / std::max<Size>(deal_.answers, 1), (input_.elements >> 14) + 1,
                      Workspace::scratch_words / std::max<Size>(words * deal_.answers, 1)});
    parts = std::max<Size>(parts, 1);
  }
  deal_.part = std::max<Size>((input_.elements + parts - 1) / parts, 1);
  parts = std::max<Size>((input_.elements + deal_.part - 1) / deal_.part, 1);
  deal_.parts = static_cast<uint32_t>(parts);
  const Size warps = std::clamp<Size>(deal_.part / 64, 1, 8);
  how_ = {.grid = static_cast<unsigned>(std::min<Size>(deal_.answers * parts, 64 * all)),
          .block = static_cast<unsigned>(32 * warps)};
  kernel_ = engine_.kernels().get(key);
}

void LaunchedAxes::queue(void* stream, Workspace& workspace) const {
  if (how_.grid == 0) return;
  engine_.give_scratch(workspace);
  Input input = input_;
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
