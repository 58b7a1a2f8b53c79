// An unsigned integer of 128 bits for compilers without __int128, such as MSVC, with what exact
// sums need: products and shifts are quick, quotients take 128 steps. For base.hpp.
namespace onefold {

struct Uint128 {
  uint64_t low = 0, high = 0;

  constexpr Uint128() = default;
  ONEFOLD_FN constexpr Uint128(unsigned v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(unsigned long v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(unsigned long long v) : low(v) {}
  ONEFOLD_FN constexpr Uint128(int v) : Uint128(static_cast<long long>(v)) {}
  ONEFOLD_FN constexpr Uint128(long v) : Uint128(static_cast<long long>(v)) {}
  ONEFOLD_FN constexpr Uint128(long long v)
      : low(static_cast<uint64_t>(v)), high(v < 0 ? ~uint64_t{0} : uint64_t{0}) {}
  ONEFOLD_FN constexpr explicit operator bool() const { return (low | high) != 0; }
  template <class Integer>
  ONEFOLD_FN constexpr explicit operator Integer() const {
    return static_cast<Integer>(low);
  }

  ONEFOLD_FN friend constexpr bool operator==(Uint128 a, Uint128 b) {
    return a.low == b.low && a.high == b.high;
  }
  ONEFOLD_FN friend constexpr bool operator!=(Uint128 a, Uint128 b) { return !(a == b); }
  ONEFOLD_FN friend constexpr bool operator<(Uint128 a, Uint128 b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
  ONEFOLD_FN friend constexpr bool operator>(Uint128 a, Uint128 b) { return b < a; }
  ONEFOLD_FN friend constexpr bool operator<=(Uint128 a, Uint128 b) { return !(b < a); }
  ONEFOLD_FN friend constexpr bool operator>=(Uint128 a, Uint128 b) { return !(a < b); }

  ONEFOLD_FN friend constexpr Uint128 operator~(Uint128 a) { return make(~a.high, ~a.low); }
  ONEFOLD_FN friend constexpr Uint128 operator|(Uint128 a, Uint128 b) {
    return make(a.high | b.high, a.low | b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator&(Uint128 a, Uint128 b) {
    return make(a.high & b.high, a.low & b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator<<(Uint128 a, int k) {
    if (k == 0) return a;
    if (k >= 64) return make(a.low << (k - 64), 0);
    return make(a.high << k | a.low >> (64 - k), a.low << k);
  }
  ONEFOLD_FN friend constexpr Uint128 operator>>(Uint128 a, int k) {
    if (k == 0) return a;
    if (k >= 64) return make(0, a.high >> (k - 64));
    return make(a.high >> k, a.low >> k | a.high << (64 - k));
  }
  ONEFOLD_FN friend constexpr Uint128 operator+(Uint128 a, Uint128 b) {
    const uint64_t low = a.low + b.low;
    return make(a.high + b.high + (low < a.low ? 1 : 0), low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator-(Uint128 a, Uint128 b) {
    return make(a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low);
  }
  ONEFOLD_FN friend constexpr Uint128 operator*(Uint128 a, Uint128 b) {
    constexpr uint64_t digit = 0xffffffff;
    const uint64_t a0 = a.low & digit, a1 = a.low >> 32, b0 = b.low & digit, b1 = b.low >> 32;
    const uint64_t low = a0 * b0, one = a1 * b0 + (low >> 32), two = a0 * b1 + (one & digit);
    return make(a1 * b1 + (one >> 32) + (two >> 32) + a.high * b.low + a.low * b.high,
                two << 32 | (low & digit));
  }
  ONEFOLD_FN friend constexpr Uint128 operator/(Uint128 a, Uint128 b) { return a.divide(b); }
  ONEFOLD_FN friend constexpr Uint128 operator%(Uint128 a, Uint128 b) {
    a.divide(b);
    return a;
  }

  ONEFOLD_FN constexpr Uint128& operator+=(Uint128 b) { return *this = *this + b; }
  ONEFOLD_FN constexpr Uint128& operator-=(Uint128 b) { return *this = *this - b; }
  ONEFOLD_FN constexpr Uint128& operator*=(Uint128 b) { return *this = *this * b; }
  ONEFOLD_FN constexpr Uint128& operator<<=(int k) { return *this = *this << k; }
  ONEFOLD_FN constexpr Uint128& operator>>=(int k) { return *this = *this >> k; }
  ONEFOLD_FN constexpr Uint128& operator--() { return *this -= 1; }

 private:
  ONEFOLD_FN static constexpr Uint128 make(uint64_t high, uint64_t low) {
    Uint128 r;
    r.high = high;
    r.low = low;
    return r;
  }
  // Returns the quotient, and leaves the remainder.
  ONEFOLD_FN constexpr Uint128 divide(Uint128 b) {
    Uint128 quotient, rest;
    for (int k = 127; k >= 0; --k) {
      const bool carry = rest.high >> 63 != 0;
      rest = (rest << 1) | ((*this >> k) & 1);
      quotient <<= 1;
      if (carry || rest >= b) {
        rest -= b;
        quotient.low |= 1;
      }
    }
    *this = rest;
    return quotient;
  }
};

}  // namespace onefold
