// Folds of segments of two arrays; and on a device, queued without waiting.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// Folds segments of two arrays of one shape: answer i of "mse" is that of x and y between offsets i
// and i + 1. Everything else is as for one array (fold.hpp).
Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
                      const ArrayRef& offsets, const Options& options = {});

// Folds segments as fold_segments does; the work is queued on options.stream, and the call returns.
//   x, y, offsets, outs  in the device's memory, and a mask too; outputs of shape (segments, x's
//                        other axes), with statuses
//   status               bad_offsets: a segment's offsets decrease or lie outside the array; no
//                        element of it has been read
//   throws               no_backend, bad_option, shape_mismatch: before any work
void fold_segments_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                        const ArrayRef& offsets, const Options& options = {});
void fold_segments_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                        const ArrayRef& y, const ArrayRef& offsets, const Options& options = {});

}  // namespace onefold
