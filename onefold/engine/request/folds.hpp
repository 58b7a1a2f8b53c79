// The kinds of folds that a Request may be; request.cpp chooses one.
//   y     null for ops of one array
//   outs  outputs for each op; the other overloads return the answers
#pragma once

#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/plan/scan_segment.hpp"
#include "onefold/states.hpp"

namespace onefold {

// Along options.axes.
Answers fold_axes(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                  const Options& options);
void fold_axes(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
               const ArrayRef* y, const Options& options);

Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                      const ArrayRef& offsets, const Options& options);
void fold_segments(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                   const ArrayRef* y, const ArrayRef& offsets, const Options& options);

Answers fold_keys(const Query& query, const ArrayRef& keys, const ArrayRef& x, const ArrayRef* y);

Answers fold_labels(const Query& query, const ArrayRef& labels, const ArrayRef& x,
                    const ArrayRef* y, Size groups);
void fold_labels(std::span<const OutputRef> outs, const Query& query, const ArrayRef& labels,
                 const ArrayRef& x, const ArrayRef* y, Size groups, bool deferred);

//   offsets  of segments, at each of which a scan begins anew; or null
Answers fold_windows(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                     const Windows& windows, const ArrayRef* offsets, const Options& options);
void fold_windows(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                  const ArrayRef* y, const Windows& windows, const ArrayRef* offsets,
                  const Options& options);
// Of numbers of a text, if query.decimals is true.
//   terms     their digits that f64 cannot hold, by ascending element; x has one axis
//   segments  of a scan of one axis
//   throws    bad_option: segments on a device
Answers fold_windows(const Query& query, const ArrayRef& x, const ArrayRef* y,
                     const Windows& windows, std::span<const DecimalTerm> terms,
                     std::span<const ScanSegment> segments = {});

State gather(std::string_view ops, std::span<const Part> parts, const Options& options);
States gather_states(std::string_view ops, std::span<const Part> parts, const Options& options);

}  // namespace onefold
