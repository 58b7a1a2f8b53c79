#include "onefold/engine/backend/run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/plan/decimal_words.hpp"

namespace onefold::backend {
namespace {

// Every device type that a plan may name has a backend.
const Backend& of(const Plan& plan) {
  const std::span<const Backend* const> all = backends();
  for (const Backend* b : all) {
    if (b->device == plan.device.type) return *b;
  }
  return *all[0];
}

// Refuses a communicator in a call that waits for answers: its states are merged on the host.
void refuse_ranks(const Plan& plan) {
  if (plan.nccl == nullptr) return;
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) +
                  ": .nccl needs fold_into, with the array, all outputs and all statuses " +
                  "on the device; to merge states on the host, use onefold/nccl.hpp");
}

}  // namespace

Plan checked(Plan plan) {
  if (const std::optional<Error> why = of(plan).why_not(plan)) throw *why;
  return plan;
}

void fold(const Job& job) {
  refuse_ranks(job.plan);
  of(job.plan).fold(job);
}

void run(const Plan& plan, const void* x, const void* y, const Done& done, StateTable* table) {
  refuse_ranks(plan);
  of(plan).run(plan, x, y, done, table);
}

bool queue(std::span<const Job> jobs) {
  const Plan& first = jobs[0].plan;
  if (of(first).queue(jobs)) return true;
  refuse_ranks(first);
  return false;
}

void write(const Plan& plan, void* to, const void* from, std::size_t bytes) {
  of(plan).write(plan, to, from, bytes);
}

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states) {
  refuse_ranks(plan);
  // Decimals are added by the processor only, even if a device could fold the other accumulators.
  const bool decimals = plan.needs.has(Accumulator::decimal);
  (decimals ? *backends()[0] : of(plan)).gather(plan, nest, x, y, states);
}

Plan without_decimals(const Plan& plan) {
  if (!plan.needs.has(Accumulator::decimal)) return plan;
  const Accumulators decimal = Accumulator::decimal;
  Plan part = plan;
  part.needs = Accumulators(plan.needs.bits & ~decimal.bits);
  part.device = cpu;
  return part;
}

Plan decimals_of(const Plan& plan) {
  Plan part = plan;
  part.needs = Accumulator::decimal;
  return part;
}

void add_terms(const Plan& plan, std::span<const DecimalTerm> terms, int64_t* state) {
  if (terms.empty()) return;
  const auto at = [&](Accumulator a) { return state + plan.layout.offset[static_cast<int>(a)]; };
  onefold::add_terms(terms, at(Accumulator::decimal));
  // A decimal that is not 0 is not -0, although its nearest f64 may be.
  if (plan.layout.offset[static_cast<int>(Accumulator::tally)] < 0) return;
  at(Accumulator::tally)[accumulator::tally<double>::not_negative_zero] = 1;
}

void add_bins(const Plan& plan, decimal::Bins& bins, int64_t* state) {
  int64_t* const words = state + plan.layout.offset[static_cast<int>(Accumulator::decimal)];
  bins.add_to(words);
  carry_decimals(words);
}

namespace {

// Adds contiguous f64 as decimals, except the elements that have terms.
void add_between(const Plan& plan, std::span<const DecimalTerm> terms, const double* values,
                 const SpeltTerms& spelt, int64_t* state) {
  std::vector<double> others;
  const auto take = [&](Size from, Size to) {
    for (; from < to; ++from) others.push_back(values[from - spelt.first]);
  };
  Size next = spelt.first;
  for (const DecimalTerm& t : terms) {
    take(next, t.place);
    next = t.place + 1;
  }
  take(next, spelt.first + spelt.n);
  Nest line{.bytes = sizeof(double)};
  add_axis(line, others.size(), 1, true);
  if (!others.empty()) gather(decimals_of(plan), line, others.data(), nullptr, state);
}

}  // namespace

void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states,
            const SpeltTerms& spelt) {
  const auto below = [](const DecimalTerm& t, Size place) { return t.place < place; };
  const auto end =
      std::lower_bound(spelt.terms.begin(), spelt.terms.end(), spelt.first + spelt.n, below);
  auto t = std::lower_bound(spelt.terms.begin(), end, spelt.first, below);
  if (t == end || !plan.needs.has(Accumulator::decimal)) return gather(plan, nest, x, y, states);
  gather(without_decimals(plan), nest, x, y, states);
  auto* const values = static_cast<double*>(const_cast<void*>(x));
  // With many terms, the elements between them are added run by run; with few, all elements are
  // added, with 0 for each term.
  const auto terms = static_cast<Size>(end - t);
  if (!spelt.state_of && !plan.where.selects() && terms >= spelt.n / 2) {
    add_between(plan, {t, end}, values, spelt, states);
    return add_terms(plan, {t, end}, states);
  }
  std::vector<double> held(terms);
  for (Size k = 0; k < held.size(); ++k) {
    held[k] = std::exchange(values[t[static_cast<std::ptrdiff_t>(k)].place - spelt.first], 0);
  }
  gather(decimals_of(plan), nest, x, y, states);
  // A number with several terms was saved at its first term, so restore from the last to the first.
  for (Size k = held.size(); k-- > 0;) {
    values[t[static_cast<std::ptrdiff_t>(k)].place - spelt.first] = held[k];
  }
  if (!spelt.state_of) return add_terms(plan, {t, end}, states);
  while (t != end) {
    int64_t* const state = spelt.state_of(t->place - spelt.first);
    auto next = t;
    while (next != end && spelt.state_of(next->place - spelt.first) == state) ++next;
    if (state != nullptr) add_terms(plan, {t, next}, state);
    t = next;
  }
}

bool gather_read(const Plan& plan, Size elements, Size first, const Read& read, int64_t* state) {
  refuse_ranks(plan);
  if (of(plan).gather_read == nullptr) return false;
  of(plan).gather_read(plan, elements, first, read, state);
  return true;
}

}  // namespace onefold::backend
