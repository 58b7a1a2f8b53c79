#include "lab/simulate.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "lab/answer.hpp"
#include "onefold/machine/sim.hpp"

namespace onefold::lab {
namespace {

void merge(sim::Report& into, const sim::Report& from) {
  for (const sim::Flaw& f : from.flaws) {
    const auto same = [&](const sim::Flaw& o) {
      return o.kind == f.kind && o.at == f.at && o.other == f.other;
    };
    if (std::none_of(into.flaws.begin(), into.flaws.end(), same)) into.flaws.push_back(f);
  }
}

struct SimulatedRun {
  sim::Report report;
  Value result;
  bool correct = false;
};

template <class T>
Outcome simulate_as(const Entry& rung, bool twin, const Setting& setup,
                    const std::vector<int32_t>& x) {
  const Plan p = plan(rung, twin, setup.n, setup.block, setup.grid);
  const std::vector<T> input(x.begin(), x.end());
  Outcome out{.expected = expected(x, setup.op, setup.type),
              .correct = true,
              .launches = p.steps.size(),
              .grid = p.steps.empty() ? 0 : p.steps[0].grid,
              .block = p.block};
  if (!rung.has_kernel()) {
    std::vector<T> scratch = input;
    T answer{};
    const auto start = std::chrono::steady_clock::now();
    rung.host_kernel(setup.type, setup.op, twin)(input.data(), scratch.data(), setup.n, &answer);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    out.ms = took.count();
    out.gbps = static_cast<double>(setup.n * sizeof(T)) / took.count() / 1e6;
    out.result = value_of(answer);
    out.correct = right(answer, out.expected, p, setup.op);
    out.block = 0;
    return out;
  }
  const Kernel kernel = rung.kernel(setup.type, setup.op, p.block, twin);
  const auto run = [&](unsigned schedule, bool count) {
    using Way = sim::Interleaving::Way;
    sim::Engine gpu({.chip = setup.chip,
                     .schedule = schedule,
                     .count = count,
                     .without = setup.without,
                     .observer = setup.observer,
                     .interleaving = {.way = schedule > 1 && !count ? Way::drawn : Way::none}});
    const T zero = identity<T>(setup.op);
    const std::vector<unsigned> none_taken(p.ticket_size, 0);
    const sim::Pointer<T> buffers[] = {
        gpu.allocate<T>("input", setup.n, input.data(), setup.offset),
        gpu.allocate<T>("first", p.first_size, p.first_zeroed ? &zero : nullptr),
        gpu.allocate<T>("second", p.second_size, nullptr)};
    const auto ticket = gpu.allocate<unsigned>("ticket", p.ticket_size, none_taken.data());
    gpu.expect_zero(ticket);
    for (const Step& s : p.steps) {
      const Arguments a{buffers[static_cast<int>(s.x)].space, buffers[static_cast<int>(s.y)].space,
                        ticket.space, s.n, s.step};
      sim::launch(gpu,
                  {.grid = static_cast<unsigned>(s.grid),
                   .block = p.block,
                   .shared_bytes = p.shared_elements * sizeof(T),
                   .cooperative = s.cooperative},
                  [&] { kernel(a); });
    }
    std::vector<T> left(p.answers);
    gpu.read(buffers[static_cast<int>(p.answer)], left.data(), left.size());
    const T answer = finish(left, setup.op);
    return SimulatedRun{gpu.report(), value_of(answer), right(answer, out.expected, p, setup.op)};
  };
  std::vector<unsigned> schedules;
  for (unsigned s = 0; s < std::max(setup.schedules, 1u); ++s) schedules.push_back(s);
  if (setup.only_schedule) schedules = {*setup.only_schedule};
  // Lock-step stops at each access, so it takes twice as long as the next schedule, which counts
  // the same and finds all races. If that finds none, lock-step would give the same answer.
  std::optional<SimulatedRun> next;
  if (schedules.size() > 1) {
    next = run(1, true);
    if (next->correct && next->report.flaws.empty()) schedules.erase(schedules.begin());
  }
  for (const unsigned schedule : schedules) {
    const bool first = schedule == schedules[0];
    SimulatedRun ran = next && schedule == 1 ? *next : run(schedule, first && !next);
    if (first) {
      out.report = std::move(ran.report);
      if (next && schedule != 1) {
        out.report.counters = next->report.counters;
        out.report.lines = next->report.lines;
      }
    } else {
      merge(out.report, ran.report);
    }
    if (first || (out.correct && !ran.correct)) out.result = ran.result;
    out.correct = out.correct && ran.correct;
  }
  return out;
}

}  // namespace

Value expected(const std::vector<int32_t>& x, Op op, Type type) {
  const bool floating = type == Type::f32 || type == Type::f64;
  if (x.empty() && op != Op::sum) {
    return visit_type(type, [&]<class T>() { return value_of(identity<T>(op)); });
  }
  int64_t v = op == Op::sum ? 0 : x[0];
  for (const int32_t e : x) {
    v = op == Op::sum ? v + e : op == Op::min ? std::min<int64_t>(v, e) : std::max<int64_t>(v, e);
  }
  return floating ? Value{static_cast<double>(v)} : Value{v};
}

std::optional<Outcome> simulate(const Entry& rung, bool twin, const Setting& setup,
                                const std::vector<int32_t>& x) {
  const unsigned block = block_of(rung, twin, setup.block);
  const bool there =
      rung.has_kernel()
          ? rung.kernel(setup.type, setup.op, block, twin) != nullptr
          : rung.host_kernel != nullptr && rung.host_kernel(setup.type, setup.op, twin) != nullptr;
  if (!there) return std::nullopt;
  Outcome out =
      visit_type(setup.type, [&]<class T>() { return simulate_as<T>(rung, twin, setup, x); });
  if (!out.correct) out.report.flaws.push_back({.kind = sim::FlawKind::wrong_result, .times = 1});
  return out;
}

}  // namespace onefold::lab
