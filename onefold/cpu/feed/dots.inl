// Sums of products of two arrays.
//
//   exact    yes; pairs with infinities or NaN are counted and left out
//   needs    a true fma: not for SSE4

#if HWY_TARGET <= HWY_AVX2
#include "onefold/cpu/product/include.inl"
#endif
#if HWY_TARGET <= HWY_AVX3
#include "onefold/cpu/exact/tiers.inl"

#include "onefold/cpu/exact/fixed_point.inl"
#endif

void add_feeds([[maybe_unused]] std::vector<Feed>& table) {
#if HWY_TARGET <= HWY_AVX2
  constexpr Accumulator dot = Accumulator::dot;
  // Picoseconds from L2, Zen 4.
  constexpr bool wide = HWY_TARGET <= HWY_AVX3;
  table.push_back(make_feed<Products<double, part_pair>>("dot f64", dot, wide ? 299 : 353));
  table.push_back(make_feed<Products<float, part_pair>>("dot f32", dot, wide ? 195 : 182));
#if HWY_TARGET <= HWY_AVX3
  using F16 = InFixedPoint<float16, fixed_dot, Products<float16, part_pair>>;
  using Bf16 = InFixedPoint<bfloat16, fixed_dot, Products<bfloat16, part_pair>>;
#else
  using F16 = Products<float16, part_pair>;
  using Bf16 = Products<bfloat16, part_pair>;
#endif
  table.push_back(make_feed<F16>("dot f16", dot, wide ? 140 : 261));
  table.push_back(make_feed<Bf16>("dot bf16", dot, wide ? 182 : 268));
#endif
}
