// Logic, shifts and bit fields.
#include <bit>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/by_type.hpp"

namespace onefold::lab::ptx {
namespace {

template <auto f>
Handler logic(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, t});
  return by_bits<BinaryOf<f>>(t);
}

constexpr auto inverse = [](auto a) { return ~a; };
constexpr auto is_zero = [](auto a) { return a == 0; };
Handler invert(Decoding& d) {
  const bool logical = d.base() == "cnot";
  const Type t = d.type();
  d.slots({t, t});
  return logical || t == Type::pred ? by_bits<UnaryOf<is_zero>>(t) : by_bits<UnaryOf<inverse>>(t);
}

// A shift by more than the width gives 0, or copies of the sign.
struct ShiftLeft {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    const uint32_t n = get<uint32_t>(t, i.r[2]);
    put(t, i.r[0], n >= sizeof(T) * 8 ? T(0) : static_cast<T>(uint64_t(get<T>(t, i.r[1])) << n));
  }
};
struct ShiftRight {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    const uint32_t n = std::min<uint32_t>(get<uint32_t>(t, i.r[2]), sizeof(T) * 8);
    const T a = get<T>(t, i.r[1]);
    if constexpr (std::is_signed_v<T>) {
      put(t, i.r[0], static_cast<T>(a >> std::min<uint32_t>(n, sizeof(T) * 8 - 1)));
    } else {
      put(t, i.r[0], n == sizeof(T) * 8 ? T(0) : static_cast<T>(a >> n));
    }
  }
};
template <class F>
Handler shift(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, Type::u32});
  return by_int<F>(t);
}

// shf: shifts 64 bits and returns 32.
template <bool left, bool wrap>
void funnel(Thread& t, const Instruction& i) {
  const uint64_t low = get<uint32_t>(t, i.r[1]), high = get<uint32_t>(t, i.r[2]);
  uint32_t n = get<uint32_t>(t, i.r[3]);
  n = wrap ? n & 31 : std::min(n, 32u);
  const uint64_t both = high << 32 | low;
  put(t, i.r[0], static_cast<uint32_t>(left ? (n == 32 ? low : both << n >> 32) : both >> n));
}
Handler shf(Decoding& d) {
  const bool left = d.take_any({"l", "r"}) == "l", wrap = d.take_any({"wrap", "clamp"}) == "wrap";
  if (d.type() != Type::b32) return nullptr;
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32});
  if (left) return wrap ? &funnel<true, true> : &funnel<true, false>;
  return wrap ? &funnel<false, true> : &funnel<false, false>;
}

template <auto f>
struct ToCount {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put(t, i.r[0], static_cast<uint32_t>(f(get<T>(t, i.r[1]))));
  }
};
constexpr auto ones = [](auto a) { return std::popcount(a); };
constexpr auto zeros = [](auto a) { return std::countl_zero(a); };
template <auto f>
Handler count(Decoding& d) {
  const Type t = d.type();
  d.slots({Type::u32, t});
  if (bytes_of(t) == 4) return &ToCount<f>::template run<uint32_t>;
  return bytes_of(t) == 8 ? &ToCount<f>::template run<uint64_t> : nullptr;
}

constexpr auto reverse = []<class T>(T a) {
  T r = 0;
  for (unsigned k = 0; k < sizeof(T) * 8; ++k) r = static_cast<T>(r << 1 | (a >> k & 1));
  return r;
};
Handler brev(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t});
  return by_bits<UnaryOf<reverse>>(t);
}

// Returns the index of the highest bit that is 1; for a negative number, that is 0.
struct Highest {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    using U = std::make_unsigned_t<T>;
    T a = get<T>(t, i.r[1]);
    if constexpr (std::is_signed_v<T>) {
      if (a < 0) a = static_cast<T>(~a);
    }
    const unsigned zeros = static_cast<unsigned>(std::countl_zero(static_cast<U>(a)));
    const unsigned w = sizeof(T) * 8;
    put(t, i.r[0], zeros == w ? ~0u : i.flag ? zeros : w - 1 - zeros);
  }
};
Handler bfind(Decoding& d) {
  d.out.flag = d.take("shiftamt");
  const Type t = d.type();
  d.slots({Type::u32, t});
  return by_int<Highest>(t);
}

