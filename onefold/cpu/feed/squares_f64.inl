// Sums of squares of f64: alone, with the sum (var), with sum and both extremes, or with all that
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
  table.push_back(make_feed<Products<double, 0>>("sumsq f64", sumsq | tally, wide ? 214 : 290));
  table.push_back(
      make_feed<Products<double, part_sum>>("var f64", sum | sumsq | tally, wide ? 285 : 344));
  table.push_back(make_feed<Products<double, part_sum | part_extremes>>(
      "var min max f64", sum | sumsq | tally | least | greatest, wide ? 305 : 400));
  table.push_back(make_feed<Products<double, part_sum | part_absolute | part_extremes>>(
      "describe f64", sum | sumsq | sumabs | tally | least | greatest | zeros, wide ? 381 : 558));
#endif
}
