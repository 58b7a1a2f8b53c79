// logsumexp, softmax, rms_norm and their kin, chosen by a value.
#pragma once

#include "onefold/core/exponential/function.hpp"
#include "onefold/layer_norm.hpp"

namespace onefold {

//   scale  of rms_norm and layer_norm
Answer row_function(RowFunction f, const ArrayRef& x, const Options& options,
                    const NormScale& scale = {});
// Of an array, or a device, on a GPU.
Answer device_row_function(RowFunction f, const ArrayRef& x, const Options& options);
void row_function_into(RowFunction f, const OutputRef& out, const ArrayRef& x,
                       const Options& options, const NormScale& scale = {});

// Throws what is wrong with a scale for x, whose axes in `folded` are those of slices.
void check_scale(RowFunction f, const ArrayRef& x, const std::vector<bool>& folded,
                 const NormScale& scale);

}  // namespace onefold
