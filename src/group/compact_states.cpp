#include "group/compact_states.hpp"

#include <algorithm>

namespace onefold {

CompactStates::CompactStates(const Plan& plan)
    : plan_(plan), slot_(static_cast<std::size_t>(plan.layout.words), -1) {
  // Extremes are not added word by word: theirs stand side by side from the beginning.
  for (int a = 0; a < accumulator_count; ++a) {
    const int offset = plan.layout.offset[a];
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), plan.dtype);
    if (offset < 0 || !row.indexed) continue;
    std::vector<int64_t> nothing(static_cast<std::size_t>(row.words));
    row.clear(nothing.data());
    for (int k = 0; k < row.words; ++k) {
      slot_[static_cast<std::size_t>(offset + k)] = slots_++;
      initial_.push_back(nothing[static_cast<std::size_t>(k)]);
    }
  }
  stride_ = slots_;
}

void CompactStates::grow(Size groups) {
  if (groups <= size_) return;
  const auto stride = static_cast<std::size_t>(stride_);
  if (groups * stride > words_.capacity()) words_.reserve(groups * stride * 3 / 2);
  words_.resize(groups * stride);
  for (; size_ < groups; ++size_) {
    std::copy(initial_.begin(), initial_.end(),
              words_.begin() + static_cast<std::ptrdiff_t>(size_ * stride));
  }
}

// Makes room for the word where it has none.
int CompactStates::slot_of(int word) {
  int& slot = slot_[static_cast<std::size_t>(word)];
  if (slot >= 0) return slot;
  slot = slots_++;
  if (slots_ <= stride_) return slot;
  const auto old = static_cast<std::size_t>(stride_);
  stride_ += 2;
  const auto stride = static_cast<std::size_t>(stride_);
  std::vector<int64_t> wider(size_ * stride);
  for (Size g = 0; g < size_; ++g) {
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(g * old), old,
                wider.begin() + static_cast<std::ptrdiff_t>(g * stride));
  }
  words_ = std::move(wider);
  return slot;
}

template <class A>
void CompactStates::add_to(int offset, const uint32_t* group, const std::byte* x, Size step,
                           Size n) {
  using T = typename A::Element;
  for (Size i = 0; i < n; ++i) {
    T value;
    __builtin_memcpy(static_cast<void*>(&value), x + i * step * sizeof(T), sizeof(T));
    const Size g = group[i];
    if constexpr (Small<A>) {
      int64_t* const words =
          words_.data() + g * static_cast<Size>(stride_) + slot_[static_cast<std::size_t>(offset)];
      typename A::State s = load_state<A>(words);
      A::lift(s, value, 0);
      store_state<A>(words, s);
    } else {
      A::lift(
          [&](int k, int64_t v) {
            const auto slot = static_cast<Size>(slot_of(offset + k));
            words_[g * static_cast<Size>(stride_) + slot] += v;
          },
          value, Size{0});
    }
  }
}

void CompactStates::add(const uint32_t* group, const std::byte* x, Size step, Size n) {
  while (n > 0) {
    if (uncarried_ >= carry_interval) carry();
    const Size some = std::min(n, carry_interval - uncarried_);
    for (int a = 0; a < accumulator_count; ++a) {
      const int offset = plan_.layout.offset[a];
      if (offset < 0) continue;
      visit(static_cast<Accumulator>(a), plan_.dtype, [&]<class A>() {
        if constexpr (Small<A> || OneInput<A>) add_to<A>(offset, group, x, step, some);
      });
    }
    uncarried_ += some;
    group += some;
    x += some * step * bytes_of(plan_.dtype);
    n -= some;
  }
}

// What does not fit a digit of 32 bits and a sign goes to the next limb, whatever its sign.
void CompactStates::carry() {
  uncarried_ = 0;
  for (int a = 0; a < accumulator_count; ++a) {
    const int offset = plan_.layout.offset[a];
    if (offset < 0) continue;
    const int limbs = row_of(static_cast<Accumulator>(a), plan_.dtype).limbs;
    for (int k = 0; k + 1 < limbs; ++k) {
      const int from = slot_[static_cast<std::size_t>(offset + k)];
      if (from < 0) continue;
      for (Size g = 0; g < size_; ++g) {
        const int64_t v = words_[g * static_cast<Size>(stride_) + static_cast<Size>(from)];
        const int64_t up = v / (int64_t{1} << 32);  // towards 0
        if (up == 0) continue;
        const auto to = static_cast<Size>(slot_of(offset + k + 1));
        words_[g * static_cast<Size>(stride_) + static_cast<Size>(from)] =
            v - up * (int64_t{1} << 32);
        words_[g * static_cast<Size>(stride_) + to] += up;
      }
    }
  }
}

void CompactStates::expand(Size group, int64_t* state) const {
  clear(state, plan_.layout, plan_.dtype);
  const int64_t* const words = words_.data() + group * static_cast<Size>(stride_);
  for (std::size_t k = 0; k < slot_.size(); ++k) {
    if (slot_[k] >= 0) state[k] = words[slot_[k]];
  }
  canonicalise(state, plan_.layout, plan_.dtype);
}

}  // namespace onefold
