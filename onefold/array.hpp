// Describes an array by its data, element type, shape, strides and device, without owning the data.
#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "onefold/core/cxx20.hpp"
#include "onefold/core/dtype.hpp"

namespace onefold {

inline constexpr int max_rank = 16;

// Up to max_rank numbers: a shape (elements) or strides (bytes).
class Dims {
 public:
  constexpr Dims() = default;
  template <std::integral... I>
  requires(sizeof...(I) > 0 && sizeof...(I) <= max_rank) constexpr Dims(I... values)
      : rank_(sizeof...(I)), value_{static_cast<int64_t>(values)...} {}
  constexpr explicit Dims(std::span<const int64_t> values) {
    for (const int64_t v : values) push_back(v);
  }

  constexpr int rank() const { return rank_; }
  constexpr int kept() const { return rank_ < max_rank ? rank_ : max_rank; }
  constexpr int64_t operator[](int i) const { return value_[i]; }
  constexpr int64_t& operator[](int i) { return value_[i]; }
  constexpr const int64_t* begin() const { return value_; }
  constexpr const int64_t* end() const { return value_ + kept(); }
  // With more than max_rank numbers only the rank is stored; every fold refuses such a rank.
  constexpr void push_back(int64_t v) {
    if (rank_ < max_rank) value_[rank_] = v;
    ++rank_;
  }
  friend constexpr bool operator==(const Dims& a, const Dims& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  int rank_ = 0;
  int64_t value_[max_rank] = {};
};

// (4, 5, 6) and (3,), as Python writes them.
std::string to_string(const Dims& dims);

// C-order strides of an array without holes.
constexpr Dims row_major(const Dims& shape, DType dtype) {
  Dims strides = shape;
  int64_t step = bytes_of(dtype);
  for (int d = shape.kept() - 1; d >= 0; --d) {
    strides[d] = step;
    // Unsigned, so that an absurd shape overflows without undefined behaviour; the plan refuses it.
    step = static_cast<int64_t>(static_cast<uint64_t>(step) *
                                static_cast<uint64_t>(std::max<int64_t>(shape[d], 1)));
  }
  return strides;
}

struct Device {
  enum class Type : uint8_t { automatic, cpu, cuda };
  Type type = Type::automatic;
  int index = 0;
  uint64_t several = 0;  // bit i: device i is one of several that share host data
  friend constexpr bool operator==(Device, Device) = default;
};
inline constexpr Device cpu{Device::Type::cpu};
constexpr Device cuda_device(int index = 0) { return {Device::Type::cuda, index}; }
// The same as cuda_device. After `using namespace onefold` this name is ambiguous if there is also
// a namespace `cuda`, as in libcu++: write onefold::cuda(0) or cuda_device(0) then.
constexpr Device cuda(int index = 0) { return cuda_device(index); }
// Several devices of one process: a fold of host data cuts them and uses all devices. A fold
// refuses a device that does not exist.
constexpr Device cuda_devices(std::span<const int> list) {
  if (list.size() == 1) return cuda_device(list[0]);
  Device d = cuda_device(list.empty() ? -1 : list[0]);
  for (const int i : list) {
    if (i < 0 || i >= 64) return cuda_device(i);
    d.several |= uint64_t{1} << i;
    if (i < d.index) d.index = i;
  }
  if (d.several == uint64_t{1} << d.index) d.several = 0;
  return d;
}
constexpr Device cuda(std::initializer_list<int> list) {
  return cuda_devices(std::span(list.begin(), list.size()));
}
// All devices of this machine, at most 64.
constexpr Device cuda_all() { return {Device::Type::cuda, 0, ~uint64_t{0}}; }

template <class R>
concept ElementRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    is_element<std::remove_cvref_t<std::ranges::range_value_t<R>>>;

struct ArrayRef {
  const void* data = nullptr;
  DType dtype = DType::f64;
  Dims shape;    // numbers of elements
  Dims strides;  // in bytes; may be negative or 0
  Device device;

  ArrayRef() = default;
  // Describes an array in C order whose elements follow each other without holes.
  ArrayRef(const void* p, DType t, Dims extents)
      : data(p), dtype(t), shape(extents), strides(row_major(extents, t)) {}
  ArrayRef(const void* p, DType t, Dims extents, Dims strides_in_bytes)
      : data(p), dtype(t), shape(extents), strides(strides_in_bytes) {}
  template <ElementRange R>
  requires(!std::same_as<std::remove_cvref_t<R>, ArrayRef>) ArrayRef(R&& range)
      : ArrayRef(std::ranges::data(range), dtype_of<std::ranges::range_value_t<R>>,
                 Dims(std::ranges::size(range))) {}
};

}  // namespace onefold
