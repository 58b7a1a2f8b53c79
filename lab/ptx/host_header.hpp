// The CUDA runtime as a file's own main() sees it: host functions that ask the simulated machine by
// the table `onefold_host`. Our header of device functions for clang follows between the two parts.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

// The host's headers come before the macros of CUDA, which use the same names.
constexpr std::string_view host_header_first = R"cuda(#pragma once
#include <cstdlib>
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>
#undef __host__
#undef __device__
#undef __forceinline__
)cuda";

// Our functions that main() calls, for the header below and for what fills the table.
#define ONEFOLD_HOST_TABLE                                                                \
  void* (*allocate)(size_t bytes);                                                        \
  void* (*managed)(size_t bytes);                                                         \
  void* (*pinned)(size_t bytes);                                                          \
  int (*share)(void* host, size_t bytes);                                                 \
  int (*release)(void* device);                                                           \
  int (*release_pinned)(void* host);                                                      \
  int (*copy)(void* to, const void* from, size_t bytes, int kind);                        \
  int (*fill)(void* to, int value, size_t bytes);                                         \
  int (*symbol)(const char* name, size_t offset, void* host, size_t bytes, int use);      \
  int (*launch)(const char* name, const unsigned* shape, void** arguments, size_t shared, \
                int cooperative, void* stream);                                           \
  int (*allow_shared)(const char* name, size_t bytes);                                    \
  void (*leave)(int status);                                                              \
  void (*at)(const char* file, unsigned line); /* of the next call */                     \
  void (*asked)();                             /* for the last error */                   \
  void* (*stream)(int use, void* stream, void* event);                                    \
  int (*wait)(int awaited, void* handle);                                                 \
  void (*reset)();                                                                        \
  int (*graph)(int use, void* a, void* b, size_t n);                                      \
  int (*refuse)(int error, const char* why);                                              \
  int (*watches)(const void* p); /* managed or pinned memory */                           \
  int (*describe)(const char* kernel, size_t* facts);
#define ONEFOLD_TEXT(...) #__VA_ARGS__
#define ONEFOLD_EXPANDED_TEXT(...) ONEFOLD_TEXT(__VA_ARGS__)

// Queued work runs at once, and events have no time.
constexpr std::string_view host_header_last = R"cuda(
#undef assert
#define assert(x) ((void)0)
#ifndef __CUDA_ARCH__  // main() has its own copy, which launches keep equal to the device's
#undef __managed__
#define __managed__ __device__ __attribute__((section("onefold_managed"), aligned(4096)))
#endif
#define ONEFOLD_MATH_(name, ...) \
  __host__ __device__ static inline float name##f(float x) { return float(__VA_ARGS__); } \
  __host__ __device__ static inline double name(double x) { return __VA_ARGS__; }
ONEFOLD_MATH_(sinpi, sin(x * 3.14159265358979323846))
ONEFOLD_MATH_(cospi, cos(x * 3.14159265358979323846))
#undef ONEFOLD_MATH_
#define ONEFOLD_KIND_(name) static inline bool name(float x) { return std::name(x); } \
  static inline bool name(double x) { return std::name(x); }
ONEFOLD_KIND_(isnan) ONEFOLD_KIND_(isinf) ONEFOLD_KIND_(isfinite) ONEFOLD_KIND_(signbit)
#undef ONEFOLD_KIND_
static inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
static inline double rsqrt(double x) { return 1 / std::sqrt(x); }
struct OnefoldHost {
)cuda" ONEFOLD_EXPANDED_TEXT(ONEFOLD_HOST_TABLE) R"cuda( };
struct OnefoldName { const void* host; const char* name; };
extern "C" {
extern void* __dso_handle __attribute__((__visibility__("hidden")));
void __cxa_finalize(void*);
void onefold_finish() { __cxa_finalize(&__dso_handle); }
OnefoldHost onefold_host;
__attribute__((aligned(4096))) OnefoldName onefold_names[4096];  // so no page of managed variables
int onefold_name_count; int onefold_kernels;
void onefold_note(const void* host, const char* name) {
  if (onefold_name_count < 4095) onefold_names[onefold_name_count++] = {host, name}; }
const char* onefold_name(const void* host) {
  for (int k = 0; k < onefold_name_count; ++k) {
    if (onefold_names[k].host == host) return onefold_names[k].name; }
  return ""; }
extern char __start_onefold_managed[] __attribute__((weak, visibility("hidden"))),
    __stop_onefold_managed[] __attribute__((weak, visibility("hidden")));
int onefold_is_managed(const void* p) {
  return p >= __start_onefold_managed && p < __stop_onefold_managed; }
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
int __cudaRegisterFunction(void**, const void* f, char*, const char* name, int, void*, void*, void*,
                           void*, int*) { onefold_note(f, name); return 0; }
void __cudaRegisterVar(void**, char* v, char*, const char* name, int, size_t, int, int) {
  onefold_note(v, name); }
}
static cudaError_t onefold_last = cudaSuccess;
static inline cudaError_t onefold_did(int e) {
  if (e != 0) onefold_last = cudaError_t(e);
  return cudaError_t(e); }
