// Sums of panels of integers and booleans, as f64: whole numbers, which three words hold whatever
// their number. Sums and squares are exact unless the processor says otherwise. What f64 do not
// hold is left to exact words: integers of 2^51 and more, of u64 2^52.
#include "backend/cpu/hot.hpp"
#include "backend/cpu/of_target.hpp"
#include "backend/cpu/panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/sums_integers.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET <= HWY_SSE4
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_sums_of_integers {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/exact/window.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/kinds.inl"

#include "backend/cpu/panel/careful.inl"
#include "backend/cpu/panel/rows.inl"

template <class T, class Kind, Recipe::Name name>
constexpr PanelSums gathers{rows<T, Kind>, columns<T, Kind>, careful_widened<T, name>, nullptr};

template <class T>
const PanelSums* of_type(Recipe::Name name) {
  using Name = Recipe::Name;
  switch (name) {
    case Name::sum:
      return &gathers<T, Plain<Name::sum>, Name::sum>;
    case Name::sumabs:
      return &gathers<T, Plain<Name::sumabs>, Name::sumabs>;
    case Name::sumsq:
      return &gathers<T, Plain<Name::sumsq>, Name::sumsq>;
    case Name::spread:
      return &gathers<T, WideSquares<true>, Name::spread>;
    case Name::zeros:
      return &gathers<T, Plain<Name::zeros>, Name::zeros>;
    default:
      return nullptr;
  }
}

const PanelSums* find(Recipe::Name name, DType t) {
  return visit(t, [&]<class T>() -> const PanelSums* {
    if constexpr (!Floating<T>) return of_type<T>(name);
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
                                        [[maybe_unused]] Recipe::Name name,
                                        [[maybe_unused]] DType t) {
  ONEFOLD_OF_TARGET(target, panel_sums_of_integers::find(name, t));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
