#include "onefold/cuda/launch.hpp"

#include <algorithm>
#include <bit>

#include "onefold/cuda/kernel/words.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

Size block_bytes(const KernelShape& shape) {
  return Size{512} * static_cast<Size>(shape.loads * shape.warps);
}

// Returns the number of blocks for an array. Each block gets at least the shape's number of tiles,
// since its end takes as long as a few tiles (sum of 2^26 f32 took 119 us with one tile for each
// block; CUB's takes 63). But every multiprocessor gets a block if there are tiles; there are at
// most the shape's number of waves, all full if there are several. With 2^40 elements and 2^14
// lanes a lane adds 2^26; the kernels rely on fewer than 2^30.
unsigned grid_for(const KernelShape& shape, kernel::Stage stage, Size bytes, int multiprocessors) {
  const Size tiles = std::max<Size>((bytes + block_bytes(shape) - 1) / block_bytes(shape), 1);
  const auto all = static_cast<Size>(multiprocessors);
  const Size least = std::min(tiles, static_cast<Size>(shape.blocks) * all);
  const Size most = std::min<Size>(static_cast<Size>(shape.waves) * all, kernel::most_arrivals);
  const Size blocks = std::min(std::max(tiles / shape.tiles, least), most);
  // In a grid of one wave all blocks have the same number of tiles. For bins, such a grid is a
  // multiple of the multiprocessors, like the grid whose listed tiles it adds: sum f32 of random
  // bits has 0.947 of a plain read, with one block fewer 0.917.
  if (most == least && kernel::takes_all(stage))
    return static_cast<unsigned>((tiles + (tiles - 1) / least) / ((tiles - 1) / least + 1));
  return static_cast<unsigned>(blocks - blocks % least);
}

// Small folds of near sums and of extremes have a warp for each part, and one block if that is
// enough; otherwise blocks of 4 warps. A sum of 2^12 f32 takes 2.3 us in one block, 2.4 in blocks
// of 4 warps; one of 2^14 takes 2.6 us in blocks of 4 warps, 2.8 in blocks of 8. For extremes one
// warp of the last block reads the results of all blocks, so more than 32 blocks are merged into
// larger ones.
jit::Gpu::Launch small_launch(const KernelKey& key, const KernelShape& shape, uint64_t x,
                              Size bytes) {
  const Size part = Size{512} * static_cast<Size>(shape.loads),
             beside = (x | bytes) % 16 != 0 ? 1 : 0,  // 1 if some elements are in no vector
      parts = std::max<Size>((bytes + part - 1) / part + beside, 1);
  const auto most = static_cast<Size>(shape.warps);
  const bool extremes = kernel::only_extremes(key.set);
  const Size of_block = !extremes ? 4 : parts <= 32 * 4 ? 4 : parts <= 32 * 8 ? 8 : most;
  const auto warps = static_cast<unsigned>(parts <= most ? parts : std::min<Size>(most, of_block));
  Size blocks = (parts + warps - 1) / warps;
  if (extremes) blocks = std::min<Size>(blocks, 128);
  return {
      .grid = static_cast<unsigned>(blocks),
      .block = 32 * warps,
      .shared_bytes = 32 * warps * static_cast<unsigned>(kernel::bin_bytes(key.dtype, key.set))};
}
bool has_small_launch(const KernelKey& key) {
  const Fold fold = fold_of(key.dtype, key.set);
  return fold == Fold::near_sums || fold == Fold::extremes;
}

// Shorter arrays have no second launch: elements that fit no window are lifted.
bool is_worth_following(Size n) { return n >= Size{1} << 16; }

}  // namespace

void place(Results& results, const Plan& plan, std::span<const Destination> answers) {
  const kernel::OpSet ops = bits_of(plan.ops);
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    results.place[place_of(ops, *plan.ops[k])] = {.value = answers[k].value,
                                                  .status = answers[k].status,
                                                  .dtype = plan.results[k],
                                                  .has_status = answers[k].status != 0,
                                                  .empty_nan = plan.empty_nan &&
                                                               is_floating(plan.results[k]) &&
                                                               !plan.ops[k]->about->uses_index};
  }
}

