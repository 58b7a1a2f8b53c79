// Moves between registers and their parts; conversions of addresses.
#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {
namespace {

constexpr auto same = [](auto a) { return a; };

// Splits a register into `count` parts of `mode` bits each.
void unpack(Thread& t, const Instruction& i) {
  const uint64_t v = t.r[i.r[7]];
  const uint64_t mask = i.mode == 64 ? ~uint64_t{0} : (uint64_t{1} << i.mode) - 1;
  for (unsigned k = 0; k < i.count; ++k) t.r[i.r[k]] = v >> (k * i.mode) & mask;
}
void pack(Thread& t, const Instruction& i) {
  uint64_t v = 0;
  const uint64_t mask = i.mode == 64 ? ~uint64_t{0} : (uint64_t{1} << i.mode) - 1;
  for (unsigned k = 0; k < i.count; ++k) v |= (t.r[i.r[k]] & mask) << (k * i.mode);
  t.r[i.r[7]] = v;
}
void clock(Thread& t, const Instruction& i) { put(t, i.r[0], t.running->clock()); }
// %envreg1 and 2 are the halves of the address of a cooperative grid's barrier; they are null for
// other grids.
void environment(Thread& t, const Instruction& i) {
  const uint64_t at = i.mode == 0 ? 0 : t.running->grid_workspace;
  put(t, i.r[0], static_cast<uint32_t>(i.mode == 1 ? at >> 32 : at));
}

// Addresses of shared and local memory are offsets from the start of their window; those of global
// memory and constants are generic addresses. A device function's parameter lies on the stack once
// its address is taken: that local address keeps the window of parameters, also as a generic one.
template <uint64_t window, bool to_generic>
void move_window(Thread& t, const Instruction& i) {
  const auto a = get<uint64_t>(t, i.r[1]);
  if (window == local_window && (a & param_window) != 0) return put(t, i.r[0], a);
  put(t, i.r[0], to_generic ? a + window : a - window);
}

Handler mov(Decoding& d) {
  const Type t = d.type();
  d.expect(2);
  const auto vector = [&](std::size_t k) { return d.is(k, Operand::Kind::vector); };
  if (vector(0) || vector(1)) {
    const auto& parts = d.operand(vector(0) ? 0 : 1).parts;
    if (parts.empty() || parts.size() > 4 || bytes_of(t) > 8) return nullptr;
    d.out.count = static_cast<uint8_t>(parts.size());
    d.out.mode = static_cast<uint8_t>(bytes_of(t) * 8 / parts.size());
    const Type part = bytes_of(t) / parts.size() == 4 ? Type::b32 : Type::b16;
    for (std::size_t k = 0; k < parts.size(); ++k) d.out.r[k] = d.slot(parts[k], part);
    d.out.r[7] = d.slot(vector(0) ? 1 : 0, t);
    return vector(0) ? &unpack : &pack;
  }
  const Operand& from = d.operand(1);
  if (from.kind == Operand::Kind::reg) {
    const std::string_view n = from.name;
    if (n == "%clock" || n == "%clock64" || n == "%globaltimer" || n == "%clock_hi" ||
        n == "%globaltimer_lo") {
      d.out.r[0] = d.slot(0, t);
      return &clock;
    }
    if (n.starts_with("%envreg") || n.starts_with("%pm")) {
      d.out.r[0] = d.slot(0, t);
      d.out.mode = n == "%envreg1" ? 1 : n == "%envreg2" ? 2 : 0;
      return &environment;
    }
  }
  d.slots({t, t});
  if (!d.in_kernel() && d.param(from.name)) return &move_window<param_window, true>;
  return by_bits<UnaryOf<same>>(t);
}

Handler cvta(Decoding& d) {
  const bool to = d.take("to");
  const auto space =
      d.take_any({"global", "shared", "shared::cta", "local", "const", "param", "param::entry"});
  const Type t = d.type();
  if (bytes_of(t) != 8) return nullptr;
  d.slots({t, t});
  if (space == "shared" || space == "shared::cta") {
    return to ? &move_window<shared_window, false> : &move_window<shared_window, true>;
  }
  if (space == "local") {
    return to ? &move_window<local_window, false> : &move_window<local_window, true>;
  }
  if (space == "param" || space == "param::entry") {
    return to ? &move_window<param_window, false> : &move_window<param_window, true>;
  }
  return space.empty() ? nullptr : by_bits<UnaryOf<same>>(t);
}

void is_in(Thread& t, const Instruction& i) {
  const auto a = get<uint64_t>(t, i.r[1]);
  const auto window = uint64_t{1} << i.mode;
  const bool other = (a & (windows | constant_window)) == 0;  // true: a global address
  put(t, i.r[0], uint32_t{i.mode == 0 ? other : (a & window) != 0});
}
Handler isspacep(Decoding& d) {
  const auto space = d.take_any({"global", "shared", "shared::cta", "local", "const", "param"});
  d.slots({Type::pred, Type::u64});
  d.out.mode = space == "local" ? 61 : space == "const" ? 59 : space == "param" ? 62 : 60;
  if (space == "global") d.out.mode = 0;
  return space.empty() ? nullptr : &is_in;
}

constexpr Op all[] = {{"mov", &mov}, {"cvta", &cvta}, {"isspacep", &isspacep}};

}  // namespace

const std::span<const Op> move_ops = all;

}  // namespace onefold::lab::ptx
