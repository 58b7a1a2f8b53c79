#include "onefold/engine/group/state_table.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

#include "onefold/core/accumulator.hpp"
#include "onefold/core/exact/limbs.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// Converts canonical digits to those of the magnitude, each with the sum's sign.
void to_magnitude(const AccumulatorRow& row, int64_t* digit, int n) {
  if (n == 0 || digit[n - 1] >= 0) return;
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
  carry(row, digit, n);
  for (int k = 0; k < n; ++k) digit[k] = -digit[k];
}

}  // namespace

StateTable::Words::Words(const Words& other) : std::vector<int64_t>() {
  system::reserve(*this, other.size());
  insert(end(), other.begin(), other.end());
}

StateTable::StateTable(const Plan& plan, Size slices, Keeps keeps)
    : StateTable(plan.dtype, plan.layout, slices, keeps) {}

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
  for (const AccumulatorSlice& p : parts_) {
    if (!p.row->additive) std::fill(needed.begin() + p.begin, needed.begin() + p.end(), true);
  }
  return needed;
}

// Returns the given words in ascending order, with all limbs between the lowest and the highest
// limb of each sum.
std::vector<int> StateTable::filled(std::vector<bool> words) const {
  for (const AccumulatorSlice& p : parts_) {
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

// Copies a row into the layout of a table that holds other words of the same state.
class StateTable::RowCopy {
 public:
  RowCopy(const StateTable& table, const std::vector<int>& used) {
    for (Size k = 0; k < used.size(); ++k) {
      const auto word = static_cast<std::size_t>(used[k]);
      const int slot = word < table.slot_.size() ? table.slot_[word] : -1;
      if (slot < 0) {
        const int64_t value = word < table.none_.size() ? table.none_[word] : 0;
        if (value != 0) absent_.push_back({k, value});
        continue;
      }
      const auto from = static_cast<Size>(slot);
      if (runs_.empty() || runs_.back().from + runs_.back().n != from ||
          runs_.back().to + runs_.back().n != k) {
        runs_.push_back({from, k, 0});
      }
      ++runs_.back().n;
    }
  }
  //   to  a row of zeros
  void operator()(const int64_t* from, int64_t* to) const {
    for (const Absent& a : absent_) to[a.to] = a.value;
    for (const Run& r : runs_) {
      for (Size k = 0; k < r.n; ++k) to[r.to + k] = from[r.from + k];
    }
  }

 private:
  struct Run {
    Size from, to, n;
  };
  struct Absent {
    Size to;
    int64_t value;
  };
  std::vector<Run> runs_;       // consecutive words that both rows hold
  std::vector<Absent> absent_;  // words that only the new row holds, and whose value is not 0
};

void StateTable::rows(const std::vector<int>& used, Size first, Size n, int64_t* to) const {
  const RowCopy copy(*this, used);
  std::fill_n(to, n * used.size(), 0);
  for (Size i = 0; i < n; ++i) copy(at(first + i), to + i * used.size());
}

// Makes the table hold these words and no others.
void StateTable::use(std::vector<int> used) {
  if (used == used_) return;
  const RowCopy copy(*this, used);
  const Size width = used.size(), before = used_.size();
  if (width > before && size_ * width <= words_.capacity()) {
    // Moves rows in place: the last one first, since each moves behind all rows before it.
    words_.resize(size_ * width);
    std::vector<int64_t> row(width);
    for (Size i = size_; i-- > 0;) {
      std::fill(row.begin(), row.end(), 0);
      copy(words_.data() + i * before, row.data());
      std::copy(row.begin(), row.end(), words_.data() + i * width);
    }
  } else {
    Words words;
    // A table of slices often gets more digits: memory that is not written costs nothing.
    system::reserve(words, size_ * (width + (keeps_ == Keeps::counts ? 8 : 0)));
    words.resize(size_ * width);
    for (Size i = 0; i < size_; ++i) copy(at(i), words.data() + i * width);
    words_ = std::move(words);
  }
  set_used(std::move(used));
}

void StateTable::grow(Size slices) {
  const Size words = slices * used_.size();
  if (words > words_.capacity()) system::reserve(words_, words * 3 / 2);
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
  for (AccumulatorSlice& p : parts_) {
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
  for (const AccumulatorSlice& p : parts_) to_magnitude(*p.row, state + p.begin, p.row->limbs);
}

bool StateTable::canonical(Size slice, int64_t* scratch) const {
  get(slice, scratch);
  take_apart(scratch);
  if (!has_room(scratch)) return false;
  for (std::size_t k = 0; k < held(); ++k) {
    if (at(slice)[k] != scratch[static_cast<std::size_t>(used_[k])]) return false;
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

// Makes the table hold these words, too; the lock is released meanwhile.
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
  for (const AccumulatorSlice& p : parts_) {
    int top = p.rest() - 1;
    while (top >= p.begin && !needed[static_cast<std::size_t>(top)]) --top;
    if (top < p.begin || top + 1 == p.rest() || !carries(top)) continue;
    needed[static_cast<std::size_t>(top + 1)] = true;
  }
  use(filled(std::move(needed)));
}

namespace {

// Returns the keys of the least and the greatest finite element.
template <class T>
void finite_keys(int64_t (&keys)[2]) {
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    keys[1] = (((int64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits) - 1;
    keys[0] = ~keys[1];
  } else if constexpr (std::is_same_v<T, Bool8>) {
    keys[0] = 0;
    keys[1] = 1;
  } else {
    keys[0] = order_key(std::numeric_limits<T>::lowest());
    keys[1] = order_key(std::numeric_limits<T>::max());
  }
}

}  // namespace

RowShape StateTable::shape() const {
  RowShape s{.dtype = dtype_, .width = static_cast<int>(used_.size()), .known = true};
  if (keeps_ == Keeps::counts) s.count = s.width - 1;
  const auto slot = [&](int word) { return slot_[static_cast<std::size_t>(word)]; };
  for (const AccumulatorSlice& p : parts_) {
    if (p.row->limbs > 0) {
      s.limbs.push_back({p.accumulator, p.slot, p.digits,
                         p.digits == 0 ? 0 : used_[static_cast<std::size_t>(p.slot)] - p.begin,
                         p.digits > 0 && slot(p.rest() - 1) >= 0});
    }
    if (p.row->flag >= 0 && slot(p.begin + p.row->flag) >= 0) {
      s.flags.push_back(slot(p.begin + p.row->flag));
    }
    using Tally = accumulator::tally<double>;
    switch (p.accumulator) {
      case Accumulator::sum:
      case Accumulator::sumabs:
        break;
      case Accumulator::sumsq:
        s.squared = true;
        break;
      case Accumulator::tally:
        s.n = slot(p.begin + Tally::n);
        s.flag = slot(p.begin + Tally::not_negative_zero);
        for (int w = Tally::nan; w <= Tally::negative_infinity; ++w) {
          if (slot(p.begin + w) >= 0) s.not_numbers.push_back(slot(p.begin + w));
        }
        // Words that are not held are 0; the number of elements and the flag must be held.
        s.known = s.known && s.n >= 0 && (s.flag >= 0 || !is_floating(dtype_));
        break;
      case Accumulator::zeros:
        s.zeros = slot(p.begin);
        break;
      case Accumulator::least:
      case Accumulator::greatest:
        s.extremes[p.accumulator == Accumulator::least ? 0 : 1] = slot(p.begin);
        break;
      default:
        s.known = false;
    }
  }
  if (s.count < 0) s.known = false;
  visit(dtype_, [&]<class T>() { finite_keys<T>(s.keys); });
  return s;
}

void StateTable::hold_above(const RowShape& shape, uint64_t which) {
  std::vector<int> words;
  for (std::size_t k = 0; k < shape.limbs.size(); ++k) {
    const RowShape::Limbs& p = shape.limbs[k];
    if ((which >> k & 1) != 0)
      words.push_back(used_[static_cast<std::size_t>(p.slot + p.digits - 1)] + 1);
  }
  hold(words, [](int) { return false; });
}

void StateTable::merge(const StateTable& other) {
  // Not for decimals: rows are carried to the base 2^32.
  if (layout_.offset[static_cast<int>(Accumulator::decimal)] >= 0) return merge_each(other);
  hold(other.used_, [](int) { return false; });
  const RowMerge merge(dtype_, layout_, used_);
  constexpr Size block = 64, task = 4096;
  const bool alike = used_ == other.used_;
  const RowShape shape = this->shape();
  std::atomic<uint64_t> above = 0;
  // A slice takes some 5 ns.
  parallel((size_ + task - 1) / task, size_ < 65536 ? 1 : 0, [&](std::size_t k) {
    std::vector<int64_t> rows(alike ? 0 : block * used_.size());
    uint64_t mine = 0;
    for (Size i = k * task; i < std::min(size_, (k + 1) * task); i += block) {
      const Size n = std::min(block, size_ - i);
      if (!alike) other.rows(used_, i, n, rows.data());
      merge(at(i), alike ? other.at(i) : rows.data(), n);
      mine |= carry(shape, i, n);
    }
    above |= mine;
  });
  if (above == 0) return;
  hold_above(shape, above);
  carry(this->shape(), 0, size_);
}

void StateTable::merge_each(const StateTable& other) {
  std::vector<int64_t> mine(none_.size()), theirs(none_.size());
  for (Size i = 0; i < size_; ++i) {
    get(i, mine.data());
    other.get(i, theirs.data());
    onefold::merge(mine.data(), theirs.data(), layout_, dtype_);
    const Size both = count(i) + other.count(i);
    put(i, 1, mine.data(), true, [&](Size) { return both; });
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
  static_cast<std::vector<int64_t>&>(words_) = std::move(words);
  if (!used.empty()) size_ = words_.size() / used.size();
  return true;
}

}  // namespace onefold
