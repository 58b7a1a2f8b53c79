// Both states of a floating-point type: of its NaNs only the first one matters. Included inside the
// namespace of an instruction set; no include guard.

#include "backend/cpu/extreme/end.inl"

// The states of both ends of a floating-point type; null where not wanted.
template <class T>
struct FloatStates {
  int64_t* least;
  int64_t* greatest;

  void open(int64_t* const* words) {
    least = words[static_cast<int>(Accumulator::least)];
    greatest = words[static_cast<int>(Accumulator::greatest)];
  }
  // Whether a NaN at `index` or later would be the first one.
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
