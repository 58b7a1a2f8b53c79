// What clang must know of CUDA if there is no toolkit. Intrinsics are written as the instructions
// that they stand for; mathematical functions are the library's. Those headers of a toolkit that
// need no other ones can be included, too: cuda_fp16.h, cuda_bf16.h, cuda_pipeline.h.
#pragma once

#include <string_view>

#include "lab/ptx/types.hpp"

namespace onefold::lab::ptx {

constexpr std::string_view clang_header = R"cuda(#pragma once
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
// A toolkit's headers that say the same.
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_HPP__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __HOST_DEFINES_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_TYPES_H__
#define __DEVICE_FUNCTIONS_H__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define __grid_constant__
#define D_ static __device__ __inline__ __attribute__((always_inline, unused))
)cuda" ONEFOLD_LAB_TYPES R"cuda(typedef unsigned long size_t;
#define V_(T, N) \
  struct N##1 { T x; }; __host__ __device__ inline N##1 make_##N##1(T x) { return {x}; } \
  struct alignas(2 * sizeof(T)) N##2 { T x, y; }; struct N##3 { T x, y, z; }; \
  struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) N##4 { T x, y, z, w; }; \
  __host__ __device__ inline N##2 make_##N##2(T x, T y) { return {x, y}; } \
  __host__ __device__ inline N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
  __host__ __device__ inline N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
V_(char, char) V_(unsigned char, uchar) V_(short, short) V_(unsigned short, ushort)
V_(int, int) V_(unsigned, uint) V_(long, long) V_(unsigned long, ulong)
V_(long long, longlong) V_(unsigned long long, ulonglong)
V_(float, float) V_(double, double)
struct dim3 { unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a),
      y(b), z(c) {} };
#include <__clang_cuda_builtin_vars.h>
#define warpSize 32
#define FENCED_(what) asm volatile(what ::: "memory")
D_ void __onefold_syncthreads() { FENCED_("bar.sync 0;"); }
#define __syncthreads() __onefold_syncthreads()
D_ int __syncthreads_count(int p) { FENCED_(""); p = __nvvm_bar0_popc(p); FENCED_(""); return p; }
D_ int __syncthreads_and(int p) { FENCED_(""); p = __nvvm_bar0_and(p); FENCED_(""); return p; }
D_ int __syncthreads_or(int p) { FENCED_(""); p = __nvvm_bar0_or(p); FENCED_(""); return p; }
D_ void __barrier_sync(unsigned n) { asm volatile("barrier.sync %0;" :: "r"(n) : "memory"); }
D_ void __barrier_sync_count(unsigned n, unsigned t) { asm volatile("barrier.sync %0, %1;" ::
      "r"(n), "r"(t) : "memory"); }
D_ void __nanosleep(unsigned n) { asm volatile("nanosleep.u32 %0;" :: "r"(n)); }
D_ long long clock64() { long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)); return t; }
D_ int clock() { int t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)); return t; }
D_ void __syncwarp(unsigned m = ~0u) { asm volatile("bar.warp.sync %0;" :: "r"(m) : "memory"); }
D_ void __threadfence() { FENCED_("membar.gl;"); }
D_ void __threadfence_block() { FENCED_("membar.cta;"); }
D_ void __threadfence_system() { FENCED_("membar.sys;"); }
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE,
       __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER,
       __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };
template <class T> D_ T __nv_atomic_load_n(T* p, int, int = 4) { return *(volatile T*)p; }
template <class T> D_ void __nv_atomic_store_n(T* p, T v, int, int = 4) { *(volatile T*)p = v; }
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
      (unsigned long long)name(m, (long long)v, o, w); } \
  D_ long name(unsigned m, long v, int o, int w = 32) { return (long)name(m, (long long)v, \
      o, w); } \
  D_ unsigned long name(unsigned m, unsigned long v, int o, int w = 32) { return \
      (unsigned long)name(m, (long long)v, o, w); }
S_(__shfl_sync, idx, 0x1f) S_(__shfl_up_sync, up, 0) S_(__shfl_down_sync, down, 0x1f)
      S_(__shfl_xor_sync, bfly, 0x1f)
