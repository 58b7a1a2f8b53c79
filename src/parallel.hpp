// Runs tasks on several threads, one of which is the caller's.
#pragma once

#include <cstddef>
#include <functional>

namespace onefold {

// Calls f(task) for each task in [0, tasks), on at most `threads` threads (0: one per core). If f
// throws, later tasks are skipped, and the exception is thrown here.
void parallel(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// Does the same on newly started threads, for tasks that wait for files and would block a pool.
// They start within 0.1 ms; oneTBB takes ten times as long for a process's first task. There are at
// most 8 threads for each core, and no more than the system allows.
void in_threads(std::size_t tasks, int threads, const std::function<void(std::size_t)>& f);

// Returns the cores that this process may use, which is also the meaning of threads = 0.
int cores();

// Returns "oneTBB", or "std::thread" in children of processes that had used oneTBB.
const char* thread_library();

// Returns the number of threads that `parallel` uses for 0.
int default_threads();

}  // namespace onefold
