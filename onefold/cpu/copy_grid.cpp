// Copies elements with any strides.
//
//   every 2nd to 4th  whole vectors are loaded, and shuffles take the elements: 8 f64 by 3 to 8
//                     instructions. From every 5th element on, most loads would bring one element
//   short rows        rows of 2, 3, 4 or 8 elements without gaps become columns in the same way
//   other strides     one element after another, since it may stand at any byte
//   reads             no byte behind the last element
#include "onefold/cpu/copy_grid.hpp"

#include <cstring>

#include "onefold/cpu/processor.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/copy_grid.cpp"
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
// Separates the columns of rows of `length` elements, a power of two, that lie in as many vectors.
template <int length, class D>
HWY_INLINE HWY_ATTR void separate(D d, hn::Vec<D>* v) {
  if constexpr (length > 1) {
    constexpr int half = length / 2;
    hn::Vec<D> even[half], odd[half];
#pragma GCC unroll 8
    for (int k = 0; k < half; ++k) {
      even[k] = hn::ConcatEven(d, v[2 * k + 1], v[2 * k]);
      odd[k] = hn::ConcatOdd(d, v[2 * k + 1], v[2 * k]);
    }
    separate<half>(d, even);
    separate<half>(d, odd);
#pragma GCC unroll 8
    for (int k = 0; k < half; ++k) {
      v[2 * k] = even[k];
      v[2 * k + 1] = odd[k];
    }
  }
}

// Loads rows of `length` elements: lane r of column[c] is element c of row r.
template <int length, class D>
HWY_INLINE HWY_ATTR void load_columns(D d, const hn::TFromD<D>* x, hn::Vec<D>* column) {
  if constexpr (length == 3) {
    hn::LoadInterleaved3(d, x, column[0], column[1], column[2]);
  } else {
#pragma GCC unroll 8
    for (int k = 0; k < length; ++k) column[k] = hn::LoadU(d, x + k * hn::MaxLanes(d));
    separate<length>(d, column);
  }
}

// Copies the first `columns` elements of n rows of `length` elements; those of a column become
// neighbours. The last row needs to have no more than these elements.
template <int length, int columns, class U>
HWY_ATTR void copy_columns(const std::byte* from, Size n, U* to) {
  const hn::ScalableTag<U> d;
  constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<U>());
  const U* const x = reinterpret_cast<const U*>(from);
  Size i = 0;
  for (; i + lanes + (columns < length ? 1 : 0) <= n; i += lanes) {
    hn::Vec<decltype(d)> column[length];
    // Takes a quarter off 262,144 rows of 8 f64. Where one column is copied it costs 5 to 10 %.
    for (Size b = 0; columns == length && b < length * lanes * sizeof(U); b += 64) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(x + length * i) + prefetch_ahead + b);
    }
    load_columns<length>(d, x + length * i, column);
#pragma GCC unroll 8
    for (Size c = 0; c < columns; ++c) hn::StoreU(column[c], d, to + c * n + i);
  }
  for (Size c = 0; c < columns; ++c) {
    copy_each(from + c * sizeof(U), length * sizeof(U), i, n, to + c * n);
  }
}
#endif

template <class U>
HWY_ATTR void copy_run(const std::byte* x, int64_t stride, Size n, U* to) {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  constexpr auto bytes = static_cast<int64_t>(sizeof(U));
  if (stride == 2 * bytes) return copy_columns<2, 1>(x, n, to);
  if (stride == 3 * bytes) return copy_columns<3, 1>(x, n, to);
  if (stride == 4 * bytes) return copy_columns<4, 1>(x, n, to);
#endif
  copy_each(x, stride, 0, n, to);
}

template <class U>
HWY_ATTR void copy_runs(const std::byte* from, Size outer, int64_t outer_stride, Size inner,
                        int64_t inner_stride, std::byte* memory) {
  U* const to = reinterpret_cast<U*>(memory);
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  constexpr auto bytes = static_cast<int64_t>(sizeof(U));
  if (outer_stride == bytes && inner_stride == static_cast<int64_t>(outer) * bytes) {
    if (outer == 2) return copy_columns<2, 2>(from, inner, to);
    if (outer == 3) return copy_columns<3, 3>(from, inner, to);
    if (outer == 4) return copy_columns<4, 4>(from, inner, to);
    if (outer == 8) return copy_columns<8, 8>(from, inner, to);
  }
#endif
  for (Size o = 0; o < outer; ++o) {
    copy_run(from + static_cast<int64_t>(o) * outer_stride, inner_stride, inner, to + o * inner);
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
