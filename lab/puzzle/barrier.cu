//: 11 find the missing barrier
//: wants neighbour of=256 sectors=125 picture=8,4,4
//: Thread 31 reads what thread 32 of another warp writes.
//: Between a write of one thread and its read by another of the block stands a barrier.
//: __syncthreads() after s[t] = ...
// The missing barrier. Each thread adds to its element that of its right neighbour in the block; the
// last thread adds that of the first. No element is loaded twice.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  int v = s[t] + s[(t + 1) % 256];
  if (i < n) y[i] = v;
}
