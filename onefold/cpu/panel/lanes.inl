// Operations of quick numbers on vectors of f64, and conversions of elements to f64. Included
// inside the namespace of an instruction set, after vocabulary.inl; no include guard.

struct Lanes {
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;

  HWY_INLINE HWY_ATTR static V add(V a, V b) { return hn::Add(a, b); }
  HWY_INLINE HWY_ATTR static V sub(V a, V b) { return hn::Sub(a, b); }
  HWY_INLINE HWY_ATTR static V mul(V a, V b) { return hn::Mul(a, b); }
  HWY_INLINE HWY_ATTR static V div(V a, V b) { return hn::Div(a, b); }
  HWY_INLINE HWY_ATTR static V sqrt(V a) { return hn::Sqrt(a); }
  HWY_INLINE HWY_ATTR static V abs(V a) { return hn::Abs(a); }
  HWY_INLINE HWY_ATTR static V negative(V a) { return hn::Neg(a); }
  HWY_INLINE HWY_ATTR static V zero() { return hn::Zero(d64); }
  HWY_INLINE HWY_ATTR static V infinity() { return set(std::numeric_limits<double>::infinity()); }
  HWY_INLINE HWY_ATTR static V set(double v) { return hn::Set(d64, v); }

  struct Product {
    V sum, rest;
  };
#if HWY_TARGET == HWY_SSE4  // no fma: Dekker's product
  HWY_INLINE HWY_ATTR static Product product(V a, V b) {
    const V split = set(0x1p27 + 1);
    const V ca = mul(split, a), ah = sub(ca, sub(ca, a)), al = sub(a, ah);
    const V cb = mul(split, b), bh = sub(cb, sub(cb, b)), bl = sub(b, bh);
    const V p = mul(a, b);
    return {p, add(add(add(sub(mul(ah, bh), p), mul(ah, bl)), mul(al, bh)), mul(al, bl))};
  }
  HWY_INLINE HWY_ATTR static V residue(V a, V q, V b) {
    const Product p = product(q, b);
    return sub(sub(a, p.sum), p.rest);
  }
#else
  HWY_INLINE HWY_ATTR static Product product(V a, V b) {
    const V p = mul(a, b);
    return {p, hn::MulSub(a, b, p)};
  }
  HWY_INLINE HWY_ATTR static V residue(V a, V q, V b) { return hn::NegMulAdd(q, b, a); }
#endif

  HWY_INLINE HWY_ATTR static M less(V a, V b) { return hn::Lt(a, b); }
  HWY_INLINE HWY_ATTR static M equal(V a, V b) { return hn::Eq(a, b); }
  HWY_INLINE HWY_ATTR static M same(V a, V b) {
    return hn::RebindMask(d64, hn::Eq(hn::BitCast(di64, a), hn::BitCast(di64, b)));
  }
  HWY_INLINE HWY_ATTR static M both(M a, M b) { return hn::And(a, b); }
  HWY_INLINE HWY_ATTR static M either(M a, M b) { return hn::Or(a, b); }
  HWY_INLINE HWY_ATTR static V select(M m, V yes, V no) { return hn::IfThenElse(m, yes, no); }

  HWY_INLINE HWY_ATTR static M is_odd(V a) {
    const VI one = hn::Set(di64, 1);
    return hn::RebindMask(d64, hn::Eq(hn::And(hn::BitCast(di64, a), one), one));
  }
  HWY_INLINE HWY_ATTR static V step(V a, V to) {
    const VI s = hn::BitCast(di64, a);
    const VI away = hn::BroadcastSignBit(hn::Xor(s, hn::BitCast(di64, to)));
    return hn::BitCast(d64, hn::Add(s, hn::Or(away, hn::Set(di64, 1))));
  }
  template <class T>
  HWY_INLINE HWY_ATTR static V narrow(V a) {
    if constexpr (sizeof(T) == 8) {
      return a;
    } else if constexpr (sizeof(T) == 4) {
      return hn::PromoteTo(d64, hn::DemoteTo(hn::Rebind<float, D>(), a));
    } else {
      // As in OneLane: 1.5 times the power of two whose ulp is the half type's.
      constexpr FloatFormat f = float_format(dtype_of<T>);
      const VI bits = hn::BitCast(di64, hn::Abs(a));
      const VI exponent = hn::Sub(hn::ShiftRight<52>(bits), hn::Set(di64, 1023 + f.mantissa_bits));
      const VI ulp = hn::Min(hn::Max(exponent, hn::Set(di64, f.unit)), hn::Set(di64, 300));
      const V m = hn::Mul(
          hn::BitCast(d64, hn::ShiftLeft<52>(hn::Add(ulp, hn::Set(di64, 52 + 1023)))), set(1.5));
      const V r = hn::Abs(hn::Sub(hn::Add(a, m), m));
      const V limit = set(power_of_two(f.top));
      const V finite = select(less(r, limit), r, infinity());
      return select(equal(a, a), hn::CopySign(finite, a), a);
    }
  }
};

#define ONEFOLD_QUICK_FN HWY_INLINE HWY_ATTR
#include "onefold/core/exact/quick.inl"
#undef ONEFOLD_QUICK_FN
using QuickV = Quick<Lanes>;

// Whether this instruction set supports a type. SSE4 converts f16 to f32 without NaN.
template <class T>
constexpr bool takes = HWY_TARGET != HWY_SSE4 || !std::is_same_v<T, float16>;

// The type of a vector's elements in memory: 16-bit numbers and booleans as their bits.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<float16> {
  using type = uint16_t;
};
template <>
struct Stored<bfloat16> {
  using type = uint16_t;
};
template <>
struct Stored<Bool8> {
  using type = uint8_t;
};
template <class T>
using Narrow = hn::Rebind<typename Stored<T>::type, D>;

