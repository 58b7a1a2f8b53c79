// lockstep: race
__global__ void solve(const int* x, int* y, int n) {
  __shared__ volatile int s[256];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0; __threadfence_block();
  if (lane < 16) s[t] += s[t + 16]; __threadfence_block();
  if (lane < 8) s[t] += s[t + 8]; __threadfence_block();
  if (lane < 4) s[t] += s[t + 4]; __threadfence_block();
  if (lane < 2) s[t] += s[t + 2]; __threadfence_block();
  if (lane < 1) s[t] += s[t + 1]; __threadfence_block();
  if (lane == 0) y[i / 32] = s[t];
}
