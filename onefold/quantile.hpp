// Quantiles and medians of arrays: exact, and rounded once.
//
//   value    for n numbers x[0] <= .. <= x[n-1] (-0 before +0): h = q (n - 1). Method `linear`:
//            x[floor h] + (h - floor h) (x[floor h + 1] - x[floor h]), rounded once
//   type     floats: the type of the numbers; otherwise f64
//   NaN      as .nan says; no numbers: NaN
//   weights  .weights are for the methods inverted_cdf and averaged_inverted_cdf: the least number
//            that has, with all below it, q of the weight, or halfway to the next where that is q
//            exactly; .fweights repeat elements, for any method
//   options  .axes, .keepdims, .nan, .where (bytes), .weights, .fweights, .threads, .device,
//            .stream; on the host also .result: x's own type, or the type of quantiles
//   device   floats, whose slices have one distance between neighbouring elements; the bits are the
//            processor's. Nothing is synchronised if the answers go to memory there
//   throws   bad_option, bad_axis, shape_mismatch, unsupported, no_backend: before any work
//   cost     slices are read once; where the data are such that a sample misleads, on a device once
//            more for every 11 bits. A device needs memory for a 16th of a long slice, for each of
//            up to 4 quantiles. With weights it reads slices of more than 128 elements 5 times
//            (f64: 9), and again for each further quantile; 17 times where weights are very unequal
#pragma once

#include <span>
#include <string>
#include <vector>

#include "onefold/core/quantile/place.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// A quantile: the level q, as an exact fraction, the method, and the name of its answers.
struct Quantile : QuantileLevel {
  std::string name = "median";
};
//   throws  bad_option: no method has this name
QuantileMethod quantile_method(const std::string& name);
// Reads a decimal from 0 to 1 with at most 37 digits after the point. An f64 from 10^-21 on has
// fewer digits.
//   throws  bad_option
Quantile read_quantile(const std::string& word);

// Returns one answer for each quantile, with x's shape without the axes.
Answers quantile(const ArrayRef& x, const std::vector<Quantile>& quantiles,
                 const Options& options = {});
Answer median(const ArrayRef& x, const Options& options = {});

// Write the answers to `outs`, one for each quantile; on a device the work is queued.
void quantile_into(std::span<const OutputRef> outs, const ArrayRef& x,
                   const std::vector<Quantile>& quantiles, const Options& options = {});
void median_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});

// Quantiles of each segment x[offsets[i] .. offsets[i + 1]) of the first axis, as if it were an
// array of its own. On a device a block of threads answers a segment; one of more than 2^18
// elements (f64: 2^17) is read up to 6 times (f64: 10). Of arrays of one axis and more than 2^20
// elements, the call waits for the longest segments' lengths, unless it is captured into a graph.
//   offsets  i32 or i64, ascending, one more than there are segments; where x is
//   options  .nan, .where (bytes), .weights, .fweights, .threads, .device, .stream
//   returns  answers of the shape of x, with the number of segments as the first axis
//   throws   as quantile; bad_option: offsets decrease or leave the axis. Where the answers go to
//            memory of a device, each has a status instead, bad_offsets, and is NaN
Answers quantile_segments(const ArrayRef& x, const ArrayRef& offsets,
                          const std::vector<Quantile>& quantiles, const Options& options = {});
void quantile_segments_into(std::span<const OutputRef> outs, const ArrayRef& x,
                            const ArrayRef& offsets, const std::vector<Quantile>& quantiles,
                            const Options& options = {});

// Quantiles of windows of the one folded axis (onefold/request.hpp): each is, bit for bit, that of
// the window's elements alone.
//   options  .axes, .nan, .where (bytes), .threads, .device, .stream; on the host also .result
//   returns  answers of the shape of x, with windows in place of the elements of the axis
//   throws   as quantile; and what is wrong with the windows
//   cost     on the host an element enters and leaves its window in O(log w) steps, for w elements
//            of a window; a device orders each window anew, by a block of threads
//   memory   on the host 8 to 16 bytes for each element of a window and thread
Answers quantile_windows(const ArrayRef& x, const Windows& windows,
                         const std::vector<Quantile>& quantiles, const Options& options = {});
void quantile_windows_into(std::span<const OutputRef> outs, const ArrayRef& x,
                           const Windows& windows, const std::vector<Quantile>& quantiles,
                           const Options& options = {});

}  // namespace onefold