HWY_INLINE HWY_ATTR V not_a_number() {
  return hn::Set(d64, std::numeric_limits<double>::quiet_NaN());
}

// Converts 64-bit integers to f64 if they are small enough to be exact; others become NaN, which
// leaves the answer undecided.
template <class T>
HWY_INLINE HWY_ATTR V widen_integer(hn::Vec<Narrow<T>> v) {
  constexpr bool is_signed = std::is_signed_v<T>;
  const VU half = hn::Set(du64, is_signed ? uint64_t{1} << 51 : 0);
  const VU above = hn::Add(hn::BitCast(du64, v), half);  // below 2^52
  const V x = hn::BitCast(d64, hn::Or(above, hn::Set(du64, uint64_t{0x433} << 52)));
  const auto held = hn::RebindMask(d64, hn::Eq(hn::ShiftRight<52>(above), hn::Zero(du64)));
  return hn::IfThenElse(held, hn::Sub(x, hn::Set(d64, is_signed ? 0x1p52 + 0x1p51 : 0x1p52)),
                        not_a_number());
}

// Returns x with 0 in place of infinities and NaN.
HWY_INLINE HWY_ATTR V finite_of(V x) {
  return hn::IfThenElseZero(hn::Lt(hn::Abs(x), Lanes::infinity()), x);
}

template <class T, class R>
HWY_INLINE HWY_ATTR V widen(R v) {
  if constexpr (std::is_same_v<T, double>) {
    return v;
  } else if constexpr (sizeof(T) == 8) {
    return widen_integer<T>(v);
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    // The bits are below the ulp of 2^52.
    const VU bits = hn::Or(hn::PromoteTo(du64, v), hn::Set(du64, uint64_t{0x433} << 52));
    return hn::Sub(hn::BitCast(d64, bits), hn::Set(d64, 0x1p52));
  } else if constexpr (sizeof(T) == 4) {
    return hn::PromoteTo(d64, v);
  } else if constexpr (std::is_same_v<T, Bool8>) {
    return widen<uint8_t>(hn::Min(v, hn::Set(Narrow<T>(), uint8_t{1})));
  } else if constexpr (is_integer(dtype_of<T>)) {
    return hn::PromoteTo(d64, hn::PromoteTo(hn::Rebind<int32_t, D>(), v));
  } else if constexpr (std::is_same_v<T, float16>) {
    const hn::Rebind<hwy::float16_t, D> h;
    return hn::PromoteTo(d64, hn::PromoteTo(hn::Rebind<float, D>(), hn::BitCast(h, v)));
  } else {
    const hn::Rebind<float, D> f;
    const hn::Rebind<uint32_t, D> u;
    return hn::PromoteTo(d64, hn::BitCast(f, hn::ShiftLeft<16>(hn::PromoteTo(u, v))));
  }
}
template <class T>
HWY_INLINE HWY_ATTR V load(const T* p) {
  const Narrow<T> d;
  return widen<T>(hn::LoadU(d, reinterpret_cast<const hn::TFromD<Narrow<T>>*>(p)));
}

// Loads the first r elements of a vector, and `fill` for the others. Reads nothing else.
template <class T>
HWY_INLINE HWY_ATTR V load_some(const T* p, std::size_t r, V fill) {
  const Narrow<T> d;
  using E = hn::TFromD<Narrow<T>>;
  const auto first = hn::FirstN(d64, r);
#if HWY_TARGET > HWY_AVX3
  // SSE4 and NEON have no masked loads; AVX2 has none for elements of 16 bits or less.
  if constexpr (sizeof(T) <= 2 || HWY_TARGET >= HWY_SSE4) {
    alignas(16) E pad[N] = {};
    std::memcpy(pad, p, r * sizeof *p);
    return hn::IfThenElse(first, widen<T>(hn::LoadU(d, pad)), fill);
  }
#endif
  return hn::IfThenElse(
      first, widen<T>(hn::MaskedLoad(hn::FirstN(d, r), d, reinterpret_cast<const E*>(p))), fill);
}

// Loads r elements whose addresses are `stride` bytes apart, and `fill` for the others.
template <class T>
HWY_INLINE HWY_ATTR V load_apart(const std::byte* p, int64_t stride, std::size_t r, V fill) {
  if (stride == static_cast<int64_t>(sizeof(T))) {
    const T* x = reinterpret_cast<const T*>(p);
    return r == N ? load(x) : load_some(x, r, fill);
  }
  using E = hn::TFromD<Narrow<T>>;
  alignas(64) E pad[N] = {};
  for (std::size_t k = 0; k < r; ++k) {
    std::memcpy(&pad[k], p + static_cast<int64_t>(k) * stride, sizeof(T));
  }
  const V v = widen<T>(hn::LoadU(Narrow<T>(), pad));
  return r == N ? v : hn::IfThenElse(hn::FirstN(d64, r), v, fill);
}

// Tells by the processor's sticky flag whether something was rounded since `open`. The asm touches
// memory, since otherwise the compiler would move arithmetic past it.
struct Inexact {
#if defined(__aarch64__)
  HWY_INLINE void open() { asm volatile("msr fpsr, xzr" : : : "memory"); }
  HWY_INLINE bool seen() const {
    uint64_t flags = 0;
    asm volatile("mrs %0, fpsr" : "=r"(flags) : : "memory");
    return (flags & 0x10) != 0;
  }
#else
  HWY_INLINE void open() {
    unsigned mode = 0x1f80;
    asm volatile("ldmxcsr %0" : : "m"(mode) : "memory");
  }
  HWY_INLINE bool seen() const {
    unsigned mode = 0;
    asm volatile("stmxcsr %0" : "=m"(mode) : : "memory");
    return (mode & 0x20) != 0;
  }
#endif
};
