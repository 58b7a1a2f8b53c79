#include "group/state_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "onefold/exact/limbs.hpp"

namespace onefold {
namespace {

// Canonical digits to those of the magnitude, all with its sign.
void to_magnitude(int64_t* digit, int n) {
  if (n == 0 || digit[n - 1] >= 0) return;
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
  onefold::carry(digit, n);
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
}

}  // namespace

StateTable::StateTable(DType dtype, const Layout& layout, Size slices, Keeps keeps)
    : dtype_(dtype), layout_(layout), keeps_(keeps), size_(slices) {
  none_.resize(static_cast<std::size_t>(layout.words) + 1);
  onefold::clear(none_.data(), layout, dtype);
  for (int a = 0; a < every_accumulator; ++a) {
    const int at = layout.offset[a];
    if (at >= 0) {
      const auto accumulator = static_cast<Accumulator>(a);
      parts_.push_back({accumulator, &row_of(accumulator, dtype), at});
    }
  }
  set_used({});
  use(filled(always()));
}

std::vector<bool> StateTable::always() const {
  std::vector<bool> needed(none_.size(), keeps_ == Keeps::everything);
  needed.back() = keeps_ == Keeps::counts;
  for (const Part& p : parts_) {
    if (!p.row->additive) std::fill(needed.begin() + p.begin, needed.begin() + p.end(), true);
  }
  return needed;
}

// These words, rising, and what lies between limbs of them.
std::vector<int> StateTable::filled(std::vector<bool> words) const {
  for (const Part& p : parts_) {
    const auto first = words.begin() + p.begin, last = first + p.row->limbs;
    const auto lowest = std::find(first, last, true);
    if (lowest == last) continue;
    auto highest = last;
    while (!*--highest) continue;
    std::fill(lowest, highest, true);
  }
  std::vector<int> rising;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (words[w]) rising.push_back(static_cast<int>(w));
  }
  return rising;
}

// Holds these words and no others.
void StateTable::use(std::vector<int> used) {
  std::vector<int64_t> first;  // of a slice, where a word was not held
  struct Kept {
    std::size_t from, to;
  };
  std::vector<Kept> kept;
  for (const int word : used) {
    const auto w = static_cast<std::size_t>(word);
    if (slot_[w] >= 0) kept.push_back({static_cast<std::size_t>(slot_[w]), first.size()});
    first.push_back(none_[w]);
  }
  std::vector<int64_t> words;
  words.reserve(size_ * used.size());
  for (Size i = 0; i < size_; ++i) {
    const int64_t* const from = at(i);
    for (const Kept& k : kept) first[k.to] = from[k.from];
    words.insert(words.end(), first.begin(), first.end());
  }
  set_used(std::move(used));
  words_ = std::move(words);
}

void StateTable::grow(Size slices) {
  if (slices <= size_) return;
  if (slices * used_.size() > words_.capacity()) words_.reserve(slices * used_.size() * 3 / 2);
  std::vector<int64_t> nothing;
  for (const int w : used_) nothing.push_back(none_[static_cast<std::size_t>(w)]);
  for (; size_ < slices; ++size_) words_.insert(words_.end(), nothing.begin(), nothing.end());
}

void StateTable::clear() {
  words_.clear();
  grow(std::exchange(size_, 0));
}

void StateTable::set_used(std::vector<int> used) {
  slot_.assign(none_.size(), -1);
  absent_.assign(none_.size(), -1);
  for (std::size_t k = 0; k < used.size(); ++k) {
    slot_[static_cast<std::size_t>(used[k])] = static_cast<int>(k);
    absent_[static_cast<std::size_t>(used[k])] = 0;
  }
  used_ = std::move(used);
  for (Part& p : parts_) {
    const auto first = slot_.begin() + p.begin, last = first + p.row->limbs;
    const auto lowest = std::find_if(first, last, [](int k) { return k >= 0; });
    p.slot = lowest == last ? 0 : *lowest;
    p.digits = static_cast<int>(std::find(lowest, last, -1) - lowest);
  }
}

bool StateTable::has_room(const int64_t* state) const {
  int64_t missing = 0;
  for (std::size_t w = 0; w + 1 < none_.size(); ++w) missing |= state[w] & absent_[w];
  return missing == 0;
}

void StateTable::take_apart(int64_t* state) const {
  for (const Part& p : parts_) to_magnitude(state + p.begin, p.row->limbs);
}

bool StateTable::canonical(Size slice, int64_t* scratch) const {
  const int64_t* const words = at(slice);
  for (const Part& p : parts_) {
    bool positive = false, negative = false;
    for (int k = p.slot; k < p.slot + p.digits; ++k) {
      positive |= words[k] > 0;
      negative |= words[k] < 0;
      // The last limb has what is left.
      const bool last = used_[static_cast<std::size_t>(k)] == p.rest() - 1;
      if (!last && std::abs(words[k]) >> 32 != 0) return false;
    }
    if (positive && negative) return false;
    canonical_rest(p, words, scratch);
    for (int w = p.rest(); p.row->additive && w < p.end(); ++w) {
      const int k = slot_[static_cast<std::size_t>(w)];
      if (scratch[w] != (k < 0 ? none_[static_cast<std::size_t>(w)] : words[k])) return false;
    }
  }
  return true;
}

