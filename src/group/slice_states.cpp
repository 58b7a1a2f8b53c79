#include "group/slice_states.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "onefold/exact/limbs.hpp"

namespace onefold {
namespace {

// Of a state: [begin, end), its first `limbs` words digits.
struct Part {
  const AccumulatorRow& row;
  int begin, end;
  int limbs() const { return row.limbs; }
  bool additive() const { return row.additive; }
};

// Digits of both signs, each below 2^33, to those of the magnitude with its sign. The last one
// takes what is left.
void carry_magnitude(int64_t* digit, int n) {
  carry(digit, n);
  if (digit[n - 1] >= 0) return;
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
  carry(digit, n);
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
}

}  // namespace

template <class F>
void SliceStates::for_each_part(F f) const {
  for (int a = 0; a < every_accumulator; ++a) {
    const int at = layout_.offset[a];
    if (at < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), dtype_);
    f(Part{row, at, at + row.words});
  }
}

SliceStates::SliceStates(DType dtype, const Layout& layout, Size slices)
    : dtype_(dtype), layout_(layout), size_(slices) {
  none_.resize(static_cast<std::size_t>(layout.words) + 1);
  clear(none_.data(), layout, dtype);
  slot_.assign(none_.size(), -1);
  use(always());
}

std::vector<bool> SliceStates::always() const {
  std::vector<bool> needed(none_.size());
  needed.back() = true;
  for_each_part([&](const Part& p) {
    if (!p.additive()) std::fill(needed.begin() + p.begin, needed.begin() + p.end, true);
  });
  return needed;
}

// Holds these words, and what lies between limbs of them.
void SliceStates::use(std::vector<bool> needed) {
  for_each_part([&](const Part& p) {
    const auto first = needed.begin() + p.begin, last = first + p.limbs();
    const auto lowest = std::find(first, last, true);
    if (lowest == last) return;
    auto highest = last;
    while (!*--highest) continue;
    std::fill(lowest, highest, true);
  });
  std::vector<int> used;
  for (std::size_t w = 0; w < needed.size(); ++w) {
    if (needed[w]) used.push_back(static_cast<int>(w));
  }
  std::vector<int64_t> words(size_ * used.size());
  for (Size i = 0; i < size_; ++i) {
    const int64_t* const from = at(i);
    int64_t* const to = words.data() + i * used.size();
    for (std::size_t k = 0; k < used.size(); ++k) {
      const auto word = static_cast<std::size_t>(used[k]);
      to[k] = slot_[word] < 0 ? none_[word] : from[slot_[word]];
    }
  }
  std::fill(slot_.begin(), slot_.end(), -1);
  for (std::size_t k = 0; k < used.size(); ++k) {
    slot_[static_cast<std::size_t>(used[k])] = static_cast<int>(k);
  }
  used_ = std::move(used);
  words_ = std::move(words);
}

bool SliceStates::has_room(const int64_t* state) const {
  for (std::size_t w = 0; w + 1 < none_.size(); ++w) {
    if (slot_[w] < 0 && state[w] != 0) return false;
  }
  return true;
}

void SliceStates::put(Size slice, int64_t* state, Size count) {
  for_each_part([&](const Part& p) {
    if (p.limbs() > 0) carry_magnitude(state + p.begin, p.limbs());
  });
  const auto write = [&] {
    int64_t* const to = at(slice);
    for (std::size_t k = 0; k + 1 < used_.size(); ++k) {
      to[k] = state[static_cast<std::size_t>(used_[k])];
    }
    to[used_.size() - 1] = static_cast<int64_t>(count);
  };
  {
    const std::shared_lock lock(widening_);
    if (has_room(state)) return write();
  }
  const std::unique_lock lock(widening_);
  std::vector<bool> needed(none_.size());
  for (std::size_t w = 0; w < needed.size(); ++w) {
    needed[w] = slot_[w] >= 0 || (w + 1 < needed.size() && state[w] != 0);
  }
  use(std::move(needed));
  write();
}

