// Many blocks. y[i] is x[i] + 10 for all n elements, with 256 threads in each block.
__global__ void solve(const int* x, int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 10;
}
