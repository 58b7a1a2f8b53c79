// Vectors of elements' keys, integers in the order of the elements. Included inside the namespace
// of an instruction set, after vocabulary.inl; no include guard.

// Vectors of a type's keys. `turn` converts elements to keys, and keys to elements.
template <class T>
struct Keys {
  using Element = T;
  using L =
      std::conditional_t<sizeof(T) == 1, int8_t,
                         std::conditional_t<sizeof(T) == 2, int16_t,
                                            std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;
  using DL = hn::ScalableTag<L>;
  using VL = hn::Vec<DL>;
  static constexpr std::size_t lanes = hn::MaxLanes(DL());
  static constexpr Size most_vectors = std::numeric_limits<L>::max();  // that a lane can number
  static constexpr bool floating = Floating<T>, has_places = true;
  // Whether the order of the bits as signed integers is not that of the elements.
  static constexpr bool two_orders = floating;
  static constexpr bool is_signed = kind_of(dtype_of<T>) == Kind::signed_integer;
  static constexpr DL d{};

  HWY_INLINE HWY_ATTR static VL turn(VL v) {
    if constexpr (floating) {
      return hn::Xor(v,
                     hn::And(hn::BroadcastSignBit(v), hn::Set(d, std::numeric_limits<L>::max())));
    } else if constexpr (is_signed) {
      return v;
    } else {
      return hn::Xor(v, hn::Set(d, std::numeric_limits<L>::min()));
    }
  }
  // Returns the maximum of `most` and |v|; for floating-point types.
  HWY_INLINE HWY_ATTR static VL magnitude(VL most, VL v) {
    if constexpr (floating) {
      most = hn::Max(most, hn::And(v, hn::Set(d, std::numeric_limits<L>::max())));
    }
    return most;
  }
  HWY_INLINE HWY_ATTR static bool has_nan(VL most) {
    if constexpr (floating) {
      constexpr FloatFormat f = float_format(dtype_of<T>);
      constexpr auto infinity = static_cast<L>(((L{1} << f.exponent_bits) - 1) << f.mantissa_bits);
      return !hn::AllFalse(d, hn::Gt(most, hn::Set(d, infinity)));
    } else {
      return false;
    }
  }
  // Bool8: any byte other than 0 is true.
  HWY_INLINE HWY_ATTR static VL plain(VL v) {
    if constexpr (std::is_same_v<T, Bool8>) {
      const hn::RebindToUnsigned<DL> u;
      v = hn::BitCast(d, hn::Min(hn::BitCast(u, v), hn::Set(u, uint8_t{1})));
    }
    return v;
  }
  HWY_INLINE HWY_ATTR static VL load(const std::byte* p) {
    return plain(hn::LoadU(d, reinterpret_cast<const L*>(p)));
  }
  // Loads r elements; the other lanes repeat the first one.
  HWY_INLINE HWY_ATTR static VL load_some(const std::byte* p, std::size_t r) {
#if HWY_TARGET < HWY_SSE4  // which has no masked loads; AVX2 has none of 16 bits
    if constexpr (sizeof(T) > 2 || HWY_TARGET <= HWY_AVX3) {
      const auto first = hn::FirstN(d, r);
      const L* x = reinterpret_cast<const L*>(p);
      return plain(hn::IfThenElse(first, hn::MaskedLoad(first, d, x), hn::Set(d, *x)));
    }
#endif
    L pad[lanes];
    std::memcpy(pad, p, r * sizeof(L));
    for (std::size_t k = r; k < lanes; ++k) pad[k] = pad[0];
    return plain(hn::LoadU(d, pad));
  }
};

// Stands for a float's type where elements count by their magnitudes.
template <class T>
struct Magnitude {
  T element;
};

template <class T>
struct Keys<Magnitude<T>> : Keys<T> {
  using K = Keys<T>;
  static constexpr bool two_orders = false, is_signed = true, has_places = false;

  HWY_INLINE HWY_ATTR static typename K::VL load(const std::byte* p) {
    return without_sign(K::load(p));
  }
  HWY_INLINE HWY_ATTR static typename K::VL load_some(const std::byte* p, std::size_t r) {
    return without_sign(K::load_some(p, r));
  }

 private:
  HWY_INLINE HWY_ATTR static typename K::VL without_sign(typename K::VL v) {
    return hn::And(v, hn::Set(K::d, std::numeric_limits<typename K::L>::max()));
  }
};

template <class K, bool greatest>
HWY_INLINE HWY_ATTR typename K::VL better(typename K::VL a, typename K::VL b) {
  return greatest ? hn::Max(a, b) : hn::Min(a, b);
}

// Returns the best lane of a vector.
template <class K, bool greatest>
HWY_INLINE HWY_ATTR typename K::L best_lane(typename K::VL v) {
  if constexpr (sizeof(typename K::L) == 1) {  // Highway has no such function for bytes
    const hn::RepartitionToWide<typename K::DL> d;
    const auto pairs = hn::BitCast(d, v);
    const auto odd = hn::ShiftRight<8>(pairs), even = hn::ShiftRight<8>(hn::ShiftLeft<8>(pairs));
    const auto all =
        greatest ? hn::MaxOfLanes(d, hn::Max(odd, even)) : hn::MinOfLanes(d, hn::Min(odd, even));
    return static_cast<typename K::L>(hn::GetLane(all));
  } else {
    return hn::GetLane(greatest ? hn::MaxOfLanes(K::d, v) : hn::MinOfLanes(K::d, v));
  }
}