// CUDA refuses a call unless this holds of its arguments.
#define ONEFOLD_NEEDS_(holds, error, why) \
  if (!(holds)) return onefold_did(onefold_host.refuse(error, why));
#define ONEFOLD_OUT_(p, name) ONEFOLD_NEEDS_(p, 1, name " with a null pointer for its result")
static struct { dim3 grid, block; size_t shared; cudaStream_t stream; } onefold_call;
extern "C" {
// What host code names when clang compiles it for the device, and does not emit it.
void __assertfail(const char*, const char*, unsigned, const char*, size_t);
int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0) {
  onefold_call = {g, b, s, t}; return 0; }
cudaError_t __cudaPopCallConfiguration(dim3* g, dim3* b, size_t* s, void* t) {
  *g = onefold_call.grid, *b = onefold_call.block, *s = onefold_call.shared;
  *(cudaStream_t*)t = onefold_call.stream; return cudaSuccess; }
cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t t) {
  unsigned shape[] = {g.x, g.y, g.z, b.x, b.y, b.z};
  return onefold_did(onefold_host.launch(onefold_name(f), shape, a, s, 0, t)); }
cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a, size_t s = 0,
                                        cudaStream_t t = 0) {
  unsigned shape[] = {g.x, g.y, g.z, b.x, b.y, b.z};
  return onefold_did(onefold_host.launch(onefold_name(f), shape, a, s, 1, t)); }
void __wrap_exit(int status) { onefold_host.leave(status); }
// Memory that is closed to main() is closed to the system, too: main() itself copies it.
long __real_write(int, const void*, size_t); long __real_read(int, void*, size_t);
size_t __real_fwrite(const void*, size_t, size_t, FILE*);
size_t __real_fread(void*, size_t, size_t, FILE*);
static void onefold_touch(volatile char* to, const volatile char* from, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = from[i]; }
static bool onefold_watches(const void* p) {
  return onefold_host.watches && onefold_host.watches(p); }
long __wrap_write(int f, const void* p, size_t n) {
  if (!onefold_watches(p)) return __real_write(f, p, n);
  std::vector<char> copy(n); onefold_touch(copy.data(), (const char*)p, n);
  return __real_write(f, copy.data(), n); }
size_t __wrap_fwrite(const void* p, size_t size, size_t n, FILE* f) {
  if (!onefold_watches(p)) return __real_fwrite(p, size, n, f);
  std::vector<char> copy(size * n); onefold_touch(copy.data(), (const char*)p, size * n);
  return __real_fwrite(copy.data(), size, n, f); }
long __wrap_read(int f, void* p, size_t n) {
  if (!onefold_watches(p)) return __real_read(f, p, n);
  std::vector<char> copy(n); const long got = __real_read(f, copy.data(), n);
  if (got > 0) onefold_touch((char*)p, copy.data(), got);
  return got; }
size_t __wrap_fread(void* p, size_t size, size_t n, FILE* f) {
  if (!onefold_watches(p)) return __real_fread(p, size, n, f);
  std::vector<char> copy(size * n); const size_t got = __real_fread(copy.data(), size, n, f);
  onefold_touch((char*)p, copy.data(), got * size);
  return got; }
}
template <class F> cudaError_t cudaLaunchKernel(F* f, dim3 g, dim3 b, void** a, size_t s = 0,
    cudaStream_t t = 0) { return cudaLaunchKernel((const void*)f, g, b, a, s, t); }