#define A_(T) \
  D_ T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicSub(T* p, T v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicAnd(T* p, T v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicOr(T* p, T v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicXor(T* p, T v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicMin(T* p, T v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicMax(T* p, T v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); } \
  D_ T atomicCAS(T* p, T a, T b) { __atomic_compare_exchange_n(p, &a, b, false, \
      __ATOMIC_RELAXED, __ATOMIC_RELAXED); return a; }
A_(int) A_(unsigned) A_(long long) A_(unsigned long long)
// An exchange whose answer nobody wants clang makes a store.
#define E_(T, b, r) D_ T atomicExch(T* p, T v) { T old; asm volatile("atom.exch." b \
      " %0, [%1], %2;" : "=" r(old) : "l"(p), r(v) : "memory"); return old; }
E_(int, "b32", "r") E_(unsigned, "b32", "r") E_(long long, "b64", "l")
E_(unsigned long long, "b64", "l")
D_ float atomicAdd(float* p, float v) { return __nvvm_atom_add_gen_f(p, v); }
D_ double atomicAdd(double* p, double v) { return __nvvm_atom_add_gen_d(p, v); }
D_ unsigned atomicInc(unsigned* p, unsigned v) { return __nvvm_atom_inc_gen_ui(p, v); }
D_ unsigned atomicDec(unsigned* p, unsigned v) { return __nvvm_atom_dec_gen_ui(p, v); }
template <class T, class U> D_ T atomicAdd(T* p, U v) { return atomicAdd(p, (T)v); }
D_ float atomicExch(float* p, float v) { B4_ b; b.f = v; b.i = atomicExch((int*)p, b.i);
      return b.f; }
D_ unsigned short atomicCAS(unsigned short* p, unsigned short a, unsigned short b) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(p), "h"(a), "h"(b) : "memory");
  return r; }
// Clang has no scopes, so atomics of a block are written as instructions.
#define AS_(n) template <class T, class U> D_ T n##_system(T* p, U v) { return n(p, (T)v); } \
  template <class T, class U> D_ T n##_block(T* p, U v) { return n##_cta_(p, (T)v); }
#define AB_(n, op, T, r) D_ T n##_cta_(T* p, T v) { T old; asm volatile("atom.cta." op \
      " %0, [%1], %2;" : "=" r(old) : "l"(p), r(v) : "memory"); return old; }
#define AX_(T, s, u, b, r) AB_(atomicAdd, "add." u, T, r) AB_(atomicAnd, "and." b, T, r) \
  AB_(atomicOr, "or." b, T, r) AB_(atomicXor, "xor." b, T, r) AB_(atomicExch, "exch." b, T, r) \
  AB_(atomicMin, "min." s, T, r) AB_(atomicMax, "max." s, T, r) \
  D_ T atomicSub_cta_(T* p, T v) { return atomicAdd_cta_(p, (T)0 - v); } \
  D_ T atomicCAS_block(T* p, T a, T c) { T old; asm volatile("atom.cta.cas." b \
      " %0, [%1], %2, %3;" : "=" r(old) : "l"(p), r(a), r(c) : "memory"); return old; } \
  D_ T atomicCAS_system(T* p, T a, T c) { return atomicCAS(p, a, c); }
AX_(int, "s32", "u32", "b32", "r") AX_(unsigned, "u32", "u32", "b32", "r")
AX_(long long, "s64", "u64", "b64", "l") AX_(unsigned long long, "u64", "u64", "b64", "l")
AB_(atomicAdd, "add.f32", float, "f") AB_(atomicAdd, "add.f64", double, "d")
AB_(atomicInc, "inc.u32", unsigned, "r") AB_(atomicDec, "dec.u32", unsigned, "r")
D_ float atomicExch_cta_(float* p, float v) { B4_ b; b.f = v; b.i = atomicExch_cta_((int*)p, b.i);
      return b.f; }
AS_(atomicAdd) AS_(atomicSub) AS_(atomicAnd) AS_(atomicOr) AS_(atomicXor) AS_(atomicExch)
      AS_(atomicMin) AS_(atomicMax) AS_(atomicInc) AS_(atomicDec)
