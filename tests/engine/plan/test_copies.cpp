// Kept axes of stride 0: answers that are equal along them are folded once.
#include "onefold/engine/plan/copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "check.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// An array of any axes, some of stride 0, with a second one and a mask of its shape.
struct Broadcast {
  explicit Broadcast(uint64_t seed) {
    std::mt19937_64 r(seed);
    const std::size_t rank = 1 + r() % 5;
    std::vector<int64_t> axes, order(rank);
    Dims shape, none, mask_strides;
    for (std::size_t d = 0; d < rank; ++d) {
      shape.push_back(static_cast<int64_t>(1 + r() % 4));
      if (r() % 2 == 0) axes.push_back(static_cast<int64_t>(d));
      order[d] = static_cast<int64_t>(d);
    }
    std::shuffle(order.begin(), order.end(), r);
    Dims strides = shape, strides_y = shape;
    mask_strides = shape;
    int64_t stride = 1;
    for (const int64_t d : order) {
      const auto at = static_cast<int>(d);
      const bool still = r() % 2 == 0;
      strides[at] = still ? 0 : stride * 4;
      strides_y[at] = still && r() % 4 != 0 ? 0 : stride * 4;
      mask_strides[at] = still && r() % 4 != 0 ? 0 : stride;
      stride *= shape[at];
    }
    for (int64_t i = 0; i < stride; ++i) {
      x.push_back(static_cast<float>(r() % 1000) / 7);
      y.push_back(static_cast<float>(r() % 1000) / 3);
      mask.push_back(r() % 3 != 0);
    }
    a = {x.data(), f32, shape, strides};
    b = {y.data(), f32, shape, strides_y};
    of_mask = {mask.data(), boolean, shape, mask_strides};
    options.axes = axes.empty() ? Axes::none() : Axes(axes);
  }
  std::vector<float> x, y;
  std::vector<uint8_t> mask;
  ArrayRef a{nullptr, f32, {0}}, b{nullptr, f32, {0}}, of_mask{nullptr, boolean, {0}};
  Options options;
};

// The same elements side by side.
template <class T>
std::vector<T> copied(const ArrayRef& x) {
  std::vector<T> all;
  Size n = 1;
  for (const int64_t e : x.shape) n *= static_cast<Size>(e);
  for (Size i = 0; i < n; ++i) {
    Size left = i;
    int64_t at = 0;
    for (int d = x.shape.rank(); d-- > 0;) {
      at += static_cast<int64_t>(left % static_cast<Size>(x.shape[d])) * x.strides[d];
      left /= static_cast<Size>(x.shape[d]);
    }
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(x.data) + at, sizeof value);
    all.push_back(value);
  }
  return all;
}

TEST(Copies, AreFoldedOnceAndHaveTheAnswersOfAll) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Broadcast all(seed);
    const bool masked = seed % 3 == 0, pairs = seed % 2 == 0;
    const char* const ops = pairs ? "dot" : "sum,argmax,var,min";
    const auto x = copied<float>(all.a), y = copied<float>(all.b);
    const auto mask = copied<uint8_t>(all.of_mask);
    const ArrayRef dense(x.data(), f32, all.a.shape), dense_y(y.data(), f32, all.a.shape);
    Options o = all.options;
    if (masked) o.where = Mask(ArrayRef(mask.data(), boolean, all.a.shape));
    const Answers want = pairs ? fold(ops, dense, dense_y, o) : fold(ops, dense, o);
    if (masked) o.where = Mask(all.of_mask);
    const Answers got = pairs ? fold(ops, all.a, all.b, o) : fold(ops, all.a, o);
    for (const Answer& w : want.list) {
      ASSERT_EQ(got[w.op].data, w.data) << w.op << " " << seed;
      ASSERT_EQ(got[w.op].status, w.status) << w.op << " " << seed;
      ASSERT_EQ(got[w.op].shape, w.shape);
    }
    if (pairs) continue;
    const Answers of_states = gather_states(ops, all.a, o).answer(ops);
    for (const Answer& w : want.list) ASSERT_EQ(of_states[w.op].data, w.data) << w.op << seed;
  }
}

// The plan then has each element of the array once.
TEST(Copies, LeaveNoElementToReadTwice) {
  int some = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Broadcast all(seed);
    const Plan plan = make_plan("sum", all.a, nullptr, all.options);
    std::vector<float> values = copied<float>(all.a);
    const auto copies = Copies::of(plan);
    const Plan& once = copies ? copies->plan : plan;
    some += copies.has_value();
    Size different = 1;
    for (int d = 0; d < all.a.shape.rank(); ++d) {
      if (all.a.strides[d] != 0) different *= static_cast<Size>(all.a.shape[d]);
    }
    ASSERT_EQ(once.nest.size(), different) << seed;
    ASSERT_EQ(once.nest.answers(), once.answers) << seed;
  }
  EXPECT_GT(some, 300);
}

// 10^12 elements, of which a million are in memory: folded in the time of a million.
TEST(Copies, CostNothingToRead) {
  const int64_t n = 1 << 20;
  std::vector<double> x(n, 1);
  x[77] = 3;
  const ArrayRef rows(x.data(), f64, {n, n}, {0, 8});
  const Answers a = fold("sum,argmax,var", rows, {.axes = {1}});
  EXPECT_EQ(a["sum"].values<double>()[n - 1], static_cast<double>(n + 2));
  EXPECT_EQ(a["argmax"].values<int64_t>()[0], 77);
  EXPECT_EQ(a["argmax"].values<int64_t>()[n - 1], 77);
  std::vector<double> out(n), dots(n);
  fold_into(out, "sum", rows, {.axes = {1}});
  EXPECT_EQ(out, std::vector<double>(n, static_cast<double>(n + 2)));
  fold_into(dots, "dot", rows, rows, {.axes = {1}});
  EXPECT_EQ(dots, std::vector<double>(n, static_cast<double>(n + 8)));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
