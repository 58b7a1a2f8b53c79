// The CUDA runtime as a file's own main() sees it: host functions that ask the simulated machine by
// the table `onefold_host`. Our header of device functions for clang follows between the two parts.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

// The host's headers come before the macros of CUDA, which use the same names.
constexpr std::string_view host_header_first = R"cuda(#pragma once
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
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
#include <sstream>
#include <string>
#include <vector>
#undef __host__
#undef __device__
#undef __forceinline__
)cuda";

// Errors have the numbers of CUDA. Streams run at once, events have no time.
constexpr std::string_view host_header_last = R"cuda(
#undef assert
#define assert(x) ((void)0)
#undef warpSize
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2,
                   cudaErrorInvalidConfiguration = 9, cudaErrorInvalidPitchValue = 12,
                   cudaErrorInvalidSymbol = 13, cudaErrorInvalidDeviceFunction = 98,
                   cudaErrorNoDevice = 100,
                   cudaErrorInvalidDevice = 101, cudaErrorNotReady = 600,
                   cudaErrorIllegalAddress = 700, cudaErrorAssert = 710,
                   cudaErrorLaunchFailure = 719, cudaErrorNotSupported = 801,
                   cudaErrorUnknown = 999 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                      cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
typedef struct CUstream_st* cudaStream_t; typedef struct CUevent_st* cudaEvent_t;
struct cudaDeviceProp { char name[256] = "simulated"; size_t totalGlobalMem = 1ul << 31;
  size_t sharedMemPerBlock = 49152; int regsPerBlock = 65536, warpSize = 32,
  maxThreadsPerBlock = 1024, maxThreadsDim[3] = {1024, 1024, 64}, maxGridSize[3] = {2147483647,
  65535, 65535}, clockRate = 1000000, major = 9, minor = 0, multiProcessorCount = 132,
  memoryClockRate = 1000000, memoryBusWidth = 512, maxThreadsPerMultiProcessor = 2048,
  concurrentKernels = 1, managedMemory = 1, cooperativeLaunch = 1, unifiedAddressing = 1,
  canMapHostMemory = 0, integrated = 0, l2CacheSize = 1 << 25; };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX,
  cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY,
  cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrClockRate, cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory, cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize,
  cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrManagedMemory, cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
                         cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice,
                           cudaMemLocationTypeHost };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum { cudaCpuDeviceId = -1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4,
       cudaHostAllocPortable = 1, cudaHostAllocWriteCombined = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaMemAttachGlobal = 1,
       cudaEventDefault = 0, cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1,
       cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
       cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8 };
struct OnefoldHost {
  void* (*allocate)(size_t bytes);
  void* (*managed)(size_t bytes);
  int (*release)(void* device);
  int (*copy)(void* to, const void* from, size_t bytes, int kind);
  int (*fill)(void* to, int value, size_t bytes);
  int (*symbol)(const char* name, size_t offset, void* host, size_t bytes, int to_device);
  int (*launch)(const char* name, const unsigned* shape, void** arguments, size_t shared,
                int cooperative);
  int (*allow_shared)(const char* name, size_t bytes);
  void (*leave)(int status);
  void (*at)(const char* file, unsigned line);  // of the next call
  void (*asked)();                              // for the last error
};
struct OnefoldName { const void* host; const char* name; };
extern "C" {
extern void* __dso_handle __attribute__((__visibility__("hidden")));
void __cxa_finalize(void*);
void onefold_finish() { __cxa_finalize(&__dso_handle); }
OnefoldHost onefold_host; OnefoldName onefold_names[4096];
int onefold_name_count; int onefold_kernels;
void onefold_note(const void* host, const char* name) {
  if (onefold_name_count < 4095) onefold_names[onefold_name_count++] = {host, name}; }
const char* onefold_name(const void* host) {
  for (int k = 0; k < onefold_name_count; ++k) {
    if (onefold_names[k].host == host) return onefold_names[k].name; }
  return ""; }
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
static struct { dim3 grid, block; size_t shared; cudaStream_t stream; } onefold_call;
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t s = 0, cudaStream_t t = 0) {
  onefold_call = {g, b, s, t}; return 0; }
