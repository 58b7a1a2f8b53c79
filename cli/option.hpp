// The options that several verbs share.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli::option {

// Options about the input.
extern const Option dtype, shape, offset, format;
extern const Option header, columns, by, delimiter, missing, bad_lines, decimal, thousands;
extern const Option numbers, non_numbers, date_format, skip, comment, units, unite;
// Options about several files.
extern const Option each, files_from, null, keep_going, memory;
// Options about states.
extern const Option state, parts, mpi;
// Options about the fold.
extern const Option where, let, initial, empty_nan, weights, fweights, offsets;
extern const Option axis, keepdims, result, nan, ddof, correction, device, threads, target;
// Options about windows.
extern const Option rolling, cumulative, over, within, min_periods, closed;
// Options about the answers.
extern const Option sort, top, no_sort, json, precision, output, progress;
// Options of every verb.
extern const Option help, version;

}  // namespace onefold::cli::option
