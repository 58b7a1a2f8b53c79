// What clang needs to know of CUDA where there is no toolkit.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

constexpr std::string_view clang_header = R"cuda(#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define D_ static __device__ __inline__ __attribute__((always_inline, unused))
typedef unsigned int uint; typedef unsigned char uchar; typedef unsigned short ushort;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long uint64_t; typedef unsigned long size_t;
#define V_(T, N) \
  struct alignas(2 * sizeof(T)) N##2 { T x, y; }; struct N##3 { T x, y, z; }; \
  struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) N##4 { T x, y, z, w; }; \
  __host__ __device__ inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
  __host__ __device__ inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
  __host__ __device__ inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
V_(char, char) V_(unsigned char, uchar) V_(short, short) V_(unsigned short, ushort)
V_(int, int) V_(unsigned, uint) V_(long long, longlong) V_(unsigned long long, ulonglong)
V_(float, float) V_(double, double)
struct dim3 { unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a),
      y(b), z(c) {} };
#include <__clang_cuda_builtin_vars.h>
#define warpSize 32
D_ int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
D_ int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
D_ int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
D_ void __syncwarp(unsigned m = ~0u) { __nvvm_bar_warp_sync(m); }
D_ void __threadfence() { __nvvm_membar_gl(); }
D_ void __threadfence_block() { __nvvm_membar_cta(); }
D_ void __threadfence_system() { __nvvm_membar_sys(); }
D_ void __trap() { asm volatile("trap;"); }
D_ unsigned __activemask() { unsigned m; asm volatile("activemask.b32 %0;" : "=r"(m)); return m; }
D_ unsigned __ballot_sync(unsigned m, int p) { return __nvvm_vote_ballot_sync(m, p != 0); }
D_ int __any_sync(unsigned m, int p) { return __nvvm_vote_any_sync(m, p != 0); }
D_ int __all_sync(unsigned m, int p) { return __nvvm_vote_all_sync(m, p != 0); }
union B4_ { int i; unsigned u; float f; };
union B8_ { int i[2]; long l; unsigned long u; long long ll; unsigned long long ull; double d; };
#define S_(name, how, last) \
  D_ int name(unsigned m, int v, int o, int w = 32) { return __nvvm_shfl_sync_##how##_i32(m, \
      v, o, ((32 - w) << 8) | last); } \
  D_ unsigned name(unsigned m, unsigned v, int o, int w = 32) { return (unsigned)name(m, \
      (int)v, o, w); } \
  D_ float name(unsigned m, float v, int o, int w = 32) { B4_ b; b.f = v; b.i = name(m, b.i, \
      o, w); return b.f; } \
  D_ double name(unsigned m, double v, int o, int w = 32) { B8_ b; b.d = v; b.i[0] = name(m, \
      b.i[0], o, w); b.i[1] = name(m, b.i[1], o, w); return b.d; } \
  D_ long long name(unsigned m, long long v, int o, int w = 32) { B8_ b; b.ll = v; b.i[0] = \
      name(m, b.i[0], o, w); b.i[1] = name(m, b.i[1], o, w); return b.ll; } \
  D_ unsigned long long name(unsigned m, unsigned long long v, int o, int w = 32) { return \
      (unsigned long long)name(m, (long long)v, o, w); }
S_(__shfl_sync, idx, 0x1f) S_(__shfl_up_sync, up, 0) S_(__shfl_down_sync, down, 0x1f)
      S_(__shfl_xor_sync, bfly, 0x1f)
#define A_(T) \
  D_ T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicSub(T* p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicExch(T* p, T v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicMin(T* p, T v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicMax(T* p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicCAS(T* p, T a, T b) { __atomic_compare_exchange_n(p, &a, b, false, \
      __ATOMIC_RELAXED, __ATOMIC_RELAXED); return a; }
A_(int) A_(unsigned) A_(long long) A_(unsigned long long)
D_ float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
D_ double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
D_ unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
D_ unsigned atomicDec(unsigned* p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
D_ int __popc(unsigned v) { return __builtin_popcount(v); }
D_ int __clz(int v) { return v == 0 ? 32 : __builtin_clz(v); }
D_ int __ffs(int v) { return __builtin_ffs(v); }
D_ int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
D_ unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
D_ int __float_as_int(float f) { B4_ b; b.f = f; return b.i; }
D_ float __int_as_float(int i) { B4_ b; b.i = i; return b.f; }
#define MIN_(T) __host__ __device__ inline T min(T a, T b) { return b < a ? b : a; } __host__ \
      __device__ inline T max(T a, T b) { return a < b ? b : a; }
MIN_(int) MIN_(unsigned) MIN_(long) MIN_(unsigned long) MIN_(long long) MIN_(unsigned long
      long) MIN_(float) MIN_(double)
extern "C" {
__device__ int vprintf(const char*, const char*);
#define F1_(n) __device__ float n##f(float); __device__ double n(double);
#define F2_(n) __device__ float n##f(float, float); __device__ double n(double, double);
F1_(sqrt) F1_(exp) F1_(exp2) F1_(log) F1_(log2) F1_(log10) F1_(sin) F1_(cos) F1_(tan)
      F1_(tanh) F1_(floor) F1_(ceil) F1_(fabs)
F1_(erf) F1_(round) F1_(trunc) F2_(pow) F2_(fmin) F2_(fmax) F2_(fmod) F2_(atan2)
__device__ int printf(const char*, ...);
}
D_ float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
D_ float __expf(float x) { return expf(x); }
D_ float __logf(float x) { return logf(x); }
D_ float __sinf(float x) { return sinf(x); }
D_ float __cosf(float x) { return cosf(x); }
D_ float __fdividef(float a, float b) { return a / b; }
#define assert(x) ((void)((x) || (__trap(), 0)))
)cuda";

}  // namespace onefold::lab::ptx