struct Extract {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    using U = std::make_unsigned_t<T>;
    const unsigned w = sizeof(T) * 8;
    const T a = get<T>(t, i.r[1]);
    const unsigned at = get<uint32_t>(t, i.r[2]) & 0xff, n = get<uint32_t>(t, i.r[3]) & 0xff;
    U v = at >= w ? U(0) : static_cast<U>(static_cast<U>(a) >> at);
    if (n < w) v &= static_cast<U>((U(1) << n) - 1);
    if constexpr (std::is_signed_v<T>) {
      const unsigned top = std::min(at + n, w) - 1;
      const bool negative = n != 0 && (top < w ? (static_cast<U>(a) >> top & 1) != 0 : a < 0);
      if (negative && n < w) v |= static_cast<U>(~U(0) << n);
      if (negative && at > 0 && at < w && at + n > w) v |= static_cast<U>(~U(0) << (w - at));
      if (negative && at >= w) v = static_cast<U>(~U(0));
    }
    put(t, i.r[0], static_cast<T>(v));
  }
};
Handler bfe(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, Type::u32, Type::u32});
  return bytes_of(t) >= 4 ? by_int<Extract>(t) : nullptr;
}
struct Insert {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    const unsigned w = sizeof(T) * 8;
    const T a = get<T>(t, i.r[1]), b = get<T>(t, i.r[2]);
    const unsigned at = get<uint32_t>(t, i.r[3]) & 0xff, n = get<uint32_t>(t, i.r[4]) & 0xff;
    const T ones = n >= w ? static_cast<T>(~T(0)) : static_cast<T>((T(1) << n) - 1);
    const T mask = at >= w ? T(0) : static_cast<T>(ones << at);
    const T shifted = at >= w ? T(0) : static_cast<T>(a << at);
    put(t, i.r[0], static_cast<T>((shifted & mask) | (b & static_cast<T>(~mask))));
  }
};
Handler bfi(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, t, Type::u32, Type::u32});
  return by_bits<Insert>(t);
}

template <bool wrap>
void mask_of_bits(Thread& t, const Instruction& i) {
  uint32_t a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]);
  if (wrap) a &= 31, b &= 31;
  const uint64_t m = b >= 32 ? ~uint64_t{0} : (uint64_t{1} << b) - 1;
  put(t, i.r[0], a >= 32 ? 0u : static_cast<uint32_t>(m << a));
}
Handler bmsk(Decoding& d) {
  const bool wrap = d.take_any({"wrap", "clamp"}) == "wrap";
  if (d.type() != Type::b32) return nullptr;
  d.slots({Type::u32, Type::u32, Type::u32});
  return wrap ? &mask_of_bits<true> : &mask_of_bits<false>;
}

// Selects bytes of two words by number; a byte may be replaced by its sign.
void permute(Thread& t, const Instruction& i) {
  const uint64_t both = uint64_t{get<uint32_t>(t, i.r[2])} << 32 | get<uint32_t>(t, i.r[1]);
  const uint32_t c = get<uint32_t>(t, i.r[3]);
  uint32_t v = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned by_mode[] = {c >> (4 * k) & 15,
                                (c + k) & 7,
                                (c - k) & 7,  // f4e, b4e
                                c & 3,
                                std::max(k, c & 3),  // rc8, ecl
                                std::min(k, c & 3),
                                ((c & 1) << 1) | (k & 1)};  // ecr, rc16
    const unsigned select = by_mode[i.mode];
    uint32_t byte = static_cast<uint32_t>(both >> (8 * (select & 7))) & 0xff;
    if ((select & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    v |= byte << (8 * k);
  }
  put(t, i.r[0], v);
}
Handler prmt(Decoding& d) {
  if (d.type() != Type::b32) return nullptr;
  uint8_t mode = 0;
  for (const auto m : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) {
    ++mode;
    if (d.take(m)) d.out.mode = mode;
  }
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32});
  return &permute;
}

void look_up(Thread& t, const Instruction& i) {
  const uint32_t a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]),
                 c = get<uint32_t>(t, i.r[3]), table = get<uint32_t>(t, i.r[4]);
  uint32_t v = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) == 0) continue;
    v |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
  }
  put(t, i.r[0], v);
}
Handler lop3(Decoding& d) {
  if (d.type() != Type::b32) return nullptr;
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32, Type::u32});
  return &look_up;
}

// Finds the n-th set bit from an index on, upwards or downwards.
void find_nth(Thread& t, const Instruction& i) {
  const uint32_t mask = get<uint32_t>(t, i.r[1]);
  const int base = static_cast<int>(get<uint32_t>(t, i.r[2]) & 31);
  const int n = get<int32_t>(t, i.r[3]);
  const auto set = [&](int k) { return (mask >> k & 1) != 0; };
  uint32_t found = ~0u;
  if (n == 0) {
    found = set(base) ? uint32_t(base) : ~0u;
  } else {
    int left = n > 0 ? n : -n;
    for (int k = base; k >= 0 && k<32; k += n> 0 ? 1 : -1) {
      if (set(k) && --left == 0) {
        found = uint32_t(k);
        break;
      }
    }
  }
  put(t, i.r[0], found);
}
Handler fns(Decoding& d) {
  if (d.type() != Type::b32) return nullptr;
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32});
  return &find_nth;
}

constexpr Op all[] = {{"and", &logic<bit_and>},
                      {"or", &logic<bit_or>},
                      {"xor", &logic<bit_xor>},
                      {"not", &invert},
                      {"cnot", &invert},
                      {"shl", &shift<ShiftLeft>},
                      {"shr", &shift<ShiftRight>},
                      {"shf", &shf},
                      {"popc", &count<ones>},
                      {"clz", &count<zeros>},
                      {"brev", &brev},
                      {"bfind", &bfind},
                      {"bfe", &bfe},
                      {"bfi", &bfi},
                      {"bmsk", &bmsk},
                      {"prmt", &prmt},
                      {"lop3", &lop3},
                      {"fns", &fns}};

}  // namespace

const std::span<const Op> bit_ops = all;

}  // namespace onefold::lab::ptx
