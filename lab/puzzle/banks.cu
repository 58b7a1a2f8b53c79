//: 14 a tree without bank conflicts
//: wants sums of=256 wavefronts=70 atomics=1 picture=8,4,4
//: Bank = word mod 32. At h = 16 the lanes of a warp touch words 0, 32, 64, ...
//: Neighbouring threads should touch neighbouring words.
//: h = 128, 64, ... and s[t] += s[t + h] for t < h.
// No bank twice. The sum of each block's elements, in at most 70 wavefronts of shared memory a
// block and one atomic at most: now lanes of a warp meet in the same bank.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    int k = 2 * h * t;
    if (k < 256) s[k] += s[k + h];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
