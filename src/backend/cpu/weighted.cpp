#include "backend/cpu/weighted.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "parallel.hpp"
#include "plan/mode.hpp"
#include "plan/weighted.hpp"

namespace onefold::cpu_backend {
namespace {

using namespace weighted;

// The sums of an answer that are asked for.
template <class T>
struct Moments {
  using Of = Sums<T>;
  explicit Moments(unsigned asked) : terms(asked) { clear(); }
  void clear() {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) != 0) std::fill_n(sum[t], Of::limbs, 0);
    }
    seen = {};
    adds = 0;
  }
  void carry_all() {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) != 0) carry(sum[t], Of::limbs);
    }
    adds = 1;
  }
  // Both have been carried.
  void merge(const Moments& other) {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) == 0) continue;
      for (int k = 0; k < Of::limbs; ++k) sum[t][k] += other.sum[t][k];
    }
    seen.add(other.seen);
    carry_all();
  }

  unsigned terms;
  int64_t sum[term_count][Of::limbs];
  Seen seen;
  Size adds = 0;
};

struct Arrays {
  const std::byte *x, *y, *w, *mask;
};

// Calls f(terms, two) with constants for the set of terms that a plan has.
template <class F>
void visit_terms(unsigned terms, bool two, F f) {
  const auto is = [&]<unsigned set, bool pair>() {
    if (two != pair || (terms & ~(set | bit(one))) != 0) return false;
    f.template operator()<set | bit(one), pair>();
    return true;
  };
  constexpr unsigned line = bit(x) | bit(y) | bit(xx) | bit(yy) | bit(xy);
  // The smallest set that has them all.
  static_cast<void>(is.template operator()<bit(x), false>() ||
                    is.template operator()<bit(x) | bit(xx), false>() ||
                    is.template operator()<bit(distance), true>() ||
                    is.template operator()<bit(squared_difference), true>() ||
                    is.template operator()<bit(x) | bit(y) | bit(xy), true>() ||
                    is.template operator()<line, true>() ||
                    is.template operator()<line | bit(distance) | bit(squared_difference), true>());
}