template <class F> cudaError_t cudaLaunchCooperativeKernel(F* f, dim3 g, dim3 b, void** a,
    size_t s = 0, cudaStream_t t = 0) {
  return cudaLaunchCooperativeKernel((const void*)f, g, b, a, s, t); }
template <class T> cudaError_t cudaMalloc(T** p, size_t n) {
  ONEFOLD_OUT_(p, "cudaMalloc")
  *p = (T*)onefold_host.allocate(n); return onefold_did(*p ? 0 : 2); }
template <class T> cudaError_t cudaMallocManaged(T** p, size_t n, unsigned flags = 1) {
  ONEFOLD_OUT_(p, "cudaMallocManaged")
  ONEFOLD_NEEDS_(n != 0, 1, "cudaMallocManaged of 0 bytes")
  ONEFOLD_NEEDS_(flags == 1 || flags == 2, 1, "cudaMallocManaged with unknown flags")
  *p = (T*)onefold_host.managed(n); return onefold_did(*p ? 0 : 2); }
template <class T> cudaError_t cudaMallocHost(T** p, size_t n) {
  ONEFOLD_OUT_(p, "cudaMallocHost")
  *p = (T*)onefold_host.pinned(n); return onefold_did(*p ? 0 : 2); }
template <class T> cudaError_t cudaMallocHost(T** p, size_t n, unsigned) {
  return cudaMallocHost(p, n); }
template <class T> cudaError_t cudaHostAlloc(T** p, size_t n, unsigned flags) {
  ONEFOLD_NEEDS_(flags < 8, 1, "cudaHostAlloc with unknown flags")
  const cudaError_t e = cudaMallocHost(p, n);
  return e || !(flags & cudaHostAllocMapped) ? e : onefold_did(onefold_host.share((void*)*p, n)); }
template <class T> cudaError_t cudaHostGetDevicePointer(T** d, void* h, unsigned) {
  *d = (T*)h; return cudaSuccess; }
static inline cudaError_t cudaFree(void* p) { return onefold_did(onefold_host.release(p)); }
enum { onefold_next_call, onefold_stream, onefold_event, onefold_record, onefold_wait_for,
       onefold_destroy_stream, onefold_destroy_event, onefold_elapsed, onefold_known };
enum { onefold_all, onefold_one_stream, onefold_one_event };
static inline cudaError_t onefold_check(cudaStream_t s, const char* call) {
  return onefold_did((int)(size_t)onefold_host.stream(onefold_known, s, (void*)call)); }
static inline cudaError_t cudaFreeAsync(void* p, cudaStream_t s) {
  const cudaError_t e = onefold_check(s, "cudaFreeAsync"); return e ? e : cudaFree(p); }
template <class T> cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t s) {
  const cudaError_t e = onefold_check(s, "cudaMallocAsync"); return e ? e : cudaMalloc(p, n); }
static inline cudaError_t cudaFreeHost(void* p) {
  return onefold_did(onefold_host.release_pinned(p)); }
static inline cudaError_t cudaHostRegister(void* p, size_t n, unsigned flags) {
  ONEFOLD_NEEDS_(p && n != 0, 1, "cudaHostRegister of a null pointer or 0 bytes")
  ONEFOLD_NEEDS_(flags < 16, 1, "cudaHostRegister with unknown flags")
  return onefold_did(onefold_host.share(p, n)); }
static inline void onefold_next(cudaStream_t s) { onefold_host.stream(onefold_next_call, s, 0); }
static inline cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind k) {
  return onefold_did(onefold_host.copy(to, from, n, k)); }
#define ONEFOLD_PITCH_(holds, name) \
  ONEFOLD_NEEDS_(holds, 12, name ", whose pitch is below its width, both in bytes")
