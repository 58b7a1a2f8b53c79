#include "lab/ptx/unset.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {
namespace {

using How = Flow::How;

template <std::size_t n>
bool among(std::string_view word, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view without_result[] = {
    "st",       "red",  "bra",    "brx",   "ret",  "cp",    "bar",     "barrier",   "call",
    "prefetch", "exit", "membar", "fence", "trap", "brkpt", "pmevent", "nanosleep", "prefetchu"};
constexpr std::string_view decides[] = {"atom", "red", "vote", "match", "redux", "brx", "call"};
constexpr std::string_view whole_types[] = {".s32", ".u32", ".s64", ".u64"};
constexpr std::string_view sets[] = {"lop3", "bfi", "prmt", "activemask", "elect", "isspacep"};

How how_of(const Statement& s, std::string_view base, bool vector) {
  if (base == "ld" || base == "ldu") return How::load;
  if (base == "st") return How::store;
  if (base == "selp") return How::choose;
  if (base == "shfl") return How::shuffle;
  if (base == "and") return How::both;
  if (base == "or") return s.opcode == "or.pred" ? How::either : How::none;
  if (base == "cvta") return How::copy;
  if (base == "mov" && !vector) return How::copy;
  if (base == "mov") return s.operands[0].kind == Operand::Kind::vector ? How::unpack : How::pack;
  const bool joined = s.opcode.find(".and.") != s.opcode.npos ||
                      s.opcode.find(".or.") != s.opcode.npos;  // setp with a predicate that decides
  return joined || among(base, sets) || among(base, decides) || among(base, without_result)
             ? How::none
             : How::plain;
}

uint8_t width_of(const std::string& opcode) {
  const auto type = type_of(std::string_view(opcode).substr(opcode.rfind('.') + 1));
  return type ? static_cast<uint8_t>(std::min(bytes_of(*type), 8u)) : 8;
}

// Finds the shadow of an address in the thread's own memory (local memory and parameters); null if
// the address is elsewhere.
uint8_t* shadow(Thread& t, const Instruction& i, unsigned bytes) {
  const uint64_t address = get<uint64_t>(t, i.r[7]) + static_cast<uint64_t>(i.offset);
  const auto in = [&](std::vector<uint8_t>& of, uint64_t at) {
    return at <= of.size() && bytes <= of.size() - at ? of.data() + at : nullptr;
  };
  switch (i.space) {
    case StateSpace::param:
      return in(t.params_unset, address);
    case StateSpace::local:
    case StateSpace::generic:
      if ((address & param_window) != 0) return in(t.params_unset, address - param_window);
      if ((address & local_window) != 0) return in(t.local_unset, address - local_window);
      if (i.space == StateSpace::local) return in(t.local_unset, address);
      break;
    default:
      break;
  }
  return nullptr;
}

constexpr uint8_t all = 0xff;
// A load of one or two unset bytes, with zeros or signs above them.
constexpr uint8_t one_byte = 0x81, two_bytes = 0x83;
// Returns whether all bytes that an instruction reads of a register are unset.
bool wholly(uint8_t unset, unsigned width) {
  const auto bits = static_cast<uint8_t>(width >= 8 ? all : (1u << width) - 1);
  return (unset & bits) == bits || unset == one_byte || unset == two_bytes;
}
uint8_t loaded(const uint8_t* bytes, unsigned n, unsigned used) {
  unsigned v = 0;
  for (unsigned j = 0; j < n; ++j) v |= (bytes[j] != 0 ? used >> j & 1 : 0u) << j;
  if (v != (1u << n) - 1) return static_cast<uint8_t>(v);
  return n == 1 ? one_byte : n == 2 ? two_bytes : all;
}

}  // namespace

Flow flow_of(const Statement& s, const Instruction& made,
             const std::function<uint32_t(const std::string&)>& slot_of) {
  const std::string_view base = std::string_view(s.opcode).substr(0, s.opcode.find('.'));
  const auto is_vector = [](const Operand& o) { return o.kind == Operand::Kind::vector; };
  Flow f{.how = how_of(s, base, std::any_of(s.operands.begin(), s.operands.end(), is_vector)),
         .width = width_of(s.opcode),
         .used_bytes = s.used_bytes,
         .results = {},
         .sources = {},
         .used = {},
         .targets = {}};
  const auto note = [&](const std::string& name, std::vector<uint32_t>& into) {
    const uint32_t slot = name.empty() ? no_slot : slot_of(name);
    if (slot != no_slot || &into == &f.results) into.push_back(slot);
  };
  const bool red = s.opcode.find(".red.") != s.opcode.npos && base.starts_with("bar");
  const bool stops = base.starts_with("bar") || base == "red" || base == "call";
  const bool opens = base == "mbarrier" && s.operands[0].kind == Operand::Kind::address;
  const bool result = red || !(among(base, without_result) || (stops && !red) || opens);
  for (std::size_t k = 0; k < s.operands.size(); ++k) {
    const Operand& o = s.operands[k];
    if (k == 0 && result) {
      if (!is_vector(o)) note(o.name, f.results);
      for (const Operand& p : o.parts) note(p.name, f.results);
    } else if (o.kind == Operand::Kind::address) {
      note(o.name, f.used);
    } else if (base == "shfl" && k > 1) {
      continue;
    } else {
      std::vector<uint32_t>& into = among(base, decides) || red ? f.used : f.sources;
      if (!is_vector(o)) note(o.name, into);
      for (const Operand& p : o.parts) note(p.name, base == "call" ? f.targets : into);
    }
  }
  f.targets.clear();
  note(s.guard, f.used);
  const bool leaves = base == "ret" || base == "exit" || base == "trap" || base == "brkpt";
  f.ends = s.guard.empty() && (leaves || base == "bra" || base == "brx");
  if (base == "bra") f.targets.push_back(made.target);
  f.adds = base == "add" && s.guard.empty() &&
           among(std::string_view(s.opcode).substr(base.size()), whole_types);
  return f;
}

Liveness liveness_of(const Code& c) {
  const auto& flows = c.flows;
  const std::size_t n = flows.size(), words = (c.slots + 63) / 64;
  std::vector<char> begins(n + 1, 0);
  const auto each_target = [&](std::size_t k, const auto& see) {
    for (const uint32_t target : flows[k].targets) see(target);
  };
  begins[0] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    if (flows[k].ends || !flows[k].targets.empty()) begins[k + 1] = 1;
    each_target(k, [&](uint32_t to) { begins[to] = 1; });
  }
  std::vector<uint32_t> block(n + 1), first;
  for (std::size_t k = 0; k < n; ++k) {
    if (begins[k] != 0) first.push_back(static_cast<uint32_t>(k));
    block[k] = static_cast<uint32_t>(first.size() - 1);
  }
  first.push_back(static_cast<uint32_t>(n));
  using Bits = std::vector<uint64_t>;
  const auto set = [](Bits& b, uint32_t k) { b[k / 64] |= uint64_t{1} << k % 64; };
  const auto clear = [](Bits& b, uint32_t k) { b[k / 64] &= ~(uint64_t{1} << k % 64); };
  Bits narrow(words, 0), wide(words, 0);  // registers of 32 bits or less, and of 64
  for (uint32_t k = 0; k < c.slots; ++k) {
    if (c.words[k] != 0) set(c.words[k] == 2 ? wide : narrow, k);
  }
  const auto weight = [&](const Bits& b) {
    int sum = 0;
    for (std::size_t w = 0; w < words; ++w) {
      sum += std::popcount(b[w] & narrow[w]) + 2 * std::popcount(b[w] & wide[w]);
    }
    return static_cast<unsigned>(sum);
  };
  // Finds the registers that each basic block reads before it writes them.
  std::vector<Bits> live(first.size() - 1, Bits(words, 0));
  Liveness found;
  for (bool changed = true; changed;) {
    changed = false;
    found.registers = 0;
    for (std::size_t b = live.size(); b-- != 0;) {
      Bits now(words, 0);
      const auto join = [&](uint32_t from) {
        for (std::size_t w = 0; w < words; ++w) now[w] |= live[block[from]][w];
      };
      const std::size_t last = first[b + 1] - 1;
      each_target(last, join);
      if (!flows[last].ends && last + 1 < n) join(static_cast<uint32_t>(last + 1));
      for (std::size_t k = last + 1; k-- != first[b];) {
        if (c.instructions[k].guard == no_slot) {
          for (const uint32_t r : flows[k].results) {
            if (r != no_slot) clear(now, r);
          }
        }
        for (const uint32_t r : flows[k].sources) set(now, r);
        for (const uint32_t r : flows[k].used) set(now, r);
        found.registers = std::max(found.registers, weight(now));
      }
      changed = changed || now != live[b];
      live[b] = std::move(now);
    }
  }
  found.unset = std::any_of(live[0].begin(), live[0].end(), [](uint64_t w) { return w != 0; });
  return found;
}

