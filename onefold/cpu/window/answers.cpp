#include "onefold/cpu/window/answers.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "onefold/core/accumulator.hpp"
#include "onefold/core/named.hpp"
#include "onefold/cpu/family/request.hpp"
#include "onefold/cpu/window/windows.hpp"

namespace onefold::cpu_backend {
namespace {

Size capacity_of(const backend::Windows& w) {
  if (w.is_scan()) return 0;
  if (w.ends.empty()) return w.width + w.step;
  Size most = 1;
  for (Size i = 0; i < w.count; ++i) {
    most = std::max(most, w.end(i) - w.begin(i == 0 ? 0 : i - 1));
  }
  return most;
}

}  // namespace

std::unique_ptr<WindowAnswers> WindowAnswers::of(const backend::Job& job) {
  const Plan& plan = job.plan;
  const CutWays* const ways = cut_ways(find_target(plan.target));
  if (ways == nullptr || !ways->takes(plan.dtype)) return {};
  if (plan.where.selects() || plan.initial) return {};
  const Size capacity = capacity_of(*job.windows);
  if (capacity > Size{1} << 30) return {};
  std::unique_ptr<WindowAnswers> a(new WindowAnswers(job));
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    if (!a->add(k, *ways, capacity)) return {};
  }
  return a;
}

WindowAnswers::WindowAnswers(const backend::Job& job)
    : job_(job),
      w_(*job.windows),
      plan_(job.plan),
      end_(*panel_end(find_target(job.plan.target))) {}

bool WindowAnswers::add(std::size_t op, const CutWays& ways, Size capacity) {
  if (std::unique_ptr<WindowEnd> end = WindowEnd::of(job_, op)) {
    ends_.push_back(std::move(end));
    return true;
  }
  const OpRow& row = *plan_.ops[op];
  if (row.recipe == nullptr) return false;
  const Recipe r = row.recipe({.n = 1000, .correction = plan_.correction});
  const bool counts = r.count == QuickFormula::Count::elements;
  const Statistic of = counts ? total_of(Term::x) : r.numerator.of;
  // Sums of a text's numbers are those of decimals.
  if (plan_.needs.has(Accumulator::decimal) && !counts && is_total(of)) return false;
  if (!SlidingSums::knows(of) || (counts && plan_.results[op] != DType::i64)) return false;
  std::size_t at = 0;
  while (at < sums_.size() && !(counts || sums_[at]->of() == of)) ++at;
  if (at == sums_.size()) {
    sums_.push_back(std::make_unique<SlidingSums>(ways, plan_.dtype, of, capacity));
    totals_.push_back(std::make_unique<TotalsMemory>(tile));
  }
  const RoundTotals round = formula_round(find_target(plan_.target), of);
  const bool of_any = is_total(of) && r.n == 1 && r.left == 1 && !counts;
  const DType to = plan_.results[op];
  const Rounded nan = onefold::round(Real::nan(), to);
  std::optional<Rounded> of_equals;
  if (is_zero_of_equals(of)) of_equals = onefold::round(Real::zero(), to);
  if ((is_moment(of) && !is_raw_moment(of) && !of_equals) || of == Statistic::correlation) {
    of_equals = nan;
  }
  ops_.push_back({op, at, round != nullptr ? round : end_.round, counts, of_any, too_few(job_, op),
                  nan, of_equals});
  return true;
}

void WindowAnswers::open(const Line& line, Size begin) {
  line_ = line;
  nan_ = other_ = seen_ = 0;
  run_[0] = run_[1] = {};
  odd_.clear();
  for (const auto& s : sums_) s->open(line, begin);
  for (const auto& e : ends_) e->open(line);
}

bool WindowAnswers::goes_on() const {
  return ends_.empty() && sums_.size() == 1 && sums_[0]->of() == total_of(Term::x) &&
         is_floating(plan_.dtype);
}
bool WindowAnswers::go_on(const int64_t* state) {
  using Tally = accumulator::tally<double>;
  const auto words = [&](Accumulator a) {
    return state + plan_.layout.offset[static_cast<int>(a)];
  };
  const int64_t* const tally = words(Accumulator::tally);
  nan_ = static_cast<Size>(tally[Tally::nan]);
  other_ = static_cast<Size>(tally[Tally::positive_infinity] + tally[Tally::negative_infinity]);
  return visit(plan_.dtype, [&]<class T>() {
    using Sum = accumulator::sum<T>;
    int64_t limb[Sum::words];
    std::copy_n(words(Accumulator::sum), Sum::words, limb);
    Sum::canonicalise(limb);
    const bool negative = limb[Sum::words - 1] < 0;
    if (negative) {
      for (int64_t& l : limb) l = -l;
      Sum::canonicalise(limb);
    }
    return sums_[0]->go_on(limb, Sum::unit, negative ? -1 : 1);
  });
}

Size WindowAnswers::enter(Size first, Size last) {
  Size n = std::min(tile, last - first);
  for (const auto& s : sums_) n = std::min(n, s->fit(w_, first, first + n));
  for (Size before = 0; before != n;) {
    before = n;
    for (const auto& s : sums_) n = std::min(n, s->enter(w_, first, first + n));
  }
  return n;
}

