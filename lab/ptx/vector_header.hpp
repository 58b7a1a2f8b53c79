// helper_math.h of NVIDIA's samples, as main() and kernels need it: operators of vectors of 2, 3
// and 4 numbers by component, and what is most used of their geometry. Written anew for the lab.
#pragma once

namespace onefold::lab::ptx {

// In its macros V is the name of a type without its length, and N its scalar.
constexpr const char* vector_header = R"cuda(#pragma once
#define F_ inline __host__ __device__
#define OP_(V, N, op) \
  F_ V##2 operator op(V##2 a, V##2 b) { return make_##V##2(a.x op b.x, a.y op b.y); } \
  F_ V##3 operator op(V##3 a, V##3 b) { \
    return make_##V##3(a.x op b.x, a.y op b.y, a.z op b.z); } \
  F_ V##4 operator op(V##4 a, V##4 b) { \
    return make_##V##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
  OF_(V##2, V, N, op) OF_(V##3, V, N, op) OF_(V##4, V, N, op)
#define OF_(T, V, N, op) \
  F_ T operator op(T a, N b) { return a op make_##T(b); } \
  F_ T operator op(N a, T b) { return make_##T(a) op b; } \
  F_ void operator op##=(T& a, T b) { a = a op b; } \
  F_ void operator op##=(T& a, N b) { a = a op b; }
#define ALL_(V, N) \
  F_ V##2 make_##V##2(N s) { return make_##V##2(s, s); } \
  F_ V##3 make_##V##3(N s) { return make_##V##3(s, s, s); } \
  F_ V##4 make_##V##4(N s) { return make_##V##4(s, s, s, s); } \
  F_ V##2 make_##V##2(V##3 a) { return make_##V##2(a.x, a.y); } \
  F_ V##3 make_##V##3(V##2 a) { return make_##V##3(a.x, a.y, N(0)); } \
  F_ V##3 make_##V##3(V##2 a, N z) { return make_##V##3(a.x, a.y, z); } \
  F_ V##3 make_##V##3(V##4 a) { return make_##V##3(a.x, a.y, a.z); } \
  F_ V##4 make_##V##4(V##3 a) { return make_##V##4(a.x, a.y, a.z, N(0)); } \
  F_ V##4 make_##V##4(V##3 a, N w) { return make_##V##4(a.x, a.y, a.z, w); } \
  OP_(V, N, +) OP_(V, N, -) OP_(V, N, *) OP_(V, N, /) \
  F_ N dot(V##2 a, V##2 b) { return a.x * b.x + a.y * b.y; } \
  F_ N dot(V##3 a, V##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
  F_ N dot(V##4 a, V##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
ALL_(float, float) ALL_(int, int) ALL_(uint, unsigned)
// The same function `f` of each component of one, two or three vectors.
#define EACH_(V, name, one) \
  F_ V##2 name(V##2 a, V##2 b) { return make_##V##2(one(a.x, b.x), one(a.y, b.y)); } \
  F_ V##3 name(V##3 a, V##3 b) { \
    return make_##V##3(one(a.x, b.x), one(a.y, b.y), one(a.z, b.z)); } \
  F_ V##4 name(V##4 a, V##4 b) { \
    return make_##V##4(one(a.x, b.x), one(a.y, b.y), one(a.z, b.z), one(a.w, b.w)); }
#define LESS_(a, b) ((a) < (b) ? (a) : (b))
#define MORE_(a, b) ((a) > (b) ? (a) : (b))
EACH_(float, fminf, fminf) EACH_(float, fmaxf, fmaxf)
EACH_(float, fmodf, fmodf)
EACH_(int, min, LESS_) EACH_(int, max, MORE_)
EACH_(uint, min, LESS_) EACH_(uint, max, MORE_)
#define ONE_(V, name, one) \
  F_ V##2 name(V##2 a) { return make_##V##2(one(a.x), one(a.y)); } \
  F_ V##3 name(V##3 a) { return make_##V##3(one(a.x), one(a.y), one(a.z)); } \
  F_ V##4 name(V##4 a) { return make_##V##4(one(a.x), one(a.y), one(a.z), one(a.w)); }
#define SIZE_(a) ((a) < 0 ? -(a) : (a))
#define FRACTION_(a) ((a) - floorf(a))
ONE_(float, operator-, -) ONE_(int, operator-, -) ONE_(float, fabs, fabsf) ONE_(int, abs, SIZE_)
ONE_(float, floorf, floorf) ONE_(float, fracf, FRACTION_)
F_ float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); }
F_ int clamp(int v, int a, int b) { return MORE_(a, LESS_(v, b)); }
F_ unsigned clamp(unsigned v, unsigned a, unsigned b) { return MORE_(a, LESS_(v, b)); }
F_ float lerp(float a, float b, float t) { return a + t * (b - a); }
#define CLAMP_(T, N, min, max) \
  F_ T clamp(T v, T a, T b) { return max(a, min(v, b)); } \
  F_ T clamp(T v, N a, N b) { return clamp(v, make_##T(a), make_##T(b)); }
CLAMP_(float2, float, fminf, fmaxf) CLAMP_(float3, float, fminf, fmaxf)
CLAMP_(float4, float, fminf, fmaxf)
CLAMP_(int2, int, min, max) CLAMP_(int3, int, min, max) CLAMP_(int4, int, min, max)
CLAMP_(uint2, unsigned, min, max) CLAMP_(uint3, unsigned, min, max)
CLAMP_(uint4, unsigned, min, max)
#define STEP_(T) F_ T smoothstep(T a, T b, T x) { \
  const T y = clamp((x - a) / (b - a), 0.0f, 1.0f); return y * y * (3.0f - 2.0f * y); }
STEP_(float) STEP_(float2) STEP_(float3) STEP_(float4)
#define LONG_(T) \
  F_ float length(T a) { return sqrtf(dot(a, a)); } \
  F_ T normalize(T a) { return a * (1.0f / sqrtf(dot(a, a))); } \
  F_ T lerp(T a, T b, float t) { return a + t * (b - a); } \
  F_ T reflect(T i, T n) { return i - 2.0f * n * dot(n, i); }
LONG_(float2) LONG_(float3) LONG_(float4)
F_ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
#define FROM_(V, W, N) \
  F_ V##2 make_##V##2(W##2 a) { return make_##V##2(N(a.x), N(a.y)); } \
  F_ V##3 make_##V##3(W##3 a) { return make_##V##3(N(a.x), N(a.y), N(a.z)); } \
  F_ V##4 make_##V##4(W##4 a) { return make_##V##4(N(a.x), N(a.y), N(a.z), N(a.w)); }
FROM_(float, int, float) FROM_(float, uint, float) FROM_(int, float, int) FROM_(int, uint, int)
FROM_(uint, int, unsigned)
#undef F_
#undef OP_
#undef OF_
#undef ALL_
#undef EACH_
#undef LESS_
#undef MORE_
#undef ONE_
#undef SIZE_
#undef FRACTION_
#undef LONG_
#undef CLAMP_
#undef STEP_
#undef FROM_
)cuda";

}  // namespace onefold::lab::ptx
