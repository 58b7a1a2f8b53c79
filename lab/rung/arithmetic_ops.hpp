// The operations that `arithmetic` times. Each takes a number, another and one that no compiler may
// know, and gives the next; on the host the same, where its answer is exact.
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

// Two results: the sine, and the cosine that its neighbour takes.
struct sincos_full {
  using T = float;
  static constexpr bool known = false;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T b) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    float s, c;
    sincosf(v, &s, &c);
    return s * c + b;
#else
    return v + b;
#endif
  }
};
struct sincos_fast {
  using T = float;
  static constexpr bool known = false;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T b) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    float s, c;
    __sincosf(v, &s, &c);
    return s * c + b;
#else
    return v + b;
#endif
  }
};

// One of the two.
template <bool cosine>
struct half_of_sincos_full {
  using T = float;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    float s, c;
    sincosf(v, &s, &c);
    return cosine ? c : s;
#else
    return v;
#endif
  }
};
template <bool cosine>
struct half_of_sincos_fast {
  using T = float;
  template <class M>
  ONEFOLD_KERNEL static T apply(M, T v, T, T) {
#if defined(__CUDACC_RTC__) || defined(__CUDACC__)
    float s, c;
    __sincosf(v, &s, &c);
    return cosine ? c : s;
#else
    return v;
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

}  // namespace onefold::lab::arithmetic
