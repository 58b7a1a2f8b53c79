// Finds rows that data can certainly have produced. Sums are compared by their highest bits; if
// these do not decide, the row is in doubt. Included by rows.cpp for each instruction set; no
// guard.

// Compares sums by their highest bits; sums that are too close count as in doubt.
struct Surely {
  using Count = V;
  struct Number {
    V m;  // |sum| = m 2^e, with a relative error below 2^-50
    int e;
    M negative, odd;
  };
  struct Product {
    V m;
    int e;
  };
  M doubt;
  HWY_INLINE Surely() : doubt(hn::MaskFromVec(hn::Zero(d64))) {}

  HWY_INLINE void refuse(M m, const char*) { doubt = hn::Or(doubt, m); }
  HWY_INLINE void refuse(MI m) { doubt = hn::Or(doubt, hn::RebindMask(d64, m)); }
  HWY_INLINE void refuse_one(V n, const Product&, const Product&, const char*) {
    refuse(hn::Eq(n, hn::Set(d64, 1)), nullptr);
  }
  HWY_INLINE static M negative(const Number& v) { return v.negative; }
  HWY_INLINE static M parities_differ(const Number& a, const Number& b) {
    return hn::Xor(a.odd, b.odd);
  }
  HWY_INLINE static Product times(V n, const Number* a = nullptr, const Number* b = nullptr,
                                  int shift = 0) {
    Product p{n, shift};
    for (const Number* v : {a, b}) {
      if (v != nullptr) p = {hn::Mul(p.m, v->m), p.e + v->e};
    }
    return p;
  }
  HWY_INLINE static Product value(const Number& a, const Number* b = nullptr) {
    return times(hn::Set(d64, 1), &a, b);
  }
  // Each m is 0 or in [2^-300, 2^34), so nothing below is too large or too small.
  HWY_INLINE static M less(const Product& p, const Product& q) {
    const int more = std::min(p.e - q.e, 300);  // p is then not less than q either
    const V left =
        more < -300
            ? hn::Zero(d64)
            : hn::Mul(p.m,
                      hn::Set(d64, bit_cast<double>(static_cast<uint64_t>(more + 1023) << 52)));
    const V right = hn::Mul(q.m, hn::Set(d64, 1 + 0x1p-40));
    return hn::Not(hn::Or(hn::Ge(left, right), hn::Eq(q.m, hn::Zero(d64))));
  }
};

// The sum of a row's digits; rows with digits that are not canonical are in doubt.
HWY_INLINE Surely::Number read(const StateRows& words, const RowShape::Limbs& p, Surely& f) {
  const V unit = hn::Set(d64, 0x1p-32);
  const int last = p.slot + p.digits - 1;
  VI all = hn::Zero(di64), positive = all, negative = all, top = all;
  V m = hn::Zero(d64);
  for (int k = p.slot; k <= last; ++k) {
    const VI v = words.get(k), size = hn::Abs(v);
    positive = hn::Or(positive, hn::Sub(hn::Zero(di64), v));
    negative = hn::Or(negative, v);
    all = hn::Or(all, size);
    m = hn::Add(hn::Mul(m, unit), hn::ConvertTo(d64, size));
    top = size;
  }
  const MI zero = hn::Eq(all, hn::Zero(di64));
  // Digits of both signs.
  f.refuse(hn::Lt(hn::And(positive, negative), hn::Zero(di64)));
  f.refuse(hn::Ne(hn::ShiftRight<32>(all), hn::Zero(di64)));
  if (p.top) f.refuse(hn::Ne(hn::ShiftRight<31>(top), hn::Zero(di64)));
  f.refuse(hn::AndNot(hn::RebindMask(d64, zero), hn::Lt(m, hn::Set(d64, 0x1p-300))), nullptr);
  const VI lowest = p.digits > 0 && p.lowest == 0 ? words.get(p.slot) : hn::Zero(di64);
  const MI odd = hn::Ne(hn::And(lowest, hn::Set(di64, 1)), hn::Zero(di64));
  return {m, 32 * (p.lowest + p.digits - 1), hn::RebindMask(d64, hn::Lt(negative, hn::Zero(di64))),
          hn::RebindMask(d64, odd)};
}

#include "plan/sum_facts.inl"