// One instruction of one, two or three operands; r, l, f, d say where they are kept.
#define I1_(R, r, n, op, A, a) D_ R n(A x) { R v; asm(op " %0, %1;" : "=" r(v) : a(x)); return v; }
#define I2_(R, r, n, op, A, a) D_ R n(A x, A y) { R v; asm(op " %0, %1, %2;" : "=" r(v) : a(x), \
      a(y)); return v; }
#define I3_(R, r, n, op, A, a, C) D_ R n(A x, A y, C z) { R v; asm(op " %0, %1, %2, %3;" : "=" \
      r(v) : a(x), a(y), r(z)); return v; }
D_ int __popc(unsigned v) { return __builtin_popcount(v); }
D_ int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
D_ int __clz(int v) { return v == 0 ? 32 : __builtin_clz(v); }
D_ int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll(v); }
D_ int __ffs(int v) { return __builtin_ffs(v); }
D_ int __ffsll(long long v) { return __builtin_ffsll(v); }
D_ int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
D_ unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
I1_(unsigned, "r", __brev, "brev.b32", unsigned, "r")
I1_(unsigned long long, "l", __brevll, "brev.b64", unsigned long long, "l")
I2_(int, "r", __mulhi, "mul.hi.s32", int, "r") I2_(unsigned, "r", __umulhi, "mul.hi.u32",
      unsigned, "r")
I2_(long long, "l", __mul64hi, "mul.hi.s64", long long, "l")
I2_(unsigned long long, "l", __umul64hi, "mul.hi.u64", unsigned long long, "l")
I3_(unsigned, "r", __byte_perm, "prmt.b32", unsigned, "r", unsigned)
I3_(unsigned, "r", __sad, "sad.s32", int, "r", unsigned) I3_(unsigned, "r", __usad, "sad.u32",
      unsigned, "r", unsigned)
#define DP_(n, op) I3_(int, "r", n, op ".s32.s32", int, "r", int) \
  I3_(unsigned, "r", n, op ".u32.u32", unsigned, "r", unsigned)
DP_(__dp4a, "dp4a") DP_(__dp2a_lo, "dp2a.lo") DP_(__dp2a_hi, "dp2a.hi")
I3_(unsigned, "r", __fns, "fns.b32", unsigned, "r", int)
// The bytes or halves a and b of two words: `f` of each pair, or the sum of these.
#define V1_(n, bits, T, f) D_ unsigned n(unsigned x, unsigned y) { unsigned v = 0; \
  for (int k = 0; k < 32; k += bits) { const int a = (T)(x >> k), b = (T)(y >> k), \
      half = 1 << (bits - 1); (void)half; \
    v |= ((unsigned)(f) & (2u * half - 1)) << k; } return v; }
#define V_(n, s, f) V1_(n##2, 16, s short, f) V1_(n##4, 8, s char, f)
#define VS1_(n, bits, T) D_ unsigned n(unsigned x, unsigned y) { unsigned v = 0; \
  for (int k = 0; k < 32; k += bits) { const int a = (T)(x >> k), b = (T)(y >> k); \
    v += a < b ? b - a : a - b; } return v; }
