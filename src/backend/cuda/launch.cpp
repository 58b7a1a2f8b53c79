#include "backend/cuda/launch.hpp"

#include <algorithm>
#include <bit>

namespace onefold::cuda_backend {
namespace {

// Blocks for an array: each gets 8 tiles or more, for its end costs as much as a few (sum of 2^26
// f32 took 119 us with a tile a block, and CUB's 63); but no multiprocessor stands empty while
// there are tiles, and there are no more than the shape's waves. Of 2^40 elements a lane of 2^14
// takes 2^26, and the kernels rely on fewer than 2^30.
unsigned grid_for(const KernelShape& shape, Size bytes, int multiprocessors) {
  const Size block_bytes = Size{512} * static_cast<Size>(shape.loads * shape.warps);
  const Size tiles = std::max<Size>((bytes + block_bytes - 1) / block_bytes, 1);
  const auto all = static_cast<Size>(multiprocessors);
  const Size least = std::min(tiles, static_cast<Size>(shape.blocks) * all);
  const Size most =
      std::min<Size>(static_cast<Size>(shape.waves) * all, Workspace::most_blocks / 2);
  return static_cast<unsigned>(std::min(std::max(tiles / 8, least), most));
}

// Fewer elements are folded in one launch: what is hard is lifted, and one or two launches saved.
constexpr Size worth_following = Size{1} << 16;

}  // namespace

Launched::Launched(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
                   const Workspace& workspace, std::span<const Destination> answers)
    : engine_(engine),
      input_{x, y, n, first},
      workspace_(workspace.device),
      results_{.state = reinterpret_cast<uint64_t>(workspace.state),
               .correction = plan.correction,
               .nan = plan.nan,
               .place = {}} {
  KernelKey key{.dtype = plan.dtype, .set = plan.needs};
  if (!answers.empty()) {
    for (const OpRow* op : plan.ops) key.ops |= uint32_t{1} << (op - op_rows().data());
    // In the order of the table, not of the request.
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      const uint32_t before = key.ops & ((uint32_t{1} << (plan.ops[k] - op_rows().data())) - 1);
      results_.place[std::popcount(before)] = {.value = answers[k].value,
                                               .status = answers[k].status,
                                               .dtype = plan.results[k],
                                               .has_status = answers[k].status != 0};
    }
  }
  const int multiprocessors = engine.gpu().facts().multiprocessors;
  for (const auto depth : {kernel::Depth::hot, kernel::Depth::wide, kernel::Depth::bins}) {
    if (!kernel::has_launch(plan.dtype, plan.needs, depth)) continue;
    if (depth != kernel::Depth::hot && n < worth_following) continue;
    key.depth = depth;
    const KernelShape shape = engine.kernels().shape_of(key);
    Step step{.kernel = engine.kernels().get(key),
              .how = {.grid = grid_for(shape, n * bytes_of(plan.dtype), multiprocessors),
                      .block = static_cast<unsigned>(32 * shape.warps),
                      .shared_bytes = shared_bytes_of(key, shape)}};
    if (depth == kernel::Depth::hot) steps_.warps = static_cast<uint32_t>(shape.warps);
    steps_.grid[static_cast<int>(depth)] = step.how.grid;
    queue_.push_back(step);
  }
}

void Launched::queue(void* stream) const {
  Input input = input_;
  DeviceWorkspace workspace = workspace_;
  Results results = results_;
  kernel::Steps steps = steps_;
  void* args[] = {&input, &workspace, &results, &steps};
  for (const Step& step : queue_) {
    jit::Gpu::Launch how = step.how;
    how.stream = stream;
    engine_.gpu().launch(step.kernel, how, args);
  }
}

}  // namespace onefold::cuda_backend
