//: 16 one launch, one atomic a block
//: args x:i32[{n}]=rand, y:i32[1]=zeros, n={n}
//: wants sums atomics=1 balanced=1 picture=10,0,4
//: Two blocks read y[0], both add, both write: one sum is lost.
//: What reads, adds and writes in one step?
//: atomicAdd(&y[0], s[0])
// One launch. y[0] is the sum of all elements, by one atomic a block at most; y[0] is 0 before.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) y[0] += s[0];
}