#define VC_(n, s, op) V_(__vcmp##n, s, -(a op b)) V_(__vset##n, s, a op b)
#define VCUS_(n, op) VC_(n##u, unsigned, op) VC_(n##s, signed, op)
V_(__vadd, unsigned, a + b) V_(__vsub, unsigned, a - b) V_(__vhaddu, unsigned, (a + b) >> 1)
V_(__vaddus, unsigned, a + b < 2 * half ? a + b : 2 * half - 1)
V_(__vsubus, unsigned, a > b ? a - b : 0)
V_(__vaddss, signed, a + b < -half ? -half : a + b < half ? a + b : half - 1)
V_(__vsubss, signed, a - b < -half ? -half : a - b < half ? a - b : half - 1)
V_(__vavgu, unsigned, (a + b + 1) >> 1) V_(__vavgs, signed, (a + b + (a + b >= 0)) >> 1)
V_(__vabsdiffu, unsigned, a < b ? b - a : a - b) V_(__vabsdiffs, signed, a < b ? b - a : a - b)
V_(__vmaxu, unsigned, a < b ? b : a) V_(__vmaxs, signed, a < b ? b : a)
V_(__vminu, unsigned, a < b ? a : b) V_(__vmins, signed, a < b ? a : b)
VS1_(__vsadu2, 16, unsigned short) VS1_(__vsadu4, 8, unsigned char)
VS1_(__vsads2, 16, short) VS1_(__vsads4, 8, signed char)
VC_(eq, unsigned, ==) VC_(ne, unsigned, !=) VCUS_(gt, >) VCUS_(ge, >=) VCUS_(lt, <) VCUS_(le, <=)
#define SIGN_(n) D_ unsigned __vneg##n(unsigned x) { return __vsub##n(0, x); } \
  D_ unsigned __vabs##n(unsigned x) { return __vabsdiffs##n(x, 0); } \
  D_ unsigned __vnegss##n(unsigned x) { return __vsubss##n(0, x); } \
  D_ unsigned __vabsss##n(unsigned x) { return __vmaxs##n(x, __vnegss##n(x)); }
SIGN_(2) SIGN_(4)
#define FS_(n, op, x, y) D_ unsigned n(unsigned lo, unsigned hi, unsigned s) { unsigned v; \
  asm(op " %0, %1, %2, %3;" : "=r"(v) : "r"(lo), "r"(hi), "r"(s)); return v; }
FS_(__funnelshift_l, "shf.l.wrap.b32", lo, hi) FS_(__funnelshift_lc, "shf.l.clamp.b32", lo, hi)
      FS_(__funnelshift_r, "shf.r.wrap.b32", lo, hi)
FS_(__funnelshift_rc, "shf.r.clamp.b32", lo, hi)
D_ int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
D_ int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
D_ unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
D_ unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >>
      1); }
#define SAME_(A, B, n) D_ B n(A x) { union { A a; B b; } c; c.a = x; return c.b; }
SAME_(float, int, __float_as_int) SAME_(int, float, __int_as_float)
SAME_(float, unsigned, __float_as_uint) SAME_(unsigned, float, __uint_as_float)
SAME_(double, long long, __double_as_longlong) SAME_(long long, double,
      __longlong_as_double)
D_ int __double2hiint(double d) { return (int)(__double_as_longlong(d) >> 32); }
D_ int __double2loint(double d) { return (int)__double_as_longlong(d); }
D_ double __hiloint2double(int h, int l) { return __longlong_as_double((long long)h << 32 |
      (unsigned)l); }
// With each rounding: floats to integers, integers to floats, arithmetic.
#define R4_(X, ...) X(_rn, "rn", __VA_ARGS__) X(_rz, "rz", __VA_ARGS__) X(_rd, "rm", __VA_ARGS__) \
      X(_ru, "rp", __VA_ARGS__)
#define P_(a, b) a##b
#define FI_(s, m, n, t, I, i, A, a) I1_(I, i, P_(n, s), "cvt." m "i." t, A, a)
#define IF_(s, m, n, t, F, f, A, a) I1_(F, f, P_(n, s), "cvt." m "." t, A, a)
#define F1_(s, m, n, op, t, F, f) I1_(F, f, P_(n, s), op "." m "." t, F, f)
#define F2_(s, m, n, op, t, F, f) I2_(F, f, P_(n, s), op "." m "." t, F, f)
#define F3_(s, m, n, op, t, F, f) I3_(F, f, P_(n, s), op "." m "." t, F, f, F)
R4_(FI_, __float2int, "s32.f32", int, "r", float, "f") R4_(FI_, __float2uint, "u32.f32", unsigned,
      "r", float, "f")
R4_(FI_, __float2ll, "s64.f32", long long, "l", float, "f") R4_(FI_, __float2ull, "u64.f32",
      unsigned long long, "l", float, "f")
