#include "lab/ptx/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace onefold::lab::ptx {

namespace {

constexpr uint64_t look_every = 4096;    // steps between two checks of the budget
constexpr uint64_t steps_of_start = 32;  // starting a thread takes as long as so many steps

using R = const Running&;
using T = const Thread&;
constexpr Special all_specials[] = {
    {"%tid.x", [](R r, T t) -> uint64_t { return t.thread % r.block.x; }},
    {"%tid.y", [](R r, T t) -> uint64_t { return t.thread / r.block.x % r.block.y; }},
    {"%tid.z", [](R r, T t) -> uint64_t { return t.thread / r.block.x / r.block.y; }},
    {"%ntid.x", [](R r, T) -> uint64_t { return r.block.x; }},
    {"%ntid.y", [](R r, T) -> uint64_t { return r.block.y; }},
    {"%ntid.z", [](R r, T) -> uint64_t { return r.block.z; }},
    {"%ctaid.x", [](R r, T t) -> uint64_t { return t.block % r.grid.x; }},
    {"%ctaid.y", [](R r, T t) -> uint64_t { return t.block / r.grid.x % r.grid.y; }},
    {"%ctaid.z", [](R r, T t) -> uint64_t { return t.block / r.grid.x / r.grid.y; }},
    {"%nctaid.x", [](R r, T) -> uint64_t { return r.grid.x; }},
    {"%nctaid.y", [](R r, T) -> uint64_t { return r.grid.y; }},
    {"%nctaid.z", [](R r, T) -> uint64_t { return r.grid.z; }},
    {"%laneid", [](R, T t) -> uint64_t { return t.thread % 32; }},
    {"%warpid", [](R, T t) -> uint64_t { return t.thread / 32; }},
    {"%nwarpid", [](R r, T) -> uint64_t { return (r.block.count() + 31) / 32; }},
    {"%smid", [](R, T t) -> uint64_t { return t.block % 132; }},
    {"%nsmid", [](R, T) -> uint64_t { return 132; }},
    {"%gridid", [](R, T) -> uint64_t { return 1; }},
    {"%lanemask_eq", [](R, T t) -> uint64_t { return 1u << (t.thread % 32); }},
    {"%lanemask_lt", [](R, T t) -> uint64_t { return (1u << (t.thread % 32)) - 1; }},
    {"%lanemask_le", [](R, T t) -> uint64_t { return (2u << (t.thread % 32)) - 1; }},
    {"%lanemask_gt", [](R, T t) -> uint64_t { return ~((2u << (t.thread % 32)) - 1); }},
    {"%lanemask_ge", [](R, T t) -> uint64_t { return ~((1u << (t.thread % 32)) - 1); }},
    {"%dynamic_smem_size", [](R r, T) -> uint64_t { return r.reserved_at - r.dynamic_at; }},
    {"%total_smem_size", [](R r, T) -> uint64_t { return r.shared_bytes - r.gap_bytes; }},
    {"%reserved_smem_offset_1", [](R r, T) -> uint64_t { return r.reserved_at; }},
};

}  // namespace

const std::span<const Special> specials = all_specials;

Thread& Running::take() {
  if (free_.empty()) {
    threads_.push_back(std::make_unique<Thread>());
    free_.push_back(threads_.back().get());
  }
  Thread* t = free_.back();
  free_.pop_back();
  return *t;
}

