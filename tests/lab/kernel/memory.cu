// Every space, width, vector and cache operator.
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter = 5;
__device__ float2 pairs[4];
struct S { int a; double b; char c; };
__global__ void k(int* y, const int* __restrict__ x, float4* f, volatile int* v, S s, char* bytes, short* sh, double2* d2) {
  extern __shared__ int dyn[];
  __shared__ double st[4]; __shared__ char ch[64];
  int t = threadIdx.x;
  dyn[t] = x[t]; ch[t] = t; if (t < 4) st[t] = t; __syncthreads();
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = dyn[(t + i) % 32];
  int sum = 0; for (int i = 0; i < 16; ++i) sum += local[(i * t) % 16];
  y[t] = sum + table[t % 8] + (int)st[t % 4] + ch[31 - t];
  float4 q = f[t]; q.x += 1; q.w = q.y; f[t] = q;
  v[t] = v[t] + 1; v[t] = v[t] + 1;
  y[32 + t] = s.a + (int)s.b + s.c;
  bytes[t] = bytes[t] + 1; sh[t] = sh[t] * 2; double2 d = d2[t]; d.x += d.y; d2[t] = d;
  y[64 + t] = __ldg(x + t) + __ldcg(x + t) + __ldcs(x + t) + __ldcv(x + t) + __ldca(x+t); __stcg(y + 96 + t, 3); __stcs(y + 128 + t, 4); __stwt(y + 160 + t, 5);
  atomicAdd(&counter, 1); if (t == 0) pairs[1] = make_float2(1, 2);
  __threadfence(); __threadfence_block(); __threadfence_system();
  asm volatile("prefetch.global.L2 [%0];" :: "l"(x));
  y[192 + t] = __isGlobal(y) + 2 * __isShared(dyn) + 4 * __isLocal(local);
}
