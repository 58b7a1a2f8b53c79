// The loops of row_loops.inl for each instruction set, and for one lane without vectors.
#include "onefold/cpu/exponential/kernels.hpp"

#include <cmath>

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/vectors.hpp"

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
  template <class T>
  static constexpr bool takes_type = takes<T>;

  HWY_INLINE HWY_ATTR static V fused(V a, V b, V c) { return hn::MulAdd(a, b, c); }
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
#include "onefold/cpu/exponential/quick_exp.inl"

#include "onefold/cpu/exponential/row_loops.inl"
#undef ONEFOLD_QUICK_FN
#undef ONEFOLD_QUICK_ATTR

#define ONEFOLD_ROW_FN HWY_ATTR
#include "onefold/cpu/exponential/row_functions.inl"
#undef ONEFOLD_ROW_FN

const RowKernels* find(DType t) { return find_row_functions<Vectors>(t); }

}  // namespace exponential
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {
namespace exponential {

template <class T>
double to_double(T v) {
  if constexpr (sizeof(T) >= 4) {
    return v;
  } else {
    const Decoded d = decode(v);
    if (d.nan) return std::numeric_limits<double>::quiet_NaN();
    const double m = d.finite() ? static_cast<double>(d.mantissa) : OneLane::infinity();
    const double magnitude = m * power_of_two(float_format(dtype_of<T>).unit + d.shift);
    return d.negative ? -magnitude : magnitude;
  }
}
// v is a T.
template <class T>
T from_double(double v) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(v);
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    const Decoded d = decode(v);
    const uint64_t sign = d.negative ? 0x8000 : 0;
    if (!d.finite()) {
      const uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
      return T{static_cast<uint16_t>(infinity | sign)};
    }
    return T{static_cast<uint16_t>(detail::round_to_float(static_cast<Uint128>(d.mantissa),
                                                          -1074 + d.shift, false, d.negative, f))};
  }
}

struct Scalars : OneLane {
  static constexpr Size lanes = 1;
  template <class T>
  static constexpr bool takes_type = true;

  static double times_power(double v, double t) {
    return bit_cast<double>(bit_cast<uint64_t>(v) + (bit_cast<uint64_t>(t) << 52));
  }
  static double power_above_4096(double t) {
    return bit_cast<double>(((bit_cast<uint64_t>(t) & ~uint64_t{4095}) << 40) +
                            bit_cast<uint64_t>(1.0));
  }
  template <int shift>
  static double lookup(const double* table, double t) {
    return table[bit_cast<uint64_t>(t) >> shift & 63];
  }
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
#include "onefold/cpu/exponential/quick_exp.inl"

#include "onefold/cpu/exponential/row_loops.inl"
#undef ONEFOLD_QUICK_FN
#undef ONEFOLD_QUICK_ATTR

#define ONEFOLD_ROW_FN
#include "onefold/cpu/exponential/row_functions.inl"
#undef ONEFOLD_ROW_FN

}  // namespace exponential

const PowerTables& power_tables() {
  static const PowerTables tables = [] {
    PowerTables made;
    constexpr int fraction = 3;
    FixedPoint number(fraction);
    const Limbs ln2 = number.log(number.integer(2));
    const auto fill = [&](double* high, double* low, uint32_t parts) {
      // 2^(i / parts) = 2 e^-((parts - i) ln 2 / parts)
      for (uint32_t i = 0; i < 64; ++i) {
        Limbs u = number.zero(), power = u;
        for (uint32_t k = i; k < parts; ++k) add(u, ln2);
        divide(u, parts);
        number.exp_minus(u, power);
        add(power, power);
        const DoublePair p = pair_of(power, fraction);
        high[i] = p.high;
        low[i] = p.low;
      }
    };
    fill(made.coarse, made.coarse_low, 64);
    fill(made.fine, made.fine_low, 4096);
    return made;
  }();
  return tables;
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

DoublePair pair_exponential(double high, double low) {
  const auto e = exponential::pair_exp<exponential::Scalars>(high, low, power_tables());
  return {e.sum, e.rest};
}

bool decided_bits(DoublePair v, double lost, DType t, uint64_t* bits) {
  const Quick<OneLane> q{v.high, v.low, 0, lost};
  return visit(t, [&]<class T>() {
    if constexpr (Floating<T>) {
      bool decided = false;
      const double rounded = q.template decide<T>(decided);
      if (decided) *bits = bit_cast<bits_of<T>>(exponential::from_double<T>(rounded));
      return decided;
    } else {
      return false;
    }
  });
}

// Rounds (high + low) 2^power with an error below `lost`, high > 0, to a format that may not hold
// high 2^power.
bool decided_below(DoublePair v, double lost, int power, FloatFormat f, uint64_t* bits) {
  int exponent = 0;
  std::frexp(v.high, &exponent);
  const int scale = 102 - exponent;  // high 2^scale has its lowest bit above 2^49
  const auto whole = static_cast<Uint128>(static_cast<uint64_t>(std::ldexp(v.high, scale - 49)));
  const auto end = [&](double low) {
    const auto rest = static_cast<int64_t>(std::ldexp(low, scale));
    return detail::round_to_float((whole << 49) + static_cast<Uint128>(rest), power - scale, true,
                                  false, f);
  };
  const double unit = std::ldexp(1.0, -scale);  // at most what an integer cuts off
  *bits = end(v.low - lost - unit);
  return *bits == end(v.low + lost + unit);
}

bool pair_answer(double x, const RowLog& row, bool log, DType t, uint64_t* bits) {
  using exponential::Scalars;
  const auto difference = two_sum<OneLane>(x, -row.greatest);
  const QuickPair<Scalars> d{difference.sum, difference.rest};
  if (log) {
    const auto q = exponential::pair_difference<Scalars>(d, row);
    return decided_bits({q.high, q.low}, q.lost, t, bits);
  }
  if (d.sum < -900) {  // below half of the least number of any type, since the sum is at least 1
    *bits = 0;
    return true;
  }
  const auto e = exponential::pair_exp_parts<Scalars>(d.sum, d.rest, power_tables());
  const auto q = exponential::pair_quotient<Scalars>({e.high, e.low}, row);
  const auto k =
      static_cast<int64_t>(bit_cast<uint64_t>(e.t) - bit_cast<uint64_t>(exponential::rint_magic));
  return decided_below({q.high, q.low}, q.lost, static_cast<int>(k >> 12), float_format(t), bits);
}

}  // namespace onefold::cpu_backend
#endif
