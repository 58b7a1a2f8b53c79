// Atomics.
__global__ void k(int* i, unsigned* u, unsigned long long* l, float* f, double* d, unsigned short* h) {
  int t = threadIdx.x;
  atomicAdd(i, t); atomicSub(i + 1, t); atomicMin(i + 2, -t); atomicMax(i + 3, t); atomicAnd(i + 4, ~(1 << t)); atomicOr(i + 5, 1 << t); atomicXor(i + 6, t); atomicExch(i + 7, 9); atomicCAS(i + 8, 0, 32);
  atomicInc(u, 10); atomicDec(u + 1, 10); atomicAdd(u + 2, 1u); atomicMin(u + 3, 7u); atomicMax(u+4, (unsigned)t);
  atomicAdd(l, 1ull << 33); atomicMax(l + 1, (unsigned long long)t << 40); atomicCAS(l + 2, 0ull, 5ull); atomicExch(l+3, 8ull); atomicAnd(l+4, 6ull);
  atomicAdd(f, 0.5f); atomicAdd(d, 0.25); atomicExch(f + 1, 2.f);
  atomicCAS(h, (unsigned short)0, (unsigned short)7);
  __shared__ int s[2]; if (t < 2) s[t] = 0; __syncthreads(); int old = atomicAdd(s, 1); atomicAdd_block(s + 1, old); atomicAdd_system(i + 9, 1); __syncthreads(); if (t == 0) { i[10] = s[0]; i[11] = s[1]; }
}
