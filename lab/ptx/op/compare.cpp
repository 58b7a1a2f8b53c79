// Comparisons and selections.
#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/op/half.hpp"
#include "lab/ptx/op/rounding.hpp"

namespace onefold::lab::ptx {
namespace {

enum Compare : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan_ };

template <class T, Compare how>
bool holds(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool unordered = std::isnan(a) || std::isnan(b);
    if constexpr (how == num) return !unordered;
    if constexpr (how == nan_) return unordered;
    if constexpr (how == ne) return !unordered && a != b;
    if constexpr (how >= equ) {
      if (unordered) return true;
      return holds<T, static_cast<Compare>(how - equ)>(a, b);
    }
  }
  if constexpr (how == eq) return a == b;
  if constexpr (how == ne) return a != b;
  if constexpr (how == lt) return a < b;
  if constexpr (how == le) return a <= b;
  if constexpr (how == gt) return a > b;
  if constexpr (how == ge) return a >= b;
  return false;
}

// `mode`: 0 none, 1 and, 2 or, 3 xor with the predicate in r[4]; `flag`: that predicate is negated.
bool joined(const Thread& t, const Instruction& i, bool v) {
  if (i.mode == 0) return v;
  const bool other = (get<uint8_t>(t, i.r[4]) != 0) != i.flag;
  return i.mode == 1 ? v && other : i.mode == 2 ? v || other : v != other;
}
template <class T, Compare how>
void set_predicate(Thread& t, const Instruction& i) {
  T a = get<T>(t, i.r[2]), b = get<T>(t, i.r[3]);
  if constexpr (std::is_same_v<T, float>) {
    if (i.sign) a = flushed(a), b = flushed(b);
  }
  const bool v = holds<T, how>(a, b);
  if (i.mode == 0 && i.count == 1) {
    put(t, i.r[0], uint64_t{v});
    return;
  }
  const bool p = joined(t, i, v), q = joined(t, i, !v);
  put(t, i.r[0], uint64_t{p});
  if (i.count == 2) put(t, i.r[1], uint64_t{q});
}
// Of two halves the second predicate is that of the upper one.
template <class F, Compare how, bool two>
void set_predicate_half(Thread& t, const Instruction& i) {
  const uint32_t a = get<uint32_t>(t, i.r[2]), b = get<uint32_t>(t, i.r[3]);
  const bool low = holds<double, how>(F::wide(uint16_t(a)), F::wide(uint16_t(b)));
  const bool high =
      two ? holds<double, how>(F::wide(uint16_t(a >> 16)), F::wide(uint16_t(b >> 16))) : !low;
  put(t, i.r[0], uint64_t{joined(t, i, low)});
  if (i.count == 2) put(t, i.r[1], uint64_t{joined(t, i, high)});
}

template <Compare how>
Handler of_type(Type t) {
  if (!is_float(t)) {
    if constexpr (how >= equ) return nullptr;
    return of_integer<Handler>(
        t, []<class T>() -> Handler { return &set_predicate < T, how < equ ? how : eq > ; });
  }
  return t == Type::f32      ? &set_predicate<float, how>
         : t == Type::f64    ? &set_predicate<double, how>
         : t == Type::f16    ? &set_predicate_half<F16, how, false>
         : t == Type::bf16   ? &set_predicate_half<Bf16, how, false>
         : t == Type::f16x2  ? &set_predicate_half<F16, how, true>
         : t == Type::bf16x2 ? &set_predicate_half<Bf16, how, true>
                             : nullptr;
}

constexpr std::string_view names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
// Calls f<how>() of the comparison that the instruction names.
template <class F>
Handler named(std::string_view how, Type t, F f) {
  if (!is_float(t) && !is_signed(t)) {  // unsigned comparisons with the same meaning
    if (how == "lo") how = "lt";
    if (how == "ls") how = "le";
    if (how == "hi") how = "gt";
    if (how == "hs") how = "ge";
  }
  Handler found = nullptr;
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    ((names[k] == how ? void(found = f.template operator()<static_cast<Compare>(k)>()) : void()),
     ...);
  }
  (std::make_index_sequence<std::size(names)>());
  return found;
}

std::string_view take_comparison(Decoding& d) {
  for (const std::string_view name : names) {
    if (d.take(name)) return name;
  }
  return d.take_any({"lo", "ls", "hi", "hs"});
}
void take_joint(Decoding& d) {
  const auto with = d.take_any({"and", "or", "xor"});
  if (with.empty()) return;
  d.out.mode = with == "and" ? 1 : with == "or" ? 2 : 3;
  d.out.r[4] = d.slot(3, Type::pred);
  d.out.flag = d.operand(3).negated;
}

