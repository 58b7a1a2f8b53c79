// What is asked of arrays, as one struct. The three verbs of fold.hpp answer it:
//
//   Answers a = fold({.ops = "mean,var", .x = x, .options = {.axes = {0}}});
//   fold({.ops = "sum", .x = x, .segments = offsets}, outputs);
//   State s = gather({.ops = "mean", .x = part});
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "onefold/array.hpp"
#include "onefold/options.hpp"

namespace onefold {

// A part of an array, in a memory of its own: of a device, or of the host.
struct Part {
  ArrayRef x;  // x.device says where it lies
  std::optional<Size> first =
      {};                  // index of its first element; default: the end of the previous part
  void* stream = nullptr;  // a stream of the part's device
};

// Windows of the one folded axis, which has n elements: answer i is, bit for bit, that of the
// elements of window i folded alone; indices count within it. While neither begins nor ends fall,
// each element enters and leaves once; a window that begins or ends before the one ahead of it is
// read anew. Two ways to say where windows are:
struct Windows {
  // Window i ends behind element i * step + ahead and has `width` elements, of which those that
  // the axis has count; width 0: all before its end, so {} is a scan. There are as many windows as
  // steps begin within the axis.
  Size width = 0;
  int64_t ahead = 0;
  Size step = 1;
  // Or window i is that of the elements begin[i] .. end[i] - 1: of i32 or i64, one dimension,
  // equally many; 0 <= begin[i] <= end[i] <= n. In host memory, or both on the device that folds,
  // side by side and of one type: then a call waits for the sum of the windows' lengths, and where
  // answers stay on the device, those of windows that break the rule have the status bad_offsets.
  std::optional<ArrayRef> begin = {}, end = {};
  // A window of fewer elements (those that .where selects and .nan does not omit) has no answer:
  // NaN, of other types than floats the status too_few.
  Size least = 0;
};

// It refers to what it names, as a std::string_view does: arrays and texts must outlive the call.
struct Request {
  std::string_view ops;            // names separated by commas: "mean,var"
  ArrayRef x = {};                 // rank 0 to 16, any strides; of one dimension by keys and labels
  std::optional<ArrayRef> y = {};  // for ops of two arrays (dot, corr): has x's shape
  Options options = {};            // .axes, .where, .weights, .initial, .stream, ...

  // Which elements belong to an answer; without these, options.axes says it. At most one is given.
  //
  // Offsets, of i32 or i64, ascending within 0..n, k + 1 for k segments, without .axes: answer i is
  // that of x[segments[i] .. segments[i + 1]), of x's shape without the first axis; indices count
  // within it. A device's are contiguous. Beside .windows where scans begin anew, 0..n, on the host
  std::optional<ArrayRef> segments = {};
  // Integers or bools, one dimension, as many as x has elements, of any strides. Equal keys have
  // one answer; the distinct keys, in ascending order, are Answers::keys
  std::optional<ArrayRef> keys = {};
  // As keys, but numbers 0 .. groups - 1, for which nothing is searched: there are `groups`
  // answers, also for groups without elements. On a device if x is on a device
  std::optional<ArrayRef> labels = {};
  Size groups = 0;
  // Answers have the shape of x, with as many elements along the folded axis as there are windows.
  std::optional<Windows> windows = {};

  // One array in several memories, in place of x; only gather takes it, and fold refuses it.
  std::span<const Part> parts = {};
  // Labels on a device, into outputs: the call queues its work, waits for nothing, and can be
  // captured in a graph. If a label is bad, all answers are 0 with the status bad_offsets.
  bool deferred = false;
};

}  // namespace onefold
