// ticket: suppressions are not allowed in a puzzle
__device__ unsigned tickets = 0;
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t != 0) return;
  y[1 + blockIdx.x] = s[0];  // onefold allow race: no
  unsigned drawn = atomicAdd(&tickets, 1);
  if (drawn + 1 < gridDim.x) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += y[1 + b];  // onefold allow race: no
  y[0] = sum;
}