Handler setp(Decoding& d) {
  const auto how = take_comparison(d);
  take_joint(d);
  d.out.sign = d.take("ftz");
  const Type t = d.type();
  const Operand& p = d.operand(0);
  d.out.r[0] = d.slot(p, Type::pred);
  d.out.count = p.parts.empty() ? 1 : 2;
  if (!p.parts.empty()) d.out.r[1] = d.slot(p.parts[0], Type::pred);
  d.out.r[2] = d.slot(1, t);
  d.out.r[3] = d.slot(2, t);
  d.expect(d.out.mode == 0 ? 3 : 4);
  return named(how, t, [&]<Compare c>() { return of_type<c>(t); });
}

// set: returns all ones or 1.0 (`offset` says which) if the comparison holds.
template <class T, Compare how>
void set_value(Thread& t, const Instruction& i) {
  set_predicate<T, how>(t, i);
  put(t, i.r[0], t.r[i.r[0]] != 0 ? static_cast<uint64_t>(i.offset) : 0);
}
// Does the same for 16-bit floats, of which a register has `count`.
template <class F, Compare how>
void set_halves(Thread& t, const Instruction& i) {
  const uint32_t a = get<uint32_t>(t, i.r[2]), b = get<uint32_t>(t, i.r[3]);
  uint32_t holding = 0;
  for (unsigned k = 0; k < i.count; ++k) {
    const bool v =
        holds<double, how>(F::wide(uint16_t(a >> 16 * k)), F::wide(uint16_t(b >> 16 * k)));
    if (joined(t, i, v)) holding |= i.count == 1 ? ~0u : 0xffffu << 16 * k;
  }
  put(t, i.r[0], uint64_t{holding} & static_cast<uint64_t>(i.offset));
}
template <Compare how>
Handler set_to(Type t) {
  if (t == Type::s32) return how < equ ? &set_value<int32_t, how> : nullptr;
  if (t == Type::u32 || t == Type::b32) return how < equ ? &set_value<uint32_t, how> : nullptr;
  if (t == Type::f16 || t == Type::f16x2) return &set_halves<F16, how>;
  if (t == Type::bf16 || t == Type::bf16x2) return &set_halves<Bf16, how>;
  return t == Type::f32   ? &set_value<float, how>
         : t == Type::f64 ? &set_value<double, how>
                          : nullptr;
}
int64_t one_of(Type t) {
  return t == Type::f32      ? 0x3f800000
         : t == Type::f16    ? 0x3c00
         : t == Type::f16x2  ? 0x3c003c00
         : t == Type::bf16   ? 0x3f80
         : t == Type::bf16x2 ? 0x3f803f80
         : bytes_of(t) == 2  ? 0xffff
                             : 0xffffffff;
}
Handler set(Decoding& d) {
  const auto how = take_comparison(d);
  take_joint(d);
  d.out.sign = d.take("ftz");
  const Type to = d.type(), t = d.type();
  d.out.offset = one_of(to);
  d.out.r[0] = d.slot(0, to);
  d.out.r[2] = d.slot(1, t);
  d.out.r[3] = d.slot(2, t);
  d.out.count = t == Type::f16x2 || t == Type::bf16x2 ? 2 : 1;
  return named(how, t, [&]<Compare c>() { return set_to<c>(t); });
}

struct Select {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put(t, i.r[0], get<uint8_t>(t, i.r[3]) != 0 ? get<T>(t, i.r[1]) : get<T>(t, i.r[2]));
  }
};
Handler selp(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, t, Type::pred});
  if (d.operand(3).negated) std::swap(d.out.r[1], d.out.r[2]);
  return by_bits<Select>(t);
}
template <class C>
struct SelectBySign {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put(t, i.r[0], get<C>(t, i.r[3]) >= C(0) ? get<T>(t, i.r[1]) : get<T>(t, i.r[2]));
  }
};
Handler slct(Decoding& d) {
  d.take("ftz");
  const Type t = d.type(), by = d.type();
  d.slots({t, t, t, by});
  return by == Type::f32 ? by_bits<SelectBySign<float>>(t) : by_bits<SelectBySign<int32_t>>(t);
}

constexpr Op all[] = {{"setp", &setp}, {"set", &set}, {"selp", &selp}, {"slct", &slct}};

}  // namespace

const std::span<const Op> compare_ops = all;

}  // namespace onefold::lab::ptx
