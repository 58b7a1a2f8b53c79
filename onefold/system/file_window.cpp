#include "onefold/system/file_window.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace onefold::system {

// A mapped window, as the signal handler sees it; the handler may only read atomics.
struct WatchedWindow {
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> taken{false};
  std::atomic<bool> lost{false};
};

namespace {

// One window per thread; a reader that finds no free entry reads without mapping.
constexpr int entries = 64;
WatchedWindow table[entries];
std::atomic<bool> installed{false};
struct sigaction before;
uintptr_t page_bytes = 4096;

// Does only what a signal handler may do: atomics, and mmap, which on Linux is just a system call.
void handle(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (WatchedWindow& w : table) {
    const uintptr_t begin = w.begin.load(), end = w.end.load();
    if (at < begin || at >= end) continue;
    const uintptr_t page = at / page_bytes * page_bytes;
    // Maps zeros over the whole rest of the window, since otherwise each of its pages would fault.
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

// Returns a free entry of the table, or null.
WatchedWindow* take_entry() {
  for (WatchedWindow& w : table) {
    bool free = false;
    if (w.taken.compare_exchange_strong(free, true)) {
      w.lost.store(false);
      return &w;
    }
  }
  return nullptr;
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

bool FileWindow::map(int file, uint64_t at, std::size_t bytes) {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto skip = static_cast<std::size_t>(at % page);
  watched_ = take_entry();
  if (watched_ == nullptr) return false;
  void* p =
      ::mmap(nullptr, bytes + skip, PROT_READ, MAP_SHARED, file, static_cast<off_t>(at - skip));
  if (p == MAP_FAILED) {
    watched_->taken.store(false);
    watched_ = nullptr;
    return false;
  }
  window_ = p;
  window_bytes_ = bytes + skip;
  const auto from = reinterpret_cast<uintptr_t>(p);
  watched_->end.store((from + window_bytes_ + page - 1) / page * page);
  watched_->begin.store(from);
  ::madvise(p, window_bytes_, MADV_SEQUENTIAL);
  data_ = static_cast<const std::byte*>(p) + skip;
  return true;
}

FileWindow::~FileWindow() {
  if (window_ == nullptr) return;
  watched_->begin.store(0);
  watched_->end.store(0);
  ::munmap(window_, window_bytes_);
  watched_->taken.store(false);
}

bool FileWindow::lost() const { return watched_ != nullptr && watched_->lost.load(); }

}  // namespace onefold::system
