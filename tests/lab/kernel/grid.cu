// Groups of threads, up to a whole grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tiles(const int* x, int* y) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto four = cg::tiled_partition<4>(warp);
  int v = x[block.thread_rank()];
  for (int d = four.size() / 2; d > 0; d /= 2) v += four.shfl_down(v, d);
  y[block.thread_rank()] = four.shfl(v, 0) + warp.any(v < 0);
  block.sync();
}

__global__ void whole(int* y) {
  cg::grid_group grid = cg::this_grid();
  y[grid.thread_rank()] = grid.thread_rank();
  grid.sync();
  int next = y[(grid.thread_rank() + 1) % grid.size()];
  grid.sync();
  y[grid.thread_rank()] += next;
}