// Visits elements begin..end of an answer.
template <class T, unsigned terms, bool two>
void gather(const Plan& plan, const Arrays& in, Size answer, Size begin, Size end, Moments<T>& m) {
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
  const auto put = [&m](Term t, int k, int64_t digit) { m.sum[t][k] += digit; };
  for (Size i = begin; i < end; ++i) {
    if (counts()) {
      const Decoded w = decoded(element(in.w, at[2])), a = decoded(element(in.x, at[0]));
      const Decoded b = two ? decoded(element(in.y, at[1])) : Decoded{};
      Sums<T>::template lift<terms, two>(w, a, b, omits, m.seen, put);
      if (++m.adds == Sums<T>::most_adds) m.carry_all();
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

template <class T>
Rounded rounded(const Plan& plan, std::size_t op, const Moments<T>& m) {
  const Formula& f = plan.weighted->formulas[op];
  const auto load = [&](Term t) -> const int64_t* { return m.sum[t]; };
  const auto round_it = [&]<Recipe::Name name>() {
    using Number = LongInteger<Sums<T>::most_digits>;
    return round(answer<T, name, Number>(f, m.seen, plan.nan, load), plan.results[op]);
  };
  using enum Recipe::Name;
  switch (f.name) {
    case sum:
      return round_it.template operator()<sum>();
    case spread:
      return round_it.template operator()<spread>();
    case Recipe::Name::squared_difference:
      return round_it.template operator()<Recipe::Name::squared_difference>();
    case absolute_difference:
      return round_it.template operator()<absolute_difference>();
    case common_spread:
      return round_it.template operator()<common_spread>();
    case correlation:
      return round_it.template operator()<correlation>();
    case slope:
      return round_it.template operator()<slope>();
    default:
      return round_it.template operator()<intercept>();
  }
}

// Elements begin..end along the folded axes are those of an answer of a slice, one of all segments.
struct Range {
  Size slice, begin, end, first = 0;  // first: the place of the segment's first answer
  Size size() const { return end - begin; }
};
Range range_of(const backend::Job& job, Size answer) {
  if (job.segments == nullptr) return {answer, 0, job.plan.elements};
  const Size slices = job.plan.answers / job.segments->count, segment = answer / slices;
  const auto* const offset = static_cast<const int64_t*>(job.segments->offsets) + segment;
  return {answer % slices, static_cast<Size>(offset[0]), static_cast<Size>(offset[1]),
          segment * slices};
}

template <class T>
void put(const backend::Job& job, const Range& at, const Moments<T>& m) {
  const Plan& plan = job.plan;
  const FloatingPointMode mode;  // quotients and roots begin with f64 estimates
  Size place = at.first, slice = at.slice;
  for (std::size_t k = plan.weighted->axes.size(); k-- > 0;) {
    const Weighted::Axis& a = plan.weighted->axes[k];
    if (a.folded) continue;
    place += slice % a.extent * static_cast<Size>(a.step);
    slice /= a.extent;
  }
  for (std::size_t k = 0; k < job.outputs.size(); ++k) {
    const Rounded r = rounded(plan, k, m);
    const Size bytes = bytes_of(plan.results[k]);
    std::memcpy(static_cast<std::byte*>(job.outputs[k].data) + place * bytes, &r.bits, bytes);
    if (job.outputs[k].status != nullptr) job.outputs[k].status[place] = r.status;
  }
}

template <class T, unsigned terms, bool two>
void run(const backend::Job& job, const Arrays& in) {
  constexpr Size part = Size{1} << 14;  // elements, some 0.3 ms
  const Plan& plan = job.plan;
  const Size answers = plan.answers;
  const auto chunks = [](const Range& r) { return std::clamp<Size>(r.size() / part, 1, 64); };
  // All threads share an answer if there are few, or if it is one of the longest.
  const auto is_shared = [&](const Range& r) {
    const Size own = chunks(r);
    return own > answers || own == 64;
  };
  const Size segments = job.segments == nullptr ? 1 : job.segments->count,
             block = std::max<Size>(1, part / std::max<Size>(plan.elements / segments, 1));
  parallel((answers + block - 1) / block, plan.threads, [&](Size task) {
    const auto m = std::make_unique<Moments<T>>(terms);
    for (Size a = task * block; a < std::min(answers, (task + 1) * block); ++a) {
      const Range r = range_of(job, a);
      if (is_shared(r)) continue;
      m->clear();
      gather<T, terms, two>(plan, in, r.slice, r.begin, r.end, *m);
      put(job, r, *m);
    }
  });
  for (Size a = 0; a < answers; ++a) {
    const Range r = range_of(job, a);
    if (!is_shared(r)) continue;
    const Size n = chunks(r);
    std::vector<std::unique_ptr<Moments<T>>> parts(n);
    parallel(n, plan.threads, [&](Size c) {
      parts[c] = std::make_unique<Moments<T>>(terms);
      gather<T, terms, two>(plan, in, r.slice, r.begin + r.size() * c / n,
                            r.begin + r.size() * (c + 1) / n, *parts[c]);
    });
    for (Size c = 1; c < n; ++c) parts[0]->merge(*parts[c]);
    put(job, r, *parts[0]);
  }
}

}  // namespace

void fold_weighted(const backend::Job& job) {
  const Plan& plan = job.plan;
  if (plan.answers == 0) return;
  const Arrays in{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
                  plan.weighted->data, plan.where.data};
  visit(plan.dtype, [&]<class T>() {
    visit_terms(plan.weighted->terms, plan.inputs == 2,
                [&]<unsigned terms, bool two>() { run<T, terms, two>(job, in); });
  });
}

}  // namespace onefold::cpu_backend
