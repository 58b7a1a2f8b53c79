#include "onefold/planned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "onefold/engine/plan/table.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// Arrays of shape (3, 4): one of small numbers, one of the type's greatest value, one with a NaN.
std::vector<std::vector<std::byte>> arrays_of(DType t) {
  std::vector<std::vector<std::byte>> arrays;
  visit(t, [&]<class T>() {
    for (int kind = 0; kind < 3; ++kind) {
      std::vector<bits_of<T>> x(12);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bits_of<T> great = static_cast<bits_of<T>>(~bits_of<T>{0} >> 1);
        x[i] = static_cast<bits_of<T>>(dtype_of<T> == DType::boolean ? i % 2
                                       : kind == 1                   ? (is_floating(t) ? i : great)
                                       : kind == 2 && i == 5         ? great
                                                                     : i);
      }
      const auto* const p = reinterpret_cast<const std::byte*>(x.data());
      arrays.emplace_back(p, p + x.size() * sizeof(T));
    }
  });
  return arrays;
}

void check(const OpRow& op, const ArrayRef& x, const Options& o, const std::string& what) {
  const ArrayRef* const y = op.about->inputs == 2 ? &x : nullptr;
  Answers answers;
  try {
    answers = y == nullptr ? fold(op.name, x, o) : fold(op.name, x, *y, o);
  } catch (const Error& e) {
    EXPECT_THROW(PlannedFold(op.name, x, y, o), Error) << what << ": " << e.what();
    return;
  }
  const Answer& a = answers.list[0];
  const PlannedFold plan(op.name, x, y, o);
  ASSERT_EQ(plan.ops().size(), 1u);
  const PlannedFold::Op& of = plan.ops()[0];
  EXPECT_STREQ(of.name, op.name);
  EXPECT_EQ(of.dtype, a.dtype) << what;
  EXPECT_EQ(plan.shape(), a.shape) << what;
  const bool failed =
      std::any_of(a.status.begin(), a.status.end(), [](Status s) { return s != Status::ok; });
  EXPECT_TRUE(of.may_fail || !failed) << what;
  std::vector<std::byte> data(a.data.size());
  std::vector<Status> status(a.status.size());
  plan.into({{OutputRef(data.data(), of.dtype, a.shape, status.data())}});
  EXPECT_EQ(data, a.data) << what;
  EXPECT_EQ(status, a.status) << what;
  if (of.may_fail) return;
  std::fill(data.begin(), data.end(), std::byte{0x5a});
  plan.into({{OutputRef(data.data(), of.dtype, a.shape)}});
  EXPECT_EQ(data, a.data) << what;
}

TEST(PlannedFold, KnowsTypesShapesAndWhatMayFailOfEveryOp) {
  const bool some[12] = {true, false, true, true, false, false, false, false, true, true, true};
  for (const OpRow& op : op_rows()) {
    for (int t = 0; t < dtype_count; ++t) {
      const auto dtype = static_cast<DType>(t);
      const auto arrays = arrays_of(dtype);
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        for (const Axes& axes : {Axes(), Axes(0), Axes(1), Axes(-1, 0)}) {
          for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
            const std::string what = std::string(op.name) + " of " + name_of(dtype) + ", array " +
                                     std::to_string(k) + ", policy " + name_of(nan);
            Options o{.axes = axes, .nan = nan};
            const ArrayRef x(arrays[k].data(), dtype, {3, 4});
            check(op, x, o, what);
            check(op, ArrayRef(arrays[k].data(), dtype, {0, 4}), o, what + ", no rows");
            check(op, ArrayRef(arrays[k].data(), dtype, {3, 0}), o, what + ", no columns");
            o.keepdims = true;
            o.where = Mask(ArrayRef(some, DType::boolean, {3, 4}));
            check(op, x, o, what + ", masked");
            o.where.reset();
            o.result = DType::i8;
            check(op, x, o, what + ", as i8");
          }
        }
      }
    }
  }
}

TEST(PlannedFold, TakesWeights) {
  const double x[] = {1, 2, 4}, w[] = {1, 1, 2};
  const int repeats[] = {0, 0, 0};
  double answer = 0;
  PlannedFold("average", x, nullptr, {.weights = ArrayRef(w)})
      .into({{OutputRef(&answer, DType::f64, {})}});
  EXPECT_EQ(answer, 2.75);
  const PlannedFold none("max", x, nullptr, {.fweights = ArrayRef(repeats)});
  Status status = Status::ok;
  none.into({{OutputRef(&answer, DType::f64, {}, &status)}});
  EXPECT_EQ(status, Status::empty_input);
  EXPECT_TRUE(none.ops()[0].may_fail);
}

