// Exact scatter-add to few cells: each block gathers in shared memory, and adds to Cells once.
#pragma once

#include "onefold_cells.cuh"

namespace onefold {

// `cells` has at most n cells: an index that is not below n is a bad one. All threads of a block
// construct and flush together. Takes 24 n bytes of shared memory (bfloat16: 16 n).
template <class T, int n>
class SharedCells {
  static constexpr int words = Cells<T>::words;

 public:
  struct TempStorage {  // halves of words: there is no quick addition of 64 bits in shared memory
    unsigned low[words * n], high[words * n];
  };
  __device__ SharedCells(TempStorage& temp, const Cells<T>& cells) : temp_(temp), cells_(cells) {
    clear();
    __syncthreads();
  }
  __device__ __forceinline__ void add(Size i, T x) const {
    if (i >= n && i < cells_.size()) return cells_.lose(i, CellsState::bad_index);
    cells_.split(i, x, [&](int k, int64_t amount) {
#pragma unroll 1
      for (auto at = static_cast<int>(i) + k * n;; at -= n) {
        const auto low = static_cast<unsigned>(amount), old = atomicAdd(temp_.low + at, low);
        const auto high = static_cast<unsigned>(amount >> 32) + (old + low < low ? 1 : 0);
        if (high == 0) return;
        const unsigned before = atomicAdd(temp_.high + at, high);
        if (!Cells<T>::wraps || at < n) {
          if (before + 0x60000000u >= 0xc0000000u) cells_.lose(i, CellsState::overflow);
          return;
        }
        const unsigned after = before + high;
        if (static_cast<int>((before ^ after) & (high ^ after)) >= 0) return;
        amount = static_cast<int>(high) < 0 ? -Cells<T>::carried : Cells<T>::carried;
      }
    });
  }
  // Adds to the cells what the block has gathered.
  __device__ void flush() const {
    __syncthreads();
    const int used = static_cast<int>(cells_.size());
    for (int at = thread(); at < words * n; at += threads()) {
      const uint64_t all = uint64_t{temp_.high[at]} << 32 | temp_.low[at];
      if (all == 0 || at % n >= used) continue;
      const auto i = static_cast<Size>(at % n);
      cells_.add_sum(i, at / n, static_cast<int64_t>(all));
    }
    __syncthreads();
    clear();
    __syncthreads();
  }

 private:
  __device__ static int thread() {
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  }
  __device__ static int threads() { return static_cast<int>(blockDim.x * blockDim.y * blockDim.z); }
  __device__ void clear() const {
    for (int at = thread(); at < words * n; at += threads()) temp_.low[at] = temp_.high[at] = 0;
  }

  TempStorage& temp_;
  const Cells<T> cells_;
};

}  // namespace onefold
