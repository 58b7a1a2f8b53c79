// atomic: at most twice the average
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, v = 0;
  if (blockIdx.x) return;
  for (int i = t; i < n; i += 256) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
  if (t == 0) y[0] = s[0];
}
