// Correctly rounded sums for CUB's device-wide reductions: what patch.py puts into cub/detail.
//
//   reduce            DeviceReduce: blocks add to one cell, the last block rounds
//   segmented_reduce  DeviceSegmentedReduce: a thread, a block or several blocks for each segment
//   types             float and double accumulators, cuda::std::plus; any iterators and transform
//   init              is one more element of each sum
#pragma once

#include <thrust/type_traits/unwrap_contiguous_iterator.h>
#include <cub/config.cuh>
#include <cub/detail/deferred_parameter.cuh>
#include <cub/detail/onefold/onefold_block.cuh>
#include <cub/detail/type_traits.cuh>
#include <cub/device/dispatch/dispatch_reduce.cuh>
#include <cub/device/dispatch/kernels/kernel_reduce_deterministic.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#include <cuda/std/__functional/identity.h>
#include <cuda/std/cstdint>

CUB_NAMESPACE_BEGIN

namespace detail::exact {

using ::cuda::std::int64_t;

// Whether DeviceSegmentedReduce can keep a promise: what is exact anyway takes the usual way.
template <class AccumT, class OpT>
inline constexpr bool sums = is_one_of_v<AccumT, float, double>&& is_cuda_std_plus_v<OpT, AccumT>;
template <class AccumT, class OpT>
inline constexpr bool associative = (::cuda::std::is_integral_v<AccumT> &&
                                     is_cuda_binary_operator<OpT, AccumT>) ||
                                    (is_one_of_v<AccumT, float, double> &&
                                     is_cuda_minimum_maximum_v<OpT, AccumT>);
template <class DeterminismT>
inline constexpr bool everywhere =
    ::cuda::std::is_same_v<DeterminismT, ::cuda::execution::determinism::gpu_to_gpu_t>;

// Adds in[i] for i = first, first + step, .. below end. -0 changes no sum.
template <class AccumT, class InT, class TransformT>
__device__ __forceinline__ void add_range(onefold::ThreadSum<AccumT>& sum, InT in,
                                          TransformT transform, int64_t first, int64_t step,
                                          int64_t end) {
  constexpr int N = sizeof(AccumT) == 8 ? 4 : 16;
#pragma unroll 1
  for (int64_t i = first; i < end; i += N * step) {
    AccumT e[N];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      e[k] = i + k * step < end ? static_cast<AccumT>(transform(in[i + k * step])) : -AccumT{};
    }
    sum.add(e);
  }
}

template <class AccumT, class InT, class OutT, class SizeT, class TransformT, class InitT>
_CCCL_KERNEL_ATTRIBUTES __launch_bounds__(256,
                                          4) void reduce_kernel(InT in, OutT out, const SizeT size,
                                                                TransformT transform, InitT init,
                                                                onefold::Cell<AccumT>* cell) {
  const auto n =
      static_cast<int64_t>(parameter_from_device<reduce::deterministic_num_items_t<SizeT>>(size));
  using Block = onefold::BlockSum<AccumT, 256>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<AccumT>::Limbs limbs;
  onefold::ThreadSum<AccumT> sum(limbs);
  const int64_t me = blockIdx.x * int64_t{256} + threadIdx.x;
  if (me == 0) sum.add(static_cast<AccumT>(init));
  constexpr bool plain = is_one_of_v<InT, AccumT*, const AccumT*> &&
                         ::cuda::std::is_same_v<TransformT, ::cuda::std::identity>;
  if constexpr (plain) {
    onefold::add_array(sum, static_cast<const AccumT*>(in), static_cast<onefold::Size>(n));
  } else {
    add_range(sum, in, transform, me, gridDim.x * int64_t{256}, n);
  }
  Block block(temp);
  block.add_to(cell, sum);
  if (block.is_last_block(cell) && threadIdx.x == 0) *out = cell->value();
}

