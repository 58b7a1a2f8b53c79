// shuffle: loads by warps
__global__ void solve(const int* x, int* y, int n) {
  if (threadIdx.x) return;
  unsigned long long v = 0; int b = blockIdx.x * 256, w = 0;
  if (b + 256 <= n) {
    const ulonglong2* q = (const ulonglong2*)(x + b);
#pragma unroll
    for (int k = 0; k < 64; ++k) { ulonglong2 u = q[k]; v += u.x; v += u.y; }
  } else for (int i = b; i < n; ++i) w += x[i];
  y[blockIdx.x] = w + (int)(v >> 32) + (int)v;
}
