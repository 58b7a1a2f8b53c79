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

void fold(const Job& job) {
  refuse_ranks(job.plan);
  of(job.plan).fold(job);
}

void run(const Plan& plan, const void* x, const void* y, const Done& done, StateTable* table) {
  refuse_ranks(plan);
  of(plan).run(plan, x, y, done, table);
}

bool queue(std::span<const Job> jobs) {
  const Plan& first = jobs[0].plan;
  if (of(first).queue(jobs)) return true;
  refuse_ranks(first);
  return false;
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

}  // namespace onefold::backend
