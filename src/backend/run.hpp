// Runs a Plan where it says: on the processor or on a device.
#pragma once

#include <functional>

#include "plan/plan.hpp"

namespace onefold::backend {

// Gathers every answer's state and hands it over, canonical, as `done(answer, state)`: each answer
// once, in any order and from several threads.
//   threads  plan.threads, or one per core; the caller's thread is one of them
//   throws   no_backend, device_failed, out_of_memory: for a device only
void run(const Plan& plan, const void* x, const void* y,
         const std::function<void(Size answer, const int64_t* state)>& done);

// Adds the answers [begin, end) to states that exist, canonical before and after: answer a to
// states[(a - begin) * plan.layout.words].
void gather(const Plan& plan, const void* x, const void* y, Size begin, Size end, int64_t* states);

}  // namespace onefold::backend
