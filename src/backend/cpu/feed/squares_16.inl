// Sums of squares of f16 and bf16, also beside the sum (var).
//
//   exact    yes; infinities and NaN are counted and left out
//   needs    a true fma: not for SSE4

#if HWY_TARGET <= HWY_AVX2
#include "backend/cpu/product/include.inl"
#endif

void add_feeds([[maybe_unused]] std::vector<Feed>& table) {
#if HWY_TARGET <= HWY_AVX2
  using enum Accumulator;
  table.push_back(make_feed<Products<float16, 0>>("sumsq f16", sumsq | tally, 172));
  table.push_back(make_feed<Products<float16, part_sum>>("var f16", sum | sumsq | tally, 190));
  table.push_back(make_feed<Products<bfloat16, 0>>("sumsq bf16", sumsq | tally, 165));
  table.push_back(make_feed<Products<bfloat16, part_sum>>("var bf16", sum | sumsq | tally, 185));
#endif
}