void Running::enter(Thread& t, const Code& c, const Instruction* back, const Call* call) {
  if (t.depth == t.frames.size()) t.frames.emplace_back();
  Frame& f = t.frames[t.depth];
  const std::size_t local = t.depth == 0 ? 0 : t.frame().local + t.frame().code->local_bytes;
  const std::size_t params = t.depth == 0 ? 0 : t.frame().params + t.frame().code->param_bytes;
  const std::size_t caller = t.depth == 0 ? 0 : t.frame().params;
  f.code = &c;
  f.back = back;
  f.call = call;
  f.local = local;
  f.params = params;
  // A register that was never written has an arbitrary value.
  f.registers.assign(c.slots, 0x5a5a5a5a5a5a5a5au);
  for (const auto& [slot, bits] : c.constants) f.registers[slot] = bits;
  for (const auto& [slot, s] : c.specials) f.registers[slot] = s->value(*this, t);
  for (const auto& [slot, at] : c.locals) f.registers[slot] = local + at;
  for (const auto& [slot, at] : c.params) f.registers[slot] = params + at;
  if (t.local.size() < local + c.local_bytes) t.local.resize(local + c.local_bytes);
  // Local memory also begins undefined: values of another call or thread are overwritten.
  std::fill_n(t.local.begin() + static_cast<std::ptrdiff_t>(local), c.local_bytes, std::byte{0x5a});
  if (t.params.size() < params + c.param_bytes) t.params.resize(params + c.param_bytes);
  if (watches_unset) {
    f.unset = c.unset;
    t.local_unset.resize(t.local.size());
    t.params_unset.resize(t.params.size());
    std::fill_n(t.local_unset.data() + local, c.local_bytes, uint8_t{1});
    std::fill_n(t.params_unset.data() + params, c.param_bytes, uint8_t{0});
  }
  if (call != nullptr) {
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      const std::size_t to = params + c.arguments[k].offset,
                        from = caller + call->arguments[k].offset, bytes = c.arguments[k].bytes;
      std::memcpy(t.params.data() + to, t.params.data() + from, bytes);
      if (watches_unset) std::copy_n(&t.params_unset[from], bytes, &t.params_unset[to]);
    }
  }
  ++t.depth;
  t.r = f.registers.data();
  t.ip = t.code = c.instructions.data();
}

void Running::leave(Thread& t) {
  const Frame& f = t.frame();
  --t.depth;
  if (t.depth == 0) {
    t.ip = nullptr;
    return;
  }
  Frame& to = t.frame();
  for (std::size_t k = 0; k < f.call->results.size(); ++k) {
    const std::size_t into = to.params + f.call->results[k].offset,
                      from = f.params + f.code->results[k].offset, bytes = f.code->results[k].bytes;
    std::memcpy(t.params.data() + into, t.params.data() + from, bytes);
    if (watches_unset) std::copy_n(&t.params_unset[from], bytes, &t.params_unset[into]);
  }
  t.r = to.registers.data();
  t.code = to.code->instructions.data();
  t.ip = f.back;
}

void Running::begin(Thread& t) {
  const sim::Place here = engine.place();
  t.running = this;
  t.engine = &engine;
  t.thread = here.thread;
  t.block = here.block;
  t.steps = t.flops = 0;
  t.votes.fill(0);
  t.carry = t.again = t.just_fenced = false;
  t.waits = t.lost = nullptr;
  t.depth = 0;
  t.shared = shared_bytes == 0 ? nullptr : &engine.shared(this, shared_bytes, shared_grain);
  enter(t, *code, nullptr, nullptr);
  t.then = t.ip;
  std::memcpy(t.params.data(), arguments.data(), std::min(arguments.size(), t.params.size()));
}

template <bool watches>
inline void Running::steps_of(Thread& t) {
  const auto step = [&](const Instruction& i) {
    if constexpr (watches) {
      Unset unset(t, i);
      i.run(t, i);
      if (t.waits == nullptr) unset.settle();
    } else {
      i.run(t, i);
    }
  };
  if (const Instruction* const i = std::exchange(t.waits, nullptr); i != nullptr) {
    t.again = true;
    step(*i);
    t.again = false;
  }
  // First instructions that only compute, then one that may stop or jump. The former take 7
  // instructions of the processor each; they took 17 when each was examined.
  while (t.ip != nullptr) {
    const Instruction* i = t.ip;
    const Instruction* const last = i + i->plain;
    t.ip = last + 1;
    const uint64_t before = std::exchange(t.steps, t.steps + i->plain + 1u);
    if (before / look_every != t.steps / look_every) engine.work(look_every, i->at);
    t.flops += i->plain_flops;
    for (; i != last; ++i) step(*i);
    if (i->guard != no_slot && get<uint8_t>(t, i->guard) != i->guard_is) continue;
    t.flops += i->flops;
    step(*i);
  }
}

