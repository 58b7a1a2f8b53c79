// logsumexp, softmax and their kin, chosen by a value.
#pragma once

#include "onefold/core/exponential/function.hpp"
#include "onefold/fold.hpp"

namespace onefold {

Answer row_function(RowFunction f, const ArrayRef& x, const Options& options);
// Of an array, or a device, on a GPU.
Answer device_row_function(RowFunction f, const ArrayRef& x, const Options& options);
void row_function_into(RowFunction f, const OutputRef& out, const ArrayRef& x,
                       const Options& options);

}  // namespace onefold
