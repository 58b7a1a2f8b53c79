// A stack that a simulated thread runs on.
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/machine/sim/pages.hpp"
#include "onefold/machine/sim/switch.hpp"
#include "onefold/machine/sim/thread.hpp"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace onefold::sim {

// Stacks of this OS thread, kept for reuse: to map one takes longer than to run a small block on
// it.
class Stacks {
 public:
  static constexpr std::size_t usable = 65536, guard = guard_bytes;

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
    return static_cast<std::byte*>(take_pages(usable + guard, Pages::stack));
  }
  void give(std::byte* p) { free_.push_back(p); }
  ~Stacks() {
    for (std::byte* p : free_) give_pages(p, usable + guard);
  }

  // What is left free at the end of a stack. Were it the same for all, they would share a few sets
  // of the caches: `sequential` at 2^16 then misses a second-level cache 4.0 million times rather
  // than 0.2 (cachegrind).
  static std::size_t unused(const std::byte* p) {
    const auto k = reinterpret_cast<std::uintptr_t>(p) / (usable + guard);
    return (k * 128 + k / 32 * 512) % 4096;
  }

 private:
  std::vector<std::byte*> free_;
};

template <class Switch>
class FibreBy {
 public:
  using Body = void (*)(void* argument);

  // Runs body(argument) each time it is resumed after having finished.
  FibreBy(Body body, void* argument)
      : body_(body), argument_(argument), memory_(Stacks::mine().take()) {
    rewind();
  }
  FibreBy(const FibreBy&) = delete;
  FibreBy& operator=(const FibreBy&) = delete;
  ~FibreBy() { Stacks::mine().give(memory_); }

  // Forgets where the fibre stands: the next resume begins its body. Nothing on its stack is
  // destroyed.
  void rewind() {
#if defined(__SANITIZE_ADDRESS__)
    // Frames that were left behind have their borders marked still.
    __asan_unpoison_memory_region(memory_ + Stacks::guard, Stacks::usable);
#endif
    const std::size_t size = Stacks::usable - Stacks::unused(memory_);
    self_ = Switch::template prepare<&enter>(memory_ + Stacks::guard + size, size);
  }
#if defined(__SANITIZE_ADDRESS__)  // which is told of each stack
  void resume() {
    __sanitizer_start_switch_fiber(nullptr, memory_ + Stacks::guard, Stacks::usable);
    Switch::go(&caller_, self_);
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  }
  void leave() {
    __sanitizer_start_switch_fiber(nullptr, bottom_, size_);
    Switch::go(&self_, caller_);
    __sanitizer_finish_switch_fiber(nullptr, &bottom_, &size_);
  }
#else
  [[gnu::always_inline]] void resume() { Switch::go(&caller_, self_); }
  // Called on the fibre: goes back to whoever resumed it.
  [[gnu::always_inline]] void leave() { Switch::go(&self_, caller_); }
#endif

 private:
  static void enter(void** caller) {
    auto* self = reinterpret_cast<FibreBy*>(caller);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &self->bottom_, &self->size_);
#endif
    for (;;) self->body_(self->argument_);
  }

  void* caller_ = nullptr;  // first, since `enter` is given its address
  void* self_ = nullptr;
  Body body_;
  void* argument_;
  std::byte* memory_;
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom_ = nullptr;  // of the caller's stack
  std::size_t size_ = 0;
#endif
};

using Fibre = FibreBy<Switch>;

// Runs text(argument), a text in C++.
class OnFibre final : public Execution {
 public:
  using Text = void (*)(void* argument);

  OnFibre(Text text, void* argument) : text_(text), argument_(argument) {}

  void begin() override {
    if (std::exchange(inside_, false)) fibre_.rewind();
  }
  void go_on() override { fibre_.resume(); }
  void leave() override { fibre_.leave(); }

 private:
  static void run(void* self) {
    auto& e = *static_cast<OnFibre*>(self);
    e.inside_ = true;
    e.text_(e.argument_);
    e.inside_ = false;
    e.fibre_.leave();
  }

  Text text_;
  void* argument_;
  bool inside_ = false;  // its text is not at its end
  Fibre fibre_{&run, this};
};

}  // namespace onefold::sim
