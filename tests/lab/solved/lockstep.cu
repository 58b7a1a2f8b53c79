// Lanes are no lock-step. y[warp] is the sum of a warp's elements. Since 2017 the lanes of a warp may
// run apart: what one lane has written, another must wait for.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ volatile int s[256];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  for (int h = 16; h > 0; h /= 2) {
    __syncwarp();
    if (lane < h) s[t] += s[t + h];
  }
  if (lane == 0) y[i / 32] = s[t];
}
