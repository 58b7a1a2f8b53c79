// atom and red: read, change and write a word in one indivisible step.
#include <algorithm>
#include <cmath>

#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/op/half.hpp"
#include "lab/ptx/op/memory.hpp"

namespace onefold::lab::ptx {
namespace {

// Each function gets the old value and b, or b and c, and returns the new value.
constexpr auto exchange = [](auto, auto b) { return b; };
constexpr auto compare_and_swap = [](auto a, auto b, auto c) { return a == b ? c : a; };
constexpr auto increment = [](auto a, auto b) { return a >= b ? 0 : a + 1; };
constexpr auto decrement = [](auto a, auto b) { return a == 0 || a > b ? b : a - 1; };

// `offset` is added to the address. `mode` bits: 1 releases before, 2 acquires after.
template <auto f>
struct Change {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    step<T>(t, i, [](T a, T b, T c) {
      if constexpr (std::is_invocable_v<decltype(f), T, T, T>) {
        return static_cast<T>(f(a, b, c));
      } else {
        return static_cast<T>(f(a, b));
      }
    });
  }
  template <class T, class G>
  static void step(Thread& t, const Instruction& i, G g) {
    if ((i.mode & 1) != 0 && !t.again) fence(t, i);
    uint64_t address = get<uint64_t>(t, i.r[7]) + static_cast<uint64_t>(i.offset);
    const auto space = static_cast<StateSpace>(i.target);
    if (space == StateSpace::shared) address &= 0xffffffffu;
    std::byte* p = reach(t, i, space, address, sizeof(T), sim::Kind::atomic);
    if (p == nullptr && waits(t, i)) return;
    T old;
    std::memset(static_cast<void*>(&old), 0x5a, sizeof old);
    if (p != nullptr) {
      std::memcpy(&old, p, sizeof old);
      const T next = g(old, get<T>(t, i.r[1]), get<T>(t, i.r[2]));
      std::memcpy(p, &next, sizeof next);
      if (i.compares) t.lost = old == get<T>(t, i.r[1]) ? nullptr : &i;
    }
    if ((i.mode & 2) != 0) fence(t, i);
    if (i.r[0] != no_slot) put(t, i.r[0], old);
  }
};

template <class F, bool two>
void add_halves(Thread& t, const Instruction& i) {
  const auto one = [](uint16_t a, uint16_t b) { return F::narrow(F::wide(a) + F::wide(b)); };
  if constexpr (two) {
    Change<plus>::step<uint32_t>(t, i, [&](uint32_t a, uint32_t b, uint32_t) {
      return uint32_t{one(uint16_t(a >> 16), uint16_t(b >> 16))} << 16 |
             one(uint16_t(a), uint16_t(b));
    });
  } else {
    Change<plus>::step<uint16_t>(t, i, [&](uint16_t a, uint16_t b, uint16_t) { return one(a, b); });
  }
}

template <auto f>
Handler whole(Type t) {
  return bytes_of(t) < 2 || t == Type::s16 ? nullptr : by_int<Change<f>>(t);
}

Handler change(Decoding& d, bool result) {
  const auto order = d.take_any({"relaxed", "acquire", "release", "acq_rel"});
  d.out.of_block = d.take_any({"cta", "cluster", "gpu", "sys"}) == "cta";
  d.out.target = static_cast<uint32_t>(take_space(d));
  d.take("noftz");
  const auto what =
      d.take_any({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  const Type t = d.type();
  d.out.mode = static_cast<uint8_t>((order == "release" || order == "acq_rel" ? 1 : 0) |
                                    (order == "acquire" || order == "acq_rel" ? 2 : 0));
  d.out.strong = true;
  d.out.decides = what == "exch" || what == "cas" ? Instruction::Decides::yes
                  : result                        ? Instruction::Decides::if_read
                                                  : Instruction::Decides::no;
  d.out.exchanges = what == "exch";
  d.out.compares = what == "cas";
  d.out.bytes = static_cast<uint8_t>(bytes_of(t));
  const std::size_t first = result ? 1 : 0;
  d.expect(first + (what == "cas" ? 3 : 2));
  d.out.r[0] = result ? d.slot(0, t) : no_slot;
  d.address(first);
  d.out.r[1] = d.slot(first + 1, t);
  d.out.r[2] = what == "cas" ? d.slot(first + 2, t) : d.out.r[1];
  if (what == "add") {
    return t == Type::f32      ? &Change<plus>::run<float>
           : t == Type::f64    ? &Change<plus>::run<double>
           : t == Type::f16    ? &add_halves<F16, false>
           : t == Type::f16x2  ? &add_halves<F16, true>
           : t == Type::bf16   ? &add_halves<Bf16, false>
           : t == Type::bf16x2 ? &add_halves<Bf16, true>
                               : whole<plus>(t);
  }
  if (what == "min") return whole<least>(t);
  if (what == "max") return whole<greatest>(t);
  if (what == "and") return whole<bit_and>(t);
  if (what == "or") return whole<bit_or>(t);
  if (what == "xor") return whole<bit_xor>(t);
  if (what == "exch") return whole<exchange>(t);
  if (what == "cas") return whole<compare_and_swap>(t);
  if (what == "inc" && t == Type::u32) return &Change<increment>::run<uint32_t>;
  if (what == "dec" && t == Type::u32) return &Change<decrement>::run<uint32_t>;
  return nullptr;
}
Handler atom(Decoding& d) { return change(d, !d.is(0, Operand::Kind::address)); }
Handler red(Decoding& d) { return d.take("async") ? nullptr : change(d, false); }

constexpr Op all[] = {{"atom", &atom}, {"red", &red}};

}  // namespace

const std::span<const Op> atomic_ops = all;

}  // namespace onefold::lab::ptx
