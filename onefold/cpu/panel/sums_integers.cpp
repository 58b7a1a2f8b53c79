// Sums of panels of integers and booleans, as f64: three words hold sums of any number of integers.
// Sums and squares are exact unless the processor's inexact flag is set. Exact words take integers
// that are too large: 2^51 and more, for u64 2^52 and more.
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/sums_integers.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#include "onefold/cpu/panel/careful_ways.inl"
namespace panel_sums_of_integers {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/panel/unit.inl"

template <class T, PanelTerms terms, Tier tier = Tier::plain>
constexpr const PanelSums* exact = &gathers<T, terms, Moments<terms, tier>>;

template <class T>
const PanelSums* of_type(Statistic needed) {
  namespace of = panel_terms;
  switch (needed) {
    case total_of(Term::x):
      return exact<T, of::sums>;
    case total_of(Term::magnitude):
      return exact < T, std::is_signed_v<T> ? of::magnitudes : of::sums > ;
    case total_of(Term::xx):
      return exact<T, of::squares>;
    case Statistic::variance:
      return exact<T, of::spreads, Tier::wide>;
    case total_of(Term::zero):
      return exact<T, of::zeros>;
    case total_of(Term::xy):
      return exact<T, of::integer_products>;
    default:
      return nullptr;
  }
}

const PanelSums* find(Statistic needed, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (!Floating<T>) return of_type<T>(needed);
    return nullptr;
  });
}

}  // namespace panel_sums_of_integers
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

const PanelSums* panel_sums_of_integers([[maybe_unused]] Target target,
                                        [[maybe_unused]] Statistic needed,
                                        [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_sums_of_integers::find(needed, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
