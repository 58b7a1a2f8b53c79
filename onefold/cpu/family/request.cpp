#include "onefold/cpu/family/request.hpp"

#include <algorithm>

#include "onefold/core/named.hpp"

namespace onefold::cpu_backend {
namespace {

SumRequest& wanted_of(std::vector<SumRequest>& sums, bool read, const PanelSums* ways) {
  const auto at = std::find_if(sums.begin(), sums.end(), [&](const SumRequest& w) {
    return w.read == read && (w.sums == ways || !read);
  });
  return at != sums.end() ? *at : sums.emplace_back(SumRequest{read, ways, {}});
}

// Sets the panel for selected elements. Variances of narrow types use deviations from the first
// element, which a mask may leave out.
void set_taken(SumRequest& w, Statistic of, DType t, Target target) {
  w.of = of;
  w.taken = w.sums;
  const bool shifts = of == Statistic::variance || is_moment(of);
  if (!shifts || !is_floating(t) || t == DType::f64) return;
  w.widens = t == DType::f32;
  w.taken = w.widens ? panel_sums(target, of, DType::f64) : nullptr;
}

}  // namespace

bool sums_make(const Recipe& recipe, DType x, DType result, Size elements, NanPolicy nan,
               QuickFormula& formula) {
  if (!quick_formula(recipe, elements, formula)) return false;
  if (recipe.numerator.of == total_of(Term::zero)) {
    // If the policy concerns NaN, only exact words count them.
    using Count = QuickFormula::Count;
    const bool truth = formula.count == Count::some_others || formula.count == Count::no_zeros;
    return result == (truth ? DType::boolean : DType::i64) &&
           (!is_floating(x) || nan == NanPolicy::propagate);
  }
  const bool whole = !formula.spread && !formula.root && formula.n == 1 && formula.left == 1;
  const bool wide = result == DType::i64 || result == DType::u64;
  return is_floating(result) || (whole && wide && !is_floating(x));
}

std::optional<Request> request_of(const Plan& plan, Target target, const Shape& shape,
                                  std::span<std::byte* const> straight) {
  Request request;
  if (plan.where.selects() && (plan.inputs != 1 || plan.nest.repeats != 1)) return {};
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    if (plan.ops[k]->recipe == nullptr) return {};
    const Recipe r = plan.ops[k]->recipe({.n = plan.elements, .correction = plan.correction});
    const Statistic of = r.numerator.of;
    if (Statistic::least <= of && of <= Statistic::norminf) {
      const ExtremeRequest end{panel_extremes(target, plan.dtype),
                               plan.dtype,
                               of,
                               r.index,
                               plan.nest.bytes,
                               straight[k]};
      const bool typed = plan.results[k] == end.type();
      if (end.ways == nullptr || !typed || !takes_end(shape, end)) return {};
      if (plan.where.selects() && end.placed) return {};
      request.ends.push_back(end);
      continue;
    }
    QuickFormula f;
    if (!sums_make(r, plan.dtype, plan.results[k], plan.elements, plan.nan, f) ||
        plan.nest.repeats >= Size{1} << 32) {
      return {};
    }
    f.times = static_cast<double>(plan.nest.repeats);
    const PanelSums* const ways = panel_sums(target, of, plan.dtype);
    const bool repeats =
        is_total(of) || of == Statistic::variance || of == Statistic::weighted_mean;
    if (ways == nullptr || (plan.nest.repeats != 1 && !repeats)) return {};
    const bool read = f.count != QuickFormula::Count::elements;
    SumRequest& wanted = wanted_of(request.sums, read, ways);
    wanted.ops.push_back({k, f, plan.results[k], straight[k], formula_round(target, of)});
    if (plan.inputs == 1 && wanted.of == Statistic::nothing)
      set_taken(wanted, of, plan.dtype, target);
    if (plan.where.selects() && wanted.taken == nullptr) return {};
  }
  return request;
}

Request totals_of(const Plan& plan, Target target) {
  const auto holds = [&](Accumulator a) { return plan.layout.offset[static_cast<int>(a)] >= 0; };
  using enum Accumulator;
  int known = 0, held = 0;
  for (const Accumulator a : {tally, sum, sumabs, sumsq, zeros, least, greatest}) known += holds(a);
  for (const int offset : plan.layout.offset) held += offset >= 0;
  if (known != held) return {};
  Request request;
  const auto want = [&](Statistic of) {
    request.sums.push_back({true, panel_sums(target, of, plan.dtype), {}, of});
  };
  // The tally needs the sum too: it shows whether all elements are -0.
  if (holds(tally) || holds(sum) || holds(sumsq)) {
    want(holds(sumsq) ? Statistic::variance : total_of(Term::x));
  }
  if (holds(sumabs)) want(total_of(Term::magnitude));
  if (holds(zeros)) want(total_of(Term::zero));
  for (const SumRequest& w : request.sums) {
    if (w.sums == nullptr) return {};
  }
  const PanelExtremes* const ways = panel_extremes(target, plan.dtype);
  const auto want_end = [&](Statistic of) {
    request.ends.push_back({ways, plan.dtype, of, false, plan.nest.bytes, nullptr});
  };
  if (holds(least)) want_end(Statistic::least);
  if (holds(greatest)) want_end(Statistic::greatest);
  if (!request.ends.empty() && (ways == nullptr || plan.indexed)) return {};
  return request;
}

}  // namespace onefold::cpu_backend
