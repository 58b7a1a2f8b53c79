// Exact sums inside CUDA kernels of your own: rounded once, the same bits for any grid, block,
// order and chip. docs/block.md shows how. Beside it: onefold_thread.cuh and onefold_exact.hpp.
//
//   ThreadSum<T>           sums in registers what a thread adds; rare elements go to local memory
//   BlockSum<T, threads>   adds the sums of a block's threads; TempStorage is shared memory
//   Cell<T>                a sum in global or shared memory, to which blocks add by integer atomics
//
//   T        float, double, onefold::bfloat16
//   exact    yes; NaN, infinities and -0 by the rules of onefold::ExactSum, whose words a Cell has
//   limits   2^63 elements a sum, 2^30 blocks a cell
//   flags    any of nvcc and NVRTC, --use_fast_math too; not clang's -ffast-math
#pragma once

#include "onefold_warp.cuh"

namespace onefold {

// Blocks of `threads` threads, in one to three dimensions; another number of threads is a trap. All
// threads of a block call together.
template <class T, int threads>
class BlockSum {
  static constexpr int warps = (threads + 31) / 32, words = Cell<T>::words;
  static constexpr int limbs = accumulator::sum<T>::limbs;
  static_assert(Windows<T>::count > 0, "sums in kernels are of float, double, onefold::bfloat16");
  static_assert(threads >= 1 && threads <= 1024, "a block has 1 to 1,024 threads");

 public:
  struct TempStorage {
    Cell<T> cell;
    T value;
    int last;
  };
  __device__ explicit BlockSum(TempStorage& temp) : temp_(temp) {}

  // Adds to a cell in global memory: a few integer atomics a block.
  __device__ void add_to(Cell<T>* cell, ThreadSum<T>& sum) {
    gather(sum);
    const auto* const from = temp_.cell.word;
    for (int k = thread(); k < words; k += threads) {
      unsigned long long v = from[k];  // as digits, so that a cell takes 2^30 blocks
      if (k < limbs - 1) v &= 0xffffffff;
      if (k > 0 && k < limbs) {
        v += static_cast<unsigned long long>(static_cast<int64_t>(from[k - 1]) >> 32);
      }
      add_word(cell->word + k, v);
    }
    __syncthreads();
  }
  // Returns the block's sum, to all threads.
  __device__ T value(ThreadSum<T>& sum) { return answer(sum, false); }
  // Returns the square root of the sum, rounded once.
  __device__ T norm(ThreadSum<T>& sum) { return answer(sum, true); }
  // Returns whether this block is the last one of its grid to ask; then it sees what all added.
  __device__ bool is_last_block(Cell<T>* cell) {
    __threadfence();
    __syncthreads();
    if (thread() == 0) {
      const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
      temp_.last = atomicInc(&cell->arrived, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    __threadfence();
    return temp_.last != 0;
  }

 private:
  __device__ static int thread() { return detail::thread_of_block(); }
  __device__ static void add_word(unsigned long long* to, unsigned long long v) {
    if (v != 0) atomicAdd(to, v);
  }
  __device__ T answer(ThreadSum<T>& sum, bool root) {
    gather(sum);
    if (thread() == 0) temp_.value = root ? temp_.cell.norm() : temp_.cell.value();
    __syncthreads();
    const T v = temp_.value;
    __syncthreads();
    return v;
  }
  // Sets temp_.cell to the sum of all threads.
  __device__ void gather(ThreadSum<T>& sum) {
    if (detail::threads_of_block() != threads) __trap();
    for (int k = thread(); k < words; k += threads) temp_.cell.word[k] = 0;
    sum.flush();
    __syncthreads();
    detail::Lanes<32, threads % 32 == 0>().gather(sum, [&](int k, int64_t v) {
      add_word(temp_.cell.word + k, static_cast<unsigned long long>(v));
    });
    __syncthreads();
  }

  TempStorage& temp_;
};

// Adds an array to the sums of all threads of a grid: loads of 16 bytes, `ahead` at once.
template <int ahead = 4, class T>
__device__ __forceinline__ void add_array(ThreadSum<T>& sum, const T* x, Size n) {
  constexpr int N = 16 / sizeof(T);
  const Size in_block = blockDim.x * blockDim.y * blockDim.z;
  const Size step = static_cast<Size>(gridDim.x) * gridDim.y * gridDim.z * in_block;
  const Size block =
      blockIdx.x + gridDim.x * (blockIdx.y + static_cast<Size>(gridDim.y) * blockIdx.z);
  const Size me =
      block * in_block + threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const Size turns = reinterpret_cast<Size>(x) % 16 == 0 ? n / (step * ahead * N) : 0;
  const auto* v = reinterpret_cast<const int4*>(x) + me;
#pragma unroll 1
  for (Size i = 0; i < turns; ++i, v += ahead * step) {
    int4 q[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) q[k] = __ldcs(v + k * step);
    constexpr int some = sizeof(T) == 8 ? 4 : 16;  // elements at once: 8 of f64 would spill
    constexpr int loads = some / N < ahead ? some / N : ahead;
#pragma unroll
    for (int k = 0; k < ahead; k += loads) {
      T e[loads * N];
      memcpy(e, q + k, sizeof e);
      sum.add(e);
    }
  }
#pragma unroll 1
  for (Size k = turns * step * ahead * N + me; k < n; k += step) sum.add(x[k]);
}

}  // namespace onefold