cudaError_t __cudaPopCallConfiguration(dim3* g, dim3* b, size_t* s, void* t) {
  *g = onefold_call.grid, *b = onefold_call.block, *s = onefold_call.shared;
  *(cudaStream_t*)t = onefold_call.stream; return cudaSuccess; }
cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t s, cudaStream_t) {
  unsigned shape[] = {g.x, g.y, g.z, b.x, b.y, b.z};
  return onefold_did(onefold_host.launch(onefold_name(f), shape, a, s, 0)); }
cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 g, dim3 b, void** a, size_t s = 0,
                                        cudaStream_t = 0) {
  unsigned shape[] = {g.x, g.y, g.z, b.x, b.y, b.z};
  return onefold_did(onefold_host.launch(onefold_name(f), shape, a, s, 1)); }
void __wrap_exit(int status) { onefold_host.leave(status); }
}
template <class T> cudaError_t cudaMalloc(T** p, size_t n) {
  *p = (T*)onefold_host.allocate(n); return onefold_did(*p ? 0 : 2); }
template <class T> cudaError_t cudaMallocManaged(T** p, size_t n, unsigned = 1) {
  *p = (T*)onefold_host.managed(n); return onefold_did(*p ? 0 : 2); }
template <class T> cudaError_t cudaMallocHost(T** p, size_t n) {
  *p = (T*)malloc(n); return cudaSuccess; }
template <class T> cudaError_t cudaHostAlloc(T** p, size_t n, unsigned) {
  return cudaMallocHost(p, n); }
static inline cudaError_t cudaFree(void* p) { return onefold_did(onefold_host.release(p)); }
static inline cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return cudaFree(p); }
template <class T> cudaError_t cudaMallocAsync(T** p, size_t n, cudaStream_t) {
  return cudaMalloc(p, n); }
static inline cudaError_t cudaFreeHost(void* p) { free(p); return cudaSuccess; }
static inline cudaError_t cudaMemcpy(void* to, const void* from, size_t n, cudaMemcpyKind k) {
  return onefold_did(onefold_host.copy(to, from, n, k)); }
// Rows of `n` bytes, which begin `pt` and `pf` bytes apart.
static inline cudaError_t cudaMemcpy2D(void* to, size_t pt, const void* from, size_t pf, size_t n,
                                       size_t rows, cudaMemcpyKind k) {
  for (size_t r = 0; r < rows; ++r) {
    const int e = n > pt || n > pf ? 12 :
        onefold_host.copy((char*)to + r * pt, (const char*)from + r * pf, n, k);
    if (e) return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemcpy2DAsync(void* to, size_t pt, const void* from, size_t pf,
    size_t n, size_t rows, cudaMemcpyKind k, cudaStream_t = 0) {
  return cudaMemcpy2D(to, pt, from, pf, n, rows, k); }
template <class T> cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t n, size_t rows) {
  *pitch = (n + 511) / 512 * 512; return cudaMalloc(p, *pitch * rows); }
static inline cudaError_t cudaMemset2D(void* to, size_t pitch, int v, size_t n, size_t rows) {
  for (size_t r = 0; r < rows; ++r) {
    if (const int e = onefold_host.fill((char*)to + r * pitch, v, n)) return onefold_did(e); }
  return cudaSuccess; }
static inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind k,
                                          cudaStream_t = 0) {
  return onefold_did(onefold_host.copy(to, from, n, k)); }
static inline cudaError_t cudaMemset(void* to, int v, size_t n) {
  return onefold_did(onefold_host.fill(to, v, n)); }
static inline cudaError_t cudaMemsetAsync(void* to, int v, size_t n, cudaStream_t = 0) {
  return cudaMemset(to, v, n); }
template <class T> cudaError_t cudaMemcpyToSymbol(const T& s, const void* from, size_t n,
    size_t at = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return onefold_did(onefold_host.symbol(onefold_name(&s), at, (void*)from, n, 1)); }
template <class T> cudaError_t cudaMemcpyFromSymbol(void* to, const T& s, size_t n,
    size_t at = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return onefold_did(onefold_host.symbol(onefold_name(&s), at, to, n, 0)); }
static inline cudaError_t cudaGetLastError() {
  onefold_host.asked();
  cudaError_t e = onefold_last; onefold_last = cudaSuccess; return e; }
