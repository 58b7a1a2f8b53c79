// What every file of panels includes. Included inside the file's own namespace, in that of an
// instruction set; no include guard.
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/exact/window.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/moments.inl"

#include "onefold/cpu/panel/windowed.inl"

#include "onefold/cpu/panel/walk.inl"

#include "onefold/cpu/panel/careful.inl"

template <class T, PanelTerms terms, class Kind>
constexpr PanelSums gathers{rows<T, Kind>, columns<T, Kind>, by_f64<T, terms, careful<terms>>,
                            Floating<T> ? by_f64<T, terms, nonfinite<terms>> : nullptr};

// The panel functions for floating-point elements.
template <class T, PanelTerms terms, Tier narrow = Tier::narrow>
constexpr const PanelSums* ways =
    &gathers<T, terms, Moments<terms, sizeof(T) == 8 ? Tier::wide : narrow>>;
