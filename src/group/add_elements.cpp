// Elements added one by one to the words of a table.
#include <algorithm>

#include "group/state_table.hpp"

namespace onefold {

// Where a word of a state is held in each slice, from now on.
int StateTable::room_for(int word) {
  int& slot = slot_[static_cast<std::size_t>(word)];
  if (slot < 0) hold({word}, [](int) { return false; });
  return slot;
}

template <class A>
void StateTable::add_to(int begin, const uint32_t* group, const std::byte* x, Size step, Size n) {
  using T = typename A::Element;
  for (Size i = 0; i < n; ++i) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), x + i * step * sizeof(T), sizeof(T));
    const Size g = group[i];
    if constexpr (Small<A>) {
      int64_t* const words = at(g) + slot_[static_cast<std::size_t>(begin)];
      typename A::State s = load_state<A>(words);
      A::lift(s, value, 0);
      store_state<A>(words, s);
    } else {
      A::lift(
          [&](int k, int64_t v) {
            const int slot = room_for(begin + k);  // which may move all words
            at(g)[slot] += v;
          },
          value, Size{0});
    }
  }
}

void StateTable::add(const uint32_t* group, const std::byte* x, Size step, Size n) {
  while (n > 0) {
    if (uncarried_ >= carry_interval) carry_up();
    const Size some = std::min(n, carry_interval - uncarried_);
    for (const Part& p : parts_) {
      visit(p.accumulator, dtype_, [&]<class A>() {
        if constexpr (Small<A> || OneInput<A>) add_to<A>(p.begin, group, x, step, some);
      });
    }
    uncarried_ += some;
    group += some;
    x += some * step * bytes_of(dtype_);
    n -= some;
  }
}

// The part of a word that does not fit 32 bits and a sign goes to the next limb, with either sign.
void StateTable::carry_up() {
  uncarried_ = 0;
  for (const Part& p : parts_) {
    for (int w = p.begin; w + 1 < p.rest(); ++w) {
      if (slot_[static_cast<std::size_t>(w)] < 0) continue;
      for (Size g = 0; g < size_; ++g) {
        const int64_t up = at(g)[slot_[static_cast<std::size_t>(w)]] / (int64_t{1} << 32);
        if (up == 0) continue;
        const int to = room_for(w + 1);
        at(g)[slot_[static_cast<std::size_t>(w)]] -= up * (int64_t{1} << 32);
        at(g)[to] += up;
      }
    }
  }
}

}  // namespace onefold
