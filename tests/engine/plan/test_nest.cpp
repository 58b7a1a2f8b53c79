// A nest gives each element its answer and index in C order, however it is reversed, sorted, joined
// and cut into boxes.
#include "onefold/engine/plan/nest.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

const std::vector<float> memory(1000);

ArrayRef array(Dims shape) { return {memory.data(), f32, shape}; }
ArrayRef array(Dims shape, Dims strides) { return {memory.data(), f32, shape, strides}; }
Nest nest(std::string_view ops, const ArrayRef& x, const Options& o = {}) {
  return make_plan(ops, x, nullptr, o).nest;
}
using AxisList = std::vector<Axis>;
Axis folded(Size extent, int64_t stride, int64_t step = 0) {
  return {extent, {stride, stride}, step, true};
}
Axis kept(Size extent, int64_t stride, int64_t step) {
  return {extent, {stride, stride}, step, false};
}

// Byte offset, answer and index of each element, and how often it occurs.
using Elements = std::map<std::tuple<int64_t, Size, Size>, Size>;

Elements elements_of(const Nest& n) {
  Elements all;
  for (Size i = 0; i < n.size(); ++i) {
    int64_t at = n.origin[0];
    Size answer = n.answer, index = n.index, left = i;
    for (auto a = n.axes.rbegin(); a != n.axes.rend(); ++a) {
      const Size k = left % a->extent;
      left /= a->extent;
      at += static_cast<int64_t>(k) * a->stride[0];
      (a->folded ? index : answer) += k * static_cast<Size>(a->step);
    }
    all[{at, answer, index}] += n.repeats;
  }
  return all;
}

// A nest in C order with any strides, and indices.
Nest any_nest(std::mt19937_64& r) {
  Nest n{.bytes = 4};
  const std::size_t rank = r() % 5;
  std::vector<int64_t> strides{4, -4, 20, -20, 60, 240, -480, 8};
  std::shuffle(strides.begin(), strides.end(), r);
  n.axes.resize(rank);
  Size answers = 1, elements = 1;
  for (std::size_t d = rank; d-- > 0;) {
    const Size extent = 1 + r() % 5;
    const bool fold = r() % 2 == 0;
    n.axes[d] = {
        extent, {strides[d], strides[d]}, static_cast<int64_t>(fold ? elements : answers), fold};
    (fold ? elements : answers) *= extent;
  }
  return n;
}

TEST(Nest, SaysTheSameOfEveryElementWhenItIsPlain) {
  std::mt19937_64 r(1);
  for (int k = 0; k < 2000; ++k) {
    const Nest n = any_nest(r);
    Nest plain = n;
    make_plain(plain);
    ASSERT_EQ(elements_of(plain), elements_of(n)) << k;
    ASSERT_LE(plain.axes.size(), n.axes.size());
    for (std::size_t d = 1; d < plain.axes.size(); ++d) {
      ASSERT_GE(plain.axes[d - 1].stride[0], plain.axes[d].stride[0]) << k;
    }
  }
}

TEST(Nest, IsCutIntoBoxesThatHaveItsElements) {
  std::mt19937_64 r(2);
  for (int k = 0; k < 500; ++k) {
    const Nest n = any_nest(r);
    if (n.axes.empty()) continue;
    const std::size_t level = r() % n.axes.size();
    Size step = 1;
    for (std::size_t d = level + 1; d < n.axes.size(); ++d) step *= n.axes[d].extent;
    Elements all;
    for (Size at = 0; at < n.size();) {
      const Size left = n.axes[level].extent - at / step % n.axes[level].extent;
      const Size count = 1 + r() % left;
      all.merge(elements_of(box_of(n, level, at, count)));
      at += count * step;
    }
    const Elements whole = elements_of(n);
    ASSERT_EQ(all.size(), whole.size()) << k;
    for (const auto& [element, times] : whole) ASSERT_TRUE(all.contains(element)) << k;
  }
}

TEST(Nest, KnowsTheRunsOfNeighboursInAFile) {
  // 3 rows of 4 f32 out of rows of 10, of which the first is row 2 and the first column 5.
  const Nest n{
      .axes = {kept(3, 40, 1), folded(4, 4, 1)}, .bytes = 4, .origin = {100, 100}, .answer = 2};
  EXPECT_EQ(run_at(n, 0).offset, 100u);
  EXPECT_EQ(run_at(n, 0).left, 4u);
  EXPECT_EQ(run_at(n, 6).offset, 148u);
  EXPECT_EQ(run_at(n, 6).left, 2u);
  EXPECT_FALSE(is_packed(n));
  Nest copied = n;
  pack(copied);
  EXPECT_TRUE(is_packed(copied));
  EXPECT_EQ(run_at(copied, 6).offset, 24u);
  EXPECT_EQ(run_at(copied, 6).left, 6u);
}

