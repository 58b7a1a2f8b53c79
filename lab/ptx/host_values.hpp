// The types, errors and constants of the CUDA runtime as a file's own main() sees them.
#pragma once

#include <string_view>

namespace onefold::lab::ptx {

// Errors and attributes have the numbers of CUDA.
constexpr std::string_view host_values = R"cuda(
#undef warpSize
#define ONEFOLD_ERRORS_(E) \
  E(Success, 0, "no error") E(ErrorInvalidValue, 1, "invalid argument") \
  E(ErrorMemoryAllocation, 2, "out of memory") \
  E(ErrorInitializationError, 3, "initialization error") \
  E(ErrorInvalidConfiguration, 9, "invalid configuration argument") \
  E(ErrorInvalidPitchValue, 12, "invalid pitch argument") \
  E(ErrorInvalidSymbol, 13, "invalid device symbol") \
  E(ErrorInvalidDevicePointer, 17, "invalid device pointer") \
  E(ErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
  E(ErrorInvalidDeviceFunction, 98, "invalid device function") \
  E(ErrorNoDevice, 100, "no CUDA-capable device is detected") \
  E(ErrorInvalidDevice, 101, "invalid device ordinal") \
  E(ErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  E(ErrorInvalidResourceHandle, 400, "invalid resource handle") \
  E(ErrorIllegalState, 401, "the operation cannot be performed in the present state") \
  E(ErrorNotReady, 600, "device not ready") \
  E(ErrorIllegalAddress, 700, "an illegal memory access was encountered") \
  E(ErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  E(ErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
  E(ErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
  E(ErrorAssert, 710, "device-side assert triggered") \
  E(ErrorHostMemoryAlreadyRegistered, 712, \
    "part or all of the requested memory range is already mapped") \
  E(ErrorHostMemoryNotRegistered, 713, \
    "pointer does not correspond to a registered memory region") \
  E(ErrorLaunchFailure, 719, "unspecified launch failure") \
  E(ErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  E(ErrorNotSupported, 801, "operation not supported") \
  E(ErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  E(ErrorStreamCaptureInvalidated, 901, \
    "operation failed due to a previous error during capture") \
  E(ErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
  E(ErrorStreamCaptureIsolation, 905, \
    "dependency created on uncaptured work in another stream") \
  E(ErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a " \
    "capturing blocking stream") \
  E(ErrorCapturedEvent, 907, \
    "operation not permitted on an event last recorded in a capturing stream") \
  E(ErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included " \
    "changes which violated constraints specific to instantiated graph update") \
  E(ErrorUnknown, 999, "unknown error")
#define ONEFOLD_ERROR_(name, number, text) cuda##name = number,
enum cudaError_t { ONEFOLD_ERRORS_(ONEFOLD_ERROR_) };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                      cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
typedef struct CUstream_st* cudaStream_t; typedef struct CUevent_st* cudaEvent_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
struct cudaDeviceProp { char name[256] = "simulated"; size_t totalGlobalMem = 1ul << 31;
  size_t sharedMemPerBlock = 49152; int regsPerBlock = 65536, warpSize = 32,
  maxThreadsPerBlock = 1024, maxThreadsDim[3] = {1024, 1024, 64}, maxGridSize[3] = {2147483647,
  65535, 65535}, clockRate = 1000000, major = 9, minor = 0, multiProcessorCount = 132,
  memoryClockRate = 1000000, memoryBusWidth = 512, maxThreadsPerMultiProcessor = 2048,
  concurrentKernels = 1, managedMemory = 1, cooperativeLaunch = 1, unifiedAddressing = 1,
  canMapHostMemory = 1, integrated = 0, l2CacheSize = 1 << 25, deviceOverlap = 1,
  asyncEngineCount = 2, computeMode = 0, kernelExecTimeoutEnabled = 0, ECCEnabled = 1,
  concurrentManagedAccess = 1, pageableMemoryAccess = 0, streamPrioritiesSupported = 1,
  hostNativeAtomicSupported = 0, isMultiGpuBoard = 0, tccDriver = 0, regsPerMultiprocessor = 65536,
  maxBlocksPerMultiProcessor = 32, pciBusID = 0, pciDeviceID = 0, pciDomainID = 0;
  size_t totalConstMem = 65536, memPitch = 2147483647, textureAlignment = 512,
  sharedMemPerMultiprocessor = 233472, sharedMemPerBlockOptin = 232448; };
#define ONEFOLD_ATTRIBUTES_(A) \
  A(MaxThreadsPerBlock, 1, 1024) A(MaxBlockDimX, 2, 1024) A(MaxBlockDimY, 3, 1024) \
  A(MaxBlockDimZ, 4, 64) A(MaxGridDimX, 5, 2147483647) A(MaxGridDimY, 6, 65535) \
  A(MaxGridDimZ, 7, 65535) A(MaxSharedMemoryPerBlock, 8, 49152) \
  A(TotalConstantMemory, 9, 65536) A(WarpSize, 10, 32) A(MaxPitch, 11, 2147483647) \
  A(MaxRegistersPerBlock, 12, 65536) A(ClockRate, 13, 1000000) A(TextureAlignment, 14, 512) \
  A(GpuOverlap, 15, 1) A(MultiProcessorCount, 16, 132) A(KernelExecTimeout, 17, 0) \
  A(Integrated, 18, 0) A(CanMapHostMemory, 19, 1) A(ComputeMode, 20, 0) \
  A(ConcurrentKernels, 31, 1) A(EccEnabled, 32, 1) A(MemoryClockRate, 36, 1000000) \
  A(GlobalMemoryBusWidth, 37, 512) A(L2CacheSize, 38, 33554432) \
  A(MaxThreadsPerMultiProcessor, 39, 2048) A(AsyncEngineCount, 40, 2) \
  A(UnifiedAddressing, 41, 1) A(ComputeCapabilityMajor, 75, 9) A(ComputeCapabilityMinor, 76, 0) \
  A(StreamPrioritiesSupported, 78, 1) A(MaxSharedMemoryPerMultiprocessor, 81, 233472) \
  A(MaxRegistersPerMultiprocessor, 82, 65536) A(ManagedMemory, 83, 1) \
  A(HostNativeAtomicSupported, 86, 0) A(PageableMemoryAccess, 88, 0) \
  A(ConcurrentManagedAccess, 89, 1) A(CooperativeLaunch, 95, 1) \
  A(MaxSharedMemoryPerBlockOptin, 97, 232448) A(MaxBlocksPerMultiprocessor, 106, 32) \
  A(MemoryPoolsSupported, 115, 0)
#define ONEFOLD_ATTRIBUTE_(name, number, value) cudaDevAttr##name = number,
enum cudaDeviceAttr { ONEFOLD_ATTRIBUTES_(ONEFOLD_ATTRIBUTE_) };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
                     cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte,
                           cudaSharedMemBankSizeEightByte };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
struct cudaExtent { size_t width, height, depth; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
#define CUDART_CB
typedef void (*cudaHostFn_t)(void*);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
                         cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA,
      maxDynamicSharedSizeBytes, preferredShmemCarveout; };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice,
                           cudaMemLocationTypeHost };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum { cudaCpuDeviceId = -1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4,
       cudaHostAllocPortable = 1, cudaHostAllocWriteCombined = 4 };
enum { cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaMemAttachGlobal = 1,
       cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
       cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
       cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaComputeModeDefault = 0,
       cudaComputeModeProhibited = 2,
       cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
       cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8 };
)cuda";

}  // namespace onefold::lab::ptx