// The finite extremes that a row holds; other rows are in doubt.
struct RowExtremes {
  bool held[2];  // least, greatest
  VI key[2];     // if an extreme is not held: the key of the type's least or greatest number
};
HWY_INLINE RowExtremes read_extremes(const StateRows& words, const RowShape& shape, Surely& f) {
  const VI none = hn::Set(di64, -1), lowest = hn::Set(di64, shape.keys[0]),
           highest = hn::Set(di64, shape.keys[1]);
  RowExtremes ends{{shape.extremes[0] >= 0, shape.extremes[1] >= 0}, {lowest, highest}};
  for (int e = 0; e < 2; ++e) {
    if (!ends.held[e]) continue;
    ends.key[e] = words.get(shape.extremes[e]);
    f.refuse(hn::Lt(ends.key[e], lowest));
    f.refuse(hn::Gt(ends.key[e], highest));
    f.refuse(hn::Ne(words.get(shape.extremes[e] + 1), hn::Zero(di64)));
    f.refuse(hn::Ne(words.get(shape.extremes[e] + 2), none));
  }
  f.refuse(hn::Gt(ends.key[0], ends.key[1]));
  return ends;
}

// The element of a key, in units of 2^unit of the type's smallest subnormal.
template <class T>
HWY_INLINE V element(VI key, int unit, Surely& f) {
  if constexpr (Floating<T>) {
    constexpr int bits = float_format(dtype_of<T>).mantissa_bits;
    const VI zero = hn::Zero(di64), hidden = hn::Set(di64, int64_t{1} << bits);
    const MI negative = hn::Lt(key, zero);
    const VI size = hn::IfThenElse(negative, hn::Not(key), key);
    const VI exponent = hn::ShiftRight<bits>(size);
    const VI fraction = hn::And(size, hn::Sub(hidden, hn::Set(di64, 1)));
    const MI subnormal = hn::Eq(exponent, zero);
    const V digits =
        hn::ConvertTo(d64, hn::IfThenElse(subnormal, fraction, hn::Or(fraction, hidden)));
    const VI power = hn::Sub(hn::Max(exponent, hn::Set(di64, 1)), hn::Set(di64, unit + 1));
    // Otherwise products of two elements and a count could overflow or vanish.
    const MI far = hn::Or(hn::Lt(power, hn::Set(di64, -300)), hn::Gt(power, hn::Set(di64, 100)));
    f.refuse(hn::And(hn::RebindMask(d64, far), hn::Ne(digits, hn::Zero(d64))), nullptr);
    const VI scale = hn::IfThenElse(far, hn::Set(di64, 1023), hn::Add(power, hn::Set(di64, 1023)));
    const V m = hn::Mul(digits, hn::BitCast(d64, hn::ShiftLeft<52>(scale)));
    return hn::IfThenElse(hn::RebindMask(d64, negative), hn::Neg(m), m);
  } else {
    constexpr hn::RebindToUnsigned<DI> du64;
    V x = hn::ConvertTo(d64, key);
    if (dtype_of<T> == DType::u64) {  // keys of u64 count from -2^63
      const auto bits = hn::BitCast(du64, key);
      x = hn::ConvertTo(d64, hn::Xor(bits, hn::Set(du64, uint64_t{1} << 63)));
    }
    return hn::Mul(x, hn::Set(d64, bit_cast<double>(static_cast<uint64_t>(1023 - unit) << 52)));
  }
}

// Puts rows in doubt unless a <= b certainly holds.
//   size  bounds the terms of a and b, which have relative errors up to 2^-45
HWY_INLINE void at_most(Surely& f, V a, V b, V size) {
  f.refuse(hn::Not(hn::Ge(hn::Sub(b, a), hn::Mul(size, hn::Set(d64, 0x1p-40)))), nullptr);
}