// Runs a thread to its next stop, or to its end.
void Running::run(Thread& t) {
  t.ip = std::exchange(t.then, nullptr);
  if (watches_unset) {
    steps_of<true>(t);
  } else {
    steps_of<false>(t);
  }
  if (t.then != nullptr) return;
  steps += t.steps, flops += t.flops;
  longest = std::max(longest, t.steps);
  if (t.lost != nullptr) ++lost[engine.site(t.lost->at)];
  engine.work(t.steps % look_every + steps_of_start, code->instructions.back().at);
}

// A thread of the launch. Its state is in memory, so it needs no stack.
class Running::Interpreter final : public sim::Execution {
 public:
  explicit Interpreter(Running& run) : run_(run) {}

  void begin() override {
    if (thread_ != nullptr) run_.free_.push_back(std::exchange(thread_, nullptr));
  }
  void go_on() override {
    if (!run_.failure.empty()) return begin();
    try {
      if (thread_ == nullptr) run_.begin(*(thread_ = &run_.take()));
      run_.run(*thread_);
      if (thread_->then != nullptr) return;
    } catch (const sim::ThreadEnd&) {
    }
    begin();
  }
  void leave() override {
    if (thread_->ip != nullptr) thread_->then = std::exchange(thread_->ip, nullptr);
  }

 private:
  Running& run_;
  Thread* thread_ = nullptr;  // from the thread's first step to its end
};

void Running::launch(bool cooperative) {
  free_.clear();  // also those that were given up
  for (const auto& t : threads_) free_.push_back(t.get());
  engine.launch(
      {.grid = static_cast<unsigned>(grid.count()),
       .block = static_cast<unsigned>(block.count()),
       .cooperative = cooperative},
      [](void* run) -> std::unique_ptr<sim::Execution> {
        return std::make_unique<Interpreter>(*static_cast<Running*>(run));
      },
      this);
}

std::string place_in(const Dim& all, uint64_t k) {
  if (all.y == 1 && all.z == 1) return fmt::format("{}", k);
  const uint64_t x = k % all.x, y = k / all.x % all.y;
  return all.z == 1 ? fmt::format("({}, {})", x, y)
                    : fmt::format("({}, {}, {})", x, y, k / all.x / all.y);
}

void Running::fail(Thread& t, const Instruction& i, const std::string& what) {
  if (failure.empty()) {
    const sim::Site& at = engine.site(i.at);
    const std::string_view file(at.file);
    failure = fmt::format("{}:{}: {} (block {}, thread {})", file.substr(file.rfind('/') + 1),
                          at.line, what, place_in(grid, t.block), place_in(block, t.thread));
  }
  engine.end_thread();
}

const std::byte* Running::look(Thread& t, uint64_t address, std::size_t bytes) {
  const auto inside = [&](const std::byte* base, std::size_t size, uint64_t at) {
    return at <= size && bytes <= size - at ? base + at : nullptr;
  };
  if ((address & local_window) != 0) {
    return inside(t.local.data(), t.local.size(), address - local_window);
  }
  if ((address & shared_window) != 0) {
    if (t.shared == nullptr) return nullptr;
    return inside(t.shared->base, t.shared->bytes, address - shared_window);
  }
  if ((address & param_window) != 0) {
    return inside(t.params.data(), t.params.size(), address - param_window);
  }
  if ((address & constant_window) != 0) {
    return inside(constants.data(), constants.size(), address - constant_window);
  }
  const uint64_t k = address / array_span;
  if (k == 0 || k > arrays.size()) return nullptr;
  return inside(arrays[k - 1]->base, arrays[k - 1]->bytes, address % array_span);
}

std::string Running::text_at(Thread& t, uint64_t address, std::size_t most) {
  std::string s;
  while (s.size() < most) {
    const std::byte* p = look(t, address + s.size(), 1);
    if (p == nullptr || *p == std::byte{0}) break;
    s += static_cast<char>(*p);
  }
  return s;
}

}  // namespace onefold::lab::ptx
