// The stack of a simulated thread.
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

// Keeps the stacks of this OS thread for reuse: mapping one takes longer than to run a small block
// on it.
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

  // Leaves this many bytes free at the end of a stack. If all stacks left the same, they would
  // share a few cache sets: `sequential` at 2^16 then has 4.0 million misses of the second-level
  // cache instead of 0.2 million (cachegrind).
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

  // Runs body(argument). If resumed after the body has finished, runs it again.
  FibreBy(Body body, void* argument)
      : body_(body), argument_(argument), memory_(Stacks::mine().take()) {
    rewind();
  }
  FibreBy(const FibreBy&) = delete;
  FibreBy& operator=(const FibreBy&) = delete;
  ~FibreBy() { Stacks::mine().give(memory_); }

  // Forgets where the fibre is: the next resume begins its body again. Nothing on its stack is
  // destroyed.
  void rewind() {
#if defined(__SANITIZE_ADDRESS__)
    // The stack frames that are abandoned are still poisoned, so unpoisons the stack.
    __asan_unpoison_memory_region(memory_ + Stacks::guard, Stacks::usable);
#endif
    const std::size_t size = Stacks::usable - Stacks::unused(memory_);
    self_ = Switch::template prepare<&enter>(memory_ + Stacks::guard + size, size);
  }
#if defined(__SANITIZE_ADDRESS__)  // AddressSanitizer must know of each stack
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
  // Returns to the caller of `resume`. Called on the fibre.
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

  void* caller_ = nullptr;  // the first member, since `enter` gets its address
  void* self_ = nullptr;
  Body body_;
  void* argument_;
  std::byte* memory_;
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom_ = nullptr;  // bounds of the caller's stack
  std::size_t size_ = 0;
#endif
};

using Fibre = FibreBy<Switch>;

// Runs text(argument), where `text` is a C++ function.
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
  bool inside_ = false;  // `text` has not returned yet
  Fibre fibre_{&run, this};
};

}  // namespace onefold::sim
