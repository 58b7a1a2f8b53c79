// Records what a run of the simulated machine does.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>

#include "lab/record.hpp"
#include "onefold/array.hpp"
#include "onefold/machine/sim/cost.hpp"
#include "onefold/machine/sim/count.hpp"
#include "onefold/machine/sim/observer.hpp"

namespace onefold::lab {

inline constexpr unsigned no_space = ~0u;

// One event of one thread.
struct RawEvent {
  unsigned thread = 0;
  sim::Event event{};
  sim::Space* space = nullptr;
  sim::Site at{};
  bool outside = false;
  int64_t element = 0, value = 0;
  double real = 0;  // the value, if the array has floats
  std::vector<unsigned> flaws{};
};

inline bool touches_memory(sim::Kind k) { return k != sim::Kind::branch && k != sim::Kind::fence; }
inline bool touches_memory(Act a) {
  return a <= Act::outside && a != Act::branch && a != Act::fence;
}

// Types of arrays by name ("shared" for shared memory); empty: ints, by the machine's grain.
using RecordedTypes = std::map<std::string, DType, std::less<>>;

class Recorder final : public sim::Observer {
 public:
  // Elements of typed arrays are numbered and shown by type. At most `most` moments are recorded.
  Recorder(Recording& into, bool lock_step, RecordedTypes types = {},
           std::size_t most = ~std::size_t{0})
      : into_(into), lock_step_(lock_step), types_(std::move(types)), most_(most) {}

  void launch(unsigned grid, unsigned) override {
    settle();
    add({.act = Act::launch, .argument = grid});
  }
  void block(unsigned block) override {
    settle();
    add({.act = Act::block, .block = block});
  }
  void event(unsigned, unsigned thread, const sim::Event& e, sim::Space* space,
             sim::Site at) override {
    settle();
    if (full()) return;
    RawEvent r{.thread = thread, .event = e, .space = space, .at = at};
    if (touches_memory(e.kind)) {
      r.element = static_cast<int64_t>(e.offset / unit(*space));
      look(r);
    }
    batch_.push_back(std::move(r));
    unsettled_ = e.kind == sim::Kind::store || e.kind == sim::Kind::atomic;
    current_ = true;
  }
  void pause(unsigned block, unsigned warp) override {
    settle();
    current_ = met_ = false;
    for (Moment& m : landed_) into_.moments.push_back(std::move(m));  // before what waited for them
    landed_.clear();
    if (batch_.empty()) return;
    block_ = block, warp_ = warp;
    const std::size_t first = into_.moments.size();
    if (conflict()) {
      in_real_order();
    } else {
      by_instruction();
    }
    for (std::size_t k = first; k < into_.moments.size(); ++k) price(into_.moments[k]);
    batch_.clear();
  }
  void meet(unsigned block, unsigned warp, std::span<const sim::Exchange* const, 32> lanes,
            sim::Site at) override {
    Moment m{.block = block, .warp = warp, .at = at};
    for (unsigned l = 0; l < 32; ++l) {
      if (lanes[l] == nullptr) continue;
      const sim::Exchange& e = *lanes[l];
      m.lanes |= 1u << l;
      m.act = static_cast<Act>(static_cast<int>(Act::sync_warp) + static_cast<int>(e.kind));
      m.argument = e.argument;
      if (e.kind == sim::Collective::vote) m.values.push_back(e.argument);
      if (e.kind != sim::Collective::vote && e.value != nullptr) {
        int32_t v = 0;
        std::memcpy(&v, e.value, std::min(sizeof v, e.bytes));
        m.values.push_back(v);
      }
    }
    add(std::move(m));
    met_ = true;
  }
  void barrier(unsigned block, std::span<const unsigned> threads, sim::Site at) override {
    Moment m{.act = Act::barrier,
             .block = block,
             .at = at,
             .argument = static_cast<unsigned>(threads.size())};
    m.elements.assign(threads.begin(), threads.end());
    add(std::move(m));
  }
  void grid_barrier() override { add({.act = Act::grid_barrier}); }
  void landed(unsigned block, const sim::Bulk& c) override {
    const unsigned from = number(c.from);
    Moment m{.act = Act::landed,
             .block = block,
             .space = number(c.to),
             .argument = static_cast<unsigned>(c.bytes / unit(*c.to))};
    m.elements = {static_cast<int64_t>(c.from_at / unit(*c.from)),
                  static_cast<int64_t>(c.to_at / unit(*c.to))};
    m.values = {from};
    landed_.push_back(std::move(m));
  }
  void flaw(const sim::Flaw& f, sim::Space* space) override {
    const auto [it, fresh] = numbers_.try_emplace({f.kind, f.at, f.other}, into_.flaws.size());
    if (fresh) {
      into_.flaws.push_back(f);
      if (space != nullptr) {
        into_.flaws.back().element = static_cast<uint64_t>(f.offset / int64_t{unit(*space)});
      }
    }
    const auto n = static_cast<unsigned>(it->second);
    if (full()) return;
    const bool refused =
        f.kind == sim::FlawKind::out_of_bounds || f.kind == sim::FlawKind::misaligned;
    if (refused && space != nullptr && f.at.line != 0) {
      settle();
      batch_.push_back({.thread = f.threads.at(0),
                        .space = space,
                        .at = f.at,
                        .outside = true,
                        .element = static_cast<int64_t>(f.element)});
      current_ = true;
    }
    // Absent lanes and wrong masks are found while the step is made, so they belong to it.
    const bool of_step =
        met_ && (f.kind == sim::FlawKind::absent_lane || f.kind == sim::FlawKind::bad_mask ||
                 f.kind == sim::FlawKind::split_warp);
    auto& list = current_ ? batch_.back().flaws : of_step ? into_.moments.back().flaws : waiting_;
    if (std::find(list.begin(), list.end(), n) == list.end()) list.push_back(n);
  }

