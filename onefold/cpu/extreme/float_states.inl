// The states of least and greatest of a floating-point type; both keep the index of the first NaN.
// Included inside the namespace of an instruction set; no include guard.

#include "onefold/cpu/extreme/end.inl"

// null: not asked for
template <class T>
struct FloatStates {
  int64_t* least;
  int64_t* greatest;

  void open(int64_t* const* words) {
    least = words[static_cast<int>(Accumulator::least)];
    greatest = words[static_cast<int>(Accumulator::greatest)];
  }
  // Returns whether a NaN at `index` would precede every NaN recorded so far.
  bool wants_nan(Size index) const {
    return (least != nullptr && static_cast<Size>(least[2]) > index) ||
           (greatest != nullptr && static_cast<Size>(greatest[2]) > index);
  }
  void record_nan(Size index) {
    if (least != nullptr) merge_nan<false>(least, index);
    if (greatest != nullptr) merge_nan<true>(greatest, index);
  }
  void add_one_by_one(const T* x, Size n, Size first) {
    if (least != nullptr) lift_each<T, false>(least, x, n, first);
    if (greatest != nullptr) lift_each<T, true>(greatest, x, n, first);
  }

 private:
  template <bool high>
  static void merge_nan(int64_t* words, Size index) {
    using A = Extreme<high, T>;
    auto s = load_state<A>(words);
    A::merge(s, {.nan_index = index});
    store_state<A>(words, s);
  }
};
