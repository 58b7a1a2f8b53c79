// Converts elements to pairs of integers, by the windows of exact/window.inl without their sums.
#include "onefold/cpu/units.hpp"

#include <cmath>

#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/units.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace units_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/answers.inl"

template <class T>
HWY_ATTR UnitsResult make(const std::byte* from, Size n, const Unit& unit, UnitPair* to,
                          uint16_t* left) {
  const auto start = [](int lowest_bit)
                         HWY_ATTR { return hn::Set(d64, 1.5 * power_of_two(lowest_bit + 52)); };
  const V m0 = start(unit.anchor - unit.high_bits), m1 = start(unit.lowest());
  const V limit = hn::Set(d64, power_of_two(unit.anchor));
  const VI minus_0 = hn::Set(di64, std::numeric_limits<int64_t>::min());
  const T* const x = reinterpret_cast<const T*>(from);
  UnitsResult made{0, false};
  auto negative_zero = hn::Eq(minus_0, hn::Zero(di64));  // none
  for (Size i = 0; i < n; i += N) {
    prefetch(x + i, N * sizeof(T), far_ahead);
    const V v = n - i < N ? load_some(x + i, n - i, hn::Zero(d64)) : load(x + i);
    negative_zero = hn::Or(negative_zero, hn::Eq(bits_of_vector(v), minus_0));
    const V t0 = hn::Add(v, m0), r = hn::Sub(v, hn::Sub(t0, m0));
    const V t1 = hn::Add(r, m1);
    const auto good = hn::And(hn::Lt(hn::Abs(v), limit), hn::Eq(r, hn::Sub(t1, m1)));
    VI high = hn::Sub(bits_of_vector(t0), bits_of_vector(m0));
    VI low = hn::Sub(bits_of_vector(t1), bits_of_vector(m1));
    if (HWY_UNLIKELY(!hn::AllTrue(d64, good))) {
      const auto keep = hn::RebindMask(di64, good);
      high = hn::IfThenElseZero(keep, high);
      low = hn::IfThenElseZero(keep, low);
      alignas(64) int64_t kept[N];
      hn::Store(hn::VecFromMask(di64, keep), di64, kept);
      for (Size k = 0; k < N; ++k) {
        if (kept[k] == 0) left[made.left++] = static_cast<uint16_t>(i + k);
      }
    }
    hn::StoreInterleaved2(high, low, di64, reinterpret_cast<int64_t*>(to + i));
  }
  made.negative_zero = !hn::AllFalse(di64, negative_zero);
  return made;
}

MakeUnits find(DType t) {
  return t == DType::f64 ? make<double> : t == DType::f32 ? make<float> : nullptr;
}

// Divides and rounds a vector of groups. Each word is exact as an f64, so the sum of the two has no
// error before it is rounded.
template <class T>
HWY_ATTR void round_to(const UnitPair* from, const uint32_t* counts, Size n, const Unit& unit,
                       std::byte* out, uint8_t* decided) {
  const V high_unit = hn::Set(d64, power_of_two(unit.anchor - unit.high_bits)),
          low_unit = hn::Set(d64, power_of_two(unit.lowest()));
  const VI most = hn::Set(di64, int64_t{1} << 53);
  for (Size g = 0; g < n; g += N) {
    const std::size_t r = n - g < N ? n - g : N;
    UnitPair some[N] = {};
    uint32_t some_counts[N] = {};
    if (r != N) std::memcpy(some, from + g, r * sizeof *from);
    if (r != N && counts != nullptr) std::memcpy(some_counts, counts + g, r * sizeof *counts);
    VI high, low;
    hn::LoadInterleaved2(di64, reinterpret_cast<const int64_t*>(r == N ? from + g : some), high,
                         low);
    const auto held = hn::And(hn::Lt(hn::Abs(high), most), hn::Lt(hn::Abs(low), most));
    const auto sum = two_sum<Lanes>(hn::Mul(hn::ConvertTo(d64, high), high_unit),
                                    hn::Mul(hn::ConvertTo(d64, low), low_unit));
    QuickV q{sum.sum, sum.rest, hn::Zero(d64), hn::Zero(d64)};
    if (counts != nullptr) q = q.over(load(r == N ? counts + g : some_counts));
    hn::Mask<D> good;
    const V v = q.template decide<T>(good);
    put<T>(v, out + g * sizeof(T), r);
    mark(hn::And(good, hn::RebindMask(d64, held)), decided + g, r);
  }
}
HWY_ATTR void round(const UnitPair* from, const uint32_t* counts, Size n, const Unit& unit,
                    DType to, std::byte* out, uint8_t* decided) {
  if (to == DType::f64) {
    round_to<double>(from, counts, n, unit, out, decided);
  } else {
    round_to<float>(from, counts, n, unit, out, decided);
  }
}
RoundUnits get() { return round; }

}  // namespace units_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

MakeUnits make_units([[maybe_unused]] Target target, [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, units_of::find(t));
  return nullptr;
}

RoundUnits round_units([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, units_of::get());
  return nullptr;
}

int sampled_exponent(const std::byte* x, Size n, DType t) {
  const Size step = n / 1024 + 1, bytes = bytes_of(t);
  double top = 0;
  for (Size i = 0; i < n; i += step) {
    double v = 0;
    float narrow = 0;
    if (t == DType::f64) {
      std::memcpy(&v, x + i * bytes, sizeof v);
    } else {
      std::memcpy(&narrow, x + i * bytes, sizeof narrow);
      v = narrow;
    }
    if (std::isfinite(v) && std::fabs(v) > top) top = std::fabs(v);
  }
  int exponent = 0;
  std::frexp(top, &exponent);
  return top == 0 ? lowest_unit_anchor : exponent;
}

}  // namespace onefold::cpu_backend
#endif
