// Bulk copies to shared memory, and the barriers that they arrive at. In each phase of a barrier,
// one thread may arrive and one copy end, as in a pipeline; others are refused.
#include <fmt/format.h>

#include "lab/ptx/op/memory.hpp"

namespace onefold::lab::ptx {
namespace {

constexpr unsigned most_barriers = 8;  // on the machine, for each block
constexpr unsigned barrier_bytes = 8, copy_grain = 16;

uint64_t place_of(const Thread& t, uint32_t slot, int64_t offset) {
  return (get<uint64_t>(t, slot) + static_cast<uint64_t>(offset)) & 0xffffffffu;
}

Running::MemoryBarrier& barrier_at(Thread& t, const Instruction& i, uint64_t at) {
  auto& all = t.running->barriers;
  const auto found = all.find({t.block, at});
  if (found == all.end()) {
    t.running->fail(t, i, fmt::format("there is no barrier at byte {} of shared memory", at));
  }
  return found->second;
}

void open(Thread& t, const Instruction& i) {
  Running& run = *t.running;
  const uint64_t at = place_of(t, i.r[7], i.offset);
  if (at % barrier_bytes != 0 || at + barrier_bytes > run.shared_bytes) {
    run.fail(
        t, i,
        fmt::format("a barrier of 8 bytes does not fit at byte {} of {}", at, run.shared_bytes));
  }
  const auto from = run.barriers.lower_bound({t.block, 0}),
             to = run.barriers.lower_bound({t.block + 1, 0});
  const auto number = static_cast<unsigned>(std::distance(from, to));
  if (number == most_barriers ||
      !run.barriers.try_emplace({t.block, at}, Running::MemoryBarrier{.number = number}).second) {
    run.fail(t, i,
             fmt::format("at most {} barriers per block, each initialised once, are supported",
                         most_barriers));
  }
  t.engine->open_bulk(number, i.at);
}
void expect(Thread& t, const Instruction& i) {
  auto& b = barrier_at(t, i, place_of(t, i.r[7], i.offset));
  if (b.expected != 0)
    t.running->fail(t, i, "a barrier gets a second arrival before the copy; only one is supported");
  b.expected = get<uint32_t>(t, i.r[1]);
}
void try_wait(Thread& t, const Instruction& i) {
  const auto& b = barrier_at(t, i, place_of(t, i.r[7], i.offset));
  t.engine->wait_bulk(b.number, get<uint32_t>(t, i.r[1]) & 1, i.at);
  if (t.stopped()) return void(t.waits = &i);
  put(t, i.r[0], uint8_t{1});
}
// Reads the modifiers between the instruction's name and its type.
bool of_shared(Decoding& d) {
  d.take_any({"acquire", "release"});
  d.take_any({"cta", "cluster"});
  return !d.take_any({"shared", "shared::cta"}).empty() && d.take("b64");
}
Handler mbarrier(Decoding& d) {
  const auto what = d.take_any({"init", "arrive", "try_wait"});
  const bool more = what == "arrive" ? d.take("expect_tx") : what != "try_wait" || d.take("parity");
  if (what.empty() || !more || !of_shared(d)) return nullptr;
  if (what == "init") {
    d.expect(2);
    d.address(0);
    const Operand& count = d.operand(1);
    if (count.kind != Operand::Kind::integer || count.bits != 1) {
      d.fail("is not supported for an arrival count other than 1");
    }
    return &open;
  }
  d.expect(3);
  d.address(1);
  if (what == "arrive" && !d.is(0, Operand::Kind::nothing)) return nullptr;
  d.out.r[0] = d.slot(0, Type::pred);
  d.out.r[1] = d.slot(2, Type::u32);
  return what == "arrive" ? &expect : &try_wait;
}

// r[4]: source; r[5]: number of bytes; r[6]: barrier; r[7]: destination.
void copy(Thread& t, const Instruction& i) {
  Running& run = *t.running;
  auto& b = barrier_at(t, i, place_of(t, i.r[6], 0));
  const auto bytes = get<uint32_t>(t, i.r[5]);
  if (!b.fenced) {
    run.fail(
        t, i,
        "a bulk copy may not see this barrier: no fence.mbarrier_init follows its initialisation");
  }
  if (bytes != b.expected) {
    run.fail(t, i,
             fmt::format("a copy has {} bytes, but its barrier expects {}", bytes, b.expected));
  }
  const uint64_t to = place_of(t, i.r[7], i.offset);
  uint64_t from = get<uint64_t>(t, i.r[4]) + i.target;
  if (to % copy_grain != 0 || from % copy_grain != 0 || bytes % copy_grain != 0) {
    run.fail(t, i,
             "a bulk copy is misaligned: both addresses and the size must be multiples of 16");
  }
  b.expected = 0;
  sim::Space* const array = run.array_at(from);
  if (array == nullptr || t.shared == nullptr) run.nowhere.name = "no array";
  t.engine->copy_bulk({.to = t.shared != nullptr ? t.shared : &run.nowhere,
                       .to_at = to,
                       .from = array != nullptr ? array : &run.nowhere,
                       .from_at = from,
                       .bytes = bytes,
                       .barrier = b.number},
                      i.at);
}

constexpr Op all[] = {{"mbarrier", &mbarrier}};

}  // namespace

Handler barriers_fence(Decoding& d) {
  if (!d.take("release") || !d.take("cluster")) return nullptr;
  return [](Thread& t, const Instruction&) {
    for (auto& [where, barrier] : t.running->barriers) {
      if (where.first == t.block) barrier.fenced = true;
    }
  };
}

Handler bulk_copy(Decoding& d) {
  if (d.take_any({"shared::cluster", "shared::cta"}).empty() || !d.take("global") ||
      !d.take("mbarrier::complete_tx::bytes")) {
    return nullptr;
  }
  d.expect(4);
  d.address(3);
  d.out.r[6] = d.out.r[7];
  if (d.out.offset != 0) d.fail("is not supported with an offset in the address of the barrier");
  d.address(1);
  d.out.r[4] = d.out.r[7];
  d.out.target = static_cast<uint32_t>(d.out.offset);
  d.out.r[5] = d.slot(2, Type::u32);
  d.address(0);
  return &copy;
}

const std::span<const Op> bulk_ops = all;

}  // namespace onefold::lab::ptx