Unset::Unset(Thread& t, const Instruction& i)
    : thread_(t),
      instruction_(i),
      flow_(t.frame()
                .code->flows[static_cast<std::size_t>(&i - t.frame().code->instructions.data())]),
      unset_(t.frame().unset) {
  for (const uint32_t slot : flow_.used) tell(slot);
  if (flow_.how == How::load) {
    load();
  } else if (flow_.how == How::store) {
    store();
  } else if (flow_.how == How::shuffle) {
    t.brought = !flow_.sources.empty() && unset_[flow_.sources[0]] == all;
  } else {
    compute();
  }
}

void Unset::tell(uint32_t slot) {
  if (unset_[slot] != all || thread_.again) return;
  thread_.engine->unset(instruction_.at);
  unset_[slot] = 0;  // once
}

void Unset::compute() {
  Thread& t = thread_;
  const Instruction& i = instruction_;
  const auto& from = flow_.sources;
  const auto give = [&](unsigned v) { std::fill_n(results_, 8, static_cast<uint8_t>(v)); };
  const bool any = std::any_of(from.begin(), from.end(),
                               [&](uint32_t r) { return wholly(unset_[r], flow_.width); });
  const unsigned part = i.mode / 8, bits = (1u << part) - 1;
  switch (flow_.how) {
    case How::plain:
      return give(any ? all : 0u);
    case How::copy:
      return give(from.empty() ? 0u : unset_[from[0]]);
    case How::choose: {
      const uint32_t taken = get<uint8_t>(t, i.r[3]) != 0 ? i.r[1] : i.r[2];
      return give(unset_[i.r[3]] == all ? all : unset_[taken]);
    }
    case How::both:
    case How::either: {
      const bool decided = std::any_of(from.begin(), from.end(), [&](uint32_t r) {
        return unset_[r] == 0 && (t.r[r] != 0) == (flow_.how == How::either);
      });
      return give(any && !decided ? all : 0u);
    }
    case How::unpack:
      for (unsigned k = 0; k < i.count; ++k) {
        const auto mine = static_cast<uint8_t>(unset_[i.r[7]] >> (k * part));
        results_[k] = wholly(mine, part) ? all : uint8_t{0};
      }
      return;
    case How::pack: {
      unsigned v = 0;
      for (unsigned k = 0; k < i.count; ++k) v |= (unset_[i.r[k]] & bits) << (k * part);
      return give(v == (1u << (part * i.count)) - 1 ? all : v);
    }
    default:
      return;
  }
}

