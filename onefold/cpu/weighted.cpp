#include "onefold/cpu/weighted.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "onefold/cpu/weighted_panels.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/system/floating_point.hpp"
#include "onefold/system/parallel.hpp"

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

using Reader = Decoded (*)(const std::byte*);
Reader reader_of(DType t) {
  return visit(t, []<class T>() -> Reader {
    return [](const std::byte* from) {
      T v{};
      std::memcpy(&v, from, sizeof v);
      Decoded d = decoded(v);
      if constexpr (Floating<T> && sizeof(T) == 2) {  // as an f32
        d.shift += float_format(dtype_of<T>).unit - float_format(DType::f32).unit;
      }
      return d;
    };
  });
}

// Calls f with the type whose sums hold those of an element type: three take a quarter of the time
// of thirteen to compile.
template <class F>
void visit_sums(DType t, F f) {
  if (t == DType::f64) return f.template operator()<double>();
  if (is_floating(t)) return f.template operator()<float>();
  f.template operator()<int64_t>();
}

template <class T, Terms terms, bool two>
void gather(const WeightedLoops& loops, const WeightedLoops::Range& r,
            Moments<SumsOf<T, terms>>& m) {
  using Of = SumsOf<T, terms>;
  const backend::Job& job = loops.job;
  const bool omits = job.plan.nan == NanPolicy::omit;
  const Reader read = reader_of(job.plan.dtype);
  const auto element = [read](const void* from, int64_t place) {
    return read(static_cast<const std::byte*>(from) + place);
  };
  const auto put = [&m](Term t, int k, int64_t digit) { m.sum_of(t)[k] += digit; };
  loops.each_run(r.at, r.begin, r.size(), [&](WeightedLoops::Steps at, Size, Size n) {
    for (Size i = 0; i < n;
         ++i, at = WeightedLoops::sum(at, WeightedLoops::along(loops.element, 1))) {
      if (!loops.takes(at[3])) continue;
      const Decoded b = two ? element(job.y, at[1]) : Decoded{};
      Of::template lift<terms, two>(element(job.plan.weighted->data, at[2]), element(job.x, at[0]),
                                    b, omits, m.seen, put);
      if (++m.adds == Of::most_adds) m.carry_all();
    }
  });
  m.carry_all();
}

template <class Of>
Rounded rounded_answer(const Plan& plan, std::size_t op, const Moments<Of>& m) {
  const Formula& f = plan.weighted->formulas[op];
  const auto load = [&](Term t) { return m.sum_of(t); };
  const auto round_it = [&]<Statistic is>() {
    if constexpr (is_moment(is) && !Of::has_moments) {
      return Rounded{};  // no op of these sums
    } else {
      using Number = LongInteger<Of::most_digits>;
      return round(answer<Of, is, Number>(f, m.seen, plan.nan, load), plan.results[op]);
    }
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
    case Statistic::total_variance:
      return round_it.template operator()<Statistic::total_variance>();
    case Statistic::skewness:
      return round_it.template operator()<Statistic::skewness>();
    case Statistic::kurtosis:
      return round_it.template operator()<Statistic::kurtosis>();
    case Statistic::pearson:
      return round_it.template operator()<Statistic::pearson>();
    case Statistic::third_moment:
      return round_it.template operator()<Statistic::third_moment>();
    case Statistic::fourth_moment:
      return round_it.template operator()<Statistic::fourth_moment>();
    case Statistic::correlation:
      return round_it.template operator()<Statistic::correlation>();
    case Statistic::slope:
      return round_it.template operator()<Statistic::slope>();
    default:
      return round_it.template operator()<Statistic::intercept>();
  }
}

template <class Of>
void put(const backend::Job& job, Size place, const Moments<Of>& m) {
  const Plan& plan = job.plan;
  const FloatingPointMode mode;  // quotients and roots begin with f64 estimates
  for (std::size_t k = 0; k < job.outputs.size(); ++k) {
    const Rounded r = rounded_answer(plan, k, m);
    const Size bytes = bytes_of(plan.results[k]);
    std::memcpy(static_cast<std::byte*>(job.outputs[k].data) + place * bytes, &r.bits, bytes);
    if (job.outputs[k].status != nullptr) job.outputs[k].status[place] = r.status;
  }
}

// Folds the answers with these numbers: elements of long ones are divided among threads.
template <class T, Terms terms, bool two>
void run(const WeightedLoops& loops, std::span<const Size> answers) {
  constexpr Size part = Size{1} << 14;  // elements, some 0.3 ms
  const int threads = loops.job.plan.threads;
  using Sum = Moments<SumsOf<T, terms>>;
  const auto chunks = [](const WeightedLoops::Range& r) {
    return std::clamp<Size>(r.size() / part, 1, 64);
  };
  // All threads share an answer if there are few, or if it is one of the longest.
  const auto is_shared = [&](const WeightedLoops::Range& r) {
    const Size own = chunks(r);
    return own > answers.size() || own == 64;
  };
  parallel(answers.size(), threads, [&](Size k) {
    const WeightedLoops::Range r = loops.range(answers[k]);
    if (is_shared(r)) return;
    const auto m = std::make_unique<Sum>(terms);
    gather<T, terms, two>(loops, r, *m);
    put(loops.job, r.place, *m);
  });
  for (const Size a : answers) {
    const WeightedLoops::Range r = loops.range(a);
    if (!is_shared(r)) continue;
    const Size n = chunks(r);
    std::vector<std::unique_ptr<Sum>> parts(n);
    parallel(n, threads, [&](Size c) {
      WeightedLoops::Range of = r;
      of.begin = r.begin + r.size() * c / n;
      of.end = r.begin + r.size() * (c + 1) / n;
      parts[c] = std::make_unique<Sum>(terms);
      gather<T, terms, two>(loops, of, *parts[c]);
    });
    for (Size c = 1; c < n; ++c) parts[0]->merge(*parts[c]);
    put(loops.job, r.place, *parts[0]);
  }
}

}  // namespace

void fold_weighted(const backend::Job& job) {
  const Plan& plan = job.plan;
  if (plan.answers == 0) return;
  std::vector<uint8_t> open(plan.answers);
  const WeightedLoops loops(job);
  fold_weighted_panels(loops, open);
  std::vector<Size> undecided;
  for (Size a = 0; a < plan.answers; ++a) {
    if (open[a] != 0) undecided.push_back(a);
  }
  visit_sums(plan.dtype, [&]<class T>() {
    visit_terms(plan.weighted->terms, plan.inputs == 2,
                [&]<Terms terms, bool two>() { run<T, terms, two>(loops, undecided); });
  });
}

}  // namespace onefold::cpu_backend
