//: 12 lanes of a warp that read one another's values
//: args x:i32[{n}]=rand, y:i32[({n}+255)/256*8], n={n}
//: wants sums of=32 balanced=1 picture=8,4,8
//: volatile keeps the accesses; it puts none of them before another lane's.
//: __syncwarp() is the barrier of a warp.
//: One before each level, and not in an if that only some lanes enter.
// Lanes are no lock-step. y[warp] is the sum of a warp's elements. Since 2017 the lanes of a warp may
// run apart: what one lane has written, another must wait for.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ volatile int s[256];
  int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  if (lane < 16) s[t] += s[t + 16];
  if (lane < 8) s[t] += s[t + 8];
  if (lane < 4) s[t] += s[t + 4];
  if (lane < 2) s[t] += s[t + 2];
  if (lane < 1) s[t] += s[t + 1];
  if (lane == 0) y[i / 32] = s[t];
}
