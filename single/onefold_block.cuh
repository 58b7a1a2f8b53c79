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

#include "onefold_thread.cuh"

namespace onefold {

// A sum that many blocks and launches add to. All bytes 0: no elements.
template <class T>
struct alignas(16) Cell {
  static constexpr int words = ExactSum<T>::word_count;
  unsigned long long word[words];  // as in ExactSum: limbs, then the tally
  unsigned arrived;                // blocks of a launch that is_last_block() has seen; 0 at its end

  // The elements as an ExactSum, which merges, saves and answers. Nobody may add meanwhile.
  __host__ __device__ ExactSum<T> sum() const {
    ExactSum<T> s;
    auto* const to = s.words();
#pragma unroll 1
    for (int k = 0; k < words; ++k) to[k] = static_cast<int64_t>(word[k]);
    s.words_added();
    return s;
  }
  // Their sum, rounded once to U. One thread; the same as sum().value<U>().
  template <class U = T>
  __host__ __device__ __noinline__ U value() const {
    using Summed = accumulator::sum<T>;
    constexpr int limbs = Summed::limbs;
    int64_t w[words], carried = 0;
#pragma unroll 1
    for (int k = 0; k < words; ++k) {
      w[k] = static_cast<int64_t>(word[k]) + (k < limbs ? carried : 0);
      if (k >= limbs - 1) continue;
      carried = w[k] >> 32;
      w[k] &= 0xffffffff;
    }
    const Tally t = tally_of<accumulator::tally<T>>(w + limbs, NanPolicy::propagate);
    return detail::rounded<U>(signed_sum(detail::LimbView{w, limbs, Summed::unit}, t, 0));
  }
  __host__ __device__ void clear() {
#pragma unroll 1
    for (int k = 0; k < words; ++k) word[k] = 0;
  }
};

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
  __device__ T value(ThreadSum<T>& sum) {
    gather(sum);
    if (thread() == 0) temp_.value = temp_.cell.value();
    __syncthreads();
    const T v = temp_.value;
    __syncthreads();
    return v;
  }
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
  __device__ static int thread() {
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  }
  __device__ static void add_word(unsigned long long* to, unsigned long long v) {
    if (v != 0) atomicAdd(to, v);
  }
  // Returns the sum of v over the lanes of a warp, to lane 0.
  __device__ __forceinline__ static int64_t over_warp(unsigned lanes, int64_t v) {
#pragma unroll
    for (int d = 16; d != 0; d >>= 1) {
      if constexpr (threads % 32 == 0) {
        v += __shfl_down_sync(lanes, static_cast<long long>(v), d);
      } else {  // the last warp lacks lanes
        const int lane = thread() & 31;
        const bool there = lane + d < 32 && (lanes >> (lane + d) & 1) != 0;
        const auto other = __shfl_sync(lanes, static_cast<long long>(v), there ? lane + d : lane);
        if (there) v += other;
      }
    }
    return v;
  }
  // Adds the sum of v 2^position over a warp. |v| < 2^63, so its halves are added apart.
  __device__ __forceinline__ void add_over_warp(unsigned lanes, int64_t v, int position) {
    const int64_t low = over_warp(lanes, v & 0xffffffff), high = over_warp(lanes, v >> 32);
    if ((thread() & 31) != 0) return;
    auto* const to = temp_.cell.word;
    const auto add = [&](int k, int64_t digit) {
      add_word(to + k, static_cast<unsigned long long>(digit));
    };
    deposit(add, static_cast<uint64_t>(low), false, position);
    const uint64_t magnitude = high < 0 ? 0 - static_cast<uint64_t>(high) : high;
    deposit(add, magnitude, high < 0, position + 32);
  }
  // Sets temp_.cell to the sum of all threads.
  __device__ void gather(ThreadSum<T>& sum) {
    const int t = thread(), lane = t & 31;
    if (blockDim.x * blockDim.y * blockDim.z != threads) __trap();
    for (int k = t; k < words; k += threads) temp_.cell.word[k] = 0;
    sum.flush();
    const int in_warp = threads - (t - lane);
    const unsigned lanes = in_warp >= 32 ? ~0u : (1u << in_warp) - 1;
    __syncthreads();
    unsigned left = lanes;
#pragma unroll 1
    while (left != 0) {  // one turn for each anchor in the warp
      const int anchor = __shfl_sync(lanes, sum.anchor(), __ffs(static_cast<int>(left)) - 1);
      const bool mine = sum.anchor() == anchor;
#pragma unroll 1
      for (int w = 0; w < Windows<T>::count; ++w) {
        add_over_warp(lanes, mine ? sum.whole(w) : 0, ThreadSum<T>::position(anchor, w));
      }
      left &= ~__ballot_sync(lanes, mine);
    }
    const bool limbs_used = __any_sync(lanes, sum.limbs_used()) != 0;
#pragma unroll 1
    for (int k = limbs_used ? 0 : limbs; k < words; ++k) {
      const int64_t v = sum.word(k);
      if (__any_sync(lanes, v != 0) == 0) continue;
      if (k < limbs) {
        add_over_warp(lanes, v, 32 * k);
      } else {
        const int64_t all = over_warp(lanes, v);
        if (lane == 0) add_word(temp_.cell.word + k, static_cast<unsigned long long>(all));
      }
    }
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
