// Cuts elements and products into words; see onefold/cpu/window/cuts.hpp.
#include "onefold/cpu/window/cuts.hpp"

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/cuts.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace cuts_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

template <class T>
HWY_ATTR Spread read_as(const T* x, Size n, double* to) {
  const V infinity = Lanes::infinity(), minus_zero = hn::Set(d64, -0.0);
  V low = infinity, high = hn::Neg(infinity);
  VI odd = hn::Zero(di64), signs = odd;
  for (Size i = 0; i < n; i += N) {
    const std::size_t r = n - i < N ? n - i : N;
    const V v = HWY_LIKELY(r == N) ? load(x + i) : load_some(x + i, r, hn::Zero(d64));
    hn::Store(v, d64, to + i);
    const auto finite = hn::Lt(hn::Abs(v), infinity);
    low = hn::Min(low, hn::IfThenElse(finite, v, infinity));
    high = hn::Max(high, hn::IfThenElse(finite, v, hn::Neg(infinity)));
    if constexpr (Floating<T>) {
      signs = hn::Or(signs,
                     hn::VecFromMask(di64, hn::Eq(bits_of_vector(v), bits_of_vector(minus_zero))));
    }
    odd = hn::Or(odd, hn::VecFromMask(di64, hn::RebindMask(di64, hn::Not(finite))));
  }
  for (Size i = (n + N - 1) / N * N; i % 8 != 0; i += N) hn::Store(hn::Zero(d64), d64, to + i);
  const auto any = [](VI v) HWY_ATTR { return !hn::AllTrue(di64, hn::Eq(v, hn::Zero(di64))); };
  return {hn::GetLane(hn::MinOfLanes(d64, low)), hn::GetLane(hn::MaxOfLanes(d64, high)), any(odd),
          any(signs)};
}

HWY_ATTR Spread read(DType t, const std::byte* x, Size n, double* to) {
  return visit(t, [&]<class T>() HWY_ATTR {
    if constexpr (takes<T>) {
      return read_as(reinterpret_cast<const T*>(x), n, to);
    }
    return Spread::none();
  });
}
bool takes_type(DType t) {
  return visit(t, []<class T>() { return takes<T>; });
}

HWY_INLINE HWY_ATTR V near_pivot(const double* x, V pivot) {
  const V v = hn::Load(d64, x);
  return hn::IfThenElseZero(hn::Lt(hn::Abs(v), Lanes::infinity()), hn::Sub(v, pivot));
}

HWY_INLINE HWY_ATTR V rounded(V v, V magic) { return hn::Sub(hn::Add(v, magic), magic); }

template <int words>
HWY_ATTR bool values_in(const double* x, double pivot, Size n, const double* magic,
                        double* const* to) {
  V left = hn::Zero(d64);
  const V p = hn::Set(d64, pivot);
  for (Size i = 0; i < n; i += N) {
    V v = near_pivot(x + i, p);
    for (int k = 0; k < words; ++k) {
      const V t = rounded(v, hn::Set(d64, magic[k]));
      hn::Store(t, d64, to[k] + i);
      v = hn::Sub(v, t);
    }
    left = hn::Or(left, hn::Abs(v));
  }
  return !hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
}

// A product is a + b. Where the first word takes most of it, a - t and its sum with b are exact;
// otherwise b is below half an ulp of what is left, and `over` is what that sum rounds.
template <int words>
HWY_ATTR bool products_in(const double* x, double pivot, const double* y, double pivot_y, Size n,
                          const double* magic, double* const* to) {
  V left = hn::Zero(d64);
  const V px = hn::Set(d64, pivot), py = hn::Set(d64, pivot_y), zero = hn::Zero(d64);
  for (Size i = 0; i < n; i += N) {
    const V a = near_pivot(x + i, px), b = near_pivot(y + i, py);
    const auto p = Lanes::product(a, b);
    // Below 2^-960 its second word may have bits that no f64 can hold.
    const auto small = hn::And(hn::Lt(hn::Abs(p.sum), hn::Set(d64, 0x1p-960)),
                               hn::And(hn::Ne(a, zero), hn::Ne(b, zero)));
    left = hn::IfThenElse(small, hn::Set(d64, 1), left);
    const V t = rounded(p.sum, hn::Set(d64, magic[0])), l = hn::Sub(p.sum, t);
    hn::Store(t, d64, to[0] + i);
    const V m = hn::Add(l, p.rest), over = hn::Sub(p.rest, hn::Sub(m, l));
    const V u = rounded(m, hn::Set(d64, magic[1])), o = hn::Sub(m, u);
    hn::Store(u, d64, to[1] + i);
    if constexpr (words == 2) {
      left = hn::Or(left, hn::Or(hn::Abs(o), hn::Abs(over)));
    } else {
      const V k = hn::Add(o, over), w = rounded(k, hn::Set(d64, magic[2]));
      hn::Store(w, d64, to[2] + i);
      left = hn::Or(left, hn::Or(hn::Abs(hn::Sub(k, w)), hn::Abs(hn::Sub(over, hn::Sub(k, o)))));
    }
  }
  return !hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
}

bool values(const double* x, double pivot, Size n, const double* magic, int words,
            double* const* to) {
  return (words == 2 ? values_in<2> : values_in<3>)(x, pivot, n, magic, to);
}
bool products(const double* x, double pivot, const double* y, double pivot_y, Size n,
              const double* magic, int words, double* const* to) {
  return (words == 2 ? products_in<2> : products_in<3>)(x, pivot, y, pivot_y, n, magic, to);
}

constexpr CutWays ways{takes_type, read, values, products};
const CutWays* get() { return &ways; }

}  // namespace cuts_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

Spread Spread::none() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {infinity, -infinity};
}

const CutWays* cut_ways([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, cuts_of::get());
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
