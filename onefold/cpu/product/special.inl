// Infinities, NaN and negative zeros of pairs, and searches. They are rare, so they are not in the
// loop of sums.
//
// Included inside the namespace of an instruction set, after special_counts.inl; no include guard.

// Copies n pairs, which fill whole vectors; a pair with an infinity or NaN becomes (+0, +0) and is
// counted. counts: dot's words. Returns false if there were none.
template <class T>
HWY_NOINLINE HWY_ATTR bool clean_pairs(const T* x, const T* y, Size n, T* to_x, T* to_y,
                                       int64_t* counts) {
  using B = BitsOf<T>;
  using Dot = accumulator::dot<T>;
  const auto zero = hn::Zero(B::tag), infinity = B::set(B::infinity);
  Size nan = 0, invalid = 0, infinite = 0, negative = 0;
  for (Size i = 0; i < n; i += B::lanes) {
    const auto u = B::load(x + i), v = B::load(y + i);
    const auto a = hn::And(u, B::set(B::magnitude)), b = hn::And(v, B::set(B::magnitude));
    const auto special = hn::Gt(hn::Max(a, b), B::set(B::infinity - 1));
    hn::StoreU(hn::IfThenZeroElse(special, u), B::tag, reinterpret_cast<typename B::I*>(to_x + i));
    hn::StoreU(hn::IfThenZeroElse(special, v), B::tag, reinterpret_cast<typename B::I*>(to_y + i));
    if (HWY_LIKELY(hn::AllFalse(B::tag, special))) continue;
    const auto is_infinite = hn::Eq(hn::Max(a, b), infinity);
    const auto with_zero = hn::And(is_infinite, hn::Eq(hn::Min(a, b), zero));
    nan += hn::CountTrue(B::tag, hn::Gt(hn::Max(a, b), infinity));
    invalid += hn::CountTrue(B::tag, with_zero);
    infinite += hn::CountTrue(B::tag, is_infinite);
    negative += hn::CountTrue(
        B::tag, hn::And(hn::AndNot(with_zero, is_infinite), hn::Lt(hn::Xor(u, v), zero)));
  }
  counts[Dot::nan] += static_cast<int64_t>(nan);
  counts[Dot::invalid] += static_cast<int64_t>(invalid);
  counts[Dot::positive_infinity] += static_cast<int64_t>(infinite - invalid - negative);
  counts[Dot::negative_infinity] += static_cast<int64_t>(negative);
  return nan + infinite != 0;
}

// Returns whether some pair without NaN has a product other than -0; inf * 0 counts as one.
template <class T>
HWY_ATTR bool has_not_negative_zero(const T* x, const T* y, Size n) {
  using B = BitsOf<T>;
  Size i = 0;
  for (; i + B::lanes <= n; i += B::lanes) {
    const auto u = B::load(x + i), v = B::load(y + i);
    const auto a = hn::And(u, B::set(B::magnitude)), b = hn::And(v, B::set(B::magnitude));
    const auto zero = hn::Zero(B::tag);
    const auto most = hn::Max(a, b);
    // A product is -0 if one factor is zero, the signs differ, and neither factor is special.
    const auto negative_zero =
        hn::And(hn::And(hn::Or(hn::Eq(a, zero), hn::Eq(b, zero)), hn::Lt(hn::Xor(u, v), zero)),
                hn::Lt(most, B::set(B::infinity)));
    if (!hn::AllTrue(B::tag, hn::Or(negative_zero, hn::Gt(most, B::set(B::infinity))))) return true;
  }
  for (; i < n; ++i) {
    const Decoded u = decode(x[i]), v = decode(y[i]);
    if (u.nan || v.nan) continue;
    const bool zero = (u.zero() && v.finite()) || (v.zero() && u.finite());
    if (!(zero && u.negative != v.negative)) return true;
  }
  return false;
}

template <class T>
HWY_ATTR Size count_zeros(const T* x, Size n) {
  using B = BitsOf<T>;
  Size i = 0, zeros = 0;
  for (; i + B::lanes <= n; i += B::lanes) {
    zeros += hn::CountTrue(B::tag,
                           hn::Eq(hn::And(B::load(x + i), B::set(B::magnitude)), hn::Zero(B::tag)));
  }
  for (; i < n; ++i) zeros += decode(x[i]).zero() ? 1 : 0;
  return zeros;
}

// Returns the first index of an element with these bits; n if there is none.
template <class T>
HWY_ATTR Size find_bits(const T* x, Size n, bits_of<T> wanted) {
  using B = BitsOf<T>;
  const auto v = B::set(static_cast<typename B::I>(wanted));
  Size i = 0;
  for (; i + B::lanes <= n; i += B::lanes) {
    const intptr_t at = hn::FindFirstTrue(B::tag, hn::Eq(B::load(x + i), v));
    if (at >= 0) return i + static_cast<Size>(at);
  }
  for (; i < n; ++i) {
    if (bit_cast<bits_of<T>>(x[i]) == wanted) return i;
  }
  return n;
}

// Returns the index of the first NaN; n if there is none.
template <class T>
HWY_ATTR Size find_nan(const T* x, Size n) {
  for (Size i = 0; i < n; ++i) {
    if (decode(x[i]).nan) return i;
  }
  return n;
}
