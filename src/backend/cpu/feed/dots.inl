// Sums of products of two arrays.
//
//   exact    yes; pairs with infinities or NaN are counted and left out
//   needs    a true fma: not for SSE4

#if HWY_TARGET <= HWY_AVX2
#include "backend/cpu/product/include.inl"
#endif

void add_feeds([[maybe_unused]] std::vector<Feed>& table) {
#if HWY_TARGET <= HWY_AVX2
  constexpr Accumulator dot = Accumulator::dot;
  table.push_back(make_feed<Products<double, part_pair>>("dot f64", dot, 380));
  table.push_back(make_feed<Products<float, part_pair>>("dot f32", dot, 210));
  table.push_back(make_feed<Products<float16, part_pair>>("dot f16", dot, 260));
  table.push_back(make_feed<Products<bfloat16, part_pair>>("dot bf16", dot, 260));
#endif
}
