// Sums of squares of f32: alone, with the sum (var), with sum and both extremes, or with all that
// describe needs. Separate feeds would each read the data once more.
//
//   exact    yes; infinities and NaN are counted and left out
//   needs    a true fma: not for SSE4

#if HWY_TARGET <= HWY_AVX2
#include "onefold/cpu/product/include.inl"
#endif

void add_feeds([[maybe_unused]] std::vector<Feed>& table) {
#if HWY_TARGET <= HWY_AVX2
  using enum Accumulator;
  // Picoseconds from L2, Zen 4.
  constexpr bool wide = HWY_TARGET <= HWY_AVX3;
  table.push_back(make_feed<Products<float, 0>>("sumsq f32", sumsq | tally, wide ? 130 : 125));
  table.push_back(
      make_feed<Products<float, part_sum>>("var f32", sum | sumsq | tally, wide ? 147 : 159));
  table.push_back(make_feed<Products<float, part_sum | part_extremes>>(
      "var min max f32", sum | sumsq | tally | least | greatest, wide ? 176 : 191));
  table.push_back(make_feed<Products<float, part_sum | part_absolute | part_extremes>>(
      "describe f32", sum | sumsq | sumabs | tally | least | greatest | zeros, wide ? 200 : 291));
#endif
}
