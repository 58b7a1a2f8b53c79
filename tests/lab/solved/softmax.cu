__global__ void solve(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  x += blockIdx.x * n, y += blockIdx.x * n;
  float m = 0, v = 0;
  for (int i = t; i < n; i += 256) m = fmaxf(m, x[i]);
  s[t] = m;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  for (int i = t; i < n; i += 256) v += expf(x[i] - m);
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  for (int i = t; i < n; i += 256) y[i] = expf(x[i] - m) / s[0];
}
