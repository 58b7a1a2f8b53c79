//: 7 a sum of any length
//: wants sums of=256 picture=10,4,4
//: At n = 1000 the last block has 232 elements; what do its other threads leave in s?
//: A thread that has left reaches no barrier, and wrote nothing.
//: s[t] = i < n ? x[i] : 0, and no early return.
// A sum of any length. y[block] is the sum of a block's elements; the last block may have fewer.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = x[i];
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