void WindowAnswers::fold(Size first, Size last, Size at, uint8_t* undecided) {
  const Size n = last - first;
  std::memset(undecided, 0, n);
  bool usable = true;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    usable &= sums_[k]->slide(w_, first, last, totals_[k]->totals);
  }
  if (!sums_.empty()) {
    const auto& entered = sums_[0]->odd();
    odd_.insert(odd_.end(), entered.begin(), entered.end());
  }
  if (!usable) {
    std::memset(undecided, 1, n);
    return;
  }
  for (const auto& e : ends_) e->fold(first, last, at, undecided);
  if (ops_.empty()) return;
  count(first, last);
  for (Op& op : ops_) answer(op, first, n, at, undecided);
}

// Counts the elements of each window, and finds those that NaN or infinities decide.
void WindowAnswers::count(Size first, Size last) {
  const Size n = last - first;
  const auto length = [&](Size i) { return w_.end(i) - w_.begin(i); };
  // Windows of a rule are shortest at the ends of the axis.
  std::tie(fewest_, most_) = std::minmax({length(first), length(last - 1)});
  const bool usual = odd_.empty() && nan_ + other_ == 0 && fewest_ != 0 && w_.ends.empty();
  even_ = usual && fewest_ == w_.width;
  plain_ = true;
  all_nan_ = false;
  first_ = first;
  listed_ = !even_ && !(usual && w_.is_scan());
  if (!listed_) {
    std::fill_n(kinds_, n, Kind::usual);
    return;
  }
  all_nan_ = w_.is_scan() && nan_ != 0 && plan_.nan == NanPolicy::propagate;
  if (all_nan_) {  // whatever else enters
    listed_ = plain_ = false;
    odd_.clear();
    std::fill_n(kinds_, n, Kind::nan);
    return;
  }
  fewest_ = w_.n;
  most_ = 0;
  const bool leaves_out = plan_.nan == NanPolicy::omit;
  for (Size i = first, next = first; i < last; i = next) {
    const Size from = w_.begin(i), to = w_.end(i);
    for (; seen_ < odd_.size() && odd_[seen_].at < to; ++seen_) {
      ++(odd_[seen_].nan ? nan_ : other_);
    }
    for (; seen_ != 0 && odd_.front().at < from; --seen_) {
      --(odd_.front().nan ? nan_ : other_);
      odd_.pop_front();
    }
    const Size counted = to - from - (leaves_out ? nan_ : 0);
    Kind kind = Kind::usual;
    if (nan_ != 0 && !leaves_out) kind = plan_.nan == NanPolicy::propagate ? Kind::nan : Kind::open;
    if (other_ != 0 && kind != Kind::nan) kind = Kind::open;
    plain_ &= kind == Kind::usual && counted != 0;
    next = to - from == w_.width ? alike(i, last) : i + 1;
    fewest_ = std::min(fewest_, counted);
    most_ = std::max(most_, counted);
    std::fill_n(numbers_ + (i - first), next - i, counted);
    std::fill_n(kinds_ + (i - first), next - i, kind);
  }
  if (!w_.is_scan()) return;
  odd_.erase(odd_.begin(), odd_.begin() + static_cast<std::ptrdiff_t>(seen_));
  seen_ = 0;  // they never leave, and stay counted
}

// Returns the first window after one of a rule's whole width into which an odd element enters, or
// which one leaves, or which is cut off.
Size WindowAnswers::alike(Size window, Size last) const {
  if (!w_.ends.empty() || w_.is_scan()) return window + 1;
  Size end = w_.n;  // the last end before that
  if (seen_ < odd_.size()) end = std::min(end, odd_[seen_].at);
  if (seen_ != 0) end = std::min(end, odd_.front().at + w_.width);
  return std::min(last, window + (end - w_.end(window)) / w_.step + 1);
}

void WindowAnswers::answer(Op& op, Size first, Size n, Size at, uint8_t* undecided) {
  const Size bytes = bytes_of(plan_.results[op.number]);
  std::byte* const out = static_cast<std::byte*>(job_.outputs[op.number].data) + at * bytes;
  alignas(64) std::byte apart[tile * sizeof(double)];
  std::byte* const to = w_.apart == 1 ? out : apart;
  uint8_t decided[tile] = {};
  if (op.counts) {
    for (Size i = 0; i < n; ++i) {
      const auto counted = static_cast<int64_t>(number(i));
      std::memcpy(to + i * bytes, &counted, sizeof counted);
      decided[i] = kinds_[i] != Kind::open || plan_.nan != NanPolicy::raise;
    }
  } else if (all_nan_ && fewest_ >= w_.least && w_.apart == 1 &&
             is_floating(plan_.results[op.number])) {
    for (Size i = 0; i < n; ++i) std::memcpy(out + i * bytes, &op.nan.bits, bytes);
    return;
  } else if (most_ >= w_.least) {
    const Size sure = round_all(op, first, n, to, decided);
    if (sure < n - n / 64) sums_[op.sums]->more_words();
    if (sure == n && plain_ && w_.apart == 1 && w_.least <= fewest_) return;
  }
  const bool floats = is_floating(plan_.results[op.number]);
  for (Size i = 0; i < n; ++i) {
    const Size answer = at + i * w_.apart;
    if (number(i) < w_.least) {
      job_.put(op.number, answer, op.too_few);
    } else if (!op.counts && kinds_[i] == Kind::nan && floats) {
      job_.put(op.number, answer, op.nan);
    } else if (decided[i] == 0) {
      undecided[i] = 1;
    } else if (w_.apart != 1) {
      std::memcpy(out + i * w_.apart * bytes, to + i * bytes, bytes);
    }
  }
}

}  // namespace onefold::cpu_backend