TEST(PlannedFold, FoldsOtherArraysOfOneLayout) {
  const double x[] = {1, 2, 4, 8, 16}, y[] = {3, 5, 7, 9, 11};
  const PlannedFold sums("sum,max", ArrayRef(x, DType::f64, {2, 2}), nullptr, {.axes = Axes(0)});
  double sum[2], max[2];
  const OutputRef outs[] = {OutputRef(sum, DType::f64, {2}), OutputRef(max, DType::f64, {2})};
  sums.into(outs, y + 1);
  EXPECT_EQ(sum[0], 5 + 9);
  EXPECT_EQ(sum[1], 7 + 11);
  EXPECT_EQ(max[1], 11);
  sums.into(outs);
  EXPECT_EQ(sum[0], 1 + 4);
  const PlannedFold dot("dot", x, &static_cast<const ArrayRef&>(ArrayRef(x)), {});
  double answer = 0;
  dot.into({{OutputRef(&answer, DType::f64, {})}}, x, y);
  EXPECT_EQ(answer, 3 + 10 + 28 + 72 + 176);
  const auto* const odd = reinterpret_cast<const std::byte*>(y) + 1;
  EXPECT_THROW(sums.into(outs, odd), Error);
  EXPECT_THROW(sums.into(outs, nullptr), Error);
  EXPECT_THROW(sums.into(outs, y, y), Error);
  EXPECT_THROW(dot.into({{OutputRef(&answer, DType::f64, {})}}, x), Error);
}

TEST(PlannedFold, ChecksItsPlaces) {
  const double x[] = {1, 2, 4};
  double answer = 0;
  const PlannedFold plan("sum,mean", x, nullptr, {});
  const OutputRef one(&answer, DType::f64, {});
  EXPECT_THROW(plan.into({{one}}), Error);
  EXPECT_THROW(plan.into({{one, one}}), Error);  // they share memory
  EXPECT_THROW(PlannedFold("sum", x, nullptr, {.first = 1}), Error);
}

// Each of the arrays may be another one than was planned.
TEST(PlannedFold, ReadsOtherMasksAndWeights) {
  const std::vector<double> x[] = {{1, 2, 4, 8}, {9, 5, 7, 1}}, w[] = {{1, 1, 2, 3}, {0, 4, 1, 1}};
  const std::vector<int64_t> counts[] = {{1, 0, 2, 3}, {4, 1, 1, 0}};
  const std::vector<Bool8> mask[] = {{{1}, {1}, {0}, {1}}, {{0}, {1}, {1}, {1}}};
  struct Case {
    const char* op;
    bool weighted, repeats;
  };
  for (const Case& c :
       {Case{"sum", false, true}, Case{"sum", false, false}, Case{"var", true, false},
        Case{"average", true, false}, Case{"mse", true, false}}) {
    for (const bool masked : {false, true}) {
      const bool two = c.op == std::string("mse");
      const auto options = [&](int k) {
        Options o;
        if (masked) o.where = mask[k];
        if (c.repeats) o.fweights = counts[k];
        if (c.weighted) o.weights = w[k];
        return o;
      };
      const auto expected = [&](int k) {
        const Answers a =
            two ? fold(c.op, x[k], x[1 - k], options(k)) : fold(c.op, x[k], options(k));
        return a.list[0].only().as<double>();
      };
      const ArrayRef first(x[0]), second(x[1]);
      const PlannedFold plan(c.op, first, two ? &second : nullptr, options(0));
      double out = 0;
      Status status = Status::ok;
      const OutputRef place(&out, f64, Dims(), &status);
      plan.into({{place}}, {.x = x[1].data(),
                            .y = two ? x[0].data() : nullptr,
                            .mask = masked ? mask[1].data() : nullptr,
                            .weights = c.repeats    ? static_cast<const void*>(counts[1].data())
                                       : c.weighted ? w[1].data()
                                                    : nullptr});
      EXPECT_EQ(out, expected(1)) << c.op << masked << c.repeats;
      plan.into({{place}});
      EXPECT_EQ(out, expected(0)) << c.op << masked << c.repeats;
    }
  }
  const PlannedFold plan("var", x[0], nullptr, {.weights = w[0]});
  double out = 0;
  const char* const apart = reinterpret_cast<const char*>(w[1].data()) + 1;
  EXPECT_THROW(plan.into({{OutputRef(&out, f64, Dims())}}, {.x = x[1].data(), .weights = apart}),
               Error);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