// Checks the facts about sums and extremes that api/contradiction.cpp checks exactly: all elements
// lie between the extremes, which are two of them.
//   n         number of elements, all of them finite
//   not_zero  the largest possible number of elements other than zero
template <class T>
HWY_INLINE void check_ends(Surely& f, const RowExtremes& ends, const Surely::Number* sum,
                           const Surely::Number* squares, V n, V not_zero) {
  if (sum == nullptr && squares == nullptr) return;
  const bool summed = sum != nullptr && sum->e > 0, squared = squares != nullptr && squares->e > 0;
  const int unit = summed ? sum->e : squared ? squares->e / 2 : 0;
  V end[2] = {}, size[2] = {};
  for (int e = 0; e < 2; ++e) {
    if (!ends.held[e]) continue;
    end[e] = element<T>(ends.key[e], unit, f);
    size[e] = hn::Abs(end[e]);
  }
  const auto& [low, high] = end;
  const bool both = ends.held[0] && ends.held[1];
  const V one = hn::Set(d64, 1), others = hn::Sub(n, one);
  if (sum != nullptr) {
    const V s = hn::IfThenElse(sum->negative, hn::Neg(sum->m), sum->m);
    for (int e = 0; e < 2; ++e) {
      if (!ends.held[e]) continue;
      const V all = hn::Mul(not_zero, end[e]), terms = hn::Add(hn::Abs(all), sum->m);
      e == 0 ? at_most(f, all, s, terms) : at_most(f, s, all, terms);
    }
    if (both) {
      at_most(f, s, hn::MulAdd(others, high, low),
              hn::Add(sum->m, hn::MulAdd(others, size[1], size[0])));
      at_most(f, hn::MulAdd(others, low, high), s,
              hn::Add(sum->m, hn::MulAdd(others, size[0], size[1])));
    }
  }
  if (squares == nullptr) return;
  const int shift = squares->e - 2 * unit;
  if (shift < -300 || shift > 300) {
    f.refuse(hn::Ne(squares->m, hn::Zero(d64)), nullptr);
    return;
  }
  const V q = hn::Mul(squares->m,
                      hn::Set(d64, bit_cast<double>(static_cast<uint64_t>(1023 + shift) << 52)));
  for (int e = 0; e < 2; ++e) {
    if (!ends.held[e]) continue;
    // If all elements have one sign, each has at least the magnitude of one extreme.
    const M one_sign = e == 0 ? hn::Ge(low, hn::Zero(d64)) : hn::Lt(high, hn::Zero(d64));
    const V square = hn::Mul(end[e], end[e]),
            least = hn::IfThenElse(one_sign, hn::Mul(not_zero, square), square);
    at_most(f, least, q, hn::Add(least, q));
  }
  if (!both) return;
  const V widest = hn::Max(size[0], size[1]), most = hn::Mul(not_zero, hn::Mul(widest, widest));
  at_most(f, q, most, hn::Add(q, most));
  if (sum == nullptr) return;
  const V s = hn::IfThenElse(sum->negative, hn::Neg(sum->m), sum->m);
  const V product = hn::Mul(n, hn::Mul(low, high));
  const V sizes = hn::Add(hn::Mul(hn::Add(size[0], size[1]), sum->m), hn::Abs(product));
  at_most(f, q, hn::Sub(hn::Mul(hn::Add(low, high), s), product), hn::Add(q, sizes));
}

template <class T>
void doubt_some(const RowShape& shape, const int64_t* rows, Size most, uint8_t* doubt) {
  const StateRows words(const_cast<int64_t*>(rows), shape.width);  // only read, never written
  const VI zero = hn::Zero(di64), count = words.get(shape.count);
  Surely f;
  f.refuse(hn::Lt(count, hn::Set(di64, 1)));
  f.refuse(hn::Gt(
      count, hn::Set(di64, static_cast<int64_t>(std::min(most, static_cast<Size>(int64_max))))));
  VI some = count;  // elements that are not zero
  if (shape.n >= 0) f.refuse(hn::Ne(words.get(shape.n), count));
  for (const int k : shape.not_numbers) f.refuse(hn::Ne(words.get(k), zero));
  if (shape.flag >= 0) {
    f.refuse(hn::Ne(words.get(shape.flag), hn::Set(di64, Floating<T> ? 1 : 0)));
  }
  if (shape.zeros >= 0) {
    const VI zeros = words.get(shape.zeros);
    f.refuse(hn::Lt(zeros, zero));
    some = hn::Sub(some, zeros);
    f.refuse(hn::Lt(some, zero));
  }
  Surely::Number sums[3];
  const Surely::Number* held[3] = {};  // sum, sumabs, sumsq
  for (const RowShape::Limbs& p : shape.limbs) {
    const int s = p.accumulator == Accumulator::sum      ? 0
                  : p.accumulator == Accumulator::sumabs ? 1
                                                         : 2;
    sums[s] = read(words, p, f);
    held[s] = &sums[s];
  }
  check_sums<T>(f, held[0], held[1], held[2], hn::ConvertTo(d64, some), shape.n >= 0,
                shape.n >= 0 && shape.zeros_counted);
  if (shape.extremes[0] >= 0 || shape.extremes[1] >= 0) {
    const RowExtremes ends = read_extremes(words, shape, f);
    if (shape.zeros >= 0) {  // zeros lie between the extremes
      const VI zero_key = hn::Set(di64, order_key(T{}));
      const VI lowest_zero = Floating<T> ? hn::Not(zero_key) : zero_key;
      const MI some_zeros = hn::Ne(words.get(shape.zeros), zero);
      f.refuse(hn::And(some_zeros, hn::Gt(ends.key[0], zero_key)));
      f.refuse(hn::And(some_zeros, hn::Lt(ends.key[1], lowest_zero)));
    }
    if (shape.n >= 0) {
      check_ends<T>(f, ends, held[0], held[2], hn::ConvertTo(d64, count), hn::ConvertTo(d64, some));
    }
  }
  HWY_ALIGN int64_t bits[N];
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, f.doubt)), di64, bits);
  for (std::size_t i = 0; i < N; ++i) doubt[i] = bits[i] != 0;
}
