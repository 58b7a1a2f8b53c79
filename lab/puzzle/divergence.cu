//: 15 warps that work as a whole or not at all
//: wants sums of=256 divergent=7 atomics=1 picture=8,4,4
//: t % (2 * h) == 0 is true of some lanes of every warp.
//: t < h is true of whole warps, but for the last five levels.
//: h = 128, 64, ... and s[t] += s[t + h] for t < h.
// Whole warps. The sum of each block's elements, with at most 7 branches a block at which the lanes of
// a warp part, and one atomic: now half of each warp waits at every level.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    if (t % (2 * h) == 0) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
