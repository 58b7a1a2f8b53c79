//: 17 let the last block see what the others wrote
//: args x:i32[{n}]=rand, y:i32[1+({n}+255)/256], n={n}
//: wants sums last=8 balanced=1 picture=10,0,4
//: An atomic orders nothing beside itself: the ticket may be seen before the sum.
//: What is written before __threadfence() is seen by who sees what comes after it.
//: A fence before the ticket is drawn, and one after: to release, and to acquire.
// The last block to finish. Every block leaves its sum in y[1 + block] and draws a ticket; who draws
// the last one adds them all into y[0]. A ticket says that a block is done; what else must stand
// beside it, so that its sum can be seen?
__device__ unsigned tickets = 0;
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t != 0) return;
  y[1 + blockIdx.x] = s[0];
  unsigned drawn = atomicAdd(&tickets, 1);
  if (drawn + 1 < gridDim.x) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += y[1 + b];
  y[0] = sum;
}