TEST(Nest, JoinsAxesThatOneStrideWalks) {
  EXPECT_EQ(nest("sum", array({2, 3, 4})).axes, (AxisList{folded(24, 4)}));
  EXPECT_EQ(nest("sum", array({2, 1, 4, 1})).axes, (AxisList{folded(8, 4)}));
  // Fortran order: the same run of memory, but another order of elements.
  const ArrayRef fortran = array({2, 3, 4}, {4, 8, 24});
  EXPECT_EQ(nest("sum", fortran).axes, (AxisList{folded(24, 4)}));
  EXPECT_EQ(nest("argmin", fortran).axes,
            (AxisList{folded(4, 24, 1), folded(3, 8, 4), folded(2, 4, 12)}));
  // Rows with a gap behind each stay apart.
  EXPECT_EQ(nest("sum", array({5, 4}, {20, 4})).axes, (AxisList{folded(5, 20), folded(4, 4)}));
  // So do a kept axis and a folded one.
  EXPECT_EQ(nest("sum", array({5, 4}), {.axes = {1}}).axes,
            (AxisList{kept(5, 16, 1), folded(4, 4)}));
}

TEST(Nest, RunsUpwardsAndKnowsWhereItIs) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const ArrayRef back{x.data() + 5, f64, {2, 3}, {-24, -8}};
  const Nest sum = nest("sum", back), argmax = nest("argmax", back);
  EXPECT_EQ(sum.axes, (AxisList{folded(6, 8)}));
  EXPECT_EQ(sum.origin[0], -40);
  EXPECT_EQ(argmax.axes, (AxisList{folded(6, 8, -1)}));
  EXPECT_EQ(argmax.index, 5u);
  EXPECT_EQ(fold("sum", back).get<double>("sum"), 21);
  EXPECT_EQ(fold("argmax", back).get<int64_t>("argmax"), 0);
  const ArrayRef front{x.data(), f64, {6}}, mirrored{x.data() + 5, f64, {6}, {-8}};
  EXPECT_EQ(make_plan("dot", front, &mirrored, {}).nest.axes, (AxisList{{6, {8, -8}, 0, true}}));
  EXPECT_EQ(fold("dot", front, mirrored).get<double>("dot"), 2 * (6 + 10 + 12));
  EXPECT_EQ(fold("dot", mirrored, mirrored).get<double>("dot"), 91);
}

TEST(Nest, CountsElementsOfStrideZeroInsteadOfReadingThem) {
  const Nest same = nest("sum", array({5}, {0}));
  EXPECT_TRUE(same.axes.empty());
  EXPECT_EQ(same.repeats, 5u);
  const Nest rows = nest("argmax", array({3, 7}, {4, 0}));
  EXPECT_EQ(rows.axes, (AxisList{folded(3, 4, 7)}));
  EXPECT_EQ(rows.repeats, 7u);
  // A kept axis of stride 0 stays.
  EXPECT_EQ(nest("sum", array({3, 7}, {4, 0}), {.axes = {0}}).axes,
            (AxisList{kept(7, 0, 1), folded(3, 4)}));
  // With two arrays, both strides must be 0.
  const std::vector<double> x{1, 2, 3}, y{4, 5, 6};
  const ArrayRef a{x.data(), f64, {3, 3}, {0, 8}}, b{y.data(), f64, {3, 3}, {8, 8}};
  EXPECT_EQ(make_plan("dot", a, &b, {}).nest.repeats, 1u);
  EXPECT_EQ(make_plan("dot", a, &a, {}).nest.repeats, 3u);
}

TEST(Nest, HasOneOfFiveFamilies) {
  const ArrayRef x = array({10, 20}), three = array({5, 4, 10});
  const auto family = [](const ArrayRef& a, const Axes& axes = {}) {
    return family_of(nest("sum", a, {.axes = axes}));
  };
  EXPECT_EQ(family(x), Family::whole);
  EXPECT_EQ(family(array(Dims())), Family::whole);
  EXPECT_EQ(family(x, {1}), Family::rows);
  EXPECT_EQ(family(x, {0}), Family::columns);
  EXPECT_EQ(family(array({10, 20}, {4, 40}), {0}), Family::rows);
  EXPECT_EQ(family(array({10, 20}, {160, 8})), Family::general);
  EXPECT_EQ(family(three, {1}), Family::middle);
  EXPECT_EQ(family(three, {0, 2}), Family::general);
  EXPECT_EQ(family(three, {1, 2}), Family::rows);
  EXPECT_EQ(family(three, {0, 1}), Family::columns);
  EXPECT_EQ(family(three, Axes::none()), Family::rows);
  // A nest without elements has the family of its answers.
  EXPECT_EQ(family(array({0, 3})), Family::whole);
  EXPECT_EQ(family(array({0, 3}), {0}), Family::rows);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
