// The GPU as a machine: each function is one intrinsic, so a kernel compiles to what hand-written
// CUDA does.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold {

struct Gpu {
  static constexpr bool pools_digits = true;  // kernel/number/digit_pool.hpp
  template <class T>
  using In = const T*;
  template <class T>
  using Out = T*;
  template <class T>
  using Shared = T*;

  // Loaded where a kernel makes its machine, since there the compiler knows the launch bounds. For
  // sm_100 and later it does not know them in a function that it inlines, and then adds instead of
  // using |.
  unsigned index = threadIdx.x;

  ONEFOLD_KERNEL unsigned thread() const { return index; }
  ONEFOLD_KERNEL unsigned lane() const { return index % 32; }
  ONEFOLD_KERNEL unsigned block() const { return blockIdx.x; }
  ONEFOLD_KERNEL unsigned threads() const { return blockDim.x; }
  ONEFOLD_KERNEL unsigned blocks() const { return gridDim.x; }

  // The result of a bounds test. `a && m.inside(i, n)` tests both at once, as `a && i < n` does:
  // the compiler joins plain conditions before it inlines calls, so a call would stay a second
  // branch.
  struct Inside {
    bool is;
    ONEFOLD_KERNEL operator bool() const { return is; }
    ONEFOLD_KERNEL friend bool operator&&(bool a, Inside b) { return a & b.is; }
  };
  template <class I, class N>
  ONEFOLD_KERNEL Inside inside(I i, N n) const {
    return {i < n};
  }

  ONEFOLD_KERNEL bool branch(bool b) const { return b; }
  ONEFOLD_KERNEL float fma(float a, float b, float c) const { return __fmaf_rn(a, b, c); }
  ONEFOLD_KERNEL double fma(double a, double b, double c) const { return __fma_rn(a, b, c); }
  ONEFOLD_KERNEL uint64_t clock() const { return static_cast<uint64_t>(clock64()); }

