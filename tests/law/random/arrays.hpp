// Random arrays anywhere in memory: with strides of any kind, under masks, and broadcast.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "guarded.hpp"
#include "onefold/array.hpp"

namespace onefold::law {

using test::Data;
using test::Random;

// An array in memory of its own.
struct Placed {
  std::unique_ptr<test::Guarded> guarded = {};  // null: in `plain`
  std::vector<std::byte> plain = {};
  ArrayRef array = {};
};

Size elements_of(const Dims& shape);

// C order; or, if `any`, any order with gaps, backwards, broadcast, windows or fractions of
// elements.
Dims some_strides(Random& r, const Dims& shape, int64_t bytes, bool any);

// Bytes from the first byte of the lowest element to that of the highest; `low`: where the lowest
// lies, counted from the element whose indices are 0.
int64_t span_of(const Dims& shape, const Dims& strides, int64_t& low);

// Extents of an array that broadcasts to `shape`.
Dims some_broadcast(Random& r, const Dims& shape);

// Data of a generator (generate.hpp), `ones`, or `far`: near 10^6, as far as the type allows.
Data some_data(Random& r, std::string_view name, DType t, Size n);
// Sets a few elements to -0, 0, infinities and NaN.
Data with_specials(Random& r, Data x);

// Copies `memory` to where strides say; half of them lie between pages that cannot be read.
Placed place(Random& r, const Dims& shape, const Dims& strides, const Data& memory, Size bytes);

// The elements of `other`, broadcast to `shape`, in C order.
Data in_c_order(const ArrayRef& other, const Dims& shape);

}  // namespace onefold::law
