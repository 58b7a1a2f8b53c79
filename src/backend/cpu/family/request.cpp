#include "backend/cpu/family/request.hpp"

#include <algorithm>

#include "backend/cpu/pair_panels.hpp"
#include "onefold/formula.hpp"
#include "onefold/named.hpp"

#pragma GCC diagnostic error "-Wswitch"  // a formula without its case

namespace onefold::cpu_backend {
namespace {

Wanted& wanted_of(std::vector<Wanted>& sums, bool read, const PanelSums* ways) {
  const auto at = std::find_if(sums.begin(), sums.end(), [&](const Wanted& w) {
    return w.read == read && (w.sums == ways || !read);
  });
  return at != sums.end() ? *at : sums.emplace_back(Wanted{read, ways, {}});
}

// What a formula of plan/pair_formula.cpp is made of; nothing where states are wanted.
//   mean, root  of one sum of differences
struct PairAnswer {
  PairSums sums;
  bool mean = false, root = false;
};
std::optional<PairAnswer> answer_of(PairFormula f) {
  switch (f) {
    case PairFormula::mse:
      return PairAnswer{PairSums::squared_differences, true, false};
    case PairFormula::rmse:
      return PairAnswer{PairSums::squared_differences, true, true};
    case PairFormula::distance:
      return PairAnswer{PairSums::squared_differences, false, true};
    case PairFormula::mae:
      return PairAnswer{PairSums::distances, true, false};
    case PairFormula::cov:
    case PairFormula::corr:
    case PairFormula::slope:
    case PairFormula::intercept:
      return PairAnswer{PairSums::all_moments};
    case PairFormula::cosine:
      return PairAnswer{PairSums::second_moments};
    case PairFormula::average:
      return PairAnswer{PairSums::weighted};
    case PairFormula::none:
    case PairFormula::max_abs_diff:
      return {};
  }
  return {};
}

// The QuickFormula of op k over sums of pairs; false where states are wanted.
bool quick_pairs(const Plan& plan, PairFormula formula, const PairAnswer& of, QuickFormula& f) {
  constexpr Size most = Size{1} << 32;
  const Size n = plan.elements, repeats = plan.nest.repeats;
  if (of.sums == PairSums::squared_differences || of.sums == PairSums::distances) {
    Recipe r;
    r.numerator.name = Recipe::Name::dot;
    r.n = of.mean ? n : 1;
    r.root = of.root;
    if (!quick_formula(r, n, f) || repeats >= most) return false;
    f.times = static_cast<double>(repeats);
    return true;
  }
  if (n >= most) return false;
  f.elements = static_cast<double>(n);
  if (formula == PairFormula::average) return true;
  // n (n - k), as of a variance.
  const Named named{.n = n, .correction = plan.correction};
  return repeats == 1 && (formula != PairFormula::cov || quick_formula(variance(named), n, f));
}

// False where no sums of pairs answer op k: states do.
bool add_pairs(const Plan& plan, Target target, std::size_t k, std::byte* out,
               std::vector<Wanted>& sums) {
  if (!is_floating(plan.results[k])) return false;
  const PairFormula formula = plan.ops[k]->about->formula;
  const std::optional<PairAnswer> of = answer_of(formula);
  if (!of) return false;
  const PanelSums* const ways = panel_pairs(target, of->sums, plan.dtype);
  QuickFormula f;
  if (ways == nullptr || !quick_pairs(plan, formula, *of, f)) return false;
  const RoundTotals round = panel_pair_round(target, formula);
  wanted_of(sums, true, ways).ops.push_back({k, f, plan.results[k], out, round});
  return true;
}

// Spreads of narrow types are counted from the first element, which may be left out.
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
    // Of NaN the policy may have something to say, and only exact words know how many there are.
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
    if (plan.ops[k]->recipe == nullptr) {
      if (plan.where.selects()) return {};
      if (!add_pairs(plan, target, k, straight[k], request.sums)) return {};
      continue;
    }
    const Recipe r = plan.ops[k]->recipe({.n = plan.elements, .correction = plan.correction});
    const Recipe::Name name = r.numerator.name;
    if ((plan.inputs == 2) != (name == Recipe::Name::dot)) return {};
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