Size most_at_once(Engine& engine, const Plan& plan) {
  // No need to look for the shape
  if (plan.elements <= engine.most_lifted) return engine.most_lifted;
  const bool fed = kernel::fed_of(plan.dtype, plan.needs) == plan.needs;
  const KernelKey bins{.dtype = plan.dtype, .set = plan.needs, .stage = kernel::Stage::bins};
  const bool lifts = kernel::has_launch(bins.dtype, bins.set, bins.stage)
                         ? !fed || engine.kernels().shape_of(bins).warps == 0
                         : !fed;
  // Tiles have at least 256 elements, and a tile's number plus one must fit 32 bits.
  return lifts ? engine.most_lifted : Size{1} << 39;
}

WholeLaunch::WholeLaunch(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n,
                         Size first, std::span<const Destination> answers, bool if_undecided)
    : engine_(engine),
      input_{x, y, n, first},
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  if (const std::string why = why_not(plan.dtype, plan.needs); !why.empty()) {
    throw Error(ErrorCode::no_backend, names_of(plan.ops) + ": " + why + "; use --device cpu");
  }
  KernelKey key{.dtype = plan.dtype, .set = plan.needs};
  if (!answers.empty()) {
    key.ops = bits_of(plan.ops);
    place(results_, plan, answers);
  }
  const int multiprocessors = engine.gpu().facts().multiprocessors;
  using kernel::Stage;
  stages_.if_undecided = if_undecided;
  const Size bytes = n * bytes_of(plan.dtype);
  const auto takes_all = [&](Stage stage) {
    key.stage = stage;
    const Size most = most_bytes_of(key, engine.kernels().shape_of(key), multiprocessors);
    // One launch is quicker than three, of which two mostly find nothing to do.
    return most != 0 && (bytes <= most || (if_undecided && stage == Stage::single));
  };
  key.stage = Stage::digits;
  const bool digits = engine.few_f64 && kernel::has_launch(plan.dtype, plan.needs, key.stage) &&
                      engine.kernels().shape_of(key).warps != 0,
             small = !digits && takes_all(Stage::small),
             single = !digits && !small && takes_all(Stage::single);
  // If not even one warp's bins fit shared memory, the first launch lifts what fits no window.
  key.stage = Stage::bins;
  const bool followed = is_worth_following(n) && engine.kernels().shape_of(key).warps != 0;
  for (const auto stage :
       {Stage::first, Stage::wide, Stage::bins, Stage::single, Stage::small, Stage::digits}) {
    if (digits != (stage == Stage::digits)) continue;
    if (small != (stage == Stage::small) || single != (stage == Stage::single)) continue;
    if (!kernel::has_launch(plan.dtype, plan.needs, stage)) continue;
    if ((stage == Stage::wide || stage == Stage::bins) && !followed) continue;
    key.stage = stage;
    const KernelShape shape = engine.kernels().shape_of(key);
    Step step{.kernel = engine.kernels().get(key),
              .how = {.grid = grid_for(shape, stage, bytes, multiprocessors),
                      .block = static_cast<unsigned>(32 * shape.warps),
                      .shared_bytes = shared_bytes_of(key, shape)}};
    if (stage == Stage::small && has_small_launch(key)) {
      step.how = small_launch(key, shape, x, bytes);
    }
    if (stage == Stage::first || kernel::takes_all(stage)) {
      stages_.warps = static_cast<uint32_t>(shape.warps);
      stages_.bin_warps = static_cast<uint32_t>(shape.bins);
      stages_.at_once = static_cast<uint32_t>(shape.blocks * multiprocessors);
      stages_.grid[0] = step.how.grid;
    } else {
      stages_.grid[static_cast<int>(stage)] = step.how.grid;
    }
    queue_.push_back(step);
  }
}

void WholeLaunch::queue(void* stream, Workspace& workspace, uint64_t state) const {
  Input input = input_;
  kernel::Workspace<HostArguments> memory = workspace.device;
  Results results = results_;
  results.state = state != 0 ? state : reinterpret_cast<uint64_t>(workspace.state);
  kernel::Stages stages = stages_;
  void* args[] = {&input, &memory, &results, &stages};
  for (const Step& step : queue_) {
    jit::Gpu::Launch how = step.how;
    how.stream = stream;
    engine_.gpu().launch(step.kernel, how, args);
    workspace.spoilt = true;
  }
}

}  // namespace onefold::cuda_backend
