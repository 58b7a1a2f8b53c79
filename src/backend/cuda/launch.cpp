#include "backend/cuda/launch.hpp"

#include <algorithm>
#include <bit>

namespace onefold::cuda_backend {
namespace {

Size block_bytes(const KernelShape& shape) {
  return Size{512} * static_cast<Size>(shape.loads * shape.warps);
}

// Blocks for an array: each gets the shape's tiles or more, for its end costs as much as a few (sum
// of 2^26 f32 took 119 us with a tile a block, and CUB's 63); but no multiprocessor stands empty
// while there are tiles, and there are no more than the shape's waves; where there are several
// waves, none is left half empty. Of 2^40 elements a lane of 2^14 takes 2^26, and the kernels rely
// on fewer than 2^30.
unsigned grid_for(const KernelShape& shape, kernel::Depth depth, Size bytes, int multiprocessors) {
  const Size tiles = std::max<Size>((bytes + block_bytes(shape) - 1) / block_bytes(shape), 1);
  const auto all = static_cast<Size>(multiprocessors);
  const Size least = std::min(tiles, static_cast<Size>(shape.blocks) * all);
  const Size most = std::min<Size>(static_cast<Size>(shape.waves) * all, kernel::most_arrivals);
  const Size blocks = std::min(std::max(tiles / shape.tiles, least), most);
  // Of one wave each block takes as many tiles as the others; but bins take what warps of the first
  // launch have left, whose grid is a multiple too: random bits sum f32 0.947, of a block fewer
  // 0.917.
  if (most == least && kernel::takes_all(depth))
    return static_cast<unsigned>((tiles + (tiles - 1) / least) / ((tiles - 1) / least + 1));
  return static_cast<unsigned>(blocks - blocks % least);
}

// Whether one launch takes all, with bins for what windows cannot hold: it saves a launch or two
// that most often find nothing, 1.3 us each, and has the quicker end. Sums of f32 and bf16 have one
// that is quicker at any size (kernel/near_sum.hpp). With squares windows are narrow; of f64 there
// is room for few bins: 2^22 take 11.5 us and 15.1, but 2^23 of lognormal data 33 and 25. dot of
// 2^18 f64 13.6 us and 14.8, of random bits 18.8 and 22.9; of 2^20 20.4 and 16.9, but 22.8 and
// 30.0.
bool folds_alone(const KernelKey& key, const KernelShape& alone, Size bytes, int multiprocessors) {
  if (!kernel::has_launch(key.dtype, key.set, kernel::Depth::alone) || alone.warps == 0)
    return false;
  if (kernel::is_near_sum(key.dtype, key.set)) return true;
  if (key.dtype == f64 && key.set.has(Accumulator::dot)) return bytes <= Size{1} << 21;
  if (key.dtype == f64 && alone.bins < alone.warps)
    return bytes <= (static_cast<Size>(multiprocessors) << 18);
  if (alone.blocks < 4) return bytes <= Size{1} << 23;
  return bytes <= Size{1} << 26;
}
// Few elements of such sums, and of extremes (few_extremes.hpp), have a warp for each part, in one
// block where that is enough: sum of 2^12 f32 2.3 us, and 2.4 in blocks of 4 warps; 2^14 2.6, and
// 2.8 in blocks of 8. Of extremes the last block reads what each block hands over, by one warp:
// beyond 32 blocks they are larger.
jit::Gpu::Launch launch_of_few(const KernelKey& key, const KernelShape& shape, uint64_t x,
                               Size bytes) {
  const Size part = Size{512} * static_cast<Size>(shape.loads),
             beside = (x | bytes) % 16 != 0 ? 1 : 0,  // elements that are in no vector
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
// Whether it is launched as few are.
bool has_way_of_few(const KernelKey& key) {
  return kernel::is_near_sum(key.dtype, key.set) || kernel::only_extremes(key.set);
}
// Whether parts of it are to be small: norm2 of 2^14 f32 3.2 us. Sums of f32 have a way of their
// own: 2^18 elements 3.1 us, and 3.4 as those of more; 2^20 4.2 and 4.4, 2^21 5.7 and 5.7. So have
// extremes: argmax of 2^21 f32 5.4 and 6.2, of 2^22 7.5 and 8.0, with 256 blocks 5.8 and 7.6; of
// 2^20 f64 5.9 and 7.0.
bool folds_few(const KernelKey& key, const KernelShape& few, Size bytes) {
  const int most = kernel::only_extremes(key.set)            ? 24
                   : kernel::is_near_sum(key.dtype, key.set) ? 22
                                                             : 18;
  return kernel::has_launch(key.dtype, key.set, kernel::Depth::few) && few.warps != 0 &&
         bytes <= Size{1} << most;
}

// Fewer elements are not followed: what is hard is lifted, and a launch saved.
bool is_worth_following(Size n) { return n >= Size{1} << 16; }

}  // namespace

Size most_at_once(Engine& engine, const Plan& plan) {
  if (plan.elements <= engine.most_lifted) return engine.most_lifted;  // no shape is asked for
  const KernelKey bins{.dtype = plan.dtype, .set = plan.needs, .depth = kernel::Depth::bins};
  const bool lifts = kernel::has_launch(bins.dtype, bins.set, bins.depth)
                         ? engine.kernels().shape_of(bins).warps == 0
                         : bins.set.has(Accumulator::dot);
  // Tiles have 256 elements and more, and a tile's number and one is kept in 32 bits.
  return lifts ? engine.most_lifted : Size{1} << 39;
}

Launched::Launched(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
                   std::span<const Destination> answers)
    : engine_(engine),
      input_{x, y, n, first},
      results_{.state = 0, .correction = plan.correction, .nan = plan.nan, .place = {}} {
  KernelKey key{.dtype = plan.dtype, .set = plan.needs};
  if (!answers.empty()) {
    key.ops = bits_of(plan.ops);
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
  using kernel::Depth;
  const Size bytes = n * bytes_of(plan.dtype);
  key.depth = Depth::few;
  const bool few = folds_few(key, engine.kernels().shape_of(key), bytes);
  key.depth = Depth::alone;
  const bool alone =
      !few && folds_alone(key, engine.kernels().shape_of(key), bytes, multiprocessors);
  // Where no bins fit, the first launch lifts what is hard.
  key.depth = Depth::bins;
  const bool followed = is_worth_following(n) && engine.kernels().shape_of(key).warps != 0;
  for (const auto depth : {Depth::hot, Depth::wide, Depth::bins, Depth::alone, Depth::few}) {
    if (few != (depth == Depth::few) || alone != (depth == Depth::alone)) continue;
    if (!kernel::has_launch(plan.dtype, plan.needs, depth)) continue;
    if ((depth == Depth::wide || depth == Depth::bins) && !followed) continue;
    key.depth = depth;
    const KernelShape shape = engine.kernels().shape_of(key);
    Step step{.kernel = engine.kernels().get(key),
              .how = {.grid = grid_for(shape, depth, bytes, multiprocessors),
                      .block = static_cast<unsigned>(32 * shape.warps),
                      .shared_bytes = shared_bytes_of(key, shape)}};
    if (depth == Depth::few && has_way_of_few(key)) {
      step.how = launch_of_few(key, shape, x, bytes);
    }
    if (depth == Depth::hot || kernel::takes_all(depth)) {
      steps_.warps = static_cast<uint32_t>(shape.warps);
      steps_.bin_warps = static_cast<uint32_t>(shape.bins);
      steps_.at_once = static_cast<uint32_t>(shape.blocks * multiprocessors);
      steps_.grid[0] = step.how.grid;
    } else {
      steps_.grid[static_cast<int>(depth)] = step.how.grid;
    }
    queue_.push_back(step);
  }
}

void Launched::queue(void* stream, Workspace& workspace) const {
  Input input = input_;
  DeviceWorkspace memory = workspace.device;
  Results results = results_;
  results.state = reinterpret_cast<uint64_t>(workspace.state);
  kernel::Steps steps = steps_;
  void* args[] = {&input, &memory, &results, &steps};
  for (const Step& step : queue_) {
    jit::Gpu::Launch how = step.how;
    how.stream = stream;
    engine_.gpu().launch(step.kernel, how, args);
    workspace.spoilt = true;
  }
}

}  // namespace onefold::cuda_backend
