// Checks of the arrays and options of matrices of columns, and of fits.
#pragma once

#include <initializer_list>
#include <string_view>

#include "onefold/options.hpp"

namespace onefold {

// Checks that x is (n, p) or (n,) on the host, and y, if there is one, (n,) of x's type.
//   throws  shape_mismatch, type_mismatch, no_backend
void check_columns(const char* where, const ArrayRef& x, const ArrayRef* y);

// Refuses options that have no meaning here. throws bad_option
void check_fit_options(const char* where, const Options& given,
                       std::initializer_list<std::string_view> meant);

}  // namespace onefold
