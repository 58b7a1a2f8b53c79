#include "backend/cpu/weighted.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "backend/cpu/weighted_panels.hpp"
#include "parallel.hpp"
#include "plan/mode.hpp"
#include "plan/weighted.hpp"

namespace onefold::cpu_backend {
namespace {

using namespace weighted;

// The sums of an answer that are asked for.
//   S   the Sums
template <class S>
struct Moments {
  using Of = S;
  explicit Moments(Terms needed) : terms(needed) { clear(); }
  void clear() {
    each_sum([](int64_t* words) { std::fill_n(words, Of::limbs, 0); });
    seen = {};
    adds = 0;
  }
  void carry_all() {
    each_sum([](int64_t* words) { carry(words, Of::limbs); });
    adds = 1;
  }
  // Both have been carried.
  void merge(const Moments& other) {
    for (int t = 0; t < term_count; ++t) {
      if (!terms.has(Term{static_cast<uint8_t>(t)})) continue;
      for (int k = 0; k < Of::limbs; ++k) sum[t][k] += other.sum[t][k];
    }
    seen.add(other.seen);
    carry_all();
  }

  template <class F>
  void each_sum(F f) {
    for (int t = 0; t < term_count; ++t) {
      if (terms.has(Term{static_cast<uint8_t>(t)})) f(sum[t]);
    }
  }

