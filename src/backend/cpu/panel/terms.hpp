// The terms that panels add up, for single elements or for pairs, and where each total is kept.
#pragma once

#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

// x and y are the elements of a pair. zero is 1 if x is 0; distance is |x - y|.
enum class Factor : unsigned char { one, zero, x, y, magnitude, difference, distance };

// The product a b is added to the four words from `to` on.
struct Term {
  Factor a, b;
  Totals::Word to;
  constexpr bool is_product() const { return b != Factor::one; }
  constexpr bool never_negative() const {
    return a == b || a == Factor::zero || a == Factor::magnitude || a == Factor::distance;
  }
};

// What a pair with an infinity or NaN adds, so that its answer needs no exact words.
//   weighted  NaN for a NaN, for 0 times an infinity and for an infinite weight. Infinite elements
//             add 0, since only exact words know the sign of the sum of weights
enum class Nonfinite : unsigned char { x, magnitude, product, distance, nan, weighted };

struct Terms {
  Term term[5];
  int count;
  Nonfinite nonfinite;
  // fill: values for missing elements, which change no total. empty: the initial value of totals; a
  // sum of nothing but -0 is -0.
  double fill_x = 0.0, fill_y = 0.0, empty = 0.0;

  constexpr bool reads_y() const {
    bool y = false;
    for (int k = 0; k < count; ++k) {
      for (const Factor f : {term[k].a, term[k].b}) {
        y |= f == Factor::y || f == Factor::difference || f == Factor::distance;
      }
    }
    return y;
  }
  constexpr bool has_square(Factor f) const {
    for (int k = 0; k < count; ++k) {
      if (term[k].a == f && term[k].b == f) return true;
    }
    return false;
  }
};

namespace panel_terms {

inline constexpr Term of_product{Factor::x, Factor::y, Totals::high};
inline constexpr Terms sums{
    {{Factor::x, Factor::one, Totals::high}}, 1, Nonfinite::x, -0.0, 0.0, -0.0};
inline constexpr Terms magnitudes{
    {{Factor::magnitude, Factor::one, Totals::high}}, 1, Nonfinite::magnitude};
inline constexpr Terms squares{{{Factor::x, Factor::x, Totals::high}}, 1, Nonfinite::magnitude};
inline constexpr Terms spreads{
    {{Factor::x, Factor::one, Totals::high}, {Factor::x, Factor::x, Totals::square}},
    2,
    Nonfinite::x,
    -0.0,
    0.0,
    -0.0};
inline constexpr Terms zeros{{{Factor::zero, Factor::one, Totals::high}}, 1, Nonfinite::x, 1.0};
inline constexpr Terms products{{of_product}, 1, Nonfinite::product, -0.0, 1.0, -0.0};
// As f64 the product of the integers 0 and -5 is -0, but the integers' sum must not be -0.
inline constexpr Terms integer_products{{of_product}, 1, Nonfinite::product, -0.0, 1.0, 0.0};

// No cancellation: unlike Qx + Qy - 2P these sums stay accurate if the arrays are nearly equal.
inline constexpr Terms squared_differences{
    {{Factor::difference, Factor::difference, Totals::high}}, 1, Nonfinite::distance};
inline constexpr Terms distances{
    {{Factor::distance, Factor::one, Totals::high}}, 1, Nonfinite::distance};
inline constexpr Terms weighted{
    {of_product, {Factor::y, Factor::one, Totals::square}}, 2, Nonfinite::weighted};
inline constexpr Terms second_moments{
    {of_product, {Factor::x, Factor::x, Totals::square}, {Factor::y, Factor::y, Totals::square_y}},
    3,
    Nonfinite::nan};
inline constexpr Terms all_moments{{of_product,
                                    {Factor::x, Factor::x, Totals::square},
                                    {Factor::y, Factor::y, Totals::square_y},
                                    {Factor::x, Factor::one, Totals::sum_x},
                                    {Factor::y, Factor::one, Totals::sum_y}},
                                   5,
                                   Nonfinite::nan};

}  // namespace panel_terms
}  // namespace onefold::cpu_backend
