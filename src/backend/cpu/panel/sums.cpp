// Sums of panels: of elements, of their magnitudes and squares, and of both for a spread.
//
//   plain    f32, f16, bf16: f64 additions, and the processor's flag says whether any was rounded
//   windows  f64: exact/window.inl, two a vector; the anchor is the panel's
//   bounded  squares and spreads: f64 sums with what rounding may have left out, known beforehand.
//            Spreads of f32 are taken about the first element: what is far from 0 does not cancel
//   careful  any of them in three words, nothing lost but what `lost` says
//   source   decisions/0008-nests.md; facts of each in the comments below
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/sums.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_sums_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/kinds.inl"

#include "backend/cpu/panel/careful.inl"
#include "backend/cpu/panel/rows.inl"

template <class T, Recipe::Name name>
constexpr PanelSums::Gather careful_of() {
  if constexpr (sizeof(T) == 2) {
    return careful_widened<T, name>;
  } else {
    return careful<T, name>;
  }
}

template <class T, class Kind, Recipe::Name name>
constexpr PanelSums gathers{
    rows<T, Kind>, columns<T, Kind>, careful_of<T, name>(),
    nonfinite<T, name == Recipe::Name::sumabs || name == Recipe::Name::sumsq>};

template <class T>
const PanelSums* of_type(Recipe::Name name) {
  using Name = Recipe::Name;
  constexpr bool wide = sizeof(T) == 8;
  switch (name) {
    case Name::sum:
      return &gathers<T, std::conditional_t<wide, Windowed<false>, Plain<Name::sum>>, Name::sum>;
    case Name::sumabs:
      return &gathers<T, std::conditional_t<wide, Windowed<true>, Plain<Name::sumabs>>,
                      Name::sumabs>;
    case Name::sumsq:
      return &gathers<T, std::conditional_t<wide, WideSquares<false>, Squares>, Name::sumsq>;
    case Name::spread:
      return &gathers<T, std::conditional_t<wide, WideSquares<true>, Spread>, Name::spread>;
    case Name::zeros:
      return &gathers<T, Plain<Name::zeros>, Name::zeros>;
    default:
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

// Of dots.cpp and sums_integers.cpp.
const PanelSums* panel_dots(Target target, DType t);
const PanelSums* panel_sums_of_integers(Target target, Recipe::Name name, DType t);

const PanelSums* panel_sums([[maybe_unused]] Target target, [[maybe_unused]] Recipe::Name name,
                            [[maybe_unused]] DType t) {
  if (name == Recipe::Name::dot) return panel_dots(target, t);
  if (!is_floating(t)) return panel_sums_of_integers(target, name, t);
  ONEFOLD_OF_TARGET(target, panel_sums_of::find(name, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
