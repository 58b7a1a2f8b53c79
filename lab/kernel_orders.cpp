#include "lab/kernel_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <optional>

#include "lab/refuse.hpp"

namespace onefold::lab {

using sim::Departure;
using sim::Interleaving;

std::string Order::name() const {
  if (interleaving.way != Interleaving::Way::listed) return fmt::format("{}", schedule);
  std::string s = fmt::format("{}/", interleaving.blocks);
  for (const Departure& d : interleaving.departures) {
    s += fmt::format("{}{}:{}", s.back() == '/' ? "" : "/", d.at, d.to);
  }
  return s;
}

std::string Order::remark() const {
  return interleaves() ? fmt::format(" (--order {} runs it again)", name()) : "";
}

Order order_named(const std::string& name, const ptx::Program& program) {
  const char* at = name.data();
  const char* const end = at + name.size();
  const auto wrong = [&] {
    refuse(
        fmt::format("--order {} is not valid; write the name of an order from a report, such as 17 "
                    "or 2/7:1/9:1",
                    name));
  };
  const auto number = [&](unsigned most) {
    unsigned v = 0;
    const auto [to, error] = std::from_chars(at, end, v);
    if (error != std::errc{} || v > most) wrong();
    at = to;
    return v;
  };
  const auto expect = [&](char c) {
    if (at == end || *at++ != c) wrong();
  };
  Order o{.schedule = number(~0u)};
  if (at == end) {
    if (o.schedule > 1 && program.decides()) o.interleaving.way = Interleaving::Way::drawn;
    return o;
  }
  o.interleaving = {.way = Interleaving::Way::listed,
                    .blocks = std::max(std::exchange(o.schedule, 1), 1u),
                    .departures = {}};
  for (expect('/'); at != end || !o.interleaving.departures.empty(); expect('/')) {
    Departure d{.at = number(~0u)};
    expect(':');
    d.to = number(1u << 20);
    o.interleaving.departures.push_back(d);
    if (at == end) break;
  }
  return o;
}

namespace {

constexpr uint64_t usual_budget = 1 << 23;  // steps of all drawn orders together: 0.1 s
constexpr unsigned most_unfinished = 2;     // then no further orders are tried

bool gave_up(const KernelRun& ran) {
  return std::any_of(ran.report.flaws.begin(), ran.report.flaws.end(), out_of_budget);
}

// Floats may differ by rounding, since an order of atomics is an order of additions.
bool same_values(const KernelArgument& a, const KernelArgument& b) {
  if (a.data == b.data) return true;
  if (!is_floating(a.dtype)) return false;
  for (Size i = 0; i < a.n; ++i) {
    const double x = element_value(a, i), y = element_value(b, i);
    const bool both_nan = std::isnan(x) && std::isnan(y);
    if (x != y && !both_nan && !(std::fabs(x - y) <= 1e-5 * std::max(1.0, std::fabs(x)))) {
      return false;
    }
  }
  return true;
}

class Trial {
 public:
  Trial(const KernelOptions& o, const ptx::Program& program, std::span<const Bound> bound,
        std::span<const Suppression> allowed, KernelResult& r)
      : options_(o), program_(program), bound_(bound), allowed_(allowed), result_(r) {}

  void first(const KernelRun& ran, const Order& order) {
    add_flaws(result_, ran.report, !ran.failure.empty(), options_, program_, order.remark());
    result_.failure = ran.failure;
    merge_lines(result_, ran.report);
    result_.counted = ran.counted;
    result_.printed = ran.printed;
    result_.steps = ran.steps;
    result_.longest = ran.longest;
    leave(ran, result_.arguments);
    for (const std::string& e : options_.expect) {
      result_.expectations.push_back(expectation_of(e, result_.arguments));
    }
  }
  void other(const KernelRun& ran, const Order& order) {
    const std::string suffix = order.remark();
    add_flaws(result_, ran.report, !ran.failure.empty(), options_, program_, suffix);
    if (result_.failure.empty() && !ran.failure.empty()) result_.failure = ran.failure + suffix;
    if (!ran.failure.empty() || gave_up(ran)) return;
    std::vector<KernelArgument> now = result_.arguments;
    leave(ran, now);
    for (std::size_t k = 0; k < now.size(); ++k) {
      const std::string& n = now[k].name;
      const auto same = [&](const KernelUnsteady& u) { return u.name == n; };
      if (now[k].data == result_.arguments[k].data) continue;
      if (std::any_of(result_.unsteady.begin(), result_.unsteady.end(), same)) continue;
      result_.unsteady.push_back({n, order.name()});
    }
    for (KernelExpectation& e : result_.expectations) {
      if (!e.holds) continue;
      KernelExpectation then = expectation_of(e.text, now);
      if (!e.steady.empty()) compare(then, now);
      if (!then.holds) e = then, e.order = order.name();
    }
  }
  // Whether there is something to report, so that no further order is needed.
  bool failed() const {
    const auto covered = [&](const sim::Flaw& f) {
      return std::any_of(allowed_.begin(), allowed_.end(),
                         [&](const Suppression& s) { return s.covers(f); });
    };
    const auto& flaws = result_.report.flaws;
    return !result_.failure.empty() || !result_.expected() ||
           !std::all_of(flaws.begin(), flaws.end(), covered);
  }
  // Runs one more order in which blocks interleave. One that takes far longer than the first order
  // is given up.
  KernelRun interleave(const Order& order) {
    KernelOptions o = options_;
    o.budget = std::min(o.budget, 16 * result_.steps + (uint64_t{1} << 22));
    KernelRun ran = run_once(o, program_, bound_, order);
    if (gave_up(ran)) {
      ++result_.unfinished;
      std::erase_if(ran.report.flaws, out_of_budget);
      add_flaws(result_, ran.report, !ran.failure.empty(), options_, program_, order.remark());
    } else {
      other(ran, order);
    }
    return ran;
  }

