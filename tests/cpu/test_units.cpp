// Elements as integers of two words equal the elements, on every instruction set.
#include "onefold/cpu/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "generate.hpp"
#include "onefold/core/exact/real.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

template <class T>
void check(Target target, const Unit& unit) {
  const MakeUnits make = make_units(target, dtype_of<T>);
  if (make == nullptr) return;
  uint64_t seed = 1;
  for (const std::string_view g : test::generators(dtype_of<T>)) {
    for (const Size n : {Size{1}, Size{7}, Size{1000}}) {
      const test::Data data = test::generate(g, dtype_of<T>, n, seed++);
      const T* const x = reinterpret_cast<const T*>(data.data());
      std::vector<UnitPair> made((n + 7) / 8 * 8);
      std::vector<uint16_t> left(n);
      const UnitsResult seen = make(data.data(), n, unit, made.data(), left.data());
      left.resize(seen.left);
      EXPECT_TRUE(std::is_sorted(left.begin(), left.end()));
      bool negative_zero = false;
      for (Size i = 0; i < n; ++i) {
        const double v = static_cast<double>(x[i]);
        const double high = std::ldexp(static_cast<double>(made[i].high),
                                       unit.anchor - unit.high_bits),
                     low = std::ldexp(static_cast<double>(made[i].low), unit.lowest());
        negative_zero |= v == 0 && std::signbit(v);
        const double units = std::ldexp(v, -unit.lowest());
        const bool fits = std::fabs(v) < std::ldexp(1.0, unit.anchor) &&
                          units == std::rint(units) && std::ldexp(units, unit.lowest()) == v;
        const bool out = std::binary_search(left.begin(), left.end(), static_cast<uint16_t>(i));
        EXPECT_EQ(out, !fits) << g << " " << v;
        EXPECT_EQ(high + low, fits ? v : 0) << g;
        EXPECT_LE(std::abs(made[i].high), int64_t{1} << unit.high_bits);
        EXPECT_LE(std::abs(made[i].low), int64_t{1} << unit.low_bits);
      }
      EXPECT_EQ(seen.negative_zero, negative_zero) << g;
    }
  }
}

TEST(Units, AreTheElementsThatFit) {
  for (const Target target : usable_targets()) {
    for (const Unit& unit : {Unit{3, 43, 44}, Unit{10, 50, 51}, Unit{-100, 38, 39},
                             Unit{highest_unit_anchor, 42, 43}, Unit{lowest_unit_anchor, 50, 51}}) {
      check<double>(target, unit);
      check<float>(target, unit);
    }
  }
}

// Words of all lengths, some of them ties: decided roundings equal those of exact words.
TEST(Units, AreRoundedOnce) {
  test::Random random(3);
  const Size n = 1003;
  const Unit unit{3, 43, 44};
  std::vector<UnitPair> words(n);
  std::vector<uint32_t> counts(n);
  for (Size i = 0; i < n; ++i) {
    const auto some = [&] { return static_cast<int64_t>(random()) >> (random() % 64); };
    words[i] = {some(), i % 5 == 0 ? 0 : some()};
    counts[i] = 1 + static_cast<uint32_t>(random() >> (32 + random() % 32));
  }
  for (const Target target : usable_targets()) {
    const RoundUnits rounds = round_units(target);
    if (rounds == nullptr) continue;
    for (const bool mean : {false, true}) {
      std::vector<double> out(n);
      std::vector<float> narrow(n);
      std::vector<uint8_t> decided(n), decided_narrow(n);
      const uint32_t* const by = mean ? counts.data() : nullptr;
      rounds(words.data(), by, n, unit, DType::f64, reinterpret_cast<std::byte*>(out.data()),
             decided.data());
      rounds(words.data(), by, n, unit, DType::f32, reinterpret_cast<std::byte*>(narrow.data()),
             decided_narrow.data());
      for (Size i = 0; i < n; ++i) {
        const Int128 total = (static_cast<Int128>(words[i].high) << unit.low_bits) + words[i].low;
        Real r;
        r.negative = total < 0;
        r.numerator = Leading(static_cast<Uint128>(total < 0 ? -total : total), unit.lowest());
        r.n = mean ? counts[i] : 1;
        const auto held = [](int64_t v) { return std::abs(v) < int64_t{1} << 53; };
        EXPECT_LE(decided[i], held(words[i].high) && held(words[i].low));
        if (decided[i] != 0) {
          EXPECT_EQ(bit_cast<uint64_t>(out[i]), round(r, DType::f64).bits) << i;
        }
        if (decided_narrow[i] != 0) {
          EXPECT_EQ(bit_cast<uint32_t>(narrow[i]), round(r, DType::f32).bits) << i;
        }
      }
      EXPECT_GT(std::count(decided.begin(), decided.end(), 1), 400);
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
