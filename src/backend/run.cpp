#include "backend/run.hpp"

namespace onefold::backend {
namespace {

// Every device type that a plan may name has a backend.
const Backend& of(const Plan& plan) {
  const std::span<const Backend* const> all = backends();
  for (const Backend* b : all) {
    if (b->device == plan.device.type) return *b;
  }
  return *all[0];
}

// Where answers are waited for, states meet on the host.
void refuse_ranks(const Plan& plan) {
  if (plan.nccl == nullptr) return;
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) + ": .nccl is for fold_into with the array, all outputs and " +
                  "statuses on the device; states of the host are merged by onefold/nccl.hpp");
}

}  // namespace

Plan checked(Plan plan) {
  if (const std::optional<Error> why = of(plan).why_not(plan)) throw *why;
  return plan;
}

void run(const Plan& plan, const void* x, const void* y, const Done& done,
         std::span<std::byte* const> straight) {
  refuse_ranks(plan);
  of(plan).run(plan, x, y, done, straight);
}

bool queue(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs) {
  return of(plan).queue(plan, x, y, outputs);
}

bool queue_ranks(std::span<const Queued> folds) {
  const Plan& first = folds[0].plan;
  for (const Queued& fold : folds) {
    const Plan& plan = fold.plan;
    if (plan.nccl != nullptr && plan.nccl == first.nccl && plan.stream == first.stream &&
        plan.device == first.device) {
      continue;
    }
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) +
                    ": folds of one message need one .device, .stream and .nccl, " +
                    "and these are others than those of " + names_of(first.ops));
  }
  if (of(first).queue_ranks(folds)) return true;
  refuse_ranks(first);
  return false;
}

bool answer(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs) {
  refuse_ranks(plan);
  return of(plan).answer(plan, x, y, outputs);
}

void write(const Plan& plan, void* to, const void* from, std::size_t bytes) {
  of(plan).write(plan, to, from, bytes);
}

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  refuse_ranks(plan);
  of(plan).gather(plan, nest, x, y, states);
}

bool gather_read(const Plan& plan, Size elements, Size first, const Read& read, int64_t* state) {
  refuse_ranks(plan);
  if (of(plan).gather_read == nullptr) return false;
  of(plan).gather_read(plan, elements, first, read, state);
  return true;
}

void segments(const Plan& plan, const Segments& segments, const void* x,
              std::span<const Output> outputs) {
  of(plan).segments(plan, segments, x, outputs);
}

void labels(const Plan& plan, const Labels& labels, const void* x,
            std::span<const Output> outputs) {
  of(plan).labels(plan, labels, x, outputs);
}

}  // namespace onefold::backend