R4_(FI_, __double2int, "s32.f64", int, "r", double, "d") R4_(FI_, __double2uint, "u32.f64",
      unsigned, "r", double, "d")
R4_(FI_, __double2ll, "s64.f64", long long, "l", double, "d") R4_(FI_, __double2ull, "u64.f64",
      unsigned long long, "l", double, "d")
R4_(IF_, __int2float, "f32.s32", float, "f", int, "r") R4_(IF_, __uint2float, "f32.u32", float,
      "f", unsigned, "r")
R4_(IF_, __ll2float, "f32.s64", float, "f", long long, "l") R4_(IF_, __ull2float, "f32.u64", float,
      "f", unsigned long long, "l")
R4_(IF_, __ll2double, "f64.s64", double, "d", long long, "l") R4_(IF_, __ull2double, "f64.u64",
      double, "d", unsigned long long, "l")
R4_(IF_, __double2float, "f32.f64", float, "f", double, "d")
D_ double __int2double_rn(int v) { return v; }
D_ double __uint2double_rn(unsigned v) { return v; }
R4_(F2_, __fadd, "add", "f32", float, "f") R4_(F2_, __fsub, "sub", "f32", float, "f")
R4_(F2_, __fmul, "mul", "f32", float, "f") R4_(F2_, __fdiv, "div", "f32", float, "f")
R4_(F2_, __dadd, "add", "f64", double, "d") R4_(F2_, __dsub, "sub", "f64", double, "d")
R4_(F2_, __dmul, "mul", "f64", double, "d") R4_(F2_, __ddiv, "div", "f64", double, "d")
R4_(F3_, __fmaf, "fma", "f32", float, "f") R4_(F3_, __fma, "fma", "f64", double, "d")
R4_(F1_, __fsqrt, "sqrt", "f32", float, "f") R4_(F1_, __dsqrt, "sqrt", "f64", double, "d")
R4_(F1_, __frcp, "rcp", "f32", float, "f") R4_(F1_, __drcp, "rcp", "f64", double, "d")
#undef F1_
#undef F2_
I1_(float, "f", rsqrtf, "rsqrt.approx.f32", float, "f")
I1_(float, "f", __frsqrt_rn, "rsqrt.approx.f32", float, "f")
D_ double rsqrt(double x) { return __ddiv_rn(1.0, __dsqrt_rn(x)); }
I1_(float, "f", __sinf, "sin.approx.f32", float, "f") I1_(float, "f", __cosf, "cos.approx.f32",
      float, "f")
I1_(float, "f", __log2f, "lg2.approx.f32", float, "f") I1_(float, "f", exp2a_, "ex2.approx.f32",
      float, "f")
I2_(float, "f", __fdividef, "div.approx.f32", float, "f")
I1_(float, "f", __saturatef, "cvt.sat.f32.f32", float, "f")
D_ float __expf(float x) { return exp2a_(x * 1.4426950408889634f); }
D_ float __exp10f(float x) { return exp2a_(x * 3.3219280948873623f); }
D_ float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
D_ float __log10f(float x) { return __log2f(x) * 0.3010299956639812f; }
D_ float __powf(float x, float y) { return exp2a_(y * __log2f(x)); }
D_ float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
D_ void __sincosf(float x, float* s, float* c) { *s = __sinf(x), *c = __cosf(x); }
D_ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
D_ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
D_ float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
D_ double copysign(double a, double b) { return __builtin_copysign(a, b); }
#define IS_(n) D_ bool n(float x) { return __builtin_##n(x); } D_ bool n(double x) { return \
      __builtin_##n(x); }
#define __managed__ __device__
#ifndef isnan
IS_(isnan) IS_(isinf) IS_(isfinite) IS_(signbit)
#endif
// By cache operators nothing changes that is counted here.
#define L_(n) template <class T> D_ T n(const T* p) { return *p; }
L_(__ldg) L_(__ldca) L_(__ldcg) L_(__ldcs) L_(__ldlu)
template <class T> D_ T __ldcv(const T* p) { return *(const volatile T*)p; }
#define W_(n) template <class T, class U> D_ void n(T* p, U v) { *p = v; }
W_(__stwb) W_(__stcg) W_(__stcs) W_(__stwt)
D_ size_t __cvta_generic_to_shared(const void* p) {
  return (size_t)(__attribute__((address_space(3))) const char*)p; }
