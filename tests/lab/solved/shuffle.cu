// Beat the tree. The sum of each block's elements with at most 2 barriers and 20 wavefronts of shared
// memory a block: this tree takes 9 and 66.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int v = i < n ? x[i] : 0;
  for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  if (t % 32 == 0) s[t / 32] = v;
  __syncthreads();
  if (t >= 32) return;
  v = t < 8 ? s[t] : 0;
  for (int h = 4; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  if (t == 0) y[blockIdx.x] = v;
}
