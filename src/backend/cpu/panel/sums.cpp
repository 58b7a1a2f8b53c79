// Sums of panels of floating-point elements: of elements, magnitudes, squares and products, of
// elements and squares for a spread, and of zeros.
//
//   sums     f32, f16, bf16: f64 additions, and the processor's flag tells whether one was rounded;
//            f64: windowed.inl, with one anchor for the panel
//   others   moments.inl
#include "backend/cpu/hot.hpp"
#include "backend/cpu/panel/terms.hpp"
#include "vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
#include "backend/cpu/panel/careful_ways.inl"
namespace panel_sums_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/panel/unit.inl"

template <class T, Terms terms, bool absolute>
constexpr const PanelSums* ways_of_sums =
    &gathers<T, terms,
             std::conditional_t<sizeof(T) == 8, Windowed<absolute>, Moments<terms, Tier::plain>>>;

template <class T>
const PanelSums* of_type(Recipe::Name name) {
  using Name = Recipe::Name;
  namespace of = panel_terms;
  switch (name) {
    case Name::sum:
      return ways_of_sums<T, of::sums, false>;
    case Name::sumabs:
      return ways_of_sums<T, of::magnitudes, true>;
    case Name::sumsq:
      return ways<T, of::squares>;
    case Name::spread:
      return ways<T, of::spreads, Tier::shifted>;
    case Name::zeros:
      return &gathers<T, of::zeros, Moments<of::zeros, Tier::plain>>;
    case Name::dot:
      return ways<T, of::products>;
    default:  // has no sum
      return nullptr;
  }
}

const PanelSums* find(Recipe::Name name, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (Floating<T> && takes<T>) return of_type<T>(name);
    return nullptr;
  });
}

}  // namespace panel_sums_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

// Defined in sums_integers.cpp.
const PanelSums* panel_sums_of_integers(Target target, Recipe::Name name, DType t);

const PanelSums* panel_sums([[maybe_unused]] Target target, [[maybe_unused]] Recipe::Name name,
                            [[maybe_unused]] DType t) {
  if (!is_floating(t)) return panel_sums_of_integers(target, name, t);
  ONEFOLD_OF_TARGET(target, panel_sums_of::find(name, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