// Rows of `n` bytes, which begin `pt` and `pf` bytes apart.
static inline cudaError_t cudaMemcpy2D(void* to, size_t pt, const void* from, size_t pf, size_t n,
                                       size_t rows, cudaMemcpyKind k) {
  ONEFOLD_PITCH_(n <= pt && n <= pf, "cudaMemcpy2D")
  for (size_t r = 0; r < rows; ++r) {
    if (const int e = onefold_host.copy((char*)to + r * pt, (const char*)from + r * pf, n, k))
      return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemcpy2DAsync(void* to, size_t pt, const void* from, size_t pf,
    size_t n, size_t rows, cudaMemcpyKind k, cudaStream_t s = 0) {
  ONEFOLD_PITCH_(n <= pt && n <= pf, "cudaMemcpy2DAsync")
  for (size_t r = 0; r < rows; ++r) {
    onefold_next(s);
    if (const int e = onefold_host.copy((char*)to + r * pt, (const char*)from + r * pf, n, k))
      return onefold_did(e); }
  return cudaSuccess; }
template <class T> cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t n, size_t rows) {
  ONEFOLD_OUT_(p && pitch, "cudaMallocPitch")
  *pitch = (n + 511) / 512 * 512; return cudaMalloc(p, *pitch * rows); }
static inline cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent e) {
  p->xsize = e.width, p->ysize = e.height;
  return cudaMallocPitch(&p->ptr, &p->pitch, e.width, e.height * e.depth); }
static inline cudaError_t cudaMemset2D(void* to, size_t pitch, int v, size_t n, size_t rows) {
  ONEFOLD_PITCH_(n <= pitch, "cudaMemset2D")
  for (size_t r = 0; r < rows; ++r) {
    if (const int e = onefold_host.fill((char*)to + r * pitch, v, n)) return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int v, size_t n, size_t rows,
                                            cudaStream_t s = 0) {
  ONEFOLD_PITCH_(n <= pitch, "cudaMemset2DAsync")
  for (size_t r = 0; r < rows; ++r) {
    onefold_next(s);
    if (const int e = onefold_host.fill((char*)to + r * pitch, v, n)) return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind k,
                                          cudaStream_t s = 0) {
  onefold_next(s); return cudaMemcpy(to, from, n, k); }
static inline cudaError_t cudaMemset(void* to, int v, size_t n) {
  return onefold_did(onefold_host.fill(to, v, n)); }
static inline cudaError_t cudaMemsetAsync(void* to, int v, size_t n, cudaStream_t s = 0) {
  onefold_next(s); return cudaMemset(to, v, n); }
template <class T> cudaError_t onefold_on_device(const T& s, size_t at, void* other, size_t n,
                                                 bool in) {
  char* p = nullptr;
  if (const int e = onefold_host.symbol(onefold_name((void*)&s), at, &p, n, 2))
    return onefold_did(e);
  return cudaMemcpy(in ? p : other, in ? other : p, n, cudaMemcpyDeviceToDevice); }
template <class T> cudaError_t cudaMemcpyToSymbol(const T& s, const void* from, size_t n,
    size_t at = 0, cudaMemcpyKind k = cudaMemcpyHostToDevice) {
  ONEFOLD_NEEDS_(k != cudaMemcpyDeviceToHost && k != cudaMemcpyHostToHost, 21,
                 "cudaMemcpyToSymbol whose kind says that its destination is host memory")
  if (k == cudaMemcpyDeviceToDevice) return onefold_on_device(s, at, (void*)from, n, true);
  return onefold_did(onefold_host.symbol(onefold_name((void*)&s), at, (void*)from, n, 1)); }
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T& s, const void* from, size_t n,
    size_t at, cudaMemcpyKind k, cudaStream_t t = 0) {
  onefold_next(t); return cudaMemcpyToSymbol(s, from, n, at, k); }
template <class T> cudaError_t cudaMemcpyFromSymbol(void* to, const T& s, size_t n,
    size_t at = 0, cudaMemcpyKind k = cudaMemcpyDeviceToHost) {
  ONEFOLD_NEEDS_(k != cudaMemcpyHostToDevice && k != cudaMemcpyHostToHost, 21,
                 "cudaMemcpyFromSymbol whose kind says that its source is host memory")
  if (k == cudaMemcpyDeviceToDevice) return onefold_on_device(s, at, to, n, false);
  return onefold_did(onefold_host.symbol(onefold_name((void*)&s), at, to, n, 0)); }
template <class T> cudaError_t cudaGetSymbolAddress(void** to, const T& s) {
  ONEFOLD_OUT_(to, "cudaGetSymbolAddress")
  return onefold_did(onefold_host.symbol(onefold_name((void*)&s), 0, to, 0, 2)); }
template <class T> cudaError_t cudaGetSymbolSize(size_t* to, const T& s) {
  ONEFOLD_OUT_(to, "cudaGetSymbolSize")
  return onefold_did(onefold_host.symbol(onefold_name((void*)&s), 0, to, 0, 3)); }
static inline cudaError_t cudaGetLastError() {
  onefold_host.asked();
  cudaError_t e = onefold_last; onefold_last = cudaSuccess; return e; }
static inline cudaError_t cudaPeekAtLastError() { onefold_host.asked(); return onefold_last; }
#define ONEFOLD_NAME_(name, number, text) case number: return "cuda" #name;
#define ONEFOLD_TEXT_(name, number, text) case number: return text;
static inline const char* cudaGetErrorName(cudaError_t e) {
  switch (int(e)) { ONEFOLD_ERRORS_(ONEFOLD_NAME_) } return "unrecognized error code"; }
static inline const char* cudaGetErrorString(cudaError_t e) {
  switch (int(e)) { ONEFOLD_ERRORS_(ONEFOLD_TEXT_) } return "unrecognized error code"; }
#define ONEFOLD_OK_(...) { __VA_ARGS__; return cudaSuccess; }
static inline cudaError_t onefold_wait(int awaited, void* handle = nullptr) {
  return onefold_did(onefold_host.wait(awaited, handle)); }
static inline cudaError_t cudaDeviceSynchronize() { return onefold_wait(onefold_all); }
#define cudaThreadSynchronize cudaDeviceSynchronize
static inline cudaError_t cudaDeviceReset() ONEFOLD_OK_(onefold_host.reset())
#define ONEFOLD_DEVICE_(d, name) \
  ONEFOLD_NEEDS_(d == 0, 101, name " of a device other than 0, the only simulated one")
static inline cudaError_t cudaSetDevice(int d) {
  ONEFOLD_DEVICE_(d, "cudaSetDevice") return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int* d) {
  ONEFOLD_OUT_(d, "cudaGetDevice") *d = 0; return cudaSuccess; }
static inline cudaError_t cudaGetDeviceCount(int* n) {
  ONEFOLD_OUT_(n, "cudaGetDeviceCount") *n = 1; return cudaSuccess; }
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int d) {
  ONEFOLD_OUT_(p, "cudaGetDeviceProperties")
  ONEFOLD_DEVICE_(d, "cudaGetDeviceProperties") *p = {}; return cudaSuccess; }
