//: 8 sums of all elements so far
//: wants prefix of=256 sectors=125 picture=8,4,4
//: Thread 40 may have written s[40] before thread 41 reads it, or not.
//: Within a level all reads come before all writes: hold s[t - h] in a variable.
//: int v = t >= h ? s[t - h] : 0; __syncthreads(); s[t] += v; __syncthreads();
// Running sums. y[i] is the sum of the block's elements up to x[i]. At each level a thread adds what
// stands h before it, so after 8 levels it has all of them.
__global__ void solve(const int* x, int* y, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int h = 1; h < 256; h *= 2) {
    if (t >= h) s[t] += s[t - h];
    __syncthreads();
  }
  if (i < n) y[i] = s[t];
}
