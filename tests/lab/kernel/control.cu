// Calls, recursion, pointers to functions, jump tables, printf, assert, trap.
#include <cstdio>
#include <cassert>
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
typedef int (*F)(int);
__device__ int twice(int x) { return 2 * x; } __device__ int thrice(int x) { return 3 * x; }
__device__ F fs[2] = {twice, thrice};
struct Base { __device__ virtual int f(int x) { return x; } }; struct Der : Base { __device__ int f(int x) override { return x + 7; } };
template <int N> __global__ void tk(int* y) { y[0] = N; }
__global__ void k(int* y, int n) {
  int t = threadIdx.x;
  y[t] = fib(8) + fs[t & 1](t);
  Der d; Base b; Base* p = t & 1 ? (Base*)&d : &b; y[32 + t] = p->f(t);
  switch (t % 7) { case 0: y[64 + t] = 5; break; case 1: y[64 + t] = 9; break; case 2: y[64+t] = 11; break; case 3: y[64+t] = n; break; case 4: y[64+t] = 33; break; case 5: y[64+t] = 2; break; default: y[64 + t] = -1; }
  if (t == 3) printf("t %d %s %5.2f %llu %x %c%%\n", t, "text", 1.5, 1ull << 40, 255, 'z');
  assert(n == 5);
}
__global__ void bad(int* y) { assert(y[0] == 1 && "no"); }
__global__ void tr(int* y) { if (threadIdx.x == 3) __trap(); y[threadIdx.x] = 1; }