// A block takes `some` segments at once, at most one a thread: a thread each short one, then the
// whole block each of the others.
template <class AccumT, class InT, class OutT, class SegmentsT, class InitT>
_CCCL_KERNEL_ATTRIBUTES __launch_bounds__(128, 8) void segmented_kernel(InT in, OutT out,
                                                                        int64_t count, int some,
                                                                        SegmentsT segments,
                                                                        InitT init) {
  constexpr int64_t most_of_thread = 256;
  using Block = onefold::BlockSum<AccumT, 128>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<AccumT>::Limbs limbs;
  const auto is_long = [&](int64_t s) {
    return segments.end(s) - segments.begin(s) > most_of_thread;
  };
#pragma unroll 1
  for (int64_t s = int64_t{blockIdx.x} * some; s < count; s += int64_t{gridDim.x} * some) {
    const int64_t mine = s + threadIdx.x, end = s + some < count ? s + some : count;
    const bool others = mine < end && is_long(mine);
    if (mine < end && !others) {
      onefold::ThreadSum<AccumT> sum(limbs);
      sum.add(static_cast<AccumT>(init));
      add_range(sum, in, ::cuda::std::identity{}, segments.begin(mine), 1, segments.end(mine));
      out[mine] = onefold::WarpSum<AccumT, 1>().value(sum);
    }
    if (!__syncthreads_or(others)) continue;
#pragma unroll 1
    for (int64_t k = s; k < end; ++k) {
      if (!is_long(k)) continue;
      onefold::ThreadSum<AccumT> sum(limbs);
      if (threadIdx.x == 0) sum.add(static_cast<AccumT>(init));
      add_range(sum, in, ::cuda::std::identity{}, segments.begin(k) + threadIdx.x, 128,
                segments.end(k));
      const AccumT v = Block(temp).value(sum);
      if (threadIdx.x == 0) out[k] = v;
    }
  }
}

// Long segments of one size: `parts` blocks add to the cell of each. Cells are rounded by a thread
// each, at once: a block that rounds keeps all its threads waiting.
template <class AccumT, class InT, class InitT>
_CCCL_KERNEL_ATTRIBUTES __launch_bounds__(256, 4) void long_kernel(InT in, int64_t size, int parts,
                                                                   InitT init,
                                                                   onefold::Cell<AccumT>* cells) {
  using Block = onefold::BlockSum<AccumT, 256>;
  __shared__ typename Block::TempStorage temp;
  typename onefold::ThreadSum<AccumT>::Limbs limbs;
  onefold::ThreadSum<AccumT> sum(limbs);
  const int64_t s = blockIdx.x / parts, part = blockIdx.x % parts;
  if (part == 0 && threadIdx.x == 0) sum.add(static_cast<AccumT>(init));
  add_range(sum, in, ::cuda::std::identity{}, s * size + part * 256 + threadIdx.x,
            int64_t{256} * parts, (s + 1) * size);
  Block(temp).add_to(cells + s, sum);
}
template <class AccumT, class OutT>
_CCCL_KERNEL_ATTRIBUTES __launch_bounds__(128) void round_kernel(
    OutT out, int64_t count, const onefold::Cell<AccumT>* cells) {
  const int64_t s = blockIdx.x * int64_t{128} + threadIdx.x;
  if (s < count) out[s] = cells[s].value();
}

struct FixedSegments {
  int64_t size;
  __device__ int64_t begin(int64_t s) const { return s * size; }
  __device__ int64_t end(int64_t s) const { return (s + 1) * size; }
};
template <class BeginT, class EndT>
struct VariableSegments {
  BeginT begins;
  EndT ends;
  __device__ int64_t begin(int64_t s) const { return static_cast<int64_t>(begins[s]); }
  __device__ int64_t end(int64_t s) const { return static_cast<int64_t>(ends[s]); }
};

using Launcher = CUB_DETAIL_DEFAULT_KERNEL_LAUNCHER_FACTORY;

// Says how many bytes n cells need, or zeroes them.
template <class Cell>
CUB_RUNTIME_FUNCTION cudaError_t make_cells(void* storage, size_t& bytes, int64_t n,
                                            cudaStream_t stream, Cell** cells) {
  if (storage == nullptr) {
    bytes = n * sizeof(Cell) + alignof(Cell) - 1;
    return cudaSuccess;
  }
  const auto address = reinterpret_cast<::cuda::std::uintptr_t>(storage);
  *cells = reinterpret_cast<Cell*>((address + alignof(Cell) - 1) / alignof(Cell) * alignof(Cell));
  return CubDebug(cudaMemsetAsync(*cells, 0, n * sizeof(Cell), stream));
}

