// Threads without an element. y[i] is x[i] + 10, and the block has more threads than there are
// elements, as whole warps are launched.
__global__ void solve(const int* x, int* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = x[i] + 10;
}
