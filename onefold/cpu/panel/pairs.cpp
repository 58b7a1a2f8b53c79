// Sums of panels of two inputs, by the accumulators of moments.inl.
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/pairs.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#include "onefold/cpu/panel/careful_ways.inl"
namespace panel_pairs_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/panel/unit.inl"

template <class T>
const PanelSums* of_type(Statistic needed) {
  namespace of = panel_terms;
  switch (needed) {
    case total_of(Term::squared_difference):
      return ways<T, of::squared_differences>;
    case total_of(Term::distance):
      return ways<T, of::distances>;
    case Statistic::weighted_mean:
      return ways<T, of::of_formula(Statistic::weighted_mean)>;
    case Statistic::cosine:
      return ways<T, of::of_formula(Statistic::cosine)>;
    default:
      return is_relation(needed) ? ways<T, of::of_formula(Statistic::correlation), Tier::shifted>
                                 : nullptr;
  }
}

const PanelSums* find(Statistic needed, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (Floating<T> && takes<T>) return of_type<T>(needed);
    return nullptr;
  });
}

}  // namespace panel_pairs_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelSums* panel_sums_of_pairs([[maybe_unused]] Target target,
                                     [[maybe_unused]] Statistic needed, [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_pairs_of::find(needed, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
