// A file that becomes shorter while it is mapped: reading past its end raises SIGBUS. The guard
// maps zeros there and marks the mapped range, so that its reader can throw read_failed.
//
// Installing a handler is a program's decision: the library never does, and without the guard it
// reads files instead of mapping them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace onefold::io {

// For programs, once, before files are read. A SIGBUS of another origin does what it did before.
void install_sigbus_guard();
bool sigbus_guarded();

// One mapped window as the handler sees it; the handler may only look at atomics.
struct GuardedWindow {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> taken{false};
  std::atomic<bool> lost{false};
};

// A free entry of the guard's table; null if there is none, and then the window must not be made.
GuardedWindow* take_guarded_window();

}  // namespace onefold::io
