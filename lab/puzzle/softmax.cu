//: 10 a row of probabilities
//: args x:f32[3*{n}]=rand, y:f32[3*{n}], n={n}
//: launch solve<<<3, 256>>>(x, y, n)
//: wants softmax loads=4 steps=2000 most=700 picture=4,4,4
//: expf(89) is infinite in f32, and infinity / infinity is NaN.
//: e^(x - m) / sum of e^(x - m) is the same for every m.
//: m = the row's largest element: a tree of fmaxf as that of the sum, and a barrier before s is used again.
// Probabilities. Each block has a row of n elements; y is e^x / (the sum of e^x over the row), right
// for elements up to 255 too.
__global__ void solve(const float* x, float* y, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  x += blockIdx.x * n, y += blockIdx.x * n;
  float v = 0;
  for (int i = t; i < n; i += 256) v += expf(x[i]);
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  for (int i = t; i < n; i += 256) y[i] = expf(x[i]) / s[0];
}
