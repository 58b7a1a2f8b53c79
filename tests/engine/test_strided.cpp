// Answers in memory of any strides: the right values, and the memory between them unchanged.
#include "onefold/fold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "expect_error.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;

// Outputs for the answers of a shape, in any order in memory, with holes between them.
struct Places {
  Places(std::mt19937_64& r, const Dims& of) : shape(of), strides(of) {
    std::vector<int> order;
    for (int d = 0; d < of.rank(); ++d) order.push_back(d);
    std::shuffle(order.begin(), order.end(), r);
    for (const int d : order) {
      if (r() % 3 == 0) elements += r() % 3;
      strides[d] = static_cast<int64_t>(elements);
      elements *= static_cast<Size>(of[d]);
    }
  }
  // The place of answer i in C order.
  Size operator[](Size i) const {
    Size at = 0;
    for (int d = shape.rank(); d-- > 0;) {
      const auto extent = static_cast<Size>(shape[d]);
      at += i % extent * static_cast<Size>(strides[d]);
      i /= extent;
    }
    return at;
  }
  Dims bytes(DType t) const {
    Dims b = strides;
    for (int d = 0; d < b.rank(); ++d) b[d] *= static_cast<int64_t>(bytes_of(t));
    return b;
  }
  Dims shape, strides;
  Size elements = 1;
};

TEST(Strided, AnswersAreThoseOfFoldAndHolesStay) {
  for (uint64_t seed = 0; seed < test::scaled(1000u); ++seed) {
    std::mt19937_64 r(seed);
    Dims shape, output;
    std::vector<int64_t> axes;
    Size n = 1;
    for (int d = 0; d < static_cast<int>(1 + r() % 4); ++d) {
      shape.push_back(static_cast<int64_t>(1 + r() % 5));
      n *= static_cast<Size>(shape[d]);
      if (r() % 2 == 0) {
        axes.push_back(d);
      } else {
        output.push_back(shape[d]);
      }
    }
    std::vector<float> x(n);
    for (float& v : x) v = r() % 40 == 0 ? NAN : static_cast<float>(r() % 100) / 7;
    const ArrayRef array(x.data(), f32, shape);
    const Options o{.axes = axes.empty() ? Axes::none() : Axes(axes), .nan = NanPolicy::raise};
    const Answers want = fold("sum,argmax", array, o);
    const Places of_sum(r, output), of_index(r, output);
    std::vector<float> sums(of_sum.elements, -1);
    std::vector<int64_t> indices(of_index.elements, -1);
    constexpr auto hole = static_cast<Status>(99);
    std::vector<Status> statuses(of_sum.elements, hole), more(of_index.elements, hole);
    const OutputRef outs[] = {{sums.data(), f32, output, of_sum.bytes(f32), statuses.data()},
                              {indices.data(), i64, output, of_index.bytes(i64), more.data()}};
    fold_into(outs, "sum,argmax", array, o);
    for (Size i = 0; i < want.list[0].size(); ++i) {
      const Value sum = want.list[0][i], index = want.list[1][i];
      ASSERT_EQ(statuses[of_sum[i]], sum.status) << seed;
      ASSERT_EQ(more[of_index[i]], index.status) << seed;
      if (sum.status == Status::ok) {
        ASSERT_EQ(sums[of_sum[i]], sum.as<float>()) << seed;
      }
      if (index.status == Status::ok) {
        ASSERT_EQ(indices[of_index[i]], index.as<int64_t>()) << seed;
      }
      sums[of_sum[i]] = -1;
      indices[of_index[i]] = -1;
      statuses[of_sum[i]] = more[of_index[i]] = hole;
    }
    ASSERT_EQ(sums, std::vector<float>(sums.size(), -1)) << seed;
    ASSERT_EQ(indices, std::vector<int64_t>(indices.size(), -1)) << seed;
    ASSERT_EQ(statuses, std::vector<Status>(statuses.size(), hole)) << seed;
  }
}

const std::vector<double> x{1, 2, 3, 4, 5, 6};
const ArrayRef matrix(x.data(), f64, {2, 3});

TEST(Strided, TakesPairsWeightsAndAnswersWithoutAxes) {
  std::vector<double> out(8, -1);
  fold_into(OutputRef(out.data(), f64, {2}, {24}), "dot", matrix, matrix, {.axes = {1}});
  EXPECT_EQ(out, (std::vector<double>{14, -1, -1, 77, -1, -1, -1, -1}));
  Options weighed{.axes = {1}};
  weighed.weights = matrix;
  fold_into(OutputRef(out.data(), f64, {2, 1}, {8, 0}), "average", matrix, [&] {
    Options o = weighed;
    o.keepdims = true;
    return o;
  }());
  EXPECT_EQ(out[0], 14.0 / 6);
  fold_into(OutputRef(out.data() + 2, f64, {}), "sum", matrix);
  EXPECT_EQ(out[2], 21);
}

TEST(Strided, RefusesPlacesThatMeet) {
  std::vector<double> out(40, -1);
  const auto refused = [&](Dims strides) {
    expect_error(ErrorCode::bad_option, {"sum: the output's strides", "for shape (2, 3)"}, [&] {
      fold_into(OutputRef(out.data(), f64, {2, 3}, strides), "sum", matrix, {.axes = Axes::none()});
    });
  };
  refused({0, 8});
  refused({24, 0});
  refused({-24, 8});
  refused({24, -8});
  refused({16, 8});
  refused({8, 8});
  refused({8, 12});
  refused({24, 4});
  refused({25, 8});
  refused({int64_max / 8 * 8, int64_max / 16 * 8});
  expect_error(ErrorCode::shape_mismatch, {"one stride for each axis"}, [&] {
    fold_into(OutputRef(out.data(), f64, {2, 3}, {8}), "sum", matrix, {.axes = Axes::none()});
  });
  expect_error(ErrorCode::shape_mismatch, {"(2,)", "(3,)"}, [&] {
    fold_into(OutputRef(out.data(), f64, {3}, {8}), "sum", matrix, {.axes = {1}});
  });
  expect_error(ErrorCode::bad_option, {".nccl", "leave their strides out"}, [&] {
    fold_into(OutputRef(out.data(), f64, {2}, {8}), "sum", matrix, {.axes = {1}, .nccl = &out});
  });
  const OutputRef outs[] = {{out.data(), f64, {2}, {80}}, {out.data() + 10, f64, {2}, {8}}};
  expect_error(ErrorCode::bad_option, {"share memory"},
               [&] { fold_into(outs, "sum,max", matrix, {.axes = {1}}); });
  EXPECT_EQ(out, std::vector<double>(40, -1));
}

TEST(Strided, ThrowsForABadStatusWithoutAPlaceAndWritesNothing) {
  std::vector<double> bad{1, NAN, 3, 4}, out(4, -1);
  expect_error(ErrorCode::nan_found, {"sum[0]"}, [&] {
    fold_into(OutputRef(out.data(), f64, {2}, {16}), "sum", ArrayRef(bad.data(), f64, {2, 2}),
              {.axes = {1}, .nan = NanPolicy::raise});
  });
  EXPECT_EQ(out, std::vector<double>(4, -1));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
