// The loops of row_loops.inl for each instruction set, and for one lane without vectors.
#include "onefold/cpu/exponential/kernels.hpp"

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/vectors.hpp"
#include "onefold/system/made_once.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/exponential/kernels.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace exponential {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/answers.inl"

struct Vectors : Lanes {
  static constexpr Size lanes = N;
  static constexpr bool fuses = HWY_TARGET != HWY_SSE4;
  template <class T>
  static constexpr bool takes_type = takes<T>;

  HWY_INLINE HWY_ATTR static V fused(V a, V b, V c) { return hn::MulAdd(a, b, c); }
  HWY_INLINE HWY_ATTR static V floor(V a) { return hn::Floor(a); }
  // Multiplies v, of about 1, by 2^k, where t = rint_magic + k.
  HWY_INLINE HWY_ATTR static V times_power(V v, V t) {
    const VI power = hn::ShiftLeft<52>(hn::BitCast(di64, t));
    return hn::BitCast(d64, hn::Add(hn::BitCast(di64, v), power));
  }
  // Returns 2^(k >> 12) as f64.
  HWY_INLINE HWY_ATTR static V power_above_4096(V t) {
    const VI power = hn::And(hn::BitCast(di64, t), hn::Set(di64, ~int64_t{4095}));
    return hn::BitCast(d64, hn::Add(hn::ShiftLeft<40>(power), hn::BitCast(di64, hn::Set(d64, 1))));
  }
  // Returns table[(k >> shift) & 63].
  template <int shift>
  HWY_INLINE HWY_ATTR static V lookup(const double* table, V t) {
    const VI at = hn::And(hn::ShiftRight<shift>(hn::BitCast(di64, t)), hn::Set(di64, 63));
    return hn::GatherIndex(d64, table, at);
  }
  template <class T>
  HWY_INLINE HWY_ATTR static V load(const T* x) {
    return exponential::load(x);
  }
  template <class T>
  HWY_INLINE HWY_ATTR static V load_some(const T* x, Size r, V fill) {
    return exponential::load_some(x, r, fill);
  }
  HWY_INLINE HWY_ATTR static void store_all(V v, double* out) { hn::StoreU(v, d64, out); }
  // Rounds to T and stores r elements; returns whether both round to the same.
  template <class T>
  HWY_INLINE HWY_ATTR static bool store_same(V low, V high, T* out, Size r) {
    if (std::is_same_v<T, float> && HWY_LIKELY(r == N)) {
      const hn::Rebind<float, D> f;
      const hn::Rebind<int32_t, D> bits;
      const auto a = hn::DemoteTo(f, low), b = hn::DemoteTo(f, high);
      hn::StoreU(a, f, reinterpret_cast<float*>(out));
      return hn::AllTrue(bits, hn::Eq(hn::BitCast(bits, a), hn::BitCast(bits, b)));
    }
    const V a = narrow<T>(low);
    put<T>(a, reinterpret_cast<std::byte*>(out), r);
    return hn::AllTrue(d64, same(a, narrow<T>(high)));
  }
  HWY_INLINE HWY_ATTR static void mark(hn::Mask<D> good, uint8_t* out, Size r) {
    exponential::mark(good, out, r);
  }
};

#define ONEFOLD_QUICK_FN HWY_INLINE HWY_ATTR
#define ONEFOLD_QUICK_ATTR HWY_ATTR __attribute__((always_inline))
#include "onefold/core/exponential/quick_exp.inl"

#include "onefold/core/exponential/row_answers.inl"

#include "onefold/core/layer_norm/elements.inl"

#include "onefold/cpu/exponential/row_loops.inl"

#include "onefold/cpu/layer_norm/loops.inl"
#undef ONEFOLD_QUICK_FN

#define ONEFOLD_ROW_FN HWY_ATTR
#include "onefold/cpu/exponential/row_functions.inl"
#undef ONEFOLD_ROW_FN
#undef ONEFOLD_QUICK_ATTR

const RowKernels* find(DType t) { return find_row_functions<Vectors>(t); }

}  // namespace exponential
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {
namespace exponential {

struct Scalars : ExponentialLane {
  static constexpr Size lanes = 1;
  static constexpr bool fuses = true;
  template <class T>
  static constexpr bool takes_type = true;

  template <class T>
  static double load(const T* x) {
    T v;
    std::memcpy(static_cast<void*>(&v), x, sizeof v);
    return to_double(v);
  }
  template <class T>
  static double load_some(const T* x, Size, double) {
    return load(x);
  }
  static void store_all(double v, double* out) { *out = v; }
  template <class T>
  static bool store_same(double low, double high, T* out, Size) {
    const T a = from_double<T>(narrow<T>(low)), b = from_double<T>(narrow<T>(high));
    std::memcpy(static_cast<void*>(out), &a, sizeof a);
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
  static void mark(bool good, uint8_t* out, Size) { *out = good; }
};

#define ONEFOLD_QUICK_FN inline
#define ONEFOLD_QUICK_ATTR
#include "onefold/cpu/exponential/row_loops.inl"

#include "onefold/cpu/layer_norm/loops.inl"
#undef ONEFOLD_QUICK_FN

#define ONEFOLD_ROW_FN
#include "onefold/cpu/exponential/row_functions.inl"
#undef ONEFOLD_ROW_FN
#undef ONEFOLD_QUICK_ATTR

}  // namespace exponential

const PowerTables& power_tables() {
  static constinit MadeOnce<PowerTables> tables;
  return tables.get([] {
    PowerTables made;
    double* const to[] = {made.coarse, made.coarse_low, made.fine, made.fine_low};
    for (unsigned i = 0; i < power_words; ++i) to[i / 64][i % 64] = power_word(i);
    return made;
  });
}

const RowKernels& row_kernels([[maybe_unused]] Target target, DType t) {
  const auto vectors = [&]() -> const RowKernels* {
    ONEFOLD_OF_TARGET(target, exponential::find(t));
    return nullptr;
  };
  const RowKernels* const found = vectors();
  return found != nullptr ? *found : *exponential::find_row_functions<exponential::Scalars>(t);
}

double element_of(const void* x, Size i, DType t) {
  return visit(t, [&]<class T>() -> double {
    if constexpr (Floating<T>) {
      return exponential::Scalars::load(static_cast<const T*>(x) + i);
    } else {
      return 0;
    }
  });
}

void put_element(void* out, Size i, DType t, uint64_t bits) {
  const Size bytes = bytes_of(t);
  std::memcpy(static_cast<std::byte*>(out) + i * bytes, &bits, bytes);
}

}  // namespace onefold::cpu_backend
#endif
