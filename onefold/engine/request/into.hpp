// Checks of folds that write their answers to the caller's memory, made before any work.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/fold.hpp"

namespace onefold {

struct OutputFold {
  Plan plan;
  std::vector<backend::Output> outputs;  // one for each op
};

// Checks a fold, and that outputs fit its answers and share no memory.
//   throws  as plans and backends do; type_mismatch, shape_mismatch, bad_option: an output
OutputFold check_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                      const ArrayRef* y, const Options& options);

// Checks only the outputs.
std::vector<backend::Output> check_outputs(const Plan& plan, std::span<const OutputRef> outs);

// Folds and writes answers to outputs that have been checked.
//   y  the second array's first element; null: there is no second array
void run_into(const Plan& plan, std::span<const backend::Output> outs, const ArrayRef& x,
              const void* y, const Options& options);

// Writes answers to outputs that have been checked.
//   throws  for the first bad status without a place for it: then nothing is written
void write_answers(const Plan& plan, std::span<const backend::Output> outs, const Answers& answers);

// Checks outputs in a device's memory. Their statuses report there what is wrong with the data.
//   throws  as check_into; bad_option: an output has no statuses
std::vector<backend::Output> check_device_outputs(const Plan& plan,
                                                  std::span<const OutputRef> outs);

// Checks that no two folds write to the same memory.
//   throws  bad_option
void check_apart(std::span<const OutputFold> folds);

// Refuses .first: a fold counts indices from its own first element. (With several ranks, each has a
// part of the data, and .first is that part's first index.)
//   throws  bad_option
void refuse_first(std::string_view ops, const Options& options);

}  // namespace onefold