void StateTable::put(Size slice, int64_t* state, Size count, Lock& lock) {
  take_apart(state);
  if (!has_room(state)) {
    std::vector<int> words;
    for (std::size_t w = 0; w + 1 < none_.size(); ++w) {
      if (state[w] != 0) words.push_back(static_cast<int>(w));
    }
    widen(words, lock);
  }
  int64_t* const to = at(slice);
  for (std::size_t k = 0; k < held(); ++k) {
    to[k] = state[static_cast<std::size_t>(used_[k])];
  }
  to[used_.size() - 1] = static_cast<int64_t>(count);
}

// Holds these words too; the lock is left meanwhile.
void StateTable::widen(const std::vector<int>& words, Lock& lock) {
  const auto held = [&](int w) { return slot_[static_cast<std::size_t>(w)] >= 0; };
  while (!std::all_of(words.begin(), words.end(), held)) {
    lock.unlock();
    {
      const std::unique_lock alone(widening_);
      hold(words, [](int) { return false; });
    }
    lock.lock();
  }
}

void StateTable::get(Size slice, int64_t* state) const {
  std::copy(none_.begin(), none_.end() - 1, state);
  const int64_t* const from = at(slice);
  for (std::size_t k = 0; k < held(); ++k) {
    state[static_cast<std::size_t>(used_[k])] = from[k];
  }
  canonicalise(state, layout_, dtype_);
}

void StateTable::hold(const std::vector<int>& words, const std::function<bool(int)>& carries) {
  std::vector<bool> needed = always();
  for (const int w : used_) needed[static_cast<std::size_t>(w)] = true;
  for (const int w : words) needed[static_cast<std::size_t>(w)] = true;
  for (const Part& p : parts_) {
    int top = p.rest() - 1;
    while (top >= p.begin && !needed[static_cast<std::size_t>(top)]) --top;
    if (top < p.begin || top + 1 == p.rest() || !carries(top)) continue;
    needed[static_cast<std::size_t>(top + 1)] = true;
  }
  use(filled(std::move(needed)));
}

// What is no digit, as its accumulator has it; its words are copied to a scratch state.
void StateTable::canonical_rest(const Part& part, const int64_t* words, int64_t* scratch) const {
  if (!part.row->additive || part.row->limbs == part.row->words) return;
  std::fill_n(scratch + part.begin, part.row->limbs, 0);
  for (int w = part.rest(); w < part.end(); ++w) {
    const int k = slot_[static_cast<std::size_t>(w)];
    scratch[w] = k < 0 ? 0 : words[k];
  }
  part.row->canonicalise(scratch + part.begin);
}

// Makes the words of a slice canonical after words have been added to them.
void StateTable::carry(int64_t* words, int64_t* scratch) const {
  for (const Part& p : parts_) {
    if (p.digits != 0) {
      onefold::carry(words + p.slot, p.digits);
      to_magnitude(words + p.slot, p.digits);
    }
    if (!p.row->additive) continue;
    canonical_rest(p, words, scratch);
    for (int w = p.rest(); w < p.end(); ++w) {
      const int k = slot_[static_cast<std::size_t>(w)];
      if (k >= 0) words[k] = scratch[w];
    }
  }
}

void StateTable::add(Size slice, const std::vector<int>& words, const int64_t* sums, Size count,
                     int64_t* scratch) {
  int64_t* const to = at(slice);
  for (std::size_t k = 0; k < words.size(); ++k) {
    to[slot_[static_cast<std::size_t>(words[k])]] += sums[k];
  }
  to[used_.size() - 1] += static_cast<int64_t>(count);
  carry(to, scratch);
}

void StateTable::merge(const StateTable& other) {
  const auto digit = [](const StateTable& s, Size i, int word) {
    const int k = s.slot_[static_cast<std::size_t>(word)];
    return k < 0 ? 0 : std::abs(s.at(i)[k]);
  };
  hold(other.used_, [&](int word) {
    for (Size i = 0; i < size_; ++i) {
      if (digit(*this, i, word) + digit(other, i, word) + 1 >= int64_t{1} << 32) return true;
    }
    return false;
  });
  std::vector<int> slots, words;  // of the other's words that are added: there, and in a state
  for (const Part& p : parts_) {
    for (int w = p.begin; p.row->additive && w < p.end(); ++w) {
      if (other.slot_[static_cast<std::size_t>(w)] < 0) continue;
      slots.push_back(other.slot_[static_cast<std::size_t>(w)]);
      words.push_back(w);
    }
  }
  std::vector<int64_t> sums(words.size()), scratch(none_.size());
  for (Size i = 0; i < size_; ++i) {
    const int64_t* const from = other.at(i);
    for (std::size_t k = 0; k < slots.size(); ++k) sums[k] = from[slots[k]];
    add(i, words, sums.data(), other.count(i), scratch.data());
    for (const Part& p : parts_) {
      if (p.row->additive) continue;
      merge(i, p.begin, *p.row, from + other.slot_[static_cast<std::size_t>(p.begin)]);
    }
  }
}

std::vector<int> StateTable::needed() const {
  std::vector<bool> needed = always();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const auto word = static_cast<std::size_t>(used_[k]);
    for (Size i = 0; i < size_ && !needed[word]; ++i) needed[word] = at(i)[k] != 0;
  }
  return filled(std::move(needed));
}

bool StateTable::assign(const std::vector<int>& used, std::vector<int64_t> words) {
  std::vector<bool> given(none_.size());
  for (const int w : used) given[static_cast<std::size_t>(w)] = true;
  const std::vector<bool> needed = always();
  for (std::size_t w = 0; w < needed.size(); ++w) {
    if (needed[w] && !given[w]) return false;
  }
  set_used(used);
  words_ = std::move(words);
  return true;
}

}  // namespace onefold
