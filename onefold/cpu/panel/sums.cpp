// Sums of panels of floating-point elements: of elements, magnitudes, squares and products, of
// elements and squares for a spread, and of zeros.
//
//   sums     f32, f16, bf16: f64 additions, and the processor's flag tells whether one was rounded;
//            f64: windowed.inl, with one anchor for the panel
//   others   moments.inl
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#include "onefold/cpu/panel/careful_ways.inl"
namespace panel_sums_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/panel/unit.inl"

template <class T, PanelTerms terms, bool absolute>
constexpr const PanelSums* ways_of_sums = &gathers<
    T, terms,
    std::conditional_t<sizeof(T) == 8, WindowTotals<absolute>, Moments<terms, Tier::plain>>>;

template <class T>
const PanelSums* of_type(Statistic needed) {
  namespace of = panel_terms;
  switch (needed) {
    case total_of(Term::x):
      return ways_of_sums<T, of::sums, false>;
    case total_of(Term::magnitude):
      return ways_of_sums<T, of::magnitudes, true>;
    case total_of(Term::xx):
      return ways<T, of::squares>;
    case Statistic::variance:
      return ways<T, of::spreads, Tier::shifted>;
    case Statistic::skewness:
    case Statistic::kurtosis:
    case Statistic::pearson:
    case Statistic::third_moment:
    case Statistic::fourth_moment:
    case Statistic::raw_third:
    case Statistic::raw_fourth:
      return ways<T, of::of_formula(Statistic::skewness), Tier::shifted>;
    case total_of(Term::zero):
      return &gathers<T, of::zeros, Moments<of::zeros, Tier::plain>>;
    case total_of(Term::xy):
      return ways<T, of::products>;
    default:  // has no sum
      return nullptr;
  }
}

const PanelSums* find(Statistic needed, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (Floating<T> && takes<T>) return of_type<T>(needed);
    return nullptr;
  });
}

}  // namespace panel_sums_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

// Defined in sums_integers.cpp and pairs.cpp.
const PanelSums* panel_sums_of_integers(Target target, Statistic needed, DType t);
const PanelSums* panel_sums_of_pairs(Target target, Statistic needed, DType t);

const PanelSums* panel_sums([[maybe_unused]] Target target, [[maybe_unused]] Statistic needed,
                            [[maybe_unused]] DType t) {
  if (!is_floating(t)) return panel_sums_of_integers(target, needed, t);
  if (is_relation(needed) || needed == total_of(Term::squared_difference) ||
      needed == total_of(Term::distance)) {
    return panel_sums_of_pairs(target, needed, t);
  }
  ONEFOLD_OF_TARGET(target, panel_sums_of::find(needed, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
