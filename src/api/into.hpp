// Checks of folds that write their answers to the caller's memory, made before any work.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "onefold/fold.hpp"

namespace onefold {

struct Into {
  Plan plan;
  std::vector<backend::Output> outputs;  // one for each op
};

// The plan, and places that fit its answers and share no memory.
//   throws  what plans and backends do; type_mismatch, shape_mismatch, bad_option: an output
Into check_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                const ArrayRef* y, const Options& options);

// The places alone.
std::vector<backend::Output> check_outputs(const Plan& plan, std::span<const OutputRef> outs);

// Folds and writes answers to places that have been checked.
//   y  of the second array's elements; null: there is none
void run_into(const Plan& plan, std::span<const backend::Output> outs, const ArrayRef& x,
              const void* y, const Options& options);

// The places of a fold in a device's memory, whose statuses tell what is wrong with its data there.
//   throws  as check_into; bad_option: no statuses
std::vector<backend::Output> check_device_outputs(const Plan& plan,
                                                  std::span<const OutputRef> outs);

// Refuses a plan for host memory in the function `fold`_into, which works on a device only.
//   throws  bad_option
void refuse_host(const Plan& plan, const char* fold);

// No answer may go where another one goes.
//   throws  bad_option
void check_apart(std::span<const Into> folds);

// An index of a fold counts within the folded axes, so a start has no meaning. One of several ranks
// has a part, which starts somewhere.
//   throws  bad_option
void refuse_first(std::string_view ops, const Options& options);

}  // namespace onefold
