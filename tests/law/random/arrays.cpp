#include "law/random/arrays.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace onefold::law {

Size elements_of(const Dims& shape) {
  Size n = 1;
  for (const int64_t e : shape) n *= static_cast<Size>(e);
  return n;
}

Dims some_strides(Random& r, const Dims& shape, int64_t bytes, bool any) {
  std::vector<int> order(static_cast<std::size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  if (any && r() % 3 != 0) std::shuffle(order.begin(), order.end(), r);
  Dims strides = shape;
  int64_t step = bytes;
  for (std::size_t k = order.size(); k-- > 0;) {
    const int d = order[k];
    if (any && r() % 5 == 0) step += bytes * static_cast<int64_t>(r() % 4);
    if (any && r() % 25 == 0) step += static_cast<int64_t>(r() % 9);
    strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
    if (any && r() % 6 == 0) strides[d] = -strides[d];
    if (any && r() % 12 == 0) strides[d] = 0;
    if (any && r() % 12 == 0) strides[d] = bytes;
  }
  return strides;
}

int64_t span_of(const Dims& shape, const Dims& strides, int64_t& low) {
  int64_t high = 0;
  low = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 0) return low = 0;
    (strides[d] < 0 ? low : high) += strides[d] * (shape[d] - 1);
  }
  return high - low;
}

Data with_specials(Random& r, Data x) {
  const uint64_t sign = uint64_t{1} << (8 * bytes_of(x.dtype()) - 1);
  const FloatFormat f = float_format(x.dtype());
  const uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  const uint64_t list[] = {sign, 0, infinity, infinity | sign, infinity | 1, infinity | sign | 2};
  const uint64_t kinds_of_them = 1 + r() % 6;
  for (Size k = 1 + r() % 5; k > 0 && x.size() > 0; --k) {
    x.set(r() % x.size(), list[(r() % kinds_of_them + r() % 2) % 6]);
  }
  return x;
}

Data some_data(Random& r, std::string_view name, DType t, Size n) {
  if (name == "ones" || name == "far") {
    Data x(t, n);
    const double from = name == "ones" ? 1 : t == DType::f16 ? 1000 : t == DType::bf16 ? 200 : 1e6;
    for (Size i = 0; i < n; ++i) {
      const double v = name == "ones" ? 1 : from + static_cast<double>(r() % 2001) / 1000;
      x.set(i, is_floating(t) ? test::bits_near(t, v) : static_cast<uint64_t>(v));
    }
    return x;
  }
  return test::generate(name, t, n, r());
}

Data in_c_order(const ArrayRef& other, const Dims& shape) {
  Data to(other.dtype, elements_of(shape));
  const int extra = shape.rank() - other.shape.rank();
  const auto bytes = bytes_of(other.dtype);
  std::vector<int64_t> at(static_cast<std::size_t>(shape.rank()));
  const auto* p = static_cast<const std::byte*>(other.data);
  const auto stride = [&](int d) {
    return d < extra || other.shape[d - extra] == 1 ? 0 : other.strides[d - extra];
  };
  for (Size i = 0; i < to.size(); ++i) {
    std::memcpy(to.data() + i * bytes, p, bytes);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      int64_t& index = at[static_cast<std::size_t>(d)];
      p += stride(d);
      if (++index < shape[d]) break;
      p -= stride(d) * index;
      index = 0;
    }
  }
  return to;
}

Placed place(Random& r, const Dims& shape, const Dims& strides, const Data& memory, Size bytes) {
  Placed p;
  int64_t low = 0;
  span_of(shape, strides, low);
  std::byte* first = nullptr;
  if (r() % 2 == 0) {
    p.guarded = std::make_unique<test::Guarded>(bytes);
    first = r() % 2 == 0 ? p.guarded->end() - bytes : p.guarded->begin();
  } else {
    const Size shift = r() % 2 == 0 ? 0 : r() % 64;
    p.plain.resize(bytes + 128);
    const auto address = reinterpret_cast<uintptr_t>(p.plain.data());
    first = p.plain.data() + (64 - address % 64) % 64 + shift;
  }
  std::memcpy(first, memory.data(), bytes);
  p.array = ArrayRef(first - low, memory.dtype(), shape, strides);
  return p;
}

Dims some_broadcast(Random& r, const Dims& shape) {
  Dims own;
  const int dropped =
      r() % 6 == 0 ? static_cast<int>(r() % static_cast<uint64_t>(shape.rank() + 1)) : 0;
  const bool some = r() % 3 == 0;
  for (int d = dropped; d < shape.rank(); ++d) {
    own.push_back(some && r() % 2 == 0 ? 1 : shape[d]);
  }
  return own;
}

}  // namespace onefold::law
