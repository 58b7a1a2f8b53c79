#include "io/sigbus.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace onefold::io {
namespace {

// One window per thread; readers that find no entry read without mapping.
constexpr int entries = 64;
GuardedWindow table[entries];
std::atomic<bool> installed{false};
struct sigaction before;
uintptr_t page_bytes = 4096;

// Only what a signal handler may do: atomics, and mmap, which on Linux is a bare system call.
void handle(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (GuardedWindow& w : table) {
    const uintptr_t begin = w.begin.load(), end = w.end.load();
    if (at < begin || at >= end) continue;
    const uintptr_t page = at / page_bytes * page_bytes;
    // Replaces the whole rest of the window; otherwise each of its pages would fault.
    void* zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    w.lost.store(true);
    errno = saved;
    return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    // Restores the default action, so the program ends when this handler returns.
    ::signal(SIGBUS, SIG_DFL);
    ::raise(SIGBUS);
  } else {
    before.sa_handler(number);
  }
  errno = saved;
}

}  // namespace

void install_sigbus_guard() {
  if (installed.load()) return;
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, &before) == 0) installed.store(true);
}

bool sigbus_guarded() { return installed.load(); }

GuardedWindow* take_guarded_window() {
  for (GuardedWindow& w : table) {
    bool free = false;
    if (w.taken.compare_exchange_strong(free, true)) {
      w.lost.store(false);
      return &w;
    }
  }
  return nullptr;
}

}  // namespace onefold::io