  Terms terms;
  int64_t* sum_of(Term t) { return sum[static_cast<int>(t)]; }
  const int64_t* sum_of(Term t) const { return sum[static_cast<int>(t)]; }
  int64_t sum[term_count][Of::limbs];
  SpecialValues seen;
  Size adds = 0;
};

struct Arrays {
  const std::byte *x, *y, *w, *mask;
};

// Calls f(terms, two) with constants for the set of terms that a plan has.
template <class F>
void visit_terms(Terms terms, bool two, F f) {
  using enum Term;
  const auto is = [&]<Terms set, bool pair>() {
    if (two != pair || !terms.within(set)) return false;
    f.template operator()<set, pair>();
    return true;
  };
  constexpr Terms line = one | x | y | xy | Terms(xx | yy);
  static_cast<void>(is.template operator()<one | x | xx, false>() ||
                    is.template operator()<one | x | xx | Terms(xxx | xxxx), false>() ||
                    is.template operator()<one | distance, true>() ||
                    is.template operator()<one | squared_difference, true>() ||
                    is.template operator()<line, true>() ||
                    is.template operator()<line | distance | squared_difference, true>());
}

template <class T, Terms terms>
using SumsOf = Sums<T, terms.has(Term::xxx)>;

template <class T, Terms terms, bool two>
void gather(const Plan& plan, const Arrays& in, Size answer, Size begin, Size end,
            Moments<SumsOf<T, terms>>& m) {
  using Of = SumsOf<T, terms>;
  if (begin == end) return;
  const std::vector<Weighted::Axis>& axes = plan.weighted->axes;
  std::array<int64_t, 4> at{0, 0, 0, plan.weighted->mask};
  std::array<Size, max_rank> index{};
  const auto step = [&](const Weighted::Axis& a, int64_t steps) {
    for (std::size_t k = 0; k < 4; ++k) at[k] += a.stride[k] * steps;
  };
  const auto go_to = [&](bool folded, Size i) {
    for (std::size_t k = axes.size(); k-- > 0;) {
      const Weighted::Axis& a = axes[k];
      if (a.folded != folded) continue;
      index[k] = i % a.extent;
      step(a, static_cast<int64_t>(index[k]));
      i /= a.extent;
    }
  };
  go_to(false, answer);
  go_to(true, begin);
  const auto element = [](const std::byte* from, int64_t place) {
    T v{};
    std::memcpy(&v, from + place, sizeof v);
    return v;
  };
  const bool bits = plan.where.by == Selector::By::bits, omits = plan.nan == NanPolicy::omit;
  const auto counts = [&] {
    if (in.mask == nullptr) return true;
    if (!bits) return in.mask[at[3]] != std::byte{0};
    return (std::to_integer<int>(in.mask[at[3] >> 3]) >> (at[3] & 7) & 1) != 0;
  };
  const auto put = [&m](Term t, int k, int64_t digit) { m.sum_of(t)[k] += digit; };
  for (Size i = begin; i < end; ++i) {
    if (counts()) {
      const Decoded w = decoded(element(in.w, at[2])), a = decoded(element(in.x, at[0]));
      const Decoded b = two ? decoded(element(in.y, at[1])) : Decoded{};
      Of::template lift<terms, two>(w, a, b, omits, m.seen, put);
      if (++m.adds == Of::most_adds) m.carry_all();
    }
    for (std::size_t k = axes.size(); k-- > 0 && axes[k].folded;) {
      step(axes[k], 1);
      if (++index[k] < axes[k].extent) break;
      step(axes[k], -static_cast<int64_t>(axes[k].extent));
      index[k] = 0;
    }
  }
  m.carry_all();
}

template <class Of>
Rounded rounded(const Plan& plan, std::size_t op, const Moments<Of>& m) {
  const Formula& f = plan.weighted->formulas[op];
  const auto load = [&](Term t) { return m.sum_of(t); };
  const auto round_it = [&]<Statistic is>() {
    using Number = LongInteger<Of::most_digits>;
    return round(answer<Of, is, Number>(f, m.seen, plan.nan, load), plan.results[op]);
  };
  const auto moment = [&]<Statistic is>() -> Rounded {
    if constexpr (Of::has_moments) return round_it.template operator()<is>();
    return {};
  };
  switch (f.of) {
    case total_of(Term::x):
      return round_it.template operator()<total_of(Term::x)>();
    case total_of(Term::squared_difference):
      return round_it.template operator()<total_of(Term::squared_difference)>();
    case total_of(Term::distance):
      return round_it.template operator()<total_of(Term::distance)>();
    case Statistic::variance:
      return round_it.template operator()<Statistic::variance>();
    case Statistic::covariance:
      return round_it.template operator()<Statistic::covariance>();
    case Statistic::skewness:
      return moment.template operator()<Statistic::skewness>();
    case Statistic::kurtosis:
      return moment.template operator()<Statistic::kurtosis>();
    case Statistic::correlation:
      return round_it.template operator()<Statistic::correlation>();
    case Statistic::slope:
      return round_it.template operator()<Statistic::slope>();
    default:
      return round_it.template operator()<Statistic::intercept>();
  }
}

template <class Of>
void put(const backend::Job& job, const WeightedRange& at, const Moments<Of>& m) {
  const Plan& plan = job.plan;
  const FloatingPointMode mode;  // quotients and roots begin with f64 estimates
  const Size place = weighted_place(job, at);
  for (std::size_t k = 0; k < job.outputs.size(); ++k) {
    const Rounded r = rounded(plan, k, m);
    const Size bytes = bytes_of(plan.results[k]);
    std::memcpy(static_cast<std::byte*>(job.outputs[k].data) + place * bytes, &r.bits, bytes);
    if (job.outputs[k].status != nullptr) job.outputs[k].status[place] = r.status;
  }
}

// Folds the answers with these numbers: elements of long ones are divided among threads.
template <class T, Terms terms, bool two>
void run(const backend::Job& job, const Arrays& in, std::span<const Size> answers) {
  constexpr Size part = Size{1} << 14;  // elements, some 0.3 ms
  const Plan& plan = job.plan;
  const auto chunks = [](const WeightedRange& r) {
    return std::clamp<Size>((r.end - r.begin) / part, 1, 64);
  };
  // All threads share an answer if there are few, or if it is one of the longest.
  const auto is_shared = [&](const WeightedRange& r) {
    const Size own = chunks(r);
    return own > answers.size() || own == 64;
  };
  parallel(answers.size(), plan.threads, [&](Size k) {
    const WeightedRange r = weighted_range(job, answers[k]);
    if (is_shared(r)) return;
    const auto m = std::make_unique<Moments<SumsOf<T, terms>>>(terms);
    gather<T, terms, two>(plan, in, r.slice, r.begin, r.end, *m);
    put(job, r, *m);
  });
  for (const Size a : answers) {
    const WeightedRange r = weighted_range(job, a);
    if (!is_shared(r)) continue;
    const Size n = chunks(r), all = r.end - r.begin;
    std::vector<std::unique_ptr<Moments<SumsOf<T, terms>>>> parts(n);
    parallel(n, plan.threads, [&](Size c) {
      parts[c] = std::make_unique<Moments<SumsOf<T, terms>>>(terms);
      gather<T, terms, two>(plan, in, r.slice, r.begin + all * c / n, r.begin + all * (c + 1) / n,
                            *parts[c]);
    });
    for (Size c = 1; c < n; ++c) parts[0]->merge(*parts[c]);
    put(job, r, *parts[0]);
  }
}

}  // namespace

void fold_weighted(const backend::Job& job) {
  const Plan& plan = job.plan;
  if (plan.answers == 0) return;
  std::vector<uint8_t> open(plan.answers);
  fold_weighted_panels(job, open);
  std::vector<Size> undecided;
  for (Size a = 0; a < plan.answers; ++a) {
    if (open[a] != 0) undecided.push_back(a);
  }
  const Arrays in{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
                  plan.weighted->data, plan.where.data};
  visit(plan.dtype, [&]<class T>() {
    visit_terms(plan.weighted->terms, plan.inputs == 2,
                [&]<Terms terms, bool two>() { run<T, terms, two>(job, in, undecided); });
  });
}

}  // namespace onefold::cpu_backend
