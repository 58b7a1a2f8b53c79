// Calls whose op and type are known at compile time equal the oracle, for every small size.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "check.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

template <class T>
uint64_t bits(T v) {
  if constexpr (std::same_as<T, bool>) {
    return v;
  } else {
    return std::bit_cast<bits_of<T>>(v);
  }
}

// Returns what a typed call returns or throws, as a value of the oracle.
template <class F>
oracle::Value outcome(F&& f) {
  try {
    return {bits(f())};
  } catch (const Error& e) {
    return {0, name_of(e.code())};
  }
}

template <class T>
void check_typed(std::string_view generator, std::size_t n, std::size_t skip, const Options& o) {
  constexpr DType t = dtype_of<T>;
  const oracle::Type& type = oracle::type(name_of(t));
  const uint64_t seed = n + 1000 * skip;
  const test::Data data = test::generate(generator, t, n + skip, seed);
  const test::Data other = test::generate(generator, t, n, seed + 1);
  const std::span<const T> x(reinterpret_cast<const T*>(data.at(skip)), n);
  const std::span<const T> y(reinterpret_cast<const T*>(other.data()), n);
  const oracle::Fold expected(type, x.data(), n);
  const oracle::Options options = test::for_oracle(o);
  const std::string what = test::describe(generator, t, n + skip, seed) + test::describe(o);
#define ONEFOLD_CHECK(op) \
  ASSERT_EQ(outcome([&] { return op(x, o); }), expected(#op, options)) << #op << " " << what;
  ONEFOLD_CHECK(sum)
  ONEFOLD_CHECK(mean)
  ONEFOLD_CHECK(var)
  ONEFOLD_CHECK(norm1)
  ONEFOLD_CHECK(norm2)
  ONEFOLD_CHECK(min)
  ONEFOLD_CHECK(argmax)
  ONEFOLD_CHECK(all)
#undef ONEFOLD_CHECK
  ASSERT_EQ(outcome([&] { return dot(x, y, o); }),
            oracle::dot(type, x.data(), y.data(), n, options))
      << "dot " << what;
  const bool bad = expected("argmin", options).status != "ok";
  if (bad) return;
  const auto [s, a, c] = fold<rms, argmin, count>(x, o);
  ASSERT_EQ(bits(s), expected("rms", options).bits) << "rms " << what;
  ASSERT_EQ(bits(a), expected("argmin", options).bits) << "argmin " << what;
  ASSERT_EQ(bits(c), expected("count", options).bits) << "count " << what;
}

class TypedCalls : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, TypedCalls,
                         testing::Values(boolean, i8, i32, i64, u16, u64, f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

template <class T>
void check_all() {
  test::Random r(1);
  for (const std::string_view g : test::generators(dtype_of<T>)) {
    for (std::size_t n = 0; n < 600; n += n < 40 ? 1 : 1 + r() % 30) {
      Options o;
      if (r() % 2 == 0) o = {.nan = static_cast<NanPolicy>(r() % 3), .ddof = 1};
      if (r() % 2 == 0) o.target = cpu_targets()[r() % cpu_targets().size()];
      check_typed<T>(g, n, r() % 9, o);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(TypedCalls, AreRoundedOnceForEverySmallSize) {
  switch (GetParam()) {
    case boolean:
      return check_all<Bool8>();
    case i8:
      return check_all<int8_t>();
    case i32:
      return check_all<int32_t>();
    case i64:
      return check_all<int64_t>();
    case u16:
      return check_all<uint16_t>();
    case u64:
      return check_all<uint64_t>();
    case f16:
      return check_all<float16>();
    case bf16:
      return check_all<bfloat16>();
    case f32:
      return check_all<float>();
    default:
      return check_all<double>();
  }
}

TEST(TypedCalls, TakeAnyContiguousRange) {
  const std::vector<float> v{1, 2, 3.5f};
  const std::array<float, 3> a{1, 2, 3.5f};
  const float c[3] = {1, 2, 3.5f};
  EXPECT_EQ(sum(v), 6.5f);
  EXPECT_EQ(sum(a), 6.5f);
  EXPECT_EQ(sum(c), 6.5f);
  EXPECT_EQ(sum(std::span(v).subspan(1)), 5.5f);
  EXPECT_EQ(sum(std::span<const float>()), 0);
  // Either long or long long is int64_t, and the other one works, too.
  EXPECT_EQ(sum(std::vector<long>{1, -3}), -2);
  EXPECT_EQ(sum(std::vector<long long>{1, -3}), -2);
  EXPECT_EQ(max(std::vector<unsigned long>{1, ~0ul}), ~0ul);
  EXPECT_EQ(max(std::vector<unsigned long long>{1, ~0ull}), ~0ull);
  long long total = 0;
  fold_into(std::span(&total, 1), "sum", std::vector<long long>{4, 5});
  EXPECT_EQ(total, 9);
  EXPECT_EQ(fold("sum", v, {.axes = Axes::none()})["sum"][2].as<float>(), 3.5f);
  const bool truths[] = {true, false, true};
  EXPECT_EQ(sum(truths), 2);
  EXPECT_FALSE(all(truths));
  EXPECT_TRUE(max(truths));
  static_assert(std::same_as<decltype(sum(truths)), int64_t>);
  static_assert(std::same_as<decltype(any(v)), bool>);
  static_assert(std::same_as<decltype(mean(std::vector<int>())), double>);
  static_assert(std::same_as<decltype(norm1(std::vector<int8_t>())), uint64_t>);
  static_assert(std::same_as<decltype(mean(std::vector<float16>())), float16>);
}

// Returns the code of the error that a call throws.
template <class F>
ErrorCode thrown(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::ok;
}

TEST(TypedCall, RoundsTheExactValueToAnotherType) {
  const std::vector<float> v{16777216, 1}, ones{1, 1};
  EXPECT_EQ(sum(v), 16777216);
  EXPECT_EQ(sum.as<double>(v), 16777217);
  EXPECT_EQ(sum.as<float>(std::vector<double>{16777216, 1}), 16777216);
  EXPECT_EQ(dot.as<double>(v, ones), 16777217);
  EXPECT_EQ(var.as<float>(ArrayRef(ones.data(), f32, {2}), {.ddof = 1}), 0);
  static_assert(std::same_as<decltype(sum.as<double>(v)), double>);
  EXPECT_EQ(thrown([&] { sum.as<int64_t>(v); }), ErrorCode::bad_option);
  EXPECT_EQ(thrown([&] { sum.as<double>(v, {.result = f32}); }), ErrorCode::type_mismatch);
}

TEST(TypedCall, SaysHowToGetAnotherTypeThanItReturns) {
  try {
    sum(std::vector<float>{1}, {.result = f64});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "sum: this call returns f32; for another result type call sum.as<T>(x) or "
                 "fold(\"sum\", ...)");
  }
}

TEST(TypedCall, OfAnArrayGivesAValue) {
  const std::vector<float> v{1, 2, 3};
  const ArrayRef x(v.data(), f32, {3});
  EXPECT_EQ(sum(x).as<float>(), 6);
  EXPECT_EQ(sum(x, {.result = f64}).as<double>(), 6);
  EXPECT_EQ(sum({v.data(), f32, {2}}).as<float>(), 3);
  EXPECT_EQ(dot(x, x).as<float>(), 14);
  EXPECT_EQ(dot(v, x).as<float>(), 14);
  const auto [m, least] = fold<mean, argmin>(x);
  EXPECT_EQ(m.as<float>(), 2);
  EXPECT_EQ(least.as<int64_t>(), 0);
  EXPECT_EQ(min(ArrayRef(v.data(), f32, {0})).status, Status::empty_input);
  const ArrayRef column(v.data(), f32, {3, 1});
  EXPECT_EQ(thrown([&] { sum(column, {.axes = 1}); }), ErrorCode::shape_mismatch);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
