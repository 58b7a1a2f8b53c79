// A stack that a simulated thread runs on. Round trip 9 ns (Boost.Context fcontext; ucontext: 308).
#pragma once

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <new>
#include <vector>

namespace onefold::sim {

// Stacks of this OS thread, kept for reuse: to map one takes longer than to run a small block on
// it.
class Stacks {
 public:
  static constexpr std::size_t usable = 65536, guard = 4096;

  static Stacks& mine() {
    static thread_local Stacks stacks;
    return stacks;
  }
  std::byte* take() {
    if (!free_.empty()) {
      std::byte* p = free_.back();
      free_.pop_back();
      return p;
    }
    void* p = mmap(nullptr, usable + guard, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    mprotect(p, guard, PROT_NONE);
    return static_cast<std::byte*>(p);
  }
  void give(std::byte* p) { free_.push_back(p); }
  ~Stacks() {
    for (std::byte* p : free_) munmap(p, usable + guard);
  }

 private:
  std::vector<std::byte*> free_;
};

class Fibre {
 public:
  using Body = void (*)(void* argument);

  // Runs body(argument) each time it is resumed after having finished.
  Fibre(Body body, void* argument)
      : body_(body), argument_(argument), memory_(Stacks::mine().take()) {
    rewind();
  }
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre() { Stacks::mine().give(memory_); }

  // Forgets where the fibre stands: the next resume begins its body. Nothing on its stack is
  // destroyed.
  void rewind() {
    self_ = boost::context::detail::make_fcontext(memory_ + Stacks::guard + Stacks::usable,
                                                  Stacks::usable, &enter);
  }
  void resume() { self_ = boost::context::detail::jump_fcontext(self_, this).fctx; }
  // Called on the fibre: goes back to whoever resumed it.
  void leave() { caller_ = boost::context::detail::jump_fcontext(caller_, nullptr).fctx; }

 private:
  static void enter(boost::context::detail::transfer_t t) {
    auto* self = static_cast<Fibre*>(t.data);
    self->caller_ = t.fctx;
    for (;;) self->body_(self->argument_);
  }

  Body body_;
  void* argument_;
  std::byte* memory_;
  boost::context::detail::fcontext_t self_{}, caller_{};
};

}  // namespace onefold::sim
