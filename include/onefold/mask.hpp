// A mask: which elements of an array count.
#pragma once

#include "onefold/array.hpp"

namespace onefold {

// A bool for each element (any byte but 0: the element counts), or a bit. A mask broadcasts to the
// array as in NumPy: compared from the last axis on, extents are equal or the mask's is 1.
struct Mask {
  ArrayRef array;     // bools; of bits, data is the byte that holds bit 0, and strides are bits
  bool bits = false;  // the lowest bit of a byte first, as in Arrow
  Size first = 0;     // of bits: the number of the first element's

  Mask() = default;
  Mask(const ArrayRef& bools) : array(bools) {}
  template <ElementRange R>
  requires(!std::same_as<std::remove_cvref_t<R>, ArrayRef>) Mask(R&& bools) : array(bools) {}
  // A mask of bits: bits first, first + 1, .. of the bits that begin at `data`, in C order.
  static Mask of_bits(const void* data, Size first, Dims shape) {
    Mask m(ArrayRef(data, DType::boolean, shape));
    m.bits = true;
    m.first = first;
    return m;
  }
};

}  // namespace onefold
