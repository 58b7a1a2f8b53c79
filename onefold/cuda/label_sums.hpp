// Sums and counts of groups with labels, in one pass without sorting the elements.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/labels/label_array.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

// Returns labels as kernels read them; `at` is the device address of the first.
kernel::LabelArray<HostArguments> label_array(const backend::Labels& labels, uint64_t at);

// Returns whether kernel/labels/sums.hpp can answer a plan.
bool has_label_sums(const Plan& plan, const backend::Labels& labels);

enum class LabelSums : uint8_t {
  answered,
  bad_label,  // some label is no group's number, and no answer was written
  refused,    // exponents differ too much, and no answer was written
};
// Folds, and waits for the answers.
//   at       device addresses: x is the array's, y the labels'
//   answers  on the device
LabelSums fold_label_sums(Engine& engine, const Plan& plan, const backend::Labels& labels,
                          const Addresses& at, std::span<const Destination> answers, void* stream);

// Queues such a fold for a call that does not wait, by the first method with room for all groups.
//   memory   device memory of label_sum_bytes bytes
//   returns  the address of the SumsOutcome; unless that is `answered`, no answer is written
Size label_sum_bytes(Engine& engine, const Plan& plan, const backend::Labels& labels,
                     const Addresses& at, std::span<const Destination> answers);
uint64_t queue_label_sums(Engine& engine, const Plan& plan, const backend::Labels& labels,
                          const Addresses& at, std::span<const Destination> answers, void* stream,
                          uint64_t memory);

}  // namespace onefold::cuda_backend
