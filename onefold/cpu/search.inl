// Finds the first element of a run that passes a test. Included inside the namespace of an
// instruction set; no include guard.

// Highway's tag for vectors of T's bits, as unsigned integers of T's size.
template <class T>
using BitsTag = hn::Repartition<bits_of<T>, D>;

// Returns the index of the first of n elements whose bits pass, or n: test(vector of bits) returns
// a mask of lanes.
template <class T, class Test>
HWY_INLINE Size find_first(const T* x, Size n, Test test) {
  const BitsTag<T> d;
  constexpr Size lanes = hn::MaxLanes(BitsTag<T>());
  const auto load = [&](Size i) HWY_ATTR {
    return hn::LoadU(d, reinterpret_cast<const bits_of<T>*>(x) + i);
  };
  Size i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    prefetch(x + i, 4 * lanes * sizeof(T));
    const auto a = test(load(i)), b = test(load(i + lanes));
    const auto c = test(load(i + 2 * lanes)), e = test(load(i + 3 * lanes));
    if (!hn::AllFalse(d, hn::Or(hn::Or(a, b), hn::Or(c, e)))) break;
  }
  for (; i + lanes <= n; i += lanes) {
    const intptr_t k = hn::FindFirstTrue(d, test(load(i)));
    if (k >= 0) return i + static_cast<Size>(k);
  }
  if (i == n) return n;
  alignas(64) bits_of<T> rest[lanes] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(T));
  const intptr_t k = hn::FindFirstTrue(d, test(hn::Load(d, rest)));
  return k >= 0 ? std::min(n, i + static_cast<Size>(k)) : n;
}

template <class T>
HWY_INLINE Size find_bits(const T* x, Size n, bits_of<T> wanted) {
  const auto w = hn::Set(BitsTag<T>(), wanted);
  return find_first(x, n, [&](auto v) HWY_ATTR { return hn::Eq(v, w); });
}

template <class T>
inline constexpr bits_of<T> sign_mask = static_cast<bits_of<T>>(uint64_t{1} << (8 * sizeof(T) - 1));
template <class T>
inline constexpr bits_of<T> infinity_bits =
    static_cast<bits_of<T>>(((uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1)
                            << float_format(dtype_of<T>).mantissa_bits);

// Returns the mask of lanes whose bits are a NaN.
template <class T>
HWY_INLINE auto is_nan(hn::Vec<BitsTag<T>> v) {
  const hn::RebindToSigned<BitsTag<T>> d;
  using S = hn::TFromD<decltype(d)>;
  const auto magnitude = hn::BitCast(d, hn::AndNot(hn::Set(BitsTag<T>(), sign_mask<T>), v));
  const auto nan = hn::Gt(magnitude, hn::Set(d, static_cast<S>(infinity_bits<T>)));
  return hn::RebindMask(BitsTag<T>(), nan);
}

// Return the index of the first NaN, and of the first element that is none; n if there is no such
// element.
template <class T>
HWY_INLINE Size find_nan(const T* x, Size n) {
  return find_first(x, n, [](auto v) HWY_ATTR { return is_nan<T>(v); });
}
template <class T>
HWY_INLINE Size find_number(const T* x, Size n) {
  return find_first(x, n, [](auto v) HWY_ATTR { return hn::Not(is_nan<T>(v)); });
}
