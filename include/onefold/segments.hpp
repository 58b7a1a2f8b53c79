// Segments on a device, where nothing is waited for.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// The status of a segment whose offsets fall or leave the array, beside those of Status; no element
// of it has been read.
inline constexpr auto bad_offsets = static_cast<Status>(4);

// Folds segments as fold_segments does (fold.hpp), of an array of one axis; the work is queued on
// options.stream, and the call returns.
//   x, offsets, outs  in the device's memory; outputs of shape (segments), with statuses
//   throws            no_backend, bad_option, shape_mismatch: before any work
void fold_segments_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                        const ArrayRef& offsets, const Options& options = {});

}  // namespace onefold
