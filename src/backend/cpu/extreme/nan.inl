// NaNs, where the least or greatest element is wanted: only the first one matters. Included inside
// the namespace of an instruction set; no include guard.

template <class T>
inline constexpr bits_of<T> sign_mask = static_cast<bits_of<T>>(uint64_t{1} << (8 * sizeof(T) - 1));
template <class T>
inline constexpr bits_of<T> infinity_bits =
    static_cast<bits_of<T>>(((uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1)
                            << float_format(dtype_of<T>).mantissa_bits);

// Of bits.
template <class T>
HWY_INLINE auto is_nan(hn::Vec<BitsTag<T>> v) {
  const hn::RebindToSigned<BitsTag<T>> d;
  using S = hn::TFromD<decltype(d)>;
  const auto magnitude = hn::BitCast(d, hn::AndNot(hn::Set(BitsTag<T>(), sign_mask<T>), v));
  const auto nan = hn::Gt(magnitude, hn::Set(d, static_cast<S>(infinity_bits<T>)));
  return hn::RebindMask(BitsTag<T>(), nan);
}

// The first of n elements that is a NaN, or the first that is none; n without one.
template <class T>
HWY_INLINE Size find_nan(const T* x, Size n) {
  return find_first(x, n, [](auto v) HWY_ATTR { return is_nan<T>(v); });
}
template <class T>
HWY_INLINE Size find_number(const T* x, Size n) {
  return find_first(x, n, [](auto v) HWY_ATTR { return hn::Not(is_nan<T>(v)); });
}

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
