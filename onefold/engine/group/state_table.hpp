// A table of the states of many slices or groups. All slices hold the same words of a state: those
// that some slice uses.
//
//   digits  limbs hold the digits of the magnitude, all with the number's sign, so small negative
//           numbers need no upper limbs, and equal values have equal words
//   used    the limbs from the lowest to the highest that some slice needs; of the other additive
//           words those that are not 0 in some slice; all words that are not additive
//   merge   rows of words are added, and carried slice by slice in the lanes of vectors (rows.hpp)
//   groups  elements are added one by one; digits have both signs then, and are carried before 2^30
//           elements
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "onefold/core/accumulator_concept.hpp"
#include "onefold/engine/group/rows.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold {

struct Plan;

// The exact totals of n answers `first`, `first` + `step`, ..., each of `count` finite elements. A
// sum is high + low + rest.
struct ExactTotals {
  struct Sum {
    const double *high = nullptr, *low = nullptr, *rest = nullptr;
  };
  Size first = 0, step = 1, n = 0, count = 0;
  // Null if the table does not hold that accumulator. The sum itself is needed whenever the tally
  // is.
  Sum sum = {}, magnitudes = {}, squares = {}, zeros = {};
  const int64_t *least = nullptr, *greatest = nullptr;  // order keys

  const Sum& of(Accumulator a) const {
    return a == Accumulator::sumsq ? squares : a == Accumulator::sumabs ? magnitudes : sum;
  }
};

// The total of n > 0 finite elements of f64, of which none is -0: sum units of 2^unit, or of
// 10^unit for an accumulator of decimals.
struct FiniteTotal {
  Int128 sum;
  int unit;
  Size n;
  double least, greatest;
};

// The exponent of the lowest bit of a sum: of its limb 0.
int unit_of_sum(Accumulator a, DType t);

class StateTable {
  using Lock = std::shared_lock<std::shared_mutex>;

 public:
  // What the table holds:
  //   counts      the words that some slice uses, and the number of elements of each slice
  //   words       the words that some slice uses
  //   everything  all words of a state, so that states lie one after another
  enum class Keeps : uint8_t { counts, words, everything };
  StateTable(DType dtype, const Layout& layout, Size slices, Keeps keeps = Keeps::counts);
  StateTable(const Plan& plan, Size slices, Keeps keeps = Keeps::everything);

  Size size() const { return size_; }
  Size bytes() const {
    return (keeps_ == Keeps::counts ? words_.size() : words_.capacity()) * sizeof(int64_t);
  }
  // Appends slices without elements.
  void grow(Size slices);
  // Makes all slices empty.
  void clear();
  // Returns the state of a slice, if the table holds everything.
  int64_t* operator[](Size slice) { return at(slice); }
  // Adds element x[i] to slice group[i], for a table without counts; x[i] lies `step` elements
  // behind x[i - 1].
  //   is_long  null, or for each element: not 0 if it has decimal terms, which are added instead of
  //            it
  //   index    the index of each element, for extremes; null: 0
  void add(const uint32_t* group, const std::byte* x, Size step, Size n,
           const std::byte* is_long = nullptr, const Size* index = nullptr);
  // Adds a total to a slice, whose accumulators are a sum, a tally and extremes.
  void add(Size slice, const FiniteTotal& total);
  // Adds one decimal term of an element to the slice.
  void add(Size slice, const DecimalTerm& term);
  Size carry_interval = most_uncarried;  // tests have fewer
  // Stores the canonical states of n slices, which have count(slice) elements. Several threads may
  // put and add at the same time, for different slices.
  //   places  false: extremes are stored with index 0
  template <class Count>
  void put(Size first, Size n, const int64_t* states, bool places, Count count) {
    std::vector<int64_t> state(none_.size() - 1);
    Lock lock(widening_);
    for (Size i = first; i < first + n; ++i, states += state.size()) {
      std::copy_n(states, state.size(), state.begin());
      if (!places) change_indices(state.data(), layout_, dtype_, [](Size) { return Size{0}; });
      put(i, state.data(), count(i), lock);
    }
  }
  // Stores totals. exact[i] is 0 for totals that shall not be stored; it becomes 0 for those that
  // cannot be, since their sum has too many digits.
  void put(const ExactTotals& totals, uint8_t* exact);
  // Begins to load a slice. GCC drops calls of what only prefetches, so it must be inline.
  [[gnu::always_inline]] void load(Size slice) const {
    const int64_t* const words = at(slice);
    const Size n = used_.size();
    for (Size k = 0; k < n; k += 8) __builtin_prefetch(words + k);
    __builtin_prefetch(words + n - 1);
  }
  // Returns the words of a slice that the table holds.
  const int64_t* row(Size slice) const { return at(slice); }
  // Copies the canonical state of a slice to `state`.
  void get(Size slice, int64_t* state) const;
  Size count(Size slice) const { return static_cast<Size>(at(slice)[used_.size() - 1]); }
  // Merges another table of the same type, layout and size, slice by slice.
  void merge(const StateTable& other);
  // Does the same by whole states, for accumulators that `merge` cannot add word by word.
  void merge_each(const StateTable& other);
  // Makes the table hold these words, too, and of each accumulator for which carries(its highest
  // held limb) is true, the next limb.
  void hold(const std::vector<int>& words, const std::function<bool(int)>& carries);
  // Copies the words of n slices in the layout of a table that holds the words `used`, among them
  // all that this table holds.
  void rows(const std::vector<int>& used, Size first, Size n, int64_t* to) const;
  // Carries the words of n slices, to which rows have been added.
  //   returns  accumulators that need one more limb: call hold_above() with it, and carry again
  uint64_t carry(const RowShape& shape, Size first, Size n) {
    return carry_rows(shape, at(first), n);
  }
  void hold_above(const RowShape& shape, uint64_t which);
  RowShape shape() const;
  // Whether a slice's words are those that put() would write.
  bool canonical(Size slice, int64_t* scratch) const;
  // Whether some slice uses each word that is held; then trim() changes nothing.
  bool is_trim() const { return needed() == used_; }
  void trim() {
    if (std::vector<int> words = needed(); words != used_) use(std::move(words));
  }
  // Compares two tables that are both trimmed.
  friend bool operator==(const StateTable& a, const StateTable& b) {
    return a.used_ == b.used_ && a.words_ == b.words_;
  }

