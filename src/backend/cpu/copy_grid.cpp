// Copies elements with any strides.
//
//   every 2nd to 4th  whole vectors are loaded, and shuffles take the elements: 8 f64 by 3 to 8
//                     instructions. From every 5th element on, most loads would bring one element
//   other strides     one element after another, since it may stand at any byte
//   reads             no byte behind the last element
#include "backend/cpu/copy_grid.hpp"

#include <cstring>

#include "vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/copy_grid.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace copy_grid_of {
namespace hn = hwy::HWY_NAMESPACE;

template <class U>
void copy_each(const std::byte* x, int64_t stride, Size begin, Size n, U* to) {
  for (Size i = begin; i < n; ++i) {
    std::memcpy(to + i, x + static_cast<int64_t>(i) * stride, sizeof(U));
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// Returns the elements 0, steps, 2 steps ... of x, as many as a vector has.
template <int steps, class D>
HWY_INLINE HWY_ATTR hn::Vec<D> every(D d, const hn::TFromD<D>* x) {
  if constexpr (steps == 1) {
    return hn::LoadU(d, x);
  } else if constexpr (steps == 3) {
    hn::Vec<D> first, second, third;
    hn::LoadInterleaved3(d, x, first, second, third);
    return first;
  } else {
    constexpr Size half = steps / 2 * hn::MaxLanes(D());
    return hn::ConcatEven(d, every<steps / 2>(d, x + half), every<steps / 2>(d, x));
  }
}

template <int steps, class U>
HWY_ATTR void copy_every(const std::byte* from, Size n, U* to) {
  const hn::ScalableTag<U> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<U>());
  const U* const x = reinterpret_cast<const U*>(from);
  Size i = 0;
  for (; i + lanes < n; i += lanes) hn::StoreU(every<steps>(d, x + steps * i), d, to + i);
  copy_each(from, steps * sizeof(U), i, n, to);
}
#endif

template <class U>
HWY_ATTR void copy_run(const std::byte* x, int64_t stride, Size n, U* to) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  constexpr auto bytes = static_cast<int64_t>(sizeof(U));
  if (stride == 2 * bytes) return copy_every<2>(x, n, to);
  if (stride == 3 * bytes) return copy_every<3>(x, n, to);
  if (stride == 4 * bytes) return copy_every<4>(x, n, to);
#endif
  copy_each(x, stride, 0, n, to);
}

template <class U>
HWY_ATTR void copy_runs(const std::byte* from, Size outer, int64_t outer_stride, Size inner,
                        int64_t inner_stride, std::byte* to) {
  for (Size o = 0; o < outer; ++o) {
    copy_run(from + static_cast<int64_t>(o) * outer_stride, inner_stride, inner,
             reinterpret_cast<U*>(to) + o * inner);
  }
}

HWY_ATTR void copy(const std::byte* from, Size outer, int64_t outer_stride, Size inner,
                   int64_t inner_stride, std::size_t bytes, std::byte* to) {
  if (outer == 1 && inner_stride == static_cast<int64_t>(bytes)) {
    std::memcpy(to, from, inner * bytes);
    return;
  }
  switch (bytes) {
    case 1:
      return copy_runs<uint8_t>(from, outer, outer_stride, inner, inner_stride, to);
    case 2:
      return copy_runs<uint16_t>(from, outer, outer_stride, inner, inner_stride, to);
    case 4:
      return copy_runs<uint32_t>(from, outer, outer_stride, inner, inner_stride, to);
    default:
      return copy_runs<uint64_t>(from, outer, outer_stride, inner, inner_stride, to);
  }
}

}  // namespace copy_grid_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::cpu_backend {

CopyGrid* copy_grid_of([[maybe_unused]] Target target) {
  ONEFOLD_OF_TARGET(target, copy_grid_of::copy);
  return HWY_STATIC_DISPATCH(copy_grid_of::copy);
}

void copy_grid(const std::byte* from, Size outer, int64_t outer_stride, Size inner,
               int64_t inner_stride, std::size_t bytes, std::byte* to) {
  copy_grid_of(usable_targets()[0])(from, outer, outer_stride, inner, inner_stride, bytes, to);
}

}  // namespace onefold::cpu_backend
#endif