  ONEFOLD_KERNEL void sync() const { __syncthreads(); }
  ONEFOLD_KERNEL void sync_warp(uint32_t mask = ~0u) const { __syncwarp(mask); }
  // A barrier of all blocks of a cooperative launch. Block 0 adds the number that makes all
  // arrivals add up to 2^31, so the last arrival flips the word's top bit, and the word needs no
  // reset.
  ONEFOLD_KERNEL void sync_grid(unsigned* word) const {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned mine = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
      __threadfence();
      const unsigned before = atomicAdd(word, mine);
      while (((before ^ *static_cast<volatile unsigned*>(word)) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
  ONEFOLD_KERNEL void fence() const { __threadfence(); }

  template <class T>
  ONEFOLD_KERNEL T shuffle_down(T x, unsigned d) const {
    return __shfl_down_sync(~0u, x, d);
  }
  template <class T>
  ONEFOLD_KERNEL T shuffle_down(uint32_t mask, T x, unsigned d) const {
    return __shfl_down_sync(mask, x, d);
  }
  template <class T>
  ONEFOLD_KERNEL T shuffle_up(T x, unsigned d) const {
    return __shfl_up_sync(~0u, x, d);
  }
  template <class T>
  ONEFOLD_KERNEL T shuffle_xor(T x, unsigned d) const {
    return __shfl_xor_sync(~0u, x, d);
  }
  template <class T>
  ONEFOLD_KERNEL T shuffle(T x, unsigned lane) const {
    return __shfl_sync(~0u, x, lane);
  }
  ONEFOLD_KERNEL uint32_t ballot(bool b) const { return __ballot_sync(~0u, b); }
  ONEFOLD_KERNEL bool any(bool b) const { return __any_sync(~0u, b) != 0; }
  ONEFOLD_KERNEL bool all(bool b) const { return __all_sync(~0u, b) != 0; }
  ONEFOLD_KERNEL int redux_add(int x) const { return __reduce_add_sync(~0u, x); }
  ONEFOLD_KERNEL int redux_min(int x) const { return __reduce_min_sync(~0u, x); }
  ONEFOLD_KERNEL int redux_max(int x) const { return __reduce_max_sync(~0u, x); }

  ONEFOLD_KERNEL uint32_t redux_add(uint32_t x) const { return __reduce_add_sync(~0u, x); }
  ONEFOLD_KERNEL uint32_t redux_min(uint32_t x) const { return __reduce_min_sync(~0u, x); }
  ONEFOLD_KERNEL uint32_t redux_max(uint32_t x) const { return __reduce_max_sync(~0u, x); }

  // The least and greatest of two numbers, -0 less than +0: of a NaN and a number the number.
  ONEFOLD_KERNEL float min(float a, float b) const { return fminf(a, b); }
  ONEFOLD_KERNEL float max(float a, float b) const { return fmaxf(a, b); }
  // Minima of 16-bit halves, as unsigned numbers.
  ONEFOLD_KERNEL uint32_t min_halves(uint32_t a, uint32_t b) const { return __vminu2(a, b); }
  ONEFOLD_KERNEL uint32_t max_halves(uint32_t a, uint32_t b) const { return __vmaxu2(a, b); }
  ONEFOLD_KERNEL int count_bits(uint32_t x) const { return __popc(x); }

  // Loads data that are read only once.
  template <class T>
  ONEFOLD_KERNEL Vector16<T> stream(const Vector16<T>* p, Size i) const {
    const uint4 v = __ldcs(reinterpret_cast<const uint4*>(p) + i);
    return bit_cast<Vector16<T>>(Vector16<uint32_t>{v.x, v.y, v.z, v.w});
  }
  // Returns the bytes from the last multiple of `bytes` to the address.
  template <class T>
  ONEFOLD_KERNEL unsigned misaligned(const T* p, unsigned bytes) const {
    return static_cast<unsigned>(reinterpret_cast<uint64_t>(p) % bytes);
  }

  template <class T, class I>
  ONEFOLD_KERNEL T add(T* p, I k, T v) const {
    if constexpr (sizeof(T) == 8 && T(0.5) == T(0)) {
      // atomicAdd exists for unsigned words only; two's complement makes that the same.
      using Word = unsigned long long;
      return static_cast<T>(atomicAdd(reinterpret_cast<Word*>(p + k), static_cast<Word>(v)));
    } else {
      return atomicAdd(p + k, v);
    }
  }
  template <class I>
  ONEFOLD_KERNEL uint64_t swap_if(uint64_t* p, I k, uint64_t was, uint64_t v) const {
    using Word = unsigned long long;
    return atomicCAS(reinterpret_cast<Word*>(p + k), Word{was}, Word{v});
  }
  template <class I>
  ONEFOLD_KERNEL uint64_t load_perhaps_old(uint64_t* p, I k) const {
    uint64_t v;
    asm volatile("ld.relaxed.cta.b64 %0, [%1];" : "=l"(v) : "l"(p + k));
    return v;
  }
  template <class T>
  ONEFOLD_KERNEL volatile T* as_volatile(T* p) const {
    return p;
  }
  template <class T>
  ONEFOLD_KERNEL const Vector16<T>* by_vector(const T* p) const {
    return reinterpret_cast<const Vector16<T>*>(p);
  }
  template <class T, class I>
  ONEFOLD_KERNEL T read_once(const T* p, I i) const {
    return __ldcs(p + i);
  }
  template <class T, class I>
  ONEFOLD_KERNEL T read_only(const T* p, I i) const {
    return __ldg(p + i);
  }
  // Returns element i of a texture object over 32-bit words.
  ONEFOLD_KERNEL uint32_t texture(uint64_t object, unsigned i) const {
    uint32_t v, g, b, a;
    asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                 : "=r"(v), "=r"(g), "=r"(b), "=r"(a)
                 : "l"(object), "r"(i));
    return v;
  }
  template <class T, class I>
  ONEFOLD_KERNEL void write_once(T* p, I i, T v) const {
    if constexpr (sizeof(T) == 16) {
      __stcs(reinterpret_cast<uint4*>(p + i), reinterpret_cast<const uint4&>(v));
    } else {
      __stcs(p + i, v);
    }
  }
  template <class U, class T>
  ONEFOLD_KERNEL U* as(T* p) const {
    return reinterpret_cast<U*>(p);
  }
  template <class U, class T>
  ONEFOLD_KERNEL const U* as(const T* p) const {
    return reinterpret_cast<const U*>(p);
  }
  template <class T>
  ONEFOLD_KERNEL Vector16<T>* as_vectors(T* p) const {
    return reinterpret_cast<Vector16<T>*>(p);
  }
  template <class T>
  ONEFOLD_KERNEL bool aligned(T* p, unsigned bytes) const {
    return reinterpret_cast<uint64_t>(p) % bytes == 0;
  }

  // Bulk copies: the copy engine of sm_90 writes shared memory and arrives at a barrier there.
  ONEFOLD_KERNEL void open_bulk(unsigned barrier) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bulk_barrier(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  template <class T>
  ONEFOLD_KERNEL void copy_bulk(T* to, const T* from, Size n, unsigned barrier) const {
    const auto bytes = static_cast<uint32_t>(n * sizeof(T));
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bulk_barrier(barrier)),
        "r"(bytes)
        : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(bulk_barrier(barrier))
        : "memory");
  }
  ONEFOLD_KERNEL void wait_bulk(unsigned barrier, unsigned parity) const {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again_%=;\n"
        "}" ::"r"(bulk_barrier(barrier)),
        "r"(parity)
        : "memory");
  }

  // Copies of 16 bytes by one thread to its block's shared memory, past the L1 cache.
  template <class T>
  ONEFOLD_KERNEL void copy_async(T* to, const T* from) const {
    static_assert(sizeof(T) == 16);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
  }
  ONEFOLD_KERNEL void commit_copies() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int pending>
  ONEFOLD_KERNEL void wait_copies() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
  }

  template <class T, int N, class Tag>
  ONEFOLD_KERNEL T* shared() const {
    // Arrays of vectors begin at cache lines: copies are quickest if source and destination have
    // the same offset in one.
    __shared__ alignas(sizeof(T) == 16 ? 128 : 16) T array[N];
    return array;
  }
  template <class T>
  ONEFOLD_KERNEL T* shared_of_launch() const {
    alignas(16) extern __shared__ uint64_t bytes_of_launch[];
    return reinterpret_cast<T*>(bytes_of_launch);
  }

 private:
  ONEFOLD_KERNEL static uint32_t bulk_barrier(unsigned k) {
    __shared__ uint64_t barrier[8];
    return static_cast<uint32_t>(__cvta_generic_to_shared(barrier + k));
  }
};

}  // namespace onefold
