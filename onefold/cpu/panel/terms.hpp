// The terms that panels add up, for single elements or for pairs, and where each total is kept.
#pragma once

#include "onefold/core/term.hpp"
#include "onefold/cpu/panel.hpp"

namespace onefold::cpu_backend {

// A term, and the first of the four words that hold its sum (PanelTotals::Word).
struct PanelTerm : Factors {
  Term of;
  PanelTotals::Word to;
  constexpr PanelTerm(Term t = Term::one, PanelTotals::Word w = PanelTotals::high)
      : Factors(factors_of(t)), of(t), to(w) {}
};

// The value that a pair with an infinity or NaN adds to a sum over only such pairs. That sum shows
// the answer, which then needs no exact words.
//   weighted  NaN for a NaN, for 0 times an infinity and for an infinite weight. Infinite elements
//             add 0, since only exact words know the sign of the sum of weights
enum class Nonfinite : int { x, magnitude, product, distance, nan, weighted };

// A template parameter with no padding before its last members: clang, 14 to 22 at least, reads the
// member behind it otherwise, fill_y for fill_x, but in constant expressions (llvm/llvm-project
// issue 146272).
struct PanelTerms {
  PanelTerm term[6];
  int count;
  Nonfinite nonfinite;
  // fill: values for missing elements, which change no total. empty: the initial value of totals; a
  // sum of nothing but -0 is -0.
  double fill_x = 0.0, fill_y = 0.0, empty = 0.0;
  bool weighted = false;  // each term is multiplied by the element's weight
  bool narrow = false;    // products of two elements are f64: f32 and less

  constexpr bool reads_y() const {
    bool y = false;
    for (int k = 0; k < count; ++k) y |= term[k].reads_y();
    return y;
  }
  constexpr bool has_square(Factor f) const {
    for (int k = 0; k < count; ++k) {
      if (term[k].a == f && term[k].b == f) return true;
    }
    return false;
  }
};
static_assert((sizeof(PanelTerm[6]) + sizeof(int) + sizeof(Nonfinite)) % alignof(double) == 0);

namespace panel_terms {

inline constexpr PanelTerms sums{{{Term::x}}, 1, Nonfinite::x, -0.0, 0.0, -0.0};
inline constexpr PanelTerms magnitudes{{{Term::magnitude}}, 1, Nonfinite::magnitude};
inline constexpr PanelTerms squares{{{Term::xx}}, 1, Nonfinite::magnitude};
inline constexpr PanelTerms spreads{
    {{Term::x}, {Term::xx, PanelTotals::square}}, 2, Nonfinite::x, -0.0, 0.0, -0.0};
inline constexpr PanelTerms moments{{{Term::x},
                                     {Term::xx, PanelTotals::square},
                                     {Term::xxx, PanelTotals::third},
                                     {Term::xxxx, PanelTotals::fourth}},
                                    4,
                                    Nonfinite::nan};
inline constexpr PanelTerms zeros{{{Term::zero}}, 1, Nonfinite::x, 1.0};
inline constexpr PanelTerms products{{{Term::xy}}, 1, Nonfinite::product, -0.0, 1.0, -0.0};
// As f64 the product of the integers 0 and -5 is -0, but the integers' sum must not be -0.
inline constexpr PanelTerms integer_products{{{Term::xy}}, 1, Nonfinite::product, -0.0, 1.0, 0.0};

// No cancellation: unlike Qx + Qy - 2P these sums stay accurate if the arrays are nearly equal.
inline constexpr PanelTerms squared_differences{
    {{Term::squared_difference}}, 1, Nonfinite::distance};
inline constexpr PanelTerms distances{{{Term::distance}}, 1, Nonfinite::distance};
inline constexpr PanelTerms weighted{
    {{Term::xy}, {Term::y, PanelTotals::fifth}}, 2, Nonfinite::weighted};
inline constexpr PanelTerms second_moments{
    {{Term::xy}, {Term::xx, PanelTotals::square}, {Term::yy, PanelTotals::third}},
    3,
    Nonfinite::nan};
inline constexpr PanelTerms all_moments{{{Term::xy},
                                         {Term::xx, PanelTotals::square},
                                         {Term::yy, PanelTotals::third},
                                         {Term::x, PanelTotals::fourth},
                                         {Term::y, PanelTotals::fifth}},
                                        5,
                                        Nonfinite::nan};

// With weights. Nothing is known of infinities and NaN.
inline constexpr PanelTerms weighted_terms(std::initializer_list<Term> of, bool narrow) {
  PanelTerms terms{{}, 0, Nonfinite::nan};
  terms.weighted = true;
  terms.narrow = narrow;
  for (const Term t : of) {
    terms.term[terms.count] = {t, static_cast<PanelTotals::Word>(4 * terms.count)};
    ++terms.count;
  }
  return terms;
}
constexpr PanelTerms weighted_terms(Statistic is, bool narrow = false) {
  using enum Term;
  if (is == total_of(squared_difference)) return weighted_terms({one, squared_difference}, narrow);
  if (is == total_of(distance)) return weighted_terms({one, distance}, narrow);
  if (is_relation(is)) return weighted_terms({one, x, y, xx, yy, xy}, narrow);
  if (is_moment(is)) return weighted_terms({one, x, xx, xxx, xxxx}, false);
  return weighted_terms({one, x, xx}, narrow);
}

// Returns the terms of a statistic of several sums: PanelSums add them, RoundTotals reads them.
constexpr PanelTerms of_formula(Statistic is) {
  return is_moment(is)                    ? moments
         : is == Statistic::cosine        ? second_moments
         : is == Statistic::weighted_mean ? weighted
                                          : all_moments;
}

}  // namespace panel_terms
}  // namespace onefold::cpu_backend
