//: 6 a dot product of each block
//: args a:i32[{n}]=rand, b:i32[{n}]=rand, y:i32[({n}+255)/256]=zeros, n={n}
//: launch solve<<<({n}+255)/256, 256>>>(a, b, y, n)
//: wants sums of=256 times=1 atomics=1 picture=10,4,4
//: 256 threads read, add and write one element of y: sums are lost.
//: Each thread puts its product into shared memory; then half of the threads add, then a quarter.
//: h = 128, 64, ... 1: if (t < h) s[t] += s[t + h]; and a __syncthreads() after each.
// A dot product. y[block] is the sum of a[i] * b[i] over the block's elements, and 0 before; a block
// may use one atomic.
__global__ void solve(const int* a, const int* b, int* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[blockIdx.x] += a[i] * b[i];
}
