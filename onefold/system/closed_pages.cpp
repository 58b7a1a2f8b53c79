#include "onefold/system/closed_pages.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>

namespace onefold::system {

namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

// The signal handler, and the list that it goes through.
struct Touches {
  static inline ClosedPages* first = nullptr;
  static inline ClosedPages* stepping = nullptr;  // it has a page open for one instruction

#if defined(__x86_64__)
  static constexpr bool can_step = true;
  static void set_step(void* context, bool on) {
    constexpr greg_t trap_flag = 0x100;
    greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
    flags = on ? flags | trap_flag : flags & ~trap_flag;
  }
#else
  static constexpr bool can_step = false;
  static void set_step(void*, bool) {}
#endif
  // The instruction has touched what is open, and the pages are closed again.
  static void stepped(int, siginfo_t*, void* context) {
    const int saved = errno;
    set_step(context, false);
    if (stepping != nullptr) stepping->protect_closed();
    stepping = nullptr;
    errno = saved;
  }

  // A touch of closed pages is made again, once they are open. Any other fault ends the process.
  static void handle(int, siginfo_t* info, void* context) {
    const int saved = errno;
    const auto* at = static_cast<const std::byte*>(info->si_addr);
    for (ClosedPages* p = first; p != nullptr; p = p->next_) {
      const std::byte* const begin = p->bytes_.data();
      if (p->closed_.empty() || at < begin || at >= begin + p->all_) continue;
      bool noted = false;
      const bool may_read = p->page_may_be_read(at);
      for (ClosedPages::Closed& c : p->closed_) {
        // A fault does not say whether it is a read.
        if (at >= c.from && at < c.to && (!c.for_writes || may_read)) noted = c.touched = true;
      }
      noted ? p->protect(begin, begin + p->all_, PROT_READ | PROT_WRITE)
            : p->protect(at, at + 1, PROT_READ | PROT_WRITE);
      const bool steps = !noted && can_step && p->steps_ < ClosedPages::most_steps;
      if (steps) ++p->steps_, set_step(context, true);
      stepping = steps ? p : nullptr;
      errno = saved;
      return;
    }
    ::signal(SIGSEGV, SIG_DFL);
  }
  static void install() {
    static const bool once = [] {
      struct sigaction action {};
      action.sa_flags = SA_SIGINFO;
      sigemptyset(&action.sa_mask);
      action.sa_sigaction = stepped;
      if (can_step) ::sigaction(SIGTRAP, &action, nullptr);
      action.sa_sigaction = handle;
      return ::sigaction(SIGSEGV, &action, nullptr) == 0;
    }();
    (void)once;
  }
};

ClosedPages::ClosedPages(std::size_t bytes) : own_(true) {
  all_ = (bytes / page_size() + 1) * page_size();
  void* p = ::mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  bytes_ = {static_cast<std::byte*>(p), bytes};
  add();
}

ClosedPages::ClosedPages(std::span<std::byte> of_others, bool of_pages) : bytes_(of_others) {
  if (!of_pages || reinterpret_cast<std::uintptr_t>(bytes_.data()) % page_size() != 0) return;
  all_ = (bytes_.size() + page_size() - 1) / page_size() * page_size();
  add();
}

void ClosedPages::add() {
  next_ = Touches::first;
  Touches::first = this;
}

ClosedPages::~ClosedPages() {
  if (all_ == 0) return;
  ClosedPages** at = &Touches::first;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
  if (own_) {
    ::munmap(bytes_.data(), all_);
  } else {
    open();
  }
}

void ClosedPages::protect(const std::byte* from, const std::byte* to, int access) {
  const auto begin = static_cast<std::size_t>(from - bytes_.data()) / page_size() * page_size(),
             end = (static_cast<std::size_t>(to - bytes_.data()) + page_size() - 1) / page_size() *
                   page_size();
  ::mprotect(bytes_.data() + begin, end - begin, access);
}

bool ClosedPages::page_may_be_read(const std::byte* at) const {
  const std::byte* const begin = at - static_cast<std::size_t>(at - bytes_.data()) % page_size();
  return std::none_of(closed_.begin(), closed_.end(), [&](const Closed& c) {
    return !c.for_writes && c.from < begin + page_size() && c.to > begin;
  });
}

void ClosedPages::close(std::size_t from, std::size_t to, bool for_writes, std::size_t tag) {
  if (from == to || all_ == 0) return;
  Touches::install();
  closed_.push_back({bytes_.data() + from, bytes_.data() + to, tag, for_writes, false});
  protect(closed_.back().from, closed_.back().to, for_writes ? PROT_READ : PROT_NONE);
}

// Where a page has bytes of both kinds, those that must not be read win.
void ClosedPages::protect_closed() {
  for (const bool for_writes : {true, false}) {
    for (const Closed& c : closed_) {
      if (c.for_writes == for_writes) protect(c.from, c.to, for_writes ? PROT_READ : PROT_NONE);
    }
  }
}

std::vector<std::size_t> ClosedPages::open() {
  std::vector<std::size_t> touched;
  if (closed_.empty()) return touched;
  for (const Closed& c : closed_) {
    if (c.touched) touched.push_back(c.tag);
  }
  protect(bytes_.data(), bytes_.data() + all_, PROT_READ | PROT_WRITE);
  closed_.clear();
  steps_ = 0;
  return touched;
}

}  // namespace onefold::system
