// ticket: is read before any thread has written it
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t == 0) atomicAdd(y, s[0]);
}