  // What is saved: the numbers of the held words, ascending, with the count last; and the words of
  // all slices.
  const std::vector<int>& used() const { return used_; }
  const std::vector<int64_t>& words() const { return words_; }
  // The table must not be used afterwards.
  std::vector<int64_t> take_words() { return std::move(words_); }
  //   used    numbers of words, ascending, none behind the count
  //   words   the words of all slices; the table's size follows from their number
  //   returns false, and changes nothing, if words are missing that every table holds
  bool assign(const std::vector<int>& used, std::vector<int64_t> words);

 private:
  // A mutex that is not copied with the table: a copy gets a new one.
  struct Mutex : std::shared_mutex {
    Mutex() = default;
    Mutex(const Mutex&) {}
    Mutex& operator=(const Mutex&) { return *this; }
  };

  class RowCopy;
  // Allocated in large pages if there are many words; a copy, too.
  struct Words : std::vector<int64_t> {
    Words() = default;
    Words(const Words& other);
    Words(Words&&) = default;
    Words& operator=(const Words& other) { return *this = Words(other); }
    Words& operator=(Words&&) = default;
    ~Words() = default;
  };

  // An accumulator's place in a state, which of its limbs are held, and the slot of the first.
  struct AccumulatorSlice {
    Accumulator accumulator;
    const AccumulatorRow* row;
    int begin;
    int slot = 0, digits = 0;
    int end() const { return begin + row->words; }
    int rest() const { return begin + row->limbs; }  // where words begin that are no limbs
  };

  void put(Size slice, int64_t* state, Size count, Lock& lock);
  void put_block(const ExactTotals& totals, Size begin, Size n, uint8_t* exact);
  void widen(const std::vector<int>& words, Lock& lock);
  template <class A>
  void add_to(int begin, const uint32_t* group, const std::byte* x, Size step, Size n,
              const std::byte* is_long, const Size* index);
  int room_for(int word);
  // Returns a reference to a word of a slice. If the table does not hold the word yet, all words
  // move.
  int64_t& word_of(Size slice, int word) {
    int slot = slot_[static_cast<std::size_t>(word)];
    if (slot < 0) slot = room_for(word);
    return at(slice)[slot];
  }
  void carry_up();
  Size held() const { return used_.size() - (keeps_ == Keeps::counts ? 1 : 0); }
  std::vector<bool> always() const;
  std::vector<int> needed() const;
  std::vector<int> filled(std::vector<bool> words) const;
  void use(std::vector<int> used);
  void set_used(std::vector<int> used);
  bool has_room(const int64_t* state) const;
  void take_apart(int64_t* state) const;
  int64_t* at(Size slice) { return words_.data() + slice * used_.size(); }
  const int64_t* at(Size slice) const { return words_.data() + slice * used_.size(); }

  DType dtype_;
  Layout layout_;
  Keeps keeps_;
  std::vector<AccumulatorSlice> parts_;
  Size size_, uncarried_ = 0;
  std::vector<int64_t> none_;    // the state without elements, and its count 0
  std::vector<int> used_;        // numbers of the held words, ascending
  std::vector<int> slot_;        // the slot of each word; -1: not held
  std::vector<int64_t> absent_;  // for each word: all bits set if it is not held
  Words words_;
  Mutex widening_;
};

}  // namespace onefold
