#include "backend/cpu/family/request.hpp"

#include <algorithm>

namespace onefold::cpu_backend {

std::optional<Request> request_of(const Plan& plan, Target target, const Shape& shape,
                                  std::span<std::byte* const> straight) {
  Request request;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    if (plan.ops[k]->recipe == nullptr) return {};
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
      request.ends.push_back(end);
      continue;
    }
    QuickFormula f;
    if (!quick_formula(r, plan.elements, f) || plan.nest.repeats >= Size{1} << 32) return {};
    f.times = static_cast<double>(plan.nest.repeats);
    if (name == Recipe::Name::zeros) {
      // Of NaN the policy may have something to say, and only exact words know how many there are.
      using Count = QuickFormula::Count;
      const bool truth = f.count == Count::some_others || f.count == Count::no_zeros;
      if (plan.results[k] != (truth ? DType::boolean : DType::i64)) return {};
      if (is_floating(plan.dtype) && plan.nan != NanPolicy::propagate) return {};
    } else {
      const bool whole = !f.spread && !f.root && f.n == 1 && f.left == 1;
      const bool wide = plan.results[k] == DType::i64 || plan.results[k] == DType::u64;
      if (!is_floating(plan.results[k]) && !(whole && wide && !is_floating(plan.dtype))) return {};
    }
    std::vector<Wanted>& sums = request.sums;
    const bool unread = f.count == QuickFormula::Count::elements;
    const Recipe::Name gathered = unread ? Recipe::Name::nothing : name;
    auto at =
        std::find_if(sums.begin(), sums.end(), [&](const Wanted& w) { return w.name == gathered; });
    if (at == sums.end()) {
      const PanelSums* ways = panel_sums(target, name, plan.dtype);
      if (ways == nullptr) return {};
      at = sums.insert(sums.end(), Wanted{gathered, ways, {}});
    }
    at->ops.push_back({k, f, plan.results[k], straight[k]});
  }
  return request;
}

}  // namespace onefold::cpu_backend