void SliceStates::get(Size slice, int64_t* state) const {
  std::copy(none_.begin(), none_.end() - 1, state);
  const int64_t* const from = at(slice);
  for (std::size_t k = 0; k + 1 < used_.size(); ++k) {
    state[static_cast<std::size_t>(used_[k])] = from[k];
  }
  canonicalise(state, layout_, dtype_);
}

void SliceStates::merge(const SliceStates& other) {
  std::vector<bool> needed(none_.size());
  for (const int w : used_) needed[static_cast<std::size_t>(w)] = true;
  for (const int w : other.used_) needed[static_cast<std::size_t>(w)] = true;
  // Where the highest digits may carry, there is room for it.
  const auto digit = [](const SliceStates& s, Size i, int word) {
    const int k = s.slot_[static_cast<std::size_t>(word)];
    return k < 0 ? 0 : s.at(i)[k];
  };
  for_each_part([&](const Part& p) {
    const auto first = needed.begin() + p.begin;
    int top = p.limbs() - 1;
    while (top >= 0 && !first[top]) --top;
    if (top < 0 || top + 1 == p.limbs()) return;
    for (Size i = 0; i < size_; ++i) {
      const int64_t both =
          std::abs(digit(*this, i, p.begin + top)) + std::abs(digit(other, i, p.begin + top));
      if (both + 1 >= int64_t{1} << 32) first[top + 1] = true;
    }
  });
  use(std::move(needed));

  std::vector<int64_t> own(none_.size()), theirs(none_.size());
  for (Size i = 0; i < size_; ++i) {
    int64_t* const to = at(i);
    const int64_t* const from = other.at(i);
    // Words that are not added stand side by side, and all of them are held.
    for (std::size_t k = 0; k < other.used_.size(); ++k) {
      theirs[static_cast<std::size_t>(other.used_[k])] = from[k];
    }
    to[used_.size() - 1] += from[other.used_.size() - 1];
    for_each_part([&](const Part& p) {
      const auto slot = [&](int word) { return slot_[static_cast<std::size_t>(word)]; };
      if (!p.additive())
        return p.row.merge(to + slot(p.begin), &theirs[static_cast<Size>(p.begin)]);
      int digits = 0, lowest = -1;
      for (int w = p.begin; w < p.end; ++w) {
        if (slot(w) < 0) continue;
        to[slot(w)] += theirs[static_cast<Size>(w)];
        if (w >= p.begin + p.limbs()) continue;
        if (digits++ == 0) lowest = slot(w);
      }
      if (digits > 0) carry_magnitude(to + lowest, digits);
      if (p.limbs() == p.row.words) return;
      // What is no digit, as its accumulator has it.
      const auto rest = own.begin() + p.begin;
      std::fill(rest, own.begin() + p.end, 0);
      for (int w = p.begin + p.limbs(); w < p.end; ++w) {
        if (slot(w) >= 0) own[static_cast<Size>(w)] = to[slot(w)];
      }
      p.row.canonicalise(&own[static_cast<Size>(p.begin)]);
      for (int w = p.begin + p.limbs(); w < p.end; ++w) {
        if (slot(w) >= 0) to[slot(w)] = own[static_cast<Size>(w)];
      }
    });
  }
}

SliceStates SliceStates::trimmed() const {
  std::vector<bool> needed = always();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const auto word = static_cast<std::size_t>(used_[k]);
    for (Size i = 0; i < size_ && !needed[word]; ++i) needed[word] = at(i)[k] != 0;
  }
  SliceStates s = *this;
  s.use(std::move(needed));
  return s;
}

bool SliceStates::assign(const std::vector<int>& used, std::vector<int64_t> words) {
  std::vector<bool> given(none_.size());
  for (const int w : used) given[static_cast<std::size_t>(w)] = true;
  const std::vector<bool> needed = always();
  for (std::size_t w = 0; w < needed.size(); ++w) {
    if (needed[w] && !given[w]) return false;
  }
  std::fill(slot_.begin(), slot_.end(), -1);
  for (std::size_t k = 0; k < used.size(); ++k) {
    slot_[static_cast<std::size_t>(used[k])] = static_cast<int>(k);
  }
  used_ = used;
  words_ = std::move(words);
  return true;
}

}  // namespace onefold
