// Sums of panels of elements, or pairs, times weights: in two words, by the accumulators of
// moments.inl. Elements of other types than f32 and f64 are converted to f64.
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/weighted.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#include "onefold/cpu/panel/careful_ways.inl"
namespace panel_weighted_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/panel/unit.inl"

template <class T, Statistic is>
constexpr PanelTerms terms_of = panel_terms::weighted_terms(is, std::is_same_v<T, float>);
template <class T, Statistic is>
using Kind = Moments<terms_of<T, is>, Tier::wide>;

template <class T, Statistic is, bool own = std::is_same_v<T, float> || std::is_same_v<T, double>>
constexpr PanelSums sums{
    by_f64<T, terms_of<double, is>, rows<double, Kind<double, is>>, Copies::rows>,
    by_f64<T, terms_of<double, is>, columns<double, Kind<double, is>>, Copies::columns>, nullptr,
    nullptr};
template <class T, Statistic is>
constexpr PanelSums sums<T, is, true>{rows<T, Kind<T, is>>, columns<T, Kind<T, is>>, nullptr,
                                      nullptr};

template <class T>
const PanelSums* of_type(Statistic needed) {
  switch (needed) {
    case total_of(Term::x):
    case Statistic::variance:
      return &sums<T, Statistic::variance>;
    case Statistic::skewness:
    case Statistic::kurtosis:
    case Statistic::pearson:
    case Statistic::third_moment:
    case Statistic::fourth_moment:
      return &sums<T, Statistic::kurtosis>;
    case total_of(Term::squared_difference):
      return &sums<T, total_of(Term::squared_difference)>;
    case total_of(Term::distance):
      return &sums<T, total_of(Term::distance)>;
    default:
      return is_relation(needed) ? &sums<T, Statistic::correlation> : nullptr;
  }
}
const PanelSums* find(Statistic needed, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (takes<T>) return of_type<T>(needed);
    return nullptr;
  });
}

}  // namespace panel_weighted_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelSums* weighted_sums([[maybe_unused]] Target target, [[maybe_unused]] Statistic needed,
                               [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_weighted_of::find(needed, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