static inline cudaError_t cudaPeekAtLastError() { onefold_host.asked(); return onefold_last; }
static inline const char* cudaGetErrorName(cudaError_t e) {
  return e == 0 ? "cudaSuccess" : e == 1 ? "cudaErrorInvalidValue" : e == 2 ?
      "cudaErrorMemoryAllocation" : e == 9 ? "cudaErrorInvalidConfiguration" : e == 13 ?
      "cudaErrorInvalidSymbol" : e == 98 ? "cudaErrorInvalidDeviceFunction" : "cudaError"; }
static inline const char* cudaGetErrorString(cudaError_t e) {
  return e == 0 ? "no error" : e == 1 ? "invalid argument" : e == 2 ? "out of memory" : e == 9 ?
      "invalid configuration argument" : e == 13 ? "invalid device symbol" : e == 98 ?
      "invalid device function" : "error"; }
#define ONEFOLD_OK_(...) { __VA_ARGS__; return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() ONEFOLD_OK_()
static inline cudaError_t cudaThreadSynchronize() ONEFOLD_OK_()
static inline cudaError_t cudaDeviceReset() ONEFOLD_OK_()
static inline cudaError_t cudaSetDevice(int) ONEFOLD_OK_()
static inline cudaError_t cudaGetDevice(int* d) ONEFOLD_OK_(*d = 0)
static inline cudaError_t cudaGetDeviceCount(int* n) ONEFOLD_OK_(*n = 1)
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int) ONEFOLD_OK_(*p = {})
static inline cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int) {
  const cudaDeviceProp p;
  switch (a) {
    case cudaDevAttrMaxThreadsPerBlock: *v = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *v = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *v = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *v = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *v = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *v = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *v = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *v = int(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *v = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: *v = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *v = p.clockRate; break;
    case cudaDevAttrMultiProcessorCount: *v = p.multiProcessorCount; break;
    case cudaDevAttrIntegrated: *v = p.integrated; break;
    case cudaDevAttrCanMapHostMemory: *v = p.canMapHostMemory; break;
    case cudaDevAttrConcurrentKernels: *v = p.concurrentKernels; break;
    case cudaDevAttrMemoryClockRate: *v = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *v = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *v = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *v = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrUnifiedAddressing: *v = p.unifiedAddressing; break;
    case cudaDevAttrComputeCapabilityMajor: *v = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *v = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = 228 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = 227 << 10; break;
    case cudaDevAttrManagedMemory: *v = p.managedMemory; break;
    case cudaDevAttrConcurrentManagedAccess: *v = 0; break;
    case cudaDevAttrCooperativeLaunch: *v = p.cooperativeLaunch; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *v = 32; break;
    default: return onefold_did(1); }
  return cudaSuccess; }
template <class... A> cudaError_t cudaMemPrefetchAsync(const void*, size_t, A...) ONEFOLD_OK_()
template <class... A> cudaError_t cudaMemAdvise(const void*, size_t, A...) ONEFOLD_OK_()
static inline cudaError_t cudaMemGetInfo(size_t* f, size_t* t) ONEFOLD_OK_(*f = *t = 1ul << 31)
static inline cudaError_t cudaEventCreate(cudaEvent_t* e) ONEFOLD_OK_(*e = 0)
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) ONEFOLD_OK_(*e = 0)
static inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) ONEFOLD_OK_()
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) ONEFOLD_OK_()
static inline cudaError_t cudaEventDestroy(cudaEvent_t) ONEFOLD_OK_()
static inline cudaError_t cudaEventQuery(cudaEvent_t) ONEFOLD_OK_()
static inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t)
  ONEFOLD_OK_(*ms = 1)
static inline cudaError_t cudaStreamCreate(cudaStream_t* s) ONEFOLD_OK_(*s = 0)
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) ONEFOLD_OK_(*s = 0)
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) ONEFOLD_OK_()
static inline cudaError_t cudaStreamDestroy(cudaStream_t) ONEFOLD_OK_()
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) ONEFOLD_OK_()
static inline cudaError_t cudaSetDeviceFlags(unsigned) ONEFOLD_OK_()
static inline cudaError_t cudaProfilerStart() ONEFOLD_OK_()
static inline cudaError_t cudaProfilerStop() ONEFOLD_OK_()
template <class F> cudaError_t cudaFuncSetAttribute(F* f, int what, int value) {
  if (what == cudaFuncAttributeMaxDynamicSharedMemorySize && value >= 0) {
    return onefold_did(onefold_host.allow_shared(onefold_name((const void*)f), value)); }
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
    size_t shared = 0) ONEFOLD_OK_(*n = onefold_active(block, shared))
