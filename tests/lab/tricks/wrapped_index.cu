// guard: race
__global__ void solve(const int* x, int* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i % n] = x[i % n] + 10;
}
