// Runs tasks on several threads, the caller's among them.
#pragma once

#include <cstddef>
#include <functional>

namespace onefold {

// f(task) for each task in [0, tasks), on at most `threads` threads (0: one per core). What f
// throws ends the rest and comes out here.
void parallel(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// "oneTBB" or "std::thread".
const char* thread_library();

// Threads that `parallel` would use for 0.
int default_threads();

}  // namespace onefold
