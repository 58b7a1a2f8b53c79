// The headers of kernels for HIP: include this one in their place, compiled by clang with -x hip.
// Compiled for gfx90a (64 lanes) and gfx1030 (32); it has run on no device. docs/block.md.
//
// A warp is 32 lanes, the half of a wavefront of 64: half of one never waits for the other, since
// each shuffle and ballot below asks its own 32 lanes only.
#pragma once

#include <hip/hip_runtime.h>

#if !defined(__HIP__) || defined(__CUDACC__)
#error "onefold_hip.hpp is for clang with -x hip; nvcc takes onefold_block.cuh itself"
#endif

#define __CUDACC__ 1
#if defined(__HIP_DEVICE_COMPILE__)
#define __CUDA_ARCH__ 1
#endif
#define __shfl_sync(lanes, v, lane) __shfl(v, lane, 32)
#define __shfl_down_sync(lanes, v, d, width) __shfl_down(v, d, width)
#define __ballot_sync(lanes, v) (static_cast<unsigned>(__ballot(v) >> (__lane_id() & 32)) & (lanes))
#define __any_sync(lanes, v) (__ballot_sync(lanes, v) != 0)
#define __ldcs(p) (*(p))
#define __trap __builtin_trap
#define cudaSuccess hipSuccess
#define cudaMalloc hipMalloc
#define cudaFree (void)hipFree
#define cudaMemset (void)hipMemset
#define cudaMemcpy (void)hipMemcpy
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost

#include "onefold_block.cuh"
#include "onefold_shared_cells.cuh"

#undef __CUDACC__
#undef __CUDA_ARCH__
#undef __shfl_sync
#undef __shfl_down_sync
#undef __ballot_sync
#undef __any_sync
#undef __ldcs
#undef __trap
#undef cudaSuccess
#undef cudaMalloc
#undef cudaFree
#undef cudaMemset
#undef cudaMemcpy
#undef cudaMemcpyDeviceToHost
