// Sums of squares of f16 and bf16, alone, with the sum (var), or with the sums of x and |x|.
//
//   exact    yes; infinities and NaN are counted and left out
//   needs    a true fma: not for SSE4

#if HWY_TARGET <= HWY_AVX2
#include "onefold/cpu/product/include.inl"
#endif
#if HWY_TARGET <= HWY_AVX3
#include "onefold/cpu/exact/tiers.inl"

#include "onefold/cpu/exact/fixed_point.inl"
#endif

#if HWY_TARGET <= HWY_AVX2
template <class T, unsigned parts>
void add_feed(std::vector<Feed>& table, const char* name, Accumulators provides,
              [[maybe_unused]] int wide, [[maybe_unused]] int cost) {
#if HWY_TARGET <= HWY_AVX3
  constexpr unsigned fixed = fixed_squares | ((parts & part_sum) != 0 ? fixed_sum : 0u) |
                             ((parts & part_absolute) != 0 ? fixed_absolute : 0u);
  table.push_back(make_feed<InFixedPoint<T, fixed, Products<T, parts>>>(name, provides, wide));
#else
  table.push_back(make_feed<Products<T, parts>>(name, provides, cost));
#endif
}
#endif

void add_feeds([[maybe_unused]] std::vector<Feed>& table) {
#if HWY_TARGET <= HWY_AVX2
  using enum Accumulator;
  // Picoseconds from L2, Zen 4.
  add_feed<float16, 0>(table, "sumsq f16", sumsq | tally, 92, 174);
  add_feed<float16, part_sum>(table, "var f16", sum | sumsq | tally, 97, 206);
  add_feed<bfloat16, 0>(table, "sumsq bf16", sumsq | tally, 105, 175);
  add_feed<bfloat16, part_sum>(table, "var bf16", sum | sumsq | tally, 119, 208);
#endif
#if HWY_TARGET <= HWY_AVX3  // on AVX2 separate feeds for var and sumabs are as quick
  constexpr unsigned moments = part_sum | part_absolute;
  add_feed<float16, moments>(table, "moments f16", sum | sumsq | sumabs | tally, 117, 0);
  add_feed<bfloat16, moments>(table, "moments bf16", sum | sumsq | sumabs | tally, 140, 0);
#endif
}