// A call says where it stands. Its name alone, as a deleter, is still the function.
struct OnefoldCall {
  template <class... A> cudaError_t free(A... a) { return cudaFree(a...); }
  template <class... A> cudaError_t copy(A... a) { return cudaMemcpy(a...); }
  template <class... A> cudaError_t copy_2d(A... a) { return cudaMemcpy2D(a...); }
  template <class... A> cudaError_t copy_async(A... a) { return cudaMemcpyAsync(a...); }
  template <class... A> cudaError_t fill(A... a) { return cudaMemset(a...); } };
static inline OnefoldCall onefold_at(const char* file, unsigned line) {
  onefold_host.at(file, line); return {}; }
#define cudaFree(...) onefold_at(__FILE__, __LINE__).free(__VA_ARGS__)
#define cudaMemcpy(...) onefold_at(__FILE__, __LINE__).copy(__VA_ARGS__)
#define cudaMemcpyAsync(...) onefold_at(__FILE__, __LINE__).copy_async(__VA_ARGS__)
#define cudaMemcpy2D(...) onefold_at(__FILE__, __LINE__).copy_2d(__VA_ARGS__)
#define cudaMemset(...) onefold_at(__FILE__, __LINE__).fill(__VA_ARGS__)
)cuda";

// helper_cuda.h and helper_functions.h of NVIDIA's samples: what most of them use.
constexpr std::string_view helper_header = R"cuda(#pragma once
#define EXIT_WAIVED 2
#define checkCudaErrors(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
  fprintf(stderr, "%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)
#define getLastCudaError(m) checkCudaErrors(cudaGetLastError())
static inline int findCudaDevice(int, const char**) { return 0; }
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline bool checkCudaCapabilities(int major, int) { return major <= 9; }
// A word "-wA=32" or "--wA=32": what stands after its name; null: it is not there.
static inline const char* onefold_flag(int n, const char** words, const char* name) {
  for (int k = 1; k < n; ++k) {
    const char* w = words[k] + strspn(words[k], "-");
    const size_t length = strlen(name);
    if (!strncmp(w, name, length) && (w[length] == 0 || w[length] == '=')) return w + length; }
  return nullptr; }
static inline bool checkCmdLineFlag(int n, const char** words, const char* name) {
  return onefold_flag(n, words, name) != nullptr; }
static inline int getCmdLineArgumentInt(int n, const char** words, const char* name) {
  const char* at = onefold_flag(n, words, name); return at && *at ? atoi(at + 1) : 0; }
static inline bool getCmdLineArgumentString(int n, const char** words, const char* name,
                                            char** to) {
  const char* at = onefold_flag(n, words, name); *to = at && *at ? (char*)at + 1 : nullptr;
  return *to != nullptr; }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
// Whether at most a share `most` of n elements differ by more than `epsilon`; 0: none may.
template <class T, class S>
bool compareData(const T* wanted, const T* found, unsigned n, S epsilon, float most) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    const float by = static_cast<float>(wanted[i]) - static_cast<float>(found[i]);
    wrong += !(by <= epsilon && by >= -epsilon); }
  return most == 0 ? wrong == 0 : n * most > wrong; }
struct StopWatchInterface {};
static inline bool sdkCreateTimer(StopWatchInterface** t) { *t = nullptr; return true; }
static inline bool sdkStartTimer(StopWatchInterface**) { return true; }
static inline bool sdkStopTimer(StopWatchInterface**) { return true; }
static inline bool sdkResetTimer(StopWatchInterface**) { return true; }
static inline bool sdkDeleteTimer(StopWatchInterface**) { return true; }
static inline float sdkGetTimerValue(StopWatchInterface**) { return 1; }
static inline float sdkGetAverageTimerValue(StopWatchInterface**) { return 1; }
)cuda";

}  // namespace onefold::lab::ptx
