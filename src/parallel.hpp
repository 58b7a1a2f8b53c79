// Runs tasks on several threads, the caller's among them.
#pragma once

#include <cstddef>
#include <functional>

namespace onefold {

// f(task) for each task in [0, tasks), on at most `threads` threads (0: one per core). What f
// throws ends the rest and comes out here.
void parallel(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// The same on newly started threads, for tasks that wait for files and so do not belong in a pool.
// They start within 0.1 ms; oneTBB needs ten times as long for a process's first task. At most 8
// threads for each core, and at most as many as the system allows.
void in_threads(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// Cores that this process may use: the threads of `in_threads` for 0.
int cores();

// "oneTBB", or "std::thread" as in children of processes that had used oneTBB.
const char* thread_library();

// Threads that `parallel` would use for 0.
int default_threads();

}  // namespace onefold
