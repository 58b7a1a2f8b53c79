// Operations that the lanes of a warp or the warps of a block make together: barriers, fences,
// shuffles, votes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/op/memory.hpp"

namespace onefold::lab::ptx {
namespace {

using sim::Collective;

uint32_t mask_of(const Thread& t, const Instruction& i, unsigned k) {
  return get<uint32_t>(t, i.r[k]);
}

// Brings a value to the other lanes of the warp. Returns false while the thread waits; the handler
// runs again later.
bool met(Thread& t, const Instruction& i, sim::Exchange e, uint64_t value) {
  if (t.again) return true;
  t.value = value;
  e.value = reinterpret_cast<std::byte*>(&t.value);
  e.all = t.all.data();
  e.present = &t.here;
  t.waits = &i;
  t.engine->exchange(e, i.at);
  return false;
}
// Afterwards t.all has the values of the lanes in t.here.
bool gathered(Thread& t, const Instruction& i, uint64_t own, uint32_t mask) {
  return met(t, i, {.kind = Collective::gather, .mask = mask, .bytes = sizeof own}, own);
}

// bar.red and __syncthreads_count: combine the predicates of all threads; a barrier comes before
// any thread gets the result. Each round has its own sum.
enum Vote : uint8_t { none, popc, all_of, any_of };

// r[4] is the barrier's number, r[5] the number of threads; without r[5] the whole block.
void pass(Thread& t, const Instruction& i, bool waits) {
  const auto number = get<uint32_t>(t, i.r[4]);
  if (number >= 16)
    t.running->fail(
        t, i, fmt::format("barrier {} does not exist; barriers are numbered 0 to 15", number));
  if (i.r[5] == no_slot && number == 0) {
    t.engine->barrier(i.at);
  } else {
    const auto block = static_cast<uint32_t>(t.running->block.count());
    const uint32_t all = (block + 31) / 32 * 32;
    const uint32_t threads = i.r[5] == no_slot ? all : get<uint32_t>(t, i.r[5]);
    if (threads == 0 || threads % 32 != 0) {
      t.running->fail(
          t, i,
          fmt::format("a barrier for {} threads; the number must be a multiple of 32", threads));
    }
    t.engine->named_barrier(number, threads, waits, i.at);
  }
}
template <bool waits>
void barrier(Thread& t, const Instruction& i) {
  pass(t, i, waits);
}
template <Vote vote>
void voting(Thread& t, const Instruction& i) {
  const uint32_t number = get<uint32_t>(t, i.r[4]) % 16;
  if (!t.again) ++t.votes[number];
  auto& now = t.running->votes(t.block * 16 + number, t.votes[number]);
  if (!t.again) {
    now.yes += (get<uint8_t>(t, i.r[1]) != 0) != i.flag;
    ++now.all;
    pass(t, i, true);
    if (t.stopped()) return void(t.waits = &i);
  }
  const uint32_t sum = now.yes, count = now.all;
  const uint32_t v = vote == popc ? sum : vote == all_of ? sum == count : sum != 0;
  put(t, i.r[0], v);
}

Handler bar(Decoding& d) {
  if (d.take("warp")) {
    if (!d.take("sync")) return nullptr;
    d.slots({Type::b32});
    return [](Thread& t, const Instruction& i) {
      t.engine->exchange(
          {.kind = Collective::sync, .mask = mask_of(t, i, 0), .trusted = i.of_groups}, i.at);
    };
  }
  if (d.take("cluster")) return nullptr;
  d.take("cta");
  d.take("aligned");
  const auto what = d.take_any({"sync", "arrive", "red"});
  const bool red = what == "red";
  const auto how = red ? d.take_any({"popc", "and", "or"}) : "";
  const Type t = red ? d.type() : Type::none;
  // Operands: [result,] number [, threads] [, predicate]
  const std::size_t first = red ? 1 : 0, least = what == "sync" ? 1 : red ? 3 : 2;
  if (d.operands() != least && (what == "arrive" || d.operands() != least + 1)) d.expect(least);
  d.out.r[4] = d.slot(first, Type::b32);
  const bool counted = what == "arrive" || d.operands() == least + 1;
  d.out.r[5] = counted ? d.slot(first + 1, Type::b32) : no_slot;
  if (what == "sync") return &barrier<true>;
  if (!red) return what.empty() ? nullptr : &barrier<false>;
  d.out.r[0] = d.slot(0, t);
  const std::size_t last = d.operands() - 1;
  d.out.r[1] = d.slot(last, Type::pred);
  d.out.flag = d.operand(last).negated;
  if (how.empty()) return nullptr;
  return how == "popc" ? &voting<popc> : how == "and" ? &voting<all_of> : &voting<any_of>;
}

Handler membar(Decoding& d) {
  d.take_any({"sc", "acq_rel", "acquire", "release"});
  d.out.of_block = d.take_any({"cta", "gl", "gpu", "sys", "cluster"}) == "cta";
  return [](Thread& t, const Instruction& i) {
    fence(t, i);
    t.engine->yield(i.at, false);
  };
}
Handler fence_proxy(Decoding& d) {
  if (d.take("mbarrier_init")) return barriers_fence(d);
  if (!d.take("proxy")) return membar(d);
  return nullptr;
}

// shfl: the source lane is computed before lanes wait for each other.
enum Way : uint8_t { up, down, bfly, idx };
void shuffle(Thread& t, const Instruction& i) {
  const int lane = static_cast<int>(t.thread % 32);
  const uint32_t b = get<uint32_t>(t, i.r[3]), c = get<uint32_t>(t, i.r[4]);
  const int offset = static_cast<int>(b & 31);
  const auto segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
  const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  int from = i.mode == up     ? lane - offset
             : i.mode == down ? lane + offset
             : i.mode == bfly ? lane ^ offset
                              : least | (offset & ~segment);
  const bool in = i.mode == up ? from >= most : from <= most;
  if (!in) from = lane;
  const sim::Exchange e{.kind = Collective::shuffle,
                        .mask = mask_of(t, i, 5),
                        .argument = static_cast<unsigned>(from),
                        .bytes = sizeof t.value};
  // The bits above the value say whether it is unset.
  if (!met(t, i, e, get<uint32_t>(t, i.r[2]) | uint64_t{t.brought} << 32)) return;
  put(t, i.r[0], static_cast<uint32_t>(t.value));
  put(t, i.r[1], uint64_t{in});
}
Handler shfl(Decoding& d) {
  const bool sync = d.take("sync");
  const auto way = d.take_any({"up", "down", "bfly", "idx"});
  if (d.type() != Type::b32 || way.empty()) return nullptr;
  d.expect(sync ? 5 : 4);
  d.out.mode = way == "up" ? up : way == "down" ? down : way == "bfly" ? bfly : idx;
  const Operand& o = d.operand(0);
  d.out.r[0] = d.slot(o, Type::b32);
  d.out.r[1] = d.slot(o.parts.empty() ? Operand{} : o.parts[0], Type::pred);
  for (unsigned k = 1; k < 4; ++k) d.out.r[k + 1] = d.slot(k, Type::b32);
  d.out.r[5] = sync ? d.slot(4, Type::b32) : d.constant(~0u);
  return &shuffle;
}

enum How : uint8_t { all_lanes, any_lane, uniform, which };
void vote(Thread& t, const Instruction& i) {
  const bool yes = (get<uint8_t>(t, i.r[1]) != 0) != i.flag;
  const uint32_t mask = mask_of(t, i, 2);
  if (i.mode == uniform) {
    const uint64_t own = yes ? 1 : 0;
    if (!gathered(t, i, own, mask)) return;
    bool same = true;
    for (unsigned k = 0; k < 32; ++k) same = same && ((t.here >> k & 1) == 0 || t.all[k] == own);
    return put(t, i.r[0], uint64_t{same});
  }
  // All lanes vote yes if no participating lane votes no.
  const unsigned argument = yes != (i.mode == all_lanes) ? 1 : 0;
  const sim::Exchange e{
      .kind = Collective::vote, .mask = mask, .argument = argument, .bytes = sizeof(uint32_t)};
  if (!met(t, i, e, 0)) return;
  const auto votes = static_cast<uint32_t>(t.value);
  const uint64_t any = votes != 0 ? 1 : 0;
  put(t, i.r[0], i.mode == which ? votes : i.mode == any_lane ? any : 1 - any);
}
Handler vote_of(Decoding& d) {
  const bool sync = d.take("sync");
  const auto how = d.take_any({"all", "any", "uni", "ballot"});
  d.type();
  d.expect(sync ? 3 : 2);
  d.out.mode = how == "all" ? all_lanes : how == "any" ? any_lane : how == "uni" ? uniform : which;
  d.out.r[0] = d.slot(0, Type::b32);
  d.out.r[1] = d.slot(1, Type::pred);
  d.out.flag = d.operand(1).negated;
  d.out.r[2] = sync ? d.slot(2, Type::b32) : d.constant(~0u);
  return how.empty() ? nullptr : &vote;
}

void active(Thread& t, const Instruction& i) {
  const sim::Exchange e{
      .kind = Collective::active, .mask = ~0u, .argument = 1, .bytes = sizeof(uint32_t)};
  if (met(t, i, e, 0)) put(t, i.r[0], static_cast<uint32_t>(t.value));
}
Handler activemask(Decoding& d) {
  d.type();
  d.slots({Type::b32});
  return &active;
}

// match: finds the lanes with this lane's value; or all lanes, if all have the same value.
void match(Thread& t, const Instruction& i) {
  const uint64_t own = i.bytes == 4 ? get<uint32_t>(t, i.r[2]) : get<uint64_t>(t, i.r[2]);
  if (!gathered(t, i, own, mask_of(t, i, 3))) return;
  uint32_t same = 0;
  for (unsigned k = 0; k < 32; ++k) {
    if ((t.here >> k & 1) != 0 && t.all[k] == own) same |= 1u << k;
  }
  if (i.flag) {
    const bool all = same == t.here;
    put(t, i.r[0], all ? t.here : 0u);
    put(t, i.r[1], uint64_t{all});
  } else {
    put(t, i.r[0], same);
  }
}
Handler match_of(Decoding& d) {
  d.out.flag = d.take_any({"any", "all"}) == "all";
  if (!d.take("sync")) return nullptr;
  const Type t = d.type();
  d.expect(3);
  d.out.bytes = static_cast<uint8_t>(bytes_of(t));
  const Operand& o = d.operand(0);
  d.out.r[0] = d.slot(o, Type::b32);
  d.out.r[1] = d.slot(o.parts.empty() ? Operand{} : o.parts[0], Type::pred);
  d.out.r[2] = d.slot(1, t);
  d.out.r[3] = d.slot(2, Type::b32);
  return &match;
}

template <auto f, class T>
void redux(Thread& t, const Instruction& i) {
  if (!gathered(t, i, get<uint32_t>(t, i.r[1]), mask_of(t, i, 2))) return;
  std::optional<T> v;
  for (unsigned k = 0; k < 32; ++k) {
    if ((t.here >> k & 1) == 0) continue;
    const auto x = static_cast<T>(t.all[k]);
    v = v ? static_cast<T>(f(*v, x)) : x;
  }
  put(t, i.r[0], static_cast<uint32_t>(v.value_or(0)));
}
template <auto f>
Handler redux_by(Type t) {
  return is_signed(t) ? &redux<f, int32_t> : &redux<f, uint32_t>;
}
Handler redux_of(Decoding& d) {
  if (!d.take("sync")) return nullptr;
  const auto how = d.take_any({"add", "min", "max", "and", "or", "xor"});
  const Type t = d.type();
  d.slots({t, t, Type::b32});
  if (is_float(t)) return nullptr;
  return how == "add"   ? redux_by<plus>(t)
         : how == "min" ? redux_by<least>(t)
         : how == "max" ? redux_by<greatest>(t)
         : how == "and" ? redux_by<bit_and>(t)
         : how == "or"  ? redux_by<bit_or>(t)
         : how == "xor" ? redux_by<bit_xor>(t)
                        : nullptr;
}

// The lowest lane of a mask leads.
void elect(Thread& t, const Instruction& i) {
  if (!gathered(t, i, 0, mask_of(t, i, 2))) return;
  const auto leader = static_cast<uint32_t>(std::countr_zero(t.here));
  put(t, i.r[0], leader);
  put(t, i.r[1], uint64_t{leader == t.thread % 32});
}
Handler elect_of(Decoding& d) {
  if (!d.take("sync")) return nullptr;
  d.expect(2);
  const Operand& o = d.operand(0);
  d.out.r[0] = d.slot(o, Type::b32);
  d.out.r[1] = d.slot(o.parts.empty() ? Operand{} : o.parts[0], Type::pred);
  d.out.r[2] = d.slot(1, Type::b32);
  return &elect;
}

constexpr Op all[] = {
    {"bar", &bar},        {"barrier", &bar},   {"membar", &membar},         {"fence", &fence_proxy},
    {"shfl", &shfl},      {"vote", &vote_of},  {"activemask", &activemask}, {"match", &match_of},
    {"redux", &redux_of}, {"elect", &elect_of}};

}  // namespace

const std::span<const Op> warp_ops = all;

}  // namespace onefold::lab::ptx
