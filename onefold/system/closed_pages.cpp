#include "onefold/system/closed_pages.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace onefold::system {

// The signal handler, and the list that it goes through.
struct Touches {
  static inline ClosedPages* first = nullptr;

  // A touch of closed pages is made again, once they are open. Any other fault ends the process.
  static void handle(int, siginfo_t* info, void*) {
    const int saved = errno;
    const auto* at = static_cast<const std::byte*>(info->si_addr);
    for (ClosedPages* p = first; p != nullptr; p = p->next_) {
      std::byte* const begin = p->bytes_.data();
      if (!p->closed_ || at < begin || at >= begin + p->all_) continue;
      p->touched_ = true;
      ::mprotect(begin, p->all_, PROT_READ | PROT_WRITE);
      errno = saved;
      return;
    }
    ::signal(SIGSEGV, SIG_DFL);
  }
  static void install() {
    static const bool once = [] {
      struct sigaction action {};
      action.sa_sigaction = handle;
      action.sa_flags = SA_SIGINFO;
      sigemptyset(&action.sa_mask);
      return ::sigaction(SIGSEGV, &action, nullptr) == 0;
    }();
    (void)once;
  }
};

ClosedPages::ClosedPages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  all_ = (bytes / page + 1) * page;
  void* p = ::mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  bytes_ = {static_cast<std::byte*>(p), bytes};
  next_ = Touches::first;
  Touches::first = this;
}

ClosedPages::~ClosedPages() {
  ClosedPages** at = &Touches::first;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
  ::munmap(bytes_.data(), all_);
}

void ClosedPages::close() {
  Touches::install();
  touched_ = false;
  closed_ = ::mprotect(bytes_.data(), all_, PROT_NONE) == 0;
}

bool ClosedPages::open() {
  if (!closed_) return false;
  closed_ = false;
  if (!touched_) ::mprotect(bytes_.data(), all_, PROT_READ | PROT_WRITE);
  return touched_;
}

}  // namespace onefold::system
