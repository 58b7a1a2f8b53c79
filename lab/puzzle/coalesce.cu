//: 13 load each sector once
//: args x:i32[{n}]=rand, y:i32[({n}+2047)/2048], n={n}
//: launch solve<<<({n}+2047)/2048, 256>>>(x, y, n)
//: wants sums of=2048 sectors=125 picture=14,8,4
//: A warp's 32 loads of 4 bytes fill 4 sectors of 32 bytes if they are neighbours.
//: At one k, what stands between the elements of thread 0 and thread 1?
//: Element k * 256 + t rather than t * 8 + k.
// Neighbours read neighbours. A thread adds eight elements of its block's 2,048; which eight is up to
// you, since y[block] is their sum. No sector of memory is to be loaded twice.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, v = 0;
  for (int k = 0; k < 8; ++k) {
    int i = blockIdx.x * 2048 + t * 8 + k;
    if (i < n) v += x[i];
  }
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