 private:
  void leave(const KernelRun& ran, std::vector<KernelArgument>& in) const {
    for (std::size_t k = 0; k < ran.arrays.size(); ++k) {
      in[k].data = ran.arrays[k];
      in[k].unwritten = ran.unwritten[k];
    }
  }
  void compare(KernelExpectation& e, const std::vector<KernelArgument>& now) const {
    for (std::size_t k = 0; k < now.size(); ++k) {
      const KernelArgument& before = result_.arguments[k];
      if (now[k].name != e.steady || same_values(before, now[k])) continue;
      Size i = 0;
      while (element_text(before, i) == element_text(now[k], i)) ++i;
      e.holds = false;
      e.found = fmt::format("{}[{}] is {} and {}", e.steady, i, element_text(before, i),
                            element_text(now[k], i));
    }
  }

  const KernelOptions& options_;
  const ptx::Program& program_;
  std::span<const Bound> bound_;
  std::span<const Suppression> allowed_;
  KernelResult& result_;
};

// Tries the small orders with the fewest departures first, until they have taken `budget` steps.
void run_small_orders(const KernelOptions& o, unsigned preemptions, uint64_t budget, Trial& trial,
                      KernelResult& r) {
  constexpr std::size_t most_left = std::size_t{1} << 20;
  std::deque<std::vector<Departure>> left{{}};
  bool all = true;
  for (uint64_t steps = 0; !left.empty() && !trial.failed() && steps < budget; left.pop_front()) {
    if (r.unfinished >= most_unfinished) break;
    const std::vector<Departure> now = left.front();
    const Order order{1, {Interleaving::Way::listed, o.actors, now}};
    const KernelRun ran = trial.interleave(order);
    ++r.small_orders;
    steps += ran.steps + steps_of_run;
    if (now.size() == preemptions) continue;
    for (uint32_t k = now.empty() ? 0 : now.back().at + 1; k < ran.choices.size(); ++k) {
      for (uint32_t to = 1; to <= ran.choices[k] && all; ++to) {
        left.push_back(now);
        left.back().push_back({k, to});
        all = left.size() < most_left;
      }
    }
  }
  r.all_small = all && left.empty() && r.unfinished == 0;
}

}  // namespace

// Lock-step stops at each access, so it takes twice as long as the next schedule, which finds all
// races and counts the same. If that schedule finds no flaw, and no result depends on which thread
// is first, lock-step would give the same result and is skipped.
void run_orders(const KernelOptions& o, const ptx::Program& program, std::span<const Bound> bound,
                std::span<const Suppression> allowed, KernelResult& r) {
  Trial trial(o, program, bound, allowed, r);
  if (!o.order.empty()) {
    const Order only = order_named(o.order, program);
    trial.first(run_once(o, program, bound, only), only);
    const bool compares = std::any_of(r.expectations.begin(), r.expectations.end(),
                                      [](const auto& e) { return !e.steady.empty(); });
    if (compares) trial.other(run_once(o, program, bound, {}), {});
    return;
  }
  std::optional<KernelRun> second;
  if (o.schedules == 2) second = run_once(o, program, bound, {1});
  const bool settled =
      second && ((second->report.flaws.empty() && second->failure.empty() &&
                  second->printed.empty() && !program.by_order()) ||
                 // A loop without end after a flaw: lock-step would loop as long.
                 std::any_of(second->report.flaws.begin(), second->report.flaws.end(),
                             [](const sim::Flaw& f) { return f.after_flaw; }));
  const unsigned fixed = program.decides() ? std::min(o.schedules, 2u) : o.schedules;
  for (unsigned schedule = 0; schedule < (settled ? 1 : fixed); ++schedule) {
    const bool made = second && (settled || schedule == 1);
    const KernelRun ran = made ? *std::move(second) : run_once(o, program, bound, {schedule});
    schedule == 0 ? trial.first(ran, {}) : trial.other(ran, {schedule});
  }
  if (!program.decides()) return;
  const bool usual = o.draws && o.schedules == 2;
  const unsigned least = usual ? 2 : o.schedules - fixed, most = usual ? 512 : least;
  uint64_t steps = 0;
  while (r.drawn < most && (r.drawn < least || steps < usual_budget) && !trial.failed()) {
    steps += trial.interleave({2 + r.drawn++, {.way = Interleaving::Way::drawn}}).steps;
    steps += steps_of_run;
    if (usual && r.unfinished == most_unfinished) break;
  }
  if (o.preemptions != 0) {
    run_small_orders(o, o.preemptions, o.budget, trial, r);
  } else if (usual && r.drawn > 64) {
    run_small_orders(o, 2, usual_budget, trial, r);
  }
}

}  // namespace onefold::lab
