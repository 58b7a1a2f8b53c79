#include "onefold/cuda/nest_launch.hpp"

#include <algorithm>

#include "onefold/cuda/kernel/answer/ops.hpp"

namespace onefold::cuda_backend {

void NestLaunch::add_undecided(kernel::Walk behind, kernel::OpSet number) {
  notes = true;
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  // Blocks share long answers of nests (undecided.hpp).
  const Size shares =
      behind == kernel::Walk::undecided ? std::max<Size>(input.elements / 1024, 1) : 1;
  const Size blocks = shares >= 2 * all ? 2 * all : std::min(deal.answers * shares, 2 * all);
  steps.push_back({behind, static_cast<unsigned>(blocks), 32 * kernel::block_warps,
                   engine.few_f64 ? number : 0});
}

void NestLaunch::add(const Plan& plan, const LaunchDeal& dealt, kernel::Walk behind) {
  deal = dealt.deal;
  if (dealt.blocks == 0) return;
  const kernel::OpSet number = dealt.digits ? kernel::by_digits : 0;
  steps.push_back({dealt.walk, dealt.blocks, 32 * dealt.warps, number});
  if (!has_totals(dealt.walk)) return;
  const auto all = static_cast<Size>(engine.gpu().facts().multiprocessors);
  if (dealt.walk == kernel::Walk::segments && deal.most_parts != 0) {
    steps.push_back(
        {kernel::Walk::long_segments, static_cast<unsigned>(4 * all), 32 * kernel::block_warps});
  }
  if (!deal.alone && may_be_undecided(plan.dtype, bits_of(plan.ops))) add_undecided(behind, number);
}

void NestLaunch::find(const KernelKey& key) {
  std::vector<KernelKey> keys(steps.size(), key);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    keys[k].walk = steps[k].walk;
    keys[k].ops |= steps[k].number;
  }
  const std::vector<void*> found = engine.kernels().get(keys);
  const bool pools = key.ops != 0 && kernel::multiplies_long(key.ops);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    steps[k].kernel = found[k];
    if (pools) {
      steps[k].shared_bytes = shared_bytes_of(keys[k], engine.kernels().shape_of(keys[k]));
    }
  }
}

void NestLaunch::queue(void* stream, Workspace& workspace, const MovedMemory& moved) const {
  if (steps.empty()) return;
  engine.give_scratch(workspace, notes ? deal.answers : 0);
  NestInput in = input;
  if (moved.offsets != 0) in.offsets = moved.offsets;
  kernel::Scratch<HostArguments> scratch = workspace.scratch;
  if (!notes) scratch.undecided = 0;
  if (deal.alone) scratch.undecided = workspace.device.counters + 4 * kernel::undecided_row;
  Results to = results;
  if (moved.states != 0) to.state = moved.states;
  kernel::Deal dealt = deal;
  void* args[] = {&in, &scratch, &to, &dealt};
  for (const Step& step : steps) {
    engine.gpu().launch(step.kernel,
                        {.grid = step.grid,
                         .block = step.threads,
                         .shared_bytes = step.shared_bytes,
                         .stream = stream},
                        args);
    workspace.spoilt = true;
  }
}

}  // namespace onefold::cuda_backend
