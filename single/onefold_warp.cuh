// Exact sums over a warp, or over equal parts of one, inside CUDA kernels: docs/block.md.
//
//   WarpSum<T, lanes>   adds the sums of `lanes` neighbouring threads of a warp
//
//   T       float, double, onefold::bfloat16
//   lanes   1, 2, 4, 8, 16 or 32: the logical warps of cub::WarpReduce
//   memory  none that is shared
#pragma once

#include "onefold_cell.cuh"
#include "onefold_thread.cuh"

namespace onefold {
namespace detail {

__device__ inline int thread_of_block() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
__device__ inline int threads_of_block() {
  return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
}

// The `width` neighbouring lanes of a warp to which this thread belongs; only the last warp of a
// block may lack some of them, if !full. All of them call together.
template <int width, bool full>
class Lanes {
  using Long = long long;

 public:
  __device__ Lanes() {
    const int t = thread_of_block();
    lane_ = t % width;
    first_ = t % 32 - lane_;
    const int there = full ? width : threads_of_block() - (t - lane_);
    mask_ = (there >= width ? ~0u >> (32 - width) : (1u << there) - 1) << first_;
  }
  __device__ bool is_first() const { return lane_ == 0; }
  __device__ bool any(bool v) const { return __any_sync(mask_, v) != 0; }
  // Returns the first lane's v.
  template <class V>
  __device__ V of_first(V v) const {
    return __shfl_sync(mask_, v, first_);
  }
  // Returns the sum of v over the lanes, to the first one.
  __device__ __forceinline__ int64_t sum(int64_t v) const {
#pragma unroll
    for (int d = width / 2; d != 0; d >>= 1) {
      if constexpr (full) {
        v += __shfl_down_sync(mask_, static_cast<Long>(v), d, width);
      } else {
        const int from = first_ + lane_ + d;
        const bool there = lane_ + d < width && (mask_ >> from & 1) != 0;
        const Long other = __shfl_sync(mask_, static_cast<Long>(v), there ? from : first_ + lane_);
        if (there) v += other;
      }
    }
    return v;
  }
  // Adds up the lanes' sums, which are flushed: the first lane calls add(k, v) for words of a Cell.
  template <class T, class Add>
  __device__ void gather(const ThreadSum<T>& of, const Add& add) const {
    constexpr int limbs = accumulator::sum<T>::limbs;
    unsigned left = mask_;
#pragma unroll 1
    while (left != 0) {  // one turn for each anchor
      const int anchor = __shfl_sync(mask_, of.anchor(), __ffs(static_cast<int>(left)) - 1);
      const bool mine = of.anchor() == anchor;
#pragma unroll 1
      for (int w = 0; w < Windows<T>::count; ++w) {
        deposit_sum(mine ? of.whole(w) : 0, ThreadSum<T>::position(anchor, w), add);
      }
      left &= ~__ballot_sync(mask_, mine);
    }
#pragma unroll 1
    for (int k = any(of.rest().used()) ? 0 : limbs; k < Cell<T>::words; ++k) {
      const int64_t v = of.rest().word(k);
      if (!any(v != 0)) continue;
      if (k < limbs) {
        deposit_sum(v, 32 * k, add);
      } else {
        const int64_t all = sum(v);
        if (is_first()) add(k, all);
      }
    }
  }

 private:
  // Passes the digits of the sum of v 2^position to add. |v| < 2^63, so halves are added apart.
  template <class Add>
  __device__ __forceinline__ void deposit_sum(int64_t v, int position, const Add& add) const {
    const int64_t low = sum(v & 0xffffffff), high = sum(v >> 32);
    if (!is_first()) return;
    deposit(add, static_cast<uint64_t>(low), false, position);
    const uint64_t magnitude = high < 0 ? 0 - static_cast<uint64_t>(high) : high;
    deposit(add, magnitude, high < 0, position + 32);
  }

  int lane_, first_;  // lane_: counted from first_, a lane of the warp
  unsigned mask_;
};

}  // namespace detail

// All `lanes` threads call together; others of the warp need not. A block whose last threads are
// fewer than `lanes` is a trap.
template <class T, int lanes = 32>
class WarpSum {
  static_assert(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0,
                "the lanes of a sum are 1, 2, 4, 8, 16 or 32");
  using W = Windows<T>;

 public:
  __device__ WarpSum() {
    if (detail::threads_of_block() % lanes != 0) __trap();
  }
  // Returns the sum of what the threads added, rounded once, to all of them.
  __device__ T value(ThreadSum<T>& sum) const {
    sum.flush();
    bool quick = lanes_.of_first(sum.anchor()) == sum.anchor() && sum.rest().only_counts();
#pragma unroll
    for (int w = 0; w < W::count; ++w) {
      quick = quick && static_cast<uint64_t>(sum.whole(w)) + (uint64_t{1} << 57) < uint64_t{1}
                                                                                       << 58;
    }
    if (!lanes_.any(!quick)) {
      int64_t whole[W::count < 3 ? 3 : W::count] = {};
#pragma unroll
      for (int w = 0; w < W::count; ++w) whole[w] = lanes_.sum(sum.whole(w));
      T v{};
      if (lanes_.is_first()) {
        v = detail::rounded_words<T, W::step>(whole, sum.anchor() - W::top);
      }
      v = to_all(v);
      if (detail::fields_of(v).mantissa != 0) return v;  // other data tell the sign of 0
    }
    return answer<false>(sum);
  }
  // Returns the sum of x of the first `valid` threads.
  __device__ T value(T x, int valid = lanes) const {
    typename ThreadSum<T>::Limbs limbs;
    ThreadSum<T> sum(limbs);
    if (detail::thread_of_block() % lanes < valid) sum.add(x);
    return value(sum);
  }
  // Returns the square root of the sum, rounded once.
  __device__ T norm(ThreadSum<T>& sum) const {
    sum.flush();
    return answer<true>(sum);
  }

 private:
  template <bool root>
  __device__ T answer(const ThreadSum<T>& sum) const {
    Cell<T> cell;
    cell.clear();
    lanes_.gather(sum,
                  [&](int k, int64_t v) { cell.word[k] += static_cast<unsigned long long>(v); });
    T v{};
    if (lanes_.is_first()) v = root ? cell.norm() : cell.value();
    return to_all(v);
  }
  __device__ T to_all(T v) const {
    if constexpr (sizeof(T) == 2) {
      return {static_cast<uint16_t>(lanes_.of_first(static_cast<unsigned>(v.bits)))};
    } else {
      return lanes_.of_first(v);
    }
  }

  detail::Lanes<lanes, true> lanes_;
};

}  // namespace onefold