#define ONEFOLD_VALUE_(name, number, value) case number: *v = value; return cudaSuccess;
static inline cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int d) {
  ONEFOLD_OUT_(v, "cudaDeviceGetAttribute") ONEFOLD_DEVICE_(d, "cudaDeviceGetAttribute")
  switch (int(a)) { ONEFOLD_ATTRIBUTES_(ONEFOLD_VALUE_) } return onefold_did(1); }
template <class... A> cudaError_t cudaMemPrefetchAsync(const void*, size_t, A...) ONEFOLD_OK_()
template <class... A> cudaError_t cudaStreamAttachMemAsync(cudaStream_t, A...) ONEFOLD_OK_()
template <class... A> cudaError_t cudaMemAdvise(const void*, size_t, A...) ONEFOLD_OK_()
static inline cudaError_t cudaMemGetInfo(size_t* f, size_t* t) ONEFOLD_OK_(*f = *t = 1ul << 31)
static inline cudaError_t cudaChooseDevice(int* d, const cudaDeviceProp*) ONEFOLD_OK_(*d = 0)
static inline cudaError_t cudaDriverGetVersion(int* v) ONEFOLD_OK_(*v = CUDART_VERSION)
static inline cudaError_t cudaRuntimeGetVersion(int* v) ONEFOLD_OK_(*v = CUDART_VERSION)
static inline cudaError_t cudaDeviceCanAccessPeer(int* c, int, int) ONEFOLD_OK_(*c = 0)
static inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return onefold_did(101); }
static inline cudaError_t cudaDeviceDisablePeerAccess(int) { return onefold_did(101); }
static inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) ONEFOLD_OK_()
static inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) ONEFOLD_OK_()
static inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) ONEFOLD_OK_()
static inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* c)
  ONEFOLD_OK_(*c = cudaSharedMemBankSizeFourByte)
static inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* c)
  ONEFOLD_OK_(*c = cudaFuncCachePreferNone)
template <class F> cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) ONEFOLD_OK_()
static inline cudaError_t cudaHostUnregister(void* p) {
  return onefold_did(onefold_host.share(p, 0)); }