extern "C" __device__ __forceinline__ unsigned __nvvm_get_smem_pointer(void* p) {
  return (unsigned)__cvta_generic_to_shared(p); }
D_ unsigned __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
D_ unsigned __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
D_ unsigned __isLocal(const void* p) { return __nvvm_isspacep_local(p); }
D_ unsigned __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
D_ unsigned __match_any_sync(unsigned m, unsigned v) { unsigned r; asm volatile(
      "match.any.sync.b32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(m)); return r; }
D_ unsigned __match_any_sync(unsigned m, unsigned long long v) { unsigned r; asm volatile(
      "match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(m)); return r; }
D_ unsigned __match_any_sync(unsigned m, int v) { return __match_any_sync(m, (unsigned)v); }
#define MATCH_(T) D_ unsigned __match_any_sync(unsigned m, T v) { \
      return __match_any_sync(m, (unsigned long long)v); }
MATCH_(long) MATCH_(unsigned long) MATCH_(long long)
D_ unsigned __match_all_sync(unsigned m, unsigned v, int* p) { unsigned r; asm volatile(
      "{ .reg .pred q; match.all.sync.b32 %0|q, %2, %3; selp.s32 %1, 1, 0, q; }" : "=r"(r), "=r"(*p)
      : "r"(v), "r"(m)); return r; }
D_ unsigned __match_all_sync(unsigned m, int v, int* p) { return __match_all_sync(m, (unsigned)v,
      p); }
#define RX_(T, n, op) D_ T __reduce_##n##_sync(unsigned m, T v) { T r; asm volatile( \
      "redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(v), "r"(m)); return r; }
RX_(int, add, "add.s32") RX_(int, min, "min.s32") RX_(int, max, "max.s32")
RX_(unsigned, add, "add.u32") RX_(unsigned, min, "min.u32") RX_(unsigned, max, "max.u32")
RX_(unsigned, and, "and.b32") RX_(unsigned, or, "or.b32") RX_(unsigned, xor, "xor.b32")
#define MIN_(T) __host__ __device__ inline T min(T a, T b) { return b < a ? b : a; } __host__ \
      __device__ inline T max(T a, T b) { return a < b ? b : a; }
MIN_(int) MIN_(unsigned) MIN_(long) MIN_(unsigned long) MIN_(long long) MIN_(unsigned long
      long) MIN_(float) MIN_(double)
template <bool> struct ONEFOLD_IF_ {};
template <> struct ONEFOLD_IF_<true> { typedef int yes; };
#define NUMBER_(T) (__is_convertible_to(T, double) && !__is_class(T) && !__is_enum(T))
#define MIXED_(name, is_b) template <class A, class B, class = typename ONEFOLD_IF_< \
      NUMBER_(A) && NUMBER_(B) && !__is_same(A, B)>::yes> \
  __host__ __device__ inline auto name(A a, B b) -> decltype(a + b) { \
    decltype(a + b) x = a, y = b; return is_b ? y : x; }
MIXED_(min, y < x) MIXED_(max, x < y)
D_ int abs(int a) { return a < 0 ? -a : a; }
D_ long abs(long a) { return a < 0 ? -a : a; }
D_ long long abs(long long a) { return a < 0 ? -a : a; }
D_ long long llabs(long long a) { return a < 0 ? -a : a; }
D_ long labs(long a) { return a < 0 ? -a : a; }
D_ float abs(float a) { return __builtin_fabsf(a); }
D_ double abs(double a) { return __builtin_fabs(a); }
extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);
__device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
#define F1_(n) __device__ float n##f(float); __device__ double n(double);
#define F2_(n) __device__ float n##f(float, float); __device__ double n(double, double);
F1_(sqrt) F1_(exp) F1_(exp2) F1_(exp10) F1_(expm1) F1_(log) F1_(log2) F1_(log10) F1_(log1p) F1_(sin)
      F1_(cos) F1_(tan) F1_(asin) F1_(acos) F1_(atan) F1_(sinh) F1_(cosh) F1_(tanh) F1_(asinh)
F1_(acosh) F1_(atanh) F1_(floor) F1_(ceil) F1_(fabs) F1_(erf) F1_(erfc) F1_(tgamma) F1_(lgamma)
      F1_(cbrt) F1_(round) F1_(trunc) F1_(rint) F1_(nearbyint) F2_(pow)
F2_(fmod) F2_(remainder) F2_(atan2) F2_(hypot) F2_(fdim) F2_(nextafter)
__device__ float ldexpf(float, int); __device__ double ldexp(double, int);
}
D_ void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
D_ void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
D_ double modf(double x, double* i) { *i = trunc(x);
  return __builtin_copysign(fabs(x) == __builtin_inf() ? 0 : x - *i, x); }
D_ float modff(float x, float* i) { double d; float f = (float)modf((double)x, &d); *i = (float)d;
  return f; }
D_ double frexp(double x, int* e) { *e = 0;
  if (x == 0 || !(fabs(x) < __builtin_inf())) return x;
  if (fabs(x) < 2.2250738585072014e-308) x *= 18014398509481984.0, *e = -54;
  unsigned long long b; __builtin_memcpy(&b, &x, 8);
  *e += (int)(b >> 52 & 2047) - 1022; b = (b & ~(2047ull << 52)) | 1022ull << 52;
  __builtin_memcpy(&x, &b, 8); return x; }
D_ float frexpf(float x, int* e) { return (float)frexp((double)x, e); }
#define G1_(n) D_ float n(float x) { return n##f(x); }
G1_(sqrt) G1_(exp) G1_(exp2) G1_(log) G1_(log2) G1_(log10) G1_(sin) G1_(cos) G1_(tan) G1_(tanh)
      G1_(floor) G1_(ceil) G1_(fabs) G1_(round) G1_(trunc) G1_(rint)
D_ float pow(float a, float b) { return powf(a, b); }
#define M_(n) D_ float n##f(float a, float b) { return __builtin_##n##f(a, b); } \
  D_ double n(double a, double b) { return __builtin_##n(a, b); } \
  D_ float n(float a, float b) { return n##f(a, b); }
M_(fmin) M_(fmax)
D_ float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
__host__ D_ void* memcpy(void* to, const void* from, size_t n) {
  return __builtin_memcpy(to, from, n); }
__host__ D_ void* memset(void* to, int v, size_t n) {
  return __builtin_memset(to, v, n); }
#define __fmaf_ieee_rn __fmaf_rn
#ifdef ONEFOLD_INT128_  // clang calls these
D_ __uint128_t onefold_divide(__uint128_t a, __uint128_t b, bool rest) {
  __uint128_t q = 0, r = 0;
  for (int k = 127; k >= 0; --k) {
    const bool carry = r >> 127; r = r << 1 | (a >> k & 1);
    if (carry || r >= b) r -= b, q |= (__uint128_t)1 << k; }
  return rest ? r : q; }
#define DIV_(n, rest, minus) extern "C" __device__ __uint128_t __u##n(__uint128_t a, \
      __uint128_t b) { return onefold_divide(a, b, rest); } \
  extern "C" __device__ __int128_t __##n(__int128_t a, __int128_t b) { \
    const __uint128_t v = onefold_divide(a < 0 ? -a : a, b < 0 ? -b : b, rest); \
    return minus ? -v : v; }
DIV_(divti3, false, (a < 0) != (b < 0)) DIV_(modti3, true, a < 0)
#endif
#define assert(x) ((x) ? void() : __assertfail(#x, __FILE__, __LINE__, __func__, 1))
)cuda";

// Stands for <cassert> and <assert.h>.
constexpr std::string_view clang_assert =
    "#undef assert\n"
    "#define assert(x) ((x) ? void() : __assertfail(#x, __FILE__, __LINE__, __func__, 1))\n";

}  // namespace onefold::lab::ptx
