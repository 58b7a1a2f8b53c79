#include "lab/ptx/reads.hpp"

#include <algorithm>
#include <optional>

namespace onefold::lab::ptx {
namespace {

using How = Flow::How;

bool has(const std::vector<uint32_t>& slots, uint32_t slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

class Reads {
 public:
  explicit Reads(Code& c) : code_(c), made_by_(c.slots, none) {
    for (std::size_t k = 0; k < c.flows.size(); ++k) {
      for (const uint32_t r : c.flows[k].results) {
        if (r < c.slots) made_by_[r] = made_by_[r] == none ? k : several;
      }
    }
  }

  bool is_used(uint32_t slot) const {
    return std::any_of(code_.flows.begin(), code_.flows.end(),
                       [&](const Flow& f) { return has(f.sources, slot) || has(f.used, slot); });
  }

  // Returns whether the only use of a load's value in memory is by atomicCAS on its own word, as
  // the value to compare or in the new one, or behind that, where it is the value that was changed.
  bool is_only_compared(std::size_t load) const {
    const Instruction& l = code_.instructions[load];
    std::vector<char> made(code_.slots, 0), copied(code_.slots, 0);
    made[l.r[0]] = copied[l.r[0]] = 1;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Flow& f : code_.flows) {
        const auto add = [&](std::vector<char>& into, bool copies) {
          const bool from = std::any_of(f.sources.begin(), f.sources.end(),
                                        [&](uint32_t s) { return into[s] != 0; });
          if (!from || f.how == How::store || !copies) return;
          for (const uint32_t r : f.results) {
            if (r >= code_.slots || into[r] != 0) continue;
            into[r] = 1;
            grows = true;
          }
        };
        add(made, true);
        add(copied, f.how == How::copy);
      }
    }
    std::vector<char> checks(code_.flows.size(), 0);
    bool compared = false;
    for (std::size_t k = 0; k < code_.flows.size(); ++k) {
      const Instruction& i = code_.instructions[k];
      checks[k] = i.compares && same_word(i, l) && made[i.r[7]] == 0;
      compared = compared || (checks[k] != 0 && copied[i.r[1]] != 0);
    }
    if (!compared) return false;
    const std::vector<char> before = reached(load, checks);
    for (std::size_t k = 0; k < code_.flows.size(); ++k) {
      if (before[k] != 0 && checks[k] == 0 && leaves(k, made)) return false;
    }
    return true;
  }

 private:
  // Returns which instructions come after `from`, up to those of `ends`.
  std::vector<char> reached(std::size_t from, const std::vector<char>& ends) const {
    std::vector<char> there(code_.flows.size(), 0);
    std::vector<std::size_t> next{from};
    while (!next.empty()) {
      const std::size_t k = next.back();
      next.pop_back();
      const Flow& f = code_.flows[k];
      const auto go = [&](std::size_t to) {
        if (to < there.size() && there[to] == 0) there[to] = 1, next.push_back(to);
      };
      if (ends[k] != 0) continue;
      if (!f.ends) go(k + 1);
      for (const uint32_t to : f.targets) go(to);
    }
    return there;
  }
  static constexpr std::size_t none = ~std::size_t{0}, several = none - 1;

  // Returns whether an instruction takes a value to memory, to another thread or into a call.
  bool leaves(std::size_t k, const std::vector<char>& made) const {
    const Flow& f = code_.flows[k];
    const auto one_of = [&](const std::vector<uint32_t>& slots) {
      return std::any_of(slots.begin(), slots.end(), [&](uint32_t s) { return made[s] != 0; });
    };
    if ((f.how == How::store || f.how == How::shuffle) && one_of(f.sources)) return true;
    const uint32_t guard = code_.instructions[k].guard;
    return std::any_of(f.used.begin(), f.used.end(),
                       [&](uint32_t s) { return made[s] != 0 && s != guard && f.targets.empty(); });
  }
  // An address as `at` bytes behind the value of a slot; of no slot, as of a shared variable: a
  // constant.
  struct Place {
    uint32_t slot = no_slot;
    uint64_t at = 0;
    bool operator==(const Place&) const = default;
  };
  Place place(uint32_t slot, uint64_t at, unsigned most_steps = 64) const {
    if (const auto c = constant(slot)) return {no_slot, *c + at};
    if (made_by_[slot] >= several || most_steps == 0) return {slot, at};
    const Flow& f = code_.flows[made_by_[slot]];
    const auto& r = code_.instructions[made_by_[slot]].r;
    if (f.how == How::copy && f.sources.size() <= 1) {
      const bool is_known = !f.sources.empty() || constant(r[1]);
      return is_known ? place(f.sources.empty() ? r[1] : f.sources[0], at, most_steps - 1)
                      : Place{slot, at};
    }
    for (const auto& [base, more] : {std::pair(r[1], r[2]), std::pair(r[2], r[1])}) {
      if (!f.adds) break;
      const Place added = place(more, 0, most_steps / 2);
      if (added.slot == no_slot) return place(base, at + added.at, most_steps - 1);
    }
    return {slot, at};
  }
  std::optional<uint64_t> constant(uint32_t slot) const {
    for (const auto& [of, value] : code_.constants) {
      if (of == slot) return value;
    }
    return std::nullopt;
  }
  bool same_word(const Instruction& a, const Instruction& b) const {
    return a.bytes == b.bytes && place(a.r[7], static_cast<uint64_t>(a.offset)) ==
                                     place(b.r[7], static_cast<uint64_t>(b.offset));
  }

  const Code& code_;
  std::vector<std::size_t> made_by_;  // by slot: the instruction that writes it
};

}  // namespace

void mark_unread_exchanges(Code& c) {
  const Reads reads(c);
  for (Instruction& i : c.instructions) {
    if (i.exchanges && (i.r[0] == no_slot || !reads.is_used(i.r[0]))) i.partly = true;
  }
}

void mark_compared_loads(Code& c) {
  const auto compares = [](const Instruction& i) { return i.compares; };
  if (std::none_of(c.instructions.begin(), c.instructions.end(), compares)) return;
  const Reads reads(c);
  for (std::size_t k = 0; k < c.flows.size(); ++k) {
    Instruction& i = c.instructions[k];
    const bool of_all = i.space == StateSpace::global || i.space == StateSpace::shared ||
                        i.space == StateSpace::generic;
    if (c.flows[k].how != How::load || i.strong || i.count != 1 || !of_all) continue;
    if (!reads.is_only_compared(k)) continue;
    i.strong = true;
    i.decides = Instruction::Decides::yes;
  }
}

}  // namespace onefold::lab::ptx
