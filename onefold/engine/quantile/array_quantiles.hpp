// Quantiles of arrays in memory.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/quantile.hpp"

namespace onefold {

// Quantiles of an array in memory, along axes. Each quantile has an answer with the shape of the
// kept axes.
//   name     the caller's name for error messages
//   options  axes, keepdims, where (bytes), nan and threads; result: quantile_type, or x's type
//   memory   each thread: 8 bytes for each element of a slice; a slice of more than 2^22
//            elements: 64 MiB
//   throws   bad_option, bad_axis, shape_mismatch
Answers quantiles_of_array(const std::string& name, const std::vector<Quantile>& quantiles,
                           const ArrayRef& x, const Options& options);

// Writes quantiles of an array, or of a device, on a GPU to `outs`, one for each.
//   name  as above
void quantiles_of_array_into(const std::string& name, std::span<const OutputRef> outs,
                             const ArrayRef& x, const std::vector<Quantile>& quantiles,
                             const Options& options);

// The row of a plan's op, by which messages call it: quantile, median or histogram.
const OpRow& row_of(std::string_view name);
// The plan of quantiles along axes: the op `max`, by the caller's name. On a device it has their
// weights.
//   throws  bad_option: the weights, or a method that is not meant for them; shape_mismatch
Plan plan_of_quantiles(const std::string& name, const ArrayRef& x,
                       const std::vector<Quantile>& quantiles, Options options);
// Throws if a device does not take these options, or elements of this type.
void check_on_device(const std::string& name, const ArrayRef& x, const Options& options,
                     std::initializer_list<std::string_view> meant);

// Whether an array, or its answers, are on a device.
bool is_on_device(const ArrayRef& x, const Options& options);
// Answers quantiles on a device.
//   job  without outputs and quantiles
Answers quantiles_of_job(backend::Job job, const std::vector<Quantile>& quantiles);

// Quantiles of segments and of windows, as onefold/quantile.hpp has them.
//   name  as above
Answers quantiles_of_segments(const std::string& name, const ArrayRef& x, const ArrayRef& offsets,
                              const std::vector<Quantile>& quantiles, const Options& options);
void quantiles_of_segments_into(const std::string& name, std::span<const OutputRef> outs,
                                const ArrayRef& x, const ArrayRef& offsets,
                                const std::vector<Quantile>& quantiles, const Options& options);
// Quantiles of the elements of each group, on a device; waits.
//   labels   the number of each element's group, below `groups`; of integers, where x is
//   options  .nan, .device, .stream
//   throws   as quantile_segments
void quantiles_of_labels_into(const std::string& name, std::span<const OutputRef> outs,
                              const ArrayRef& labels, const ArrayRef& x, Size groups,
                              const std::vector<Quantile>& quantiles, const Options& options);
Answers quantiles_of_windows(const std::string& name, const ArrayRef& x, const Windows& windows,
                             const std::vector<Quantile>& quantiles, const Options& options);
void quantiles_of_windows_into(const std::string& name, std::span<const OutputRef> outs,
                               const ArrayRef& x, const Windows& windows,
                               const std::vector<Quantile>& quantiles, const Options& options);

}  // namespace onefold
