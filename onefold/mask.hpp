// A mask: which elements of an array count.
#pragma once

#include "onefold/array.hpp"

namespace onefold {

// A mask has a bool (any byte but 0: the element counts) or a bit for each element. It broadcasts
// as in NumPy: from the last axis on, its extent is the array's or 1.
struct Mask {
  ArrayRef array;     // bools; or bits: data is the byte of bit 0, strides count bits
  bool bits = false;  // the lowest bit of a byte first, as in Arrow
  Size first = 0;     // if bits: the number of the first element's bit

  Mask() = default;
  Mask(const ArrayRef& bools) : array(bools) {}
  template <ElementRange R>
  requires(!std::same_as<std::remove_cvref_t<R>, ArrayRef>) Mask(R&& bools) : array(bools) {}
  // Makes a mask of the bits that begin at `data`, in C order. Bit number `first` is the first
  // element's.
  static Mask of_bits(const void* data, Size first, Dims shape) {
    Mask m(ArrayRef(data, DType::boolean, shape));
    m.bits = true;
    m.first = first;
    return m;
  }
};

}  // namespace onefold
