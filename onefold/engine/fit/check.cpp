#include "onefold/engine/fit/check.hpp"

#include "onefold/engine/plan/check.hpp"
#include "onefold/error.hpp"

namespace onefold {

void check_columns(const char* where, const ArrayRef& x, const ArrayRef* y) {
  const std::string begin = std::string(where) + ": ";
  check_array(x, where);
  if (x.shape.rank() != 1 && x.shape.rank() != 2) {
    throw Error(ErrorCode::shape_mismatch,
                begin + "shape " + to_string(x.shape) +
                    " does not have two axes; pass an array of shape (rows, columns)");
  }
  if (x.device.type == Device::Type::cuda ||
      (y != nullptr && y->device.type == Device::Type::cuda)) {
    throw Error(ErrorCode::no_backend,
                begin + "arrays on a device are not supported yet; copy them to the host");
  }
  if (y == nullptr) return;
  check_array(*y, where);
  if (y->shape.rank() != 1 || y->shape[0] != x.shape[0]) {
    throw Error(ErrorCode::shape_mismatch, begin + "x has shape " + to_string(x.shape) + " and y " +
                                               to_string(y->shape) +
                                               "; y must have one number for each row of x");
  }
  if (y->dtype != x.dtype) {
    throw Error(ErrorCode::type_mismatch, begin + "x is of type " + name_of(x.dtype) +
                                              " and y of type " + name_of(y->dtype) +
                                              "; convert one of them");
  }
}

void check_fit_options(const char* where, const Options& given,
                       std::initializer_list<std::string_view> meant) {
  const char* const option = option_beside(given, meant);
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option, std::string(where) + ": " + option +
                                         " is not supported by this function; leave it out");
}

}  // namespace onefold