  void end() { settle(); }

 private:
  bool full() {
    into_.cut = into_.cut || into_.moments.size() >= most_;
    return into_.cut;
  }
  const DType* type_of(const sim::Space& s) const {
    const auto it = types_.find(s.shared ? "shared" : s.name);
    return it == types_.end() ? nullptr : &it->second;
  }
  // Returns the bytes of a numbered element.
  unsigned unit(const sim::Space& s) const {
    const DType* t = type_of(s);
    return t != nullptr ? static_cast<unsigned>(bytes_of(*t)) : s.grain;
  }
  // Reads what memory has where `r` accesses it; of several elements, their sum.
  void look(RawEvent& r) const {
    const DType* t = type_of(*r.space);
    const std::byte* from = r.space->base + r.event.offset;
    r.value = 0, r.real = 0;
    if (t == nullptr) {
      if (r.space->grain != 4) return;
      for (std::size_t q = 0; q < r.event.bytes; q += 4) {
        int32_t v = 0;
        std::memcpy(&v, from + q, sizeof v);
        r.value += v;
      }
      return;
    }
    const std::size_t each = std::min<std::size_t>(bytes_of(*t), r.event.bytes);
    const bool untouched =
        std::all_of(from, from + r.event.bytes, [](std::byte b) { return b == std::byte{0x5a}; });
    for (std::size_t q = 0; q < r.event.bytes && !untouched; q += each) {
      const auto real = [&](auto v) {
        std::memcpy(&v, from + q, sizeof v);
        r.real += v;
      };
      if (*t == DType::f32 && each == 4) {
        real(float{});
      } else if (*t == DType::f64 && each == 8) {
        real(double{});
      } else {
        int64_t v = 0;
        std::memcpy(&v, from + q, each);
        const auto shift = static_cast<int>(8 * (sizeof v - each));
        const bool negative = name_of(*t)[0] == 'i';
        r.value += negative ? v << shift >> shift : v;
      }
    }
    if (untouched) r.value = 0x5a5a5a5a, r.real = 0x5a5a5a5a;
  }
  static bool shown_as_real(const DType* t) {
    return t != nullptr && (*t == DType::f32 || *t == DType::f64);
  }
  // The last store's value is in memory only now.
  void settle() {
    if (unsettled_) look(batch_.back());
    unsettled_ = false;
  }
  void add(Moment m) {
    settle();
    current_ = false;
    if (full()) return;
    m.flaws.insert(m.flaws.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    into_.moments.push_back(std::move(m));
  }
  unsigned number(const sim::Space* s) {
    for (unsigned k = 0; k < into_.spaces.size(); ++k) {
      const RecordedSpace& r = into_.spaces[k];
      if (r.shared == s->shared && r.bank_base == s->bank_base && r.name == s->name) return k;
    }
    into_.spaces.push_back({s->name, s->shared, s->bytes / unit(*s), s->bank_base, unit(*s)});
    return static_cast<unsigned>(into_.spaces.size() - 1);
  }
  static Act act_of(const RawEvent& r) {
    return r.outside ? Act::outside : static_cast<Act>(r.event.kind);
  }
  unsigned space_of(const RawEvent& r) {
    return r.outside || touches_memory(r.event.kind) ? number(r.space) : no_space;
  }

  // Returns whether two threads of the warp access an element that one of them writes. Then their
  // order matters, and no single warp instruction would show it.
  bool conflict() const {
    struct Use {
      unsigned thread;
      bool written, several, by_atomics;
    };
    std::map<std::pair<const sim::Space*, int64_t>, Use> uses;
    for (const RawEvent& r : batch_) {
      if (r.outside || !touches_memory(r.event.kind)) continue;
      const bool atomic = r.event.kind == sim::Kind::atomic;
      const bool write = r.event.kind != sim::Kind::load;
      const auto [it, fresh] =
          uses.try_emplace({r.space, r.element}, Use{r.thread, write, false, atomic});
      if (fresh) continue;
      Use& u = it->second;
      u.several = u.several || u.thread != r.thread;
      u.written = u.written || write;
      u.by_atomics = u.by_atomics && atomic;
      if (u.several && u.written && !u.by_atomics) return true;
    }
    return false;
  }

  void put(Moment& m, const RawEvent& r) {
    const unsigned lane = r.thread % 32;
    // Lanes are in ascending order, since a viewer reads them off the bits.
    const auto before =
        static_cast<std::ptrdiff_t>(__builtin_popcount(m.lanes & ((uint32_t{1} << lane) - 1)));
    m.lanes |= uint32_t{1} << lane;
    if (m.act == Act::branch) {
      m.argument |= uint32_t{r.event.offset != 0} << lane;
    } else if (touches_memory(m.act)) {
      m.elements.insert(m.elements.begin() + before, r.element);
      m.values.insert(m.values.begin() + before, r.value);
      if (shown_as_real(type_of(*r.space))) m.reals.insert(m.reals.begin() + before, r.real);
    }
    for (const unsigned f : r.flaws) {
      if (std::find(m.flaws.begin(), m.flaws.end(), f) == m.flaws.end()) m.flaws.push_back(f);
    }
  }
  Moment begin(const RawEvent& r) {
    Moment m{.act = act_of(r), .block = block_, .warp = warp_, .at = r.at};
    if (touches_memory(m.act)) {
      m.space = space_of(r);
      if (!r.outside) m.width = std::max(1u, r.event.bytes / unit(*r.space));
    }
    return m;
  }

  void by_instruction() {
    std::array<sim::LaneLog, 32> logs;
    std::array<std::vector<const RawEvent*>, 32> raws;
    std::array<sim::LaneLog*, 32> pointers;
    for (unsigned l = 0; l < 32; ++l) pointers[l] = &logs[l];
    for (RawEvent& r : batch_) {
      const unsigned lane = r.thread % 32;
      if (r.outside) {  // outside accesses get a separate site
        r.event = {.site = ~r.at.line,
                   .place = sim::text_order(r.at),
                   .offset = 0,
                   .space = 0,
                   .bytes = 0,
                   .kind = sim::Kind::load};
      }
      logs[lane].events.push_back(r.event);
      raws[lane].push_back(&r);
    }
    sim::align(std::span(pointers), [&](const sim::Group& g) {
      Moment m;
      for (unsigned j = 0; j < g.lanes; ++j) {
        const unsigned lane = g.lane[j];
        const RawEvent& r =
            *raws[lane][static_cast<std::size_t>(g.event[j] - logs[lane].events.data())];
        if (j == 0) m = begin(r);
        put(m, r);
      }
      into_.moments.push_back(std::move(m));
    });
  }

  void in_real_order() {
    const std::size_t first = into_.moments.size();
    std::optional<std::size_t> last;  // the access that another lane's may join
    for (const RawEvent& r : batch_) {
      const uint32_t bit = uint32_t{1} << r.thread % 32;
      const auto same = [&](const Moment& m) {
        return m.act == act_of(r) && m.at == r.at && (m.lanes & bit) == 0;
      };
      std::size_t at = into_.moments.size();
      if (act_of(r) == Act::branch && lock_step_) {
        // Lanes reach their next access one by one, but the condition is one instruction.
        for (std::size_t k = first; k < into_.moments.size(); ++k) {
          if (same(into_.moments[k])) at = k;
        }
      } else if (last && same(into_.moments[*last]) &&
                 (!touches_memory(act_of(r)) || space_of(r) == into_.moments[*last].space)) {
        at = *last;
      }
      if (at == into_.moments.size()) into_.moments.push_back(begin(r));
      put(into_.moments[at], r);
      if (act_of(r) != Act::branch || !lock_step_) last = at;
    }
  }

  void price(Moment& m) const {
    if (m.act != Act::load && m.act != Act::store) return;
    const RecordedSpace& s = into_.spaces[m.space];
    sim::Request r;
    r.bytes = m.width * s.grain;
    std::size_t j = 0;
    for (unsigned l = 0; l < 32; ++l) {
      if ((m.lanes >> l & 1) == 0) continue;
      r.add(l, s.bank_base + static_cast<uint64_t>(m.elements[j++]) * s.grain);
    }
    for (std::size_t k = 0; k < sim::chips.size(); ++k) {
      const sim::Chip& chip = sim::chips[k];
      m.cost[k] = static_cast<unsigned>(
          (s.shared ? sim::shared_cost(chip, r) : sim::global_cost(chip, r)).count);
    }
  }

  Recording& into_;
  bool lock_step_;
  RecordedTypes types_;
  std::size_t most_;
  std::vector<RawEvent> batch_;
  bool unsettled_ = false;
  bool current_ = false;  // a flaw now belongs to the batch's last event
  bool met_ = false;      // there was a warp-wide step, and no pause since
  unsigned block_ = 0, warp_ = 0;
  std::vector<unsigned> waiting_;  // flaws that belong to the next moment
  std::vector<Moment> landed_;
  std::map<std::tuple<sim::FlawKind, sim::Site, sim::Site>, std::size_t> numbers_;
};

}  // namespace onefold::lab