template <class AccumT, class InT, class OutT, class SizeT, class TransformT, class InitT>
CUB_RUNTIME_FUNCTION cudaError_t reduce(void* storage, size_t& bytes, InT in, OutT out, SizeT size,
                                        TransformT transform, InitT init, cudaStream_t stream) {
  onefold::Cell<AccumT>* cell = nullptr;
  if (const auto e = make_cells(storage, bytes, 1, stream, &cell)) return e;
  if (storage == nullptr) return cudaSuccess;
  Launcher launcher{};
  int processors = 0;
  if (const auto e = CubDebug(launcher.MultiProcessorCount(processors))) return e;
  int64_t blocks = 3 * processors;
  if constexpr (!::cuda::args::__traits<SizeT>::is_deferred) {
    const int64_t useful = (static_cast<int64_t>(size) + 4095) / 4096;  // 16 elements a thread
    blocks = useful < 1 ? 1 : useful < blocks ? useful : blocks;
  }
  const auto from = THRUST_NS_QUALIFIER::try_unwrap_contiguous_iterator(in);
  const auto n = reduce::make_num_items_kernel_arg(size);
  return CubDebug(launcher(static_cast<int>(blocks), 256, 0, stream)
                      .doit(reduce_kernel<AccumT, ::cuda::std::decay_t<decltype(from)>, OutT,
                                          ::cuda::std::decay_t<decltype(n)>, TransformT, InitT>,
                            from, out, n, transform, init, cell));
}

template <class AccumT, class InT, class OutT, class SegmentsT, class InitT>
CUB_RUNTIME_FUNCTION cudaError_t segmented_reduce(void* storage, size_t& bytes, InT in, OutT out,
                                                  int64_t count, SegmentsT segments, InitT init,
                                                  cudaStream_t stream) {
  Launcher launcher{};
  int processors = 0;
  if (const auto e = CubDebug(launcher.MultiProcessorCount(processors))) return e;
  const auto from = THRUST_NS_QUALIFIER::try_unwrap_contiguous_iterator(in);
  using FromT = ::cuda::std::decay_t<decltype(from)>;
  if constexpr (::cuda::std::is_same_v<SegmentsT, FixedSegments>) {
    if (count > 0 && count < 1 << 28 && segments.size > 1024) {
      onefold::Cell<AccumT>* cells = nullptr;
      if (const auto e = make_cells(storage, bytes, count, stream, &cells)) return e;
      if (storage == nullptr) return cudaSuccess;
      const auto parts = static_cast<int>((3 * processors + count - 1) / count);  // at least 1
      if (const auto e = CubDebug(launcher(static_cast<int>(count) * parts, 256, 0, stream)
                                      .doit(long_kernel<AccumT, FromT, InitT>, from, segments.size,
                                            parts, init, cells))) {
        return e;
      }
      return CubDebug(launcher(static_cast<int>(count + 127) / 128, 128, 0, stream)
                          .doit(round_kernel<AccumT, OutT>, out, count, cells));
    }
  }
  if (storage == nullptr) {
    bytes = 1;
    return cudaSuccess;
  }
  if (count <= 0) return cudaSuccess;
  const int64_t share = count / (16 * int64_t{processors}) + 1;  // two rounds of resident blocks
  const int some = share < 128 ? static_cast<int>(share) : 128;
  const int64_t blocks = (count + some - 1) / some, most = 1 << 30;
  return CubDebug(launcher(static_cast<int>(blocks < most ? blocks : most), 128, 0, stream)
                      .doit(segmented_kernel<AccumT, FromT, OutT, SegmentsT, InitT>, from, out,
                            count, some, segments, init));
}

}  // namespace detail::exact

CUB_NAMESPACE_END
