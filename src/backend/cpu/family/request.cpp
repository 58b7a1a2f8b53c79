#include "backend/cpu/family/request.hpp"

#include <algorithm>

#include "backend/cpu/pair_panels.hpp"
#include "onefold/named.hpp"

#pragma GCC diagnostic error "-Wswitch"  // error for a formula without a case

namespace onefold::cpu_backend {
namespace {

Wanted& wanted_of(std::vector<Wanted>& sums, bool read, const PanelSums* ways) {
  const auto at = std::find_if(sums.begin(), sums.end(), [&](const Wanted& w) {
    return w.read == read && (w.sums == ways || !read);
  });
  return at != sums.end() ? *at : sums.emplace_back(Wanted{read, ways, {}});
}

// Returns the sums that a formula of two arrays needs; nothing if it needs states.
std::optional<PairSums> pair_sums(Recipe::Name name) {
  using enum Recipe::Name;
  switch (name) {
    case squared_difference:
      return PairSums::squared_differences;
    case absolute_difference:
      return PairSums::distances;
    case common_spread:
    case correlation:
    case slope:
    case intercept:
      return PairSums::all_moments;
    case cosine:
      return PairSums::second_moments;
    case weighted_mean:
      return PairSums::weighted;
    case greatest_difference:
    case nothing:
    case sum:
    case sumabs:
    case sumsq:
    case dot:
    case spread:
    case least:
    case greatest:
    case ptp:
    case norminf:
    case zeros:
      return {};
  }
  return {};
}

// Returns false if sums of pairs cannot answer op k, so that it needs states.
bool add_pairs(const Plan& plan, Target target, std::size_t k, const Recipe& r, std::byte* out,
               std::vector<Wanted>& sums) {
  if (!is_floating(plan.results[k])) return false;
  const std::optional<PairSums> of = pair_sums(r.numerator.name);
  if (!of) return false;
  const PanelSums* const ways = panel_pairs(target, *of, plan.dtype);
  QuickFormula f;
  const Size repeats = plan.nest.repeats;
  if (ways == nullptr || !quick_formula(r, plan.elements, f)) return false;
  const bool of_one = *of == PairSums::squared_differences || *of == PairSums::distances;
  if (of_one) {
    f.times = static_cast<double>(repeats);
    if (repeats >= Size{1} << 32) return false;
  } else if (repeats != 1 && r.numerator.name != Recipe::Name::weighted_mean) {
    return false;
  }
  const RoundTotals round = panel_pair_round(target, r.numerator.name);
  wanted_of(sums, true, ways).ops.push_back({k, f, plan.results[k], out, round});
  return true;
}

// Sets the panel for selected elements. Variances of narrow types use deviations from the first
// element, which a mask may leave out.
void set_taken(Wanted& w, Recipe::Name name, DType t, Target target) {
  if (name == Recipe::Name::dot) return;
  w.name = name;
  w.taken = w.sums;
  if (name != Recipe::Name::spread || !is_floating(t) || t == DType::f64) return;
  w.widens = t == DType::f32;
  w.taken = w.widens ? panel_sums(target, name, DType::f64) : nullptr;
}

}  // namespace

bool sums_make(const Recipe& recipe, DType x, DType result, Size elements, NanPolicy nan,
               QuickFormula& formula) {
  if (!quick_formula(recipe, elements, formula)) return false;
  if (recipe.numerator.name == Recipe::Name::zeros) {
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
    const Recipe::Name name = r.numerator.name;
    if (plan.inputs == 2 && name != Recipe::Name::dot) {
      if (!add_pairs(plan, target, k, r, straight[k], request.sums)) return {};
      continue;
    }
    if (Recipe::Name::least <= name && name <= Recipe::Name::norminf) {
      const EndWanted end{panel_extremes(target, plan.dtype),
                          plan.dtype,
                          name,
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
    const PanelSums* const ways = panel_sums(target, name, plan.dtype);
    if (ways == nullptr) return {};
    const bool read = f.count != QuickFormula::Count::elements;
    Wanted& wanted = wanted_of(request.sums, read, ways);
    wanted.ops.push_back({k, f, plan.results[k], straight[k]});
    if (wanted.name == Recipe::Name::nothing) set_taken(wanted, name, plan.dtype, target);
    if (plan.where.selects() && wanted.taken == nullptr) return {};
  }
  return request;
}

}  // namespace onefold::cpu_backend
