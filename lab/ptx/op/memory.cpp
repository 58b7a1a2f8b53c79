// Loads and stores of all state spaces, and asynchronous copies.
#include <fmt/format.h>

#include <algorithm>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/memory.hpp"

namespace onefold::lab::ptx {

namespace {

// Returns whether the address is between two variables, so belongs to none.
bool in_gap(const Gaps& gaps, uint64_t at, unsigned bytes) {
  return std::any_of(gaps.begin(), gaps.end(),
                     [&](const auto& gap) { return at < gap.second && gap.first < at + bytes; });
}

// Returns whether the address belongs to a variable in one of the thread's frames.
bool in_frame(const Thread& t, uint64_t at, unsigned bytes) {
  for (std::size_t k = t.depth; k-- != 0;) {
    const Frame& f = t.frames[k];
    if (at >= f.local) return at - f.local + bytes <= f.code->local_used;
  }
  return false;
}

// Returns who may see a volatile store of this thread as a flag by which it passes on data. In
// shared memory, and after a fence of block scope, only a store directly after the fence is one
// (`turn++` may read its own word): the steps of a warp that counts on lock-step are volatile
// stores, too.
sim::Strength strength_of_flag(const Thread& t, const sim::Space& s, uint64_t at) {
  if (!s.shared && t.engine->fenced()) return sim::Strength::strong;
  const bool is_flag = t.just_fenced && (t.read_since == nullptr || t.read_since == s.base + at);
  return is_flag ? sim::Strength::of_block : sim::Strength::weak;
}

// Does the same as `reach`; for loads and stores the space is known at compile time.
[[gnu::always_inline]] inline std::byte* reach_in(Thread& t, const Instruction& i, StateSpace space,
                                                  uint64_t address, unsigned bytes,
                                                  sim::Kind kind) {
  Running& run = *t.running;
  const auto engine = [&](sim::Space& s, uint64_t at) -> std::byte* {
    const auto strength = i.strong ? (i.of_block ? sim::Strength::of_block : sim::Strength::strong)
                          : i.by_fence ? strength_of_flag(t, s, at)
                                       : sim::Strength::weak;
    if (i.by_fence && strength == sim::Strength::weak && !t.again && t.engine->yield(i.at, true)) {
      return nullptr;
    }
    const bool unwritten = i.of_groups || i.partly;
    if (unwritten) {
      t.engine->expect_unwritten(true);
      t.engine->only_bytes(i.used);
    }
    const bool allowed = t.engine->access(s, at, bytes, kind, i.at, strength);
    if (unwritten) {
      t.engine->expect_unwritten(false);
      t.engine->only_bytes(~0u);
    }
    return allowed ? s.base + at : nullptr;
  };
  const auto own = [&](bool inside, std::vector<std::byte>& memory, uint64_t at,
                       const char* name) -> std::byte* {
    if (inside && at <= memory.size() && bytes <= memory.size() - at && at % bytes == 0) {
      return memory.data() + at;
    }
    run.nowhere.name = name;
    return engine(run.nowhere, at);
  };
  switch (space) {
    case StateSpace::generic:
      if ((address & shared_window) != 0) {
        return reach(t, i, StateSpace::shared, address - shared_window, bytes, kind);
      }
      if ((address & local_window) != 0) {
        return reach(t, i, StateSpace::local, address - local_window, bytes, kind);
      }
      if ((address & param_window) != 0) {
        return reach(t, i, StateSpace::param, address - param_window, bytes, kind);
      }
      if ((address & constant_window) != 0) {
        return reach(t, i, StateSpace::constant, address, bytes, kind);
      }
      [[fallthrough]];
    case StateSpace::global: {
      if (sim::Space* s = run.array_at(address)) return engine(*s, address);
      run.nowhere.name = "no array";
      return engine(run.nowhere, address);
    }
    case StateSpace::shared:
      if (t.shared != nullptr && in_gap(run.gaps, address & 0xffffffffu, bytes)) {
        run.nowhere.name = "shared";
        return engine(run.nowhere, address & 0xffffffffu);
      }
      if (t.shared != nullptr) return engine(*t.shared, address & 0xffffffffu);
      run.nowhere.name = "no shared memory";
      return engine(run.nowhere, address);
    case StateSpace::local:
      if ((address & param_window) != 0) {
        return reach(t, i, StateSpace::param, address - param_window, bytes, kind);
      }
      return own(in_frame(t, address, bytes), t.local, address, "local memory");
    case StateSpace::param:
      return own(true, t.params, address, "parameters");
    case StateSpace::constant:
      address -= constant_window;
      return own(!in_gap(run.constant_gaps, address, bytes), run.constants, address,
                 "constant memory");
  }
  return nullptr;
}

}  // namespace

std::byte* reach(Thread& t, const Instruction& i, StateSpace space, uint64_t address,
                 unsigned bytes, sim::Kind kind) {
  return reach_in(t, i, space, address, bytes, kind);
}

bool waits(Thread& t, const Instruction& i) {
  if (!t.engine->paused()) return false;
  t.waits = &i;
  return true;
}

void fence(Thread& t, const Instruction& i) {
  t.just_fenced = true;
  t.read_since = nullptr;
  if (i.of_block) {
    t.engine->fence_of_block(i.at);
  } else {
    t.engine->fence(i.at);
  }
}

namespace {

template <class T>
void fill(Thread& t, const Instruction& i, const std::byte* from) {
  for (unsigned k = 0; k < i.count; ++k) {
    T v;
    std::memcpy(&v, from + k * sizeof v, sizeof v);
    if constexpr (std::is_signed_v<T>) {
      t.r[i.r[k]] = static_cast<uint64_t>(static_cast<int64_t>(v));
    } else {
      t.r[i.r[k]] = v;
    }
  }
}
void fill_any(Thread& t, const Instruction& i, const std::byte* from) {
  switch (i.bytes) {
    case 1:
      return i.sign ? fill<int8_t>(t, i, from) : fill<uint8_t>(t, i, from);
    case 2:
      return i.sign ? fill<int16_t>(t, i, from) : fill<uint16_t>(t, i, from);
    case 4:
      return i.sign ? fill<int32_t>(t, i, from) : fill<uint32_t>(t, i, from);
    default:
      return fill<uint64_t>(t, i, from);
  }
}

uint64_t address_of(const Thread& t, const Instruction& i) {
  return get<uint64_t>(t, i.r[7]) + static_cast<uint64_t>(i.offset);
}
uint64_t address_in(const Thread& t, const Instruction& i, StateSpace space) {
  const uint64_t a = address_of(t, i);
  return space == StateSpace::shared ? a & 0xffffffffu : a;
}

template <StateSpace space>
void load(Thread& t, const Instruction& i) {
  const unsigned bytes = unsigned{i.bytes} * i.count;
  const std::byte* from = reach_in(t, i, space, address_in(t, i, space), bytes, sim::Kind::load);
  if (from == nullptr && waits(t, i)) return;
  if (i.strong && t.just_fenced) {
    t.just_fenced = t.read_since == nullptr || t.read_since == from;
    t.read_since = from;
  }
  if (i.mode != 0) fence(t, i);  // acquire
  if (from != nullptr) return fill_any(t, i, from);
  for (unsigned k = 0; k < i.count; ++k) t.r[i.r[k]] = 0x5a5a5a5a5a5a5a5au;
}
template <StateSpace space>
void store(Thread& t, const Instruction& i) {
  const unsigned bytes = unsigned{i.bytes} * i.count;
  if (i.mode != 0 && !t.again) fence(t, i);  // release
  std::byte* to = reach_in(t, i, space, address_in(t, i, space), bytes, sim::Kind::store);
  if (to == nullptr) return void(waits(t, i));
  for (unsigned k = 0; k < i.count; ++k) {
    std::memcpy(to + k * i.bytes, &t.r[i.r[k]], i.bytes);
  }
}

// By the state space.
constexpr Handler loads[] = {&load<StateSpace::generic>, &load<StateSpace::global>,
                             &load<StateSpace::shared>,  &load<StateSpace::local>,
                             &load<StateSpace::param>,   &load<StateSpace::constant>};
constexpr Handler stores[] = {&store<StateSpace::generic>, &store<StateSpace::global>,
                              &store<StateSpace::shared>,  &store<StateSpace::local>,
                              &store<StateSpace::param>,   nullptr};

// Operand k is loaded or stored: one register, or several in braces.
void values(Decoding& d, std::size_t k, Type t) {
  const Operand& o = d.operand(k);
  const bool vector = o.kind == Operand::Kind::vector;
  if (vector && (o.parts.empty() || o.parts.size() > 4)) d.fail("has a vector of unknown size");
  d.out.count = vector ? static_cast<uint8_t>(o.parts.size()) : 1;
  for (unsigned j = 0; j < d.out.count; ++j) {
    d.out.r[j] = d.slot(vector ? o.parts[j] : o, t);
  }
}

Handler access(Decoding& d, bool is_load) {
  const auto order = d.take_any({"volatile", "relaxed", "acquire", "release", "weak", "mmio"});
  d.out.of_block = d.take_any({"cta", "cluster", "gpu", "sys"}) == "cta";
  const StateSpace space = d.out.space = take_space(d);
  d.take_any({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  d.take("nc");
  d.take("unified");
  d.take("L1::evict_last");
  d.take_any({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::no_allocate",
              "L2::64B", "L2::128B", "L2::256B"});
  const auto vector = d.take_any({"v2", "v4"});
  const Type t = d.type();
  d.expect(2);
  values(d, is_load ? 0 : 1, t);
  if (d.out.count != (vector == "v2" ? 2 : vector == "v4" ? 4 : 1)) return nullptr;
  d.address(is_load ? 1 : 0);
  d.out.bytes = static_cast<uint8_t>(bytes_of(t));
  if (d.out.bytes > 8 || d.out.bytes * d.out.count > 16) return nullptr;
  d.out.sign = is_signed(t);
  // A volatile load sees values of atomics, as a relaxed load does. A volatile store counts as weak
  // until its thread has executed a fence: lanes that pass values by volatile accesses alone race
  // here, although PTX calls such stores relaxed. After a fence it may be a flag, see
  // strength_of_flag.
  d.out.strong = order == "relaxed" || order == "acquire" || order == "release" ||
                 (order == "volatile" && d.base() == "ld");
  d.out.by_fence = order == "volatile" && d.base() == "st";
  if (d.out.strong || d.out.by_fence) d.out.decides = Instruction::Decides::yes;
  d.out.mode = order == "acquire" || order == "release" ? 1 : 0;
  return (is_load ? loads : stores)[static_cast<std::size_t>(space)];
}
Handler ld(Decoding& d) {
  if (d.base() == "ldu") d.take("nc");
  return access(d, true);
}
Handler st(Decoding& d) { return access(d, false); }

// An asynchronous copy counts as a read now, and as a write when its thread has waited for it.
void copy_async(Thread& t, const Instruction& i) {
  const auto to = get<uint64_t>(t, i.r[7]) + static_cast<uint64_t>(i.offset);
  const auto from = get<uint64_t>(t, i.r[6]) + i.target;
  const auto wanted = i.flag ? std::min<uint32_t>(get<uint32_t>(t, i.r[5]), i.bytes) : i.bytes;
  Running& run = *t.running;
  uint64_t from_at = from;
  sim::Space* const array = run.array_at(from_at);
  if (t.shared == nullptr || (wanted != 0 && array == nullptr)) {
    run.nowhere.name = "no array";
    t.engine->access(run.nowhere, from | 1, 1, sim::Kind::load, i.at);
    return;
  }
  t.engine->copy_async({.to = t.shared,
                        .to_at = to & 0xffffffffu,
                        .from = array != nullptr ? array : &run.nowhere,
                        .from_at = from_at,
                        .bytes = wanted,
                        .zeros = i.bytes - wanted},
                       i.at);
  waits(t, i);
}
void commit(Thread& t, const Instruction&) { t.engine->commit_copies(); }
void wait_group(Thread& t, const Instruction& i) {
  if (i.flag) t.engine->commit_copies();  // wait_all
  t.engine->wait_copies(get<uint32_t>(t, i.r[0]), i.at);
}
Handler cp(Decoding& d) {
  if (!d.take("async")) return nullptr;
  if (d.take("bulk")) return bulk_copy(d);
  if (d.take("commit_group")) return &commit;
  if (d.take("wait_group")) {
    d.slots({Type::u32});
    return &wait_group;
  }
  if (d.take("wait_all")) {
    d.out.r[0] = d.constant(0);
    d.out.flag = true;
    return &wait_group;
  }
  if (d.take_any({"ca", "cg"}).empty() || d.take_any({"shared", "shared::cta"}).empty() ||
      !d.take("global")) {
    return nullptr;
  }
  d.take_any({"L2::64B", "L2::128B", "L2::256B"});
  d.address(1);
  d.out.r[6] = d.out.r[7];
  d.out.target = static_cast<uint32_t>(d.out.offset);
  d.out.offset = 0;
  d.address(0);
  const Operand& size = d.operand(2);
  if (size.kind != Operand::Kind::integer) return nullptr;
  if (size.bits != 4 && size.bits != 8 && size.bits != 16) return nullptr;
  d.out.bytes = static_cast<uint8_t>(size.bits);
  d.out.flag = d.operands() == 4;
  if (d.out.flag) d.out.r[5] = d.slot(3, Type::u32);
  return &copy_async;
}

void nothing(Thread&, const Instruction&) {}
Handler hint(Decoding& d) {  // a hint to caches, which is ignored
  d.take_any({"global", "local", "const", "param"});
  d.take_any({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
  d.take("uniform");
  d.take("L1");
  return &nothing;
}

constexpr Op all[] = {{"ld", &ld}, {"ldu", &ld},        {"st", &st},
                      {"cp", &cp}, {"prefetch", &hint}, {"prefetchu", &hint}};

}  // namespace

StateSpace take_space(Decoding& d) {
  const auto s = d.take_any({"global", "shared", "shared::cta", "local", "const", "param",
                             "param::entry", "param::func"});
  if (s == "global") return StateSpace::global;
  if (s == "local") return StateSpace::local;
  if (s == "const") return StateSpace::constant;
  if (s.starts_with("shared")) return StateSpace::shared;
  return s.empty() ? StateSpace::generic : StateSpace::param;
}

const std::span<const Op> memory_ops = all;

}  // namespace onefold::lab::ptx
