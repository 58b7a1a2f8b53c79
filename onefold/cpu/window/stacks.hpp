// The state of a small accumulator over a window that slides along a line.
//
//   stacks  elements before `middle` are a stack: for each, the state of all that follow it up to
//           there. Later ones are added to a single state. When all of the former have left, the
//           latter become the stack, so an element is read twice
//   memory  a state for each element of a window
#pragma once

#include <vector>

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/cpu/window/line.hpp"

namespace onefold::cpu_backend {

template <class A>
class Stacks {
  using T = typename A::Element;

 public:
  using State = typename A::State;

  // Begins with a state of elements that never leave, and which end at `to`.
  void start(const State& state, Size to) {
    behind_ = state;
    middle_ = 1;
    base_ = 0;
    before_.assign(1, State{});
    to_ = to;
  }
  // The window is now begin .. end - 1; neither has ever been greater.
  void move(const Line& line, Size begin, Size end) {
    if (begin >= middle_) {
      before_.resize(end - begin);
      State s{};
      for (Size i = end; i-- > begin;) {
        lift(line, i, s);
        before_[i - begin] = s;
      }
      base_ = begin;
      middle_ = end;
      behind_ = State{};
    } else {
      for (; to_ < end; ++to_) lift(line, to_, behind_);
    }
    begin_ = begin;
    to_ = end;
  }
  State state() const {
    State s = behind_;
    if (begin_ < middle_) A::merge(s, before_[begin_ - base_]);
    return s;
  }

 private:
  void lift(const Line& line, Size i, State& s) const {
    if (!line.takes(i)) return;
    const T* const x = reinterpret_cast<const T*>(line.x);
    if constexpr (SmallPair<A>) {
      A::lift(s, x[i], reinterpret_cast<const T*>(line.y)[i], line.index(i));
    } else {
      A::lift(s, x[i], line.index(i));
    }
  }

  std::vector<State> before_;
  State behind_{};
  Size base_ = 0, middle_ = 0, begin_ = 0, to_ = 0;
};

}  // namespace onefold::cpu_backend
