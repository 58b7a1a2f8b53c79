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

template <class T>
void put(const backend::Job& job, Size answer, const Moments<T>& m) {
  const Plan& plan = job.plan;
  const FloatingPointMode mode;  // quotients and roots begin with f64 estimates
  Size place = 0;
  for (std::size_t k = plan.weighted->axes.size(); k-- > 0;) {
    const Weighted::Axis& a = plan.weighted->axes[k];
    if (a.folded) continue;
    place += answer % a.extent * static_cast<Size>(a.step);
    answer /= a.extent;
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
  const Size answers = plan.answers, chunks = std::clamp<Size>(plan.elements / part, 1, 64);
  if (answers >= chunks) {  // answers are divided among threads
    const Size block = std::max<Size>(1, part / std::max<Size>(plan.elements, 1));
    parallel((answers + block - 1) / block, plan.threads, [&](Size task) {
      const auto m = std::make_unique<Moments<T>>(terms);
      for (Size a = task * block; a < std::min(answers, (task + 1) * block); ++a) {
        m->clear();
        gather<T, terms, two>(plan, in, a, 0, plan.elements, *m);
        put(job, a, *m);
      }
    });
    return;
  }
  for (Size a = 0; a < answers; ++a) {
    std::vector<std::unique_ptr<Moments<T>>> parts(chunks);
    parallel(chunks, plan.threads, [&](Size c) {
      parts[c] = std::make_unique<Moments<T>>(terms);
      gather<T, terms, two>(plan, in, a, plan.elements * c / chunks,
                            plan.elements * (c + 1) / chunks, *parts[c]);
    });
    for (Size c = 1; c < chunks; ++c) parts[0]->merge(*parts[c]);
    put(job, a, *parts[0]);
  }
}

}  // namespace

void fold_weighted(const backend::Job& job) {
  const Plan& plan = job.plan;
  const Arrays in{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
                  plan.weighted->data, plan.where.data};
  visit(plan.dtype, [&]<class T>() {
    visit_terms(plan.weighted->terms, plan.inputs == 2,
                [&]<unsigned terms, bool two>() { run<T, terms, two>(job, in); });
  });
}

}  // namespace onefold::cpu_backend