void Unset::load() {
  const Instruction& i = instruction_;
  const uint8_t* const s = shadow(thread_, i, unsigned{i.bytes} * i.count);
  for (unsigned k = 0; s != nullptr && k < i.count; ++k) {
    results_[k] = loaded(s + k * i.bytes, i.bytes, flow_.used_bytes >> (k * i.bytes));
  }
}

void Unset::store() {
  const Instruction& i = instruction_;
  if (uint8_t* const s = shadow(thread_, i, unsigned{i.bytes} * i.count); s != nullptr) {
    for (unsigned k = 0; k < i.count; ++k) {
      // A byte that was copied alone may be padding, so it counts as set.
      const unsigned v = i.bytes == 1 && unset_[i.r[k]] == one_byte ? 0u : unset_[i.r[k]];
      for (unsigned j = 0; j < i.bytes; ++j) s[k * i.bytes + j] = static_cast<uint8_t>(v >> j & 1);
    }
    return;
  }
  for (unsigned k = 0; k < i.count; ++k) {
    if (unset_[i.r[k]] != all) return;  // in a vector, all parts
  }
  tell(i.r[0]);
}

void Unset::settle() {
  if (flow_.results.empty()) return;
  for (std::size_t k = 0; k < flow_.results.size(); ++k) {
    if (flow_.results[k] != no_slot) unset_[flow_.results[k]] = results_[k];
  }
  if (flow_.how == How::shuffle) {
    if (flow_.results[0] != no_slot) {
      unset_[flow_.results[0]] = thread_.value >> 32 == 1 ? all : 0;
    }
    thread_.brought = false;
  }
}

}  // namespace onefold::lab::ptx
