// The kernels of `arithmetic`, and the operations that they time. Each takes a number, another and
// one that no compiler may know, and gives the next; on the host too, where its answer is exact.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::arithmetic {

#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
#define ONEFOLD_ON_GPU(device, host) device
#else
#define ONEFOLD_ON_GPU(device, host) host
#endif

// NAME, its type, whether the host knows the answer, and the answer.
#define ONEFOLD_OP(name, type, exact, expression)       \
  struct name {                                         \
    using T = type;                                     \
    static constexpr bool known = exact;                \
    template <class M>                                  \
    ONEFOLD_KERNEL static T apply(M m, T v, T w, T b) { \
      (void)m, (void)v, (void)w, (void)b;               \
      return expression;                                \
    }                                                   \
  };

ONEFOLD_OP(add_f32, float, true, v + w)
ONEFOLD_OP(multiply_f32, float, true, v* w)
// Three registers that differ can meet in a bank of the register file: 93 of 128 results a clock.
ONEFOLD_OP(fma_f32, float, true, m.fma(v, b, b))
ONEFOLD_OP(fma_f64, double, true, m.fma(v, b, b))
ONEFOLD_OP(add_i32, uint32_t, true, v + w)
ONEFOLD_OP(multiply_i32, uint32_t, true, v* w)
ONEFOLD_OP(multiply_i24, uint32_t, true,
           ONEFOLD_ON_GPU(__umul24(v, w), (v & 0xffffffu) * (w & 0xffffffu)))
ONEFOLD_OP(divide_constant, uint32_t, true, v / 7 + w)
ONEFOLD_OP(divide_power_of_two, uint32_t, true, v / 8 + w)
ONEFOLD_OP(divide_variable, uint32_t, true, v / (w | 1) + b)
ONEFOLD_OP(modulo_constant, uint32_t, true, v % 1000003 + w)
ONEFOLD_OP(modulo_power_of_two, uint32_t, true, v % 1024 + w)
ONEFOLD_OP(modulo_variable, uint32_t, true, v % (w | 1) + b)
ONEFOLD_OP(popcount, uint32_t, true,
           ONEFOLD_ON_GPU(__popc(v), static_cast<uint32_t>(__builtin_popcount(v))) + w)
ONEFOLD_OP(sin_full, float, false, ONEFOLD_ON_GPU(sinf(v), v) + b)
ONEFOLD_OP(sin_fast, float, false, ONEFOLD_ON_GPU(__sinf(v), v) + b)
ONEFOLD_OP(cos_full, float, false, ONEFOLD_ON_GPU(cosf(v), v) + b)
ONEFOLD_OP(cos_fast, float, false, ONEFOLD_ON_GPU(__cosf(v), v) + b)
ONEFOLD_OP(exp_full, float, false, ONEFOLD_ON_GPU(expf(-v), v))
ONEFOLD_OP(exp_fast, float, false, ONEFOLD_ON_GPU(__expf(-v), v))
ONEFOLD_OP(inverse_root_full, float, false, ONEFOLD_ON_GPU(1 / sqrtf(v), v) + b)
ONEFOLD_OP(inverse_root_fast, float, false, ONEFOLD_ON_GPU(rsqrtf(v), v) + b)

// The sine and the cosine by one call: both, of which the neighbour takes one, or one of them.
enum class Of { both, sine, cosine };
template <bool fast, Of of = Of::both>
struct sincos {
  using T = float;
  static constexpr bool known = false;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T b) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    float s, c;
    if constexpr (fast) {
      __sincosf(v, &s, &c);
    } else {
      sincosf(v, &s, &c);
    }
    return of == Of::both ? s * c + b : of == Of::sine ? s : c;
#else
    return v + b;
#endif
  }
};

// Two f16 in a word.
struct fma_f16x2 {
  using T = uint32_t;
  static constexpr bool known = false;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T b) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    asm("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v) : "r"(b));
#else
    (void)b;
#endif
    return v;
  }
};

// The sum of four products of bytes.
struct dp4a {
  using T = uint32_t;
  static constexpr bool known = true;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T w, T b) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    asm("dp4a.u32.u32 %0, %0, %1, %2;" : "+r"(v) : "r"(b), "r"(w));
    return v;
#else
    uint32_t sum = w;
    for (unsigned k = 0; k < 32; k += 8) sum += (v >> k & 255) * (b >> k & 255);
    return sum;
#endif
  }
};

// The neighbour's number.
struct shuffle {
  using T = uint32_t;
  static constexpr bool known = false;
  template <class M>
  ONEFOLD_KERNEL static T apply(M m, T v, T, T) {
    return m.shuffle_xor(v, 1) + 1;
  }
};

#undef ONEFOLD_OP
#undef ONEFOLD_ON_GPU

// Four chains a thread, each step taking its neighbour's number too.
//
//   sizes  0: steps; 1: the number that no compiler may know
template <class Op>
struct rate {
  using X = typename Op::T;
  using Y = typename Op::T;
  static constexpr About about{.title = "Results a clock",
                               .idea = "four independent chains in every thread, all warps busy",
                               .source = "002, speed of instructions"};

  ONEFOLD_POINT_KERNEL {
    const auto b = static_cast<X>(a[1]);
    const auto lane = m.lane();
    X v0 = x[lane], v1 = x[lane + 32], v2 = x[lane + 64], v3 = x[lane + 96];
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 8; ++j) {
        v0 = Op::apply(m, v0, v1, b);
        v1 = Op::apply(m, v1, v2, b);
        v2 = Op::apply(m, v2, v3, b);
        v3 = Op::apply(m, v3, v0, b);
      }
    }
    y[m.block() * m.threads() + m.thread()] = v0 + v1 + v2 + v3;
  }
};

// One warp and one chain: each step takes the last two, since equal sums would be a product.
//
//   sizes  0: steps by 8; 1: the number that no compiler may know
template <class Op>
struct chain {
  using X = typename Op::T;
  using Y = uint64_t;
  static constexpr About about{.title = "Clocks until a result can be used",
                               .idea = "one chain in one warp",
                               .source = "002, speed of instructions"};

  ONEFOLD_POINT_KERNEL {
    const auto b = static_cast<X>(a[1]);
    X v = x[m.lane()];
    X w = x[m.lane() + 32];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 8; ++j) {
        const X next = Op::apply(m, v, w, b);
        w = v;
        v = next;
      }
    }
    y[m.thread() * 2] = m.clock() - begin;
    y[m.thread() * 2 + 1] = static_cast<uint64_t>(v + w);
  }
};

// The function itself, once for each number.
template <class Op>
struct error : Types<float> {
  static constexpr About about{.title = "Error of the fast functions",
                               .idea = "fewer steps on the special function units, fewer bits",
                               .source = "002, less exact versions on the SFU"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes&) {
    const auto i = m.block() * m.threads() + m.thread();
    y[i] = Op::apply(m, x[i], 0.0f, 0.0f);
  }
};

// Every thread adds 1 again and again; so many threads share a counter.
//
//   sizes  0: additions of a thread; 1: threads that share a counter
struct atomics : Types<uint32_t> {
  static constexpr About about{.title = "Atomic additions by contention",
                               .idea = "additions to one address are done one after another",
                               .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X>, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    const auto at = i / static_cast<unsigned>(a[1]);
    for (Size k = 0; k < a[0]; ++k) m.add(y, at, 1u);
  }
};

}  // namespace onefold::lab::arithmetic