static inline cudaError_t cudaSetDeviceFlags(unsigned flags) {
  ONEFOLD_NEEDS_((flags & 7) < 5 && (flags & 7) != 3 && flags < 256, 1,
                 "cudaSetDeviceFlags with unknown flags")
  return cudaSuccess; }
static inline cudaError_t cudaProfilerStart() ONEFOLD_OK_()
static inline cudaError_t cudaProfilerStop() ONEFOLD_OK_()
template <class F> cudaError_t cudaFuncSetAttribute(F* f, int what, int value) {
  if (what == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    ONEFOLD_NEEDS_(value >= 0, 1, "cudaFuncSetAttribute with a negative number of bytes")
    return onefold_did(onefold_host.allow_shared(onefold_name((const void*)f), value)); }
  ONEFOLD_NEEDS_(what != cudaFuncAttributePreferredSharedMemoryCarveout ||
                     (value >= -1 && value <= 100), 1,
                 "cudaFuncSetAttribute whose share of shared memory is not -1 to 100 percent")
  return cudaSuccess; }
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, F* f) {
  ONEFOLD_OUT_(a, "cudaFuncGetAttributes")
  size_t is[6] = {};
  if (const int e = onefold_host.describe(onefold_name((const void*)f), is)) return onefold_did(e);
  *a = {is[0], is[1], is[2], int(is[3]), int(is[4]), 90, 90, 0, int(is[5]), -1};
  return cudaSuccess; }
// Registers and static shared memory are not counted.
static inline int onefold_active(int block, size_t shared) {
  if (block < 1 || block > 1024 || shared > 232448) return 0;
  const int blocks = std::min(32, 64 / ((block + 31) / 32));
  return shared == 0 ? blocks : std::min(blocks, int(233472 / (shared + 1024))); }
template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F,
    size_t shared = 0, int most = 0) {
  most = most > 0 && most < 1024 ? most : 1024, *grid = *block = 0;
  for (int to = (most + 31) / 32 * 32; to > 0; to -= 32) {
    const int size = std::min(most, to), blocks = onefold_active(size, shared);
    if (blocks * size > *grid / 132 * *block) *block = size, *grid = 132 * blocks; }
  return cudaSuccess; }
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* n, F, int block,
    size_t shared = 0) {
  ONEFOLD_OUT_(n, "cudaOccupancyMaxActiveBlocksPerMultiprocessor")
  *n = onefold_active(block, shared); return cudaSuccess; }
// A call says where it stands. Its name alone, as a deleter, is still the function.
struct OnefoldCall {
  cudaError_t free(void* p) { return cudaFree(p); }
  cudaError_t copy(void* to, const void* from, size_t n, cudaMemcpyKind k) {
    return cudaMemcpy(to, from, n, k); }
  cudaError_t copy_2d(void* to, size_t pt, const void* from, size_t pf, size_t n, size_t rows,
                      cudaMemcpyKind k) { return cudaMemcpy2D(to, pt, from, pf, n, rows, k); }
  cudaError_t copy_async(void* to, const void* from, size_t n, cudaMemcpyKind k,
                         cudaStream_t s = 0) { return cudaMemcpyAsync(to, from, n, k, s); }
  cudaError_t fill(void* to, int v, size_t n) { return cudaMemset(to, v, n); }
  cudaError_t fill_async(void* to, int v, size_t n, cudaStream_t s = 0) {
    return cudaMemsetAsync(to, v, n, s); } };
static inline OnefoldCall onefold_at(const char* file, unsigned line) {
  onefold_host.at(file, line); return {}; }
#define cudaFree(...) onefold_at(__FILE__, __LINE__).free(__VA_ARGS__)
#define cudaMemcpy(...) onefold_at(__FILE__, __LINE__).copy(__VA_ARGS__)
#define cudaMemcpyAsync(...) onefold_at(__FILE__, __LINE__).copy_async(__VA_ARGS__)
#define cudaMemcpy2D(...) onefold_at(__FILE__, __LINE__).copy_2d(__VA_ARGS__)
#define cudaMemset(...) onefold_at(__FILE__, __LINE__).fill(__VA_ARGS__)
#define cudaMemsetAsync(...) onefold_at(__FILE__, __LINE__).fill_async(__VA_ARGS__)
)cuda";

}  // namespace onefold::lab::ptx
