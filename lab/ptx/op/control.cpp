// Branches, calls, and the end of a thread.
#include <fmt/format.h>

#include <algorithm>

#include "lab/ptx/library.hpp"
#include "lab/ptx/op/memory.hpp"

namespace onefold::lab::ptx {
namespace {

constexpr std::size_t deepest = 192;  // calls may be nested so deep

void go(Thread& t, uint32_t target) { t.ip = t.code + target; }

void jump(Thread& t, const Instruction& i) { go(t, i.target); }
// The guard in r[0] decides whether to branch; the machine records the outcome.
void branch(Thread& t, const Instruction& i) {
  const bool taken = get<uint8_t>(t, i.r[0]) == i.mode;
  if (taken) go(t, i.target);
  t.engine->branch(taken, i.at);
}
Handler bra(Decoding& d) {
  d.take("uni");
  d.expect(1);
  d.out.target = d.label(d.operand(0));
  const Statement& s = d.statement();
  if (s.guard.empty()) return &jump;
  d.out.r[0] = d.slot(Operand{.kind = Operand::Kind::reg, .name = s.guard}, Type::pred);
  d.out.mode = s.unless ? 0 : 1;
  d.out.flag = true;  // it evaluates its guard itself
  return &branch;
}

void jump_table(Thread& t, const Instruction& i) {
  const uint32_t k = get<uint32_t>(t, i.r[0]);
  if (k >= i.count) t.running->fail(t, i, "the index of brx.idx is beyond its list of targets");
  go(t, i.target + k);
}
// The targets follow it as separate jumps, which the decoder makes.
Handler brx(Decoding& d) {
  d.take("uni");
  if (!d.take("idx")) return nullptr;
  d.expect(2);
  const auto& targets = d.targets(d.operand(1).name);
  if (targets.empty() || targets.size() > 255) return nullptr;
  d.out.r[0] = d.slot(0, Type::u32);
  d.out.count = static_cast<uint8_t>(targets.size());
  d.out.target = d.table(targets);
  return &jump_table;
}

void leave(Thread& t, const Instruction&) { t.running->leave(t); }
Handler ret(Decoding& d) {
  d.take("uni");
  return &leave;
}
void end(Thread& t, const Instruction&) { t.ip = nullptr; }
Handler exit_thread(Decoding&) { return &end; }

void trap(Thread& t, const Instruction& i) { t.running->fail(t, i, "the kernel executed trap"); }
Handler trap_of(Decoding&) { return &trap; }
void nothing(Thread&, const Instruction&) {}
Handler skip(Decoding& d) {
  d.take_any({"u32", "launch_dependents", "wait"});
  return &nothing;
}

const Call& call_of(const Instruction& i) {
  Call* c;
  static_assert(sizeof c <= sizeof i.offset);
  std::memcpy(&c, &i.offset, sizeof c);
  return *c;
}
// Returns whether arguments have the sizes of the function's parameters.
template <class Parameters>
bool fits(const Call& c, const Parameters& arguments, const Parameters& results) {
  const auto same = [](const auto& a, const auto& b) { return a.bytes == b.bytes; };
  return std::equal(c.arguments.begin(), c.arguments.end(), arguments.begin(), arguments.end(),
                    same) &&
         std::equal(c.results.begin(), c.results.end(), results.begin(), results.end(), same);
}
void enter_code(Thread& t, const Instruction& i, const Code& to) {
  if (t.depth >= deepest) {
    t.running->fail(t, i, fmt::format("calls nest deeper than {}", deepest));
  }
  t.running->enter(t, to, t.ip, &call_of(i));
}
void enter(Thread& t, const Instruction& i) { enter_code(t, i, *call_of(i).code); }
void enter_pointer(Thread& t, const Instruction& i) {
  const Call& c = call_of(i);
  const uint64_t at = get<uint64_t>(t, i.r[0]), k = (at - function_window) / function_step;
  const auto all = t.running->functions;
  if (at % function_step != 0 || k - 1 >= all.size()) {
    t.running->fail(t, i, fmt::format("calls through pointer {:#x}, which is not a function", at));
  }
  const Code& to = *all[k - 1];
  if (!fits(c, to.arguments, to.results)) {
    t.running->fail(t, i, "calls a function with the wrong parameters");
  }
  enter_code(t, i, to);
}
void enter_library(Thread& t, const Instruction& i) { call_of(i).host(t, i, call_of(i)); }

Handler call(Decoding& d) {
  d.take("uni");
  // Operands of call: (results), name, (arguments); results and arguments may be missing.
  const bool results = d.is(0, Operand::Kind::vector);
  const std::size_t at = results ? 1 : 0;
  const Operand& name = d.operand(at);
  const bool pointer = name.kind == Operand::Kind::reg;
  if (!pointer && name.kind != Operand::Kind::symbol) d.fail("names no function");
  Call* c = d.names().new_call();
  const auto fields = [&](std::size_t k, std::vector<Code::Field>& into) {
    if (k >= d.operands()) return;
    for (const Operand& o : d.operand(k).parts) {
      const auto f = d.param(o.name);
      if (!f) d.fail(fmt::format("passes {}, which is not a parameter", o.name));
      into.push_back(*f);
    }
  };
  if (results) fields(0, c->results);
  if (!pointer || d.is(at + 1, Operand::Kind::vector)) fields(at + 1, c->arguments);
  std::memcpy(&d.out.offset, &c, sizeof c);
  if (pointer) {
    d.out.r[0] = d.slot(name, Type::u64);
    return &enter_pointer;
  }
  c->code = d.names().code(name.name, d.at());
  if (c->code != nullptr) {
    const Function& f = *d.names().function(name.name);
    if (!fits(*c, f.params, f.results)) {
      d.fail(fmt::format("calls {} with the wrong parameters", name.name));
    }
    return &enter;
  }
  c->host = library_function(name.name);
  if (c->host == nullptr) d.fail(fmt::format("calls {}, which is not defined", name.name));
  if (!library_fits(name.name, *c)) {
    d.fail(fmt::format("calls {} with the wrong parameters", name.name));
  }
  return &enter_library;
}

constexpr Op all[] = {{"bra", &bra},      {"brx", &brx},
                      {"ret", &ret},      {"exit", &exit_thread},
                      {"trap", &trap_of}, {"brkpt", &trap_of},
                      {"call", &call},    {"nanosleep", &skip},
                      {"pmevent", &skip}, {"griddepcontrol", &skip}};

}  // namespace

const std::span<const Op> control_ops = all;

const Call* call_made_by(const Instruction& i) {
  return i.run == &enter || i.run == &enter_pointer || i.run == &enter_library ? &call_of(i)
                                                                               : nullptr;
}

}  // namespace onefold::lab::ptx
