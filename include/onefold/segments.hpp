// Folds of segments on a device, queued without waiting.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// Folds segments as fold_segments does (fold.hpp); the work is queued on options.stream, and the
// call returns.
//   x, offsets, outs  in the device's memory, and a mask too; outputs of shape (segments, x's other
//                     axes), with statuses
//   status            bad_offsets: a segment's offsets decrease or lie outside the array; no
//                     element of it has been read
//   throws            no_backend, bad_option, shape_mismatch: before any work
void fold_segments_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                        const ArrayRef& offsets, const Options& options = {});

}  // namespace onefold
