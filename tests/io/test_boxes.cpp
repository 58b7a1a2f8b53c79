// Arrays that are read in boxes, from memory.
#include "onefold/io/boxes.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "io/files.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/tables/dense.hpp"
#include "scaled.hpp"

namespace onefold::io {
namespace ONEFOLD_FILE {

Size size_of(const Dims& shape) {
  Size n = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  return n;
}

// Doubles in C order; counts how many are read.
class MemoryBoxes : public BoxReader {
 public:
  MemoryBoxes(const Dims& shape, const Dims& step, std::vector<double> values)
      : shape_(shape), values_(std::move(values)) {
    step_ = step;
  }
  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    const Dims zero = zeros();
    copy_box(reinterpret_cast<const std::byte*>(values_.data()), shape_, begin, to, count, zero,
             count, sizeof(double));
    const std::lock_guard lock(mutex_);
    elements_read += size_of(count);
  }
  mutable Size elements_read = 0;

 private:
  Dims zeros() const {
    Dims z = shape_;
    for (int d = 0; d < z.rank(); ++d) z[d] = 0;
    return z;
  }
  Dims shape_;
  std::vector<double> values_;
  mutable std::mutex mutex_;
};

struct Case {
  Dims shape, step;
};

Case random_case(std::mt19937& random) {
  Case c;
  const int rank = static_cast<int>(random() % 5);
  for (int d = 0; d < rank; ++d) {
    const auto extent = static_cast<int64_t>(1 + random() % 9);
    c.shape.push_back(extent);
    c.step.push_back(static_cast<int64_t>(1 + random() % static_cast<unsigned>(extent)));
  }
  return c;
}

std::vector<double> random_values(std::mt19937& random, Size n) {
  std::vector<double> values(n);
  for (double& v : values) v = static_cast<double>(static_cast<int>(random() % 2001) - 1000) / 8;
  return values;
}

TEST(Boxes, OfAGridHoldEachElementOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < test::scaled(300); ++round) {
    const Case c = random_case(random);
    Dims begin = c.shape, end = c.shape;
    for (int d = 0; d < c.shape.rank(); ++d) {
      begin[d] = static_cast<int64_t>(random() % static_cast<unsigned>(c.shape[d]));
      end[d] = begin[d] + 1 +
               static_cast<int64_t>(random() % static_cast<unsigned>(c.shape[d] - begin[d]));
    }
    const BoxGrid grid(c.step, begin, end);
    Size expected = 1, found = 0;
    for (int d = 0; d < c.shape.rank(); ++d) expected *= static_cast<Size>(end[d] - begin[d]);
    for (Size i = 0; i < grid.count(); ++i) {
      Dims first, count;
      grid.box(i, first, count);
      found += size_of(count);
      for (int d = 0; d < c.shape.rank(); ++d) {
        EXPECT_GE(first[d], begin[d]);
        EXPECT_GT(count[d], 0);
        EXPECT_LE(first[d] + count[d], end[d]);
        EXPECT_EQ(first[d] / c.step[d], (first[d] + count[d] - 1) / c.step[d]) << "one step";
      }
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(Boxes, AreWholeChunksUpToAGoodSize) {
  EXPECT_EQ(box_step({1000, 1000}, {1, 1}, 8), Dims(262, 1000));
  EXPECT_EQ(box_step({1000, 1000}, {100, 100}, 8), Dims(200, 1000));
  EXPECT_EQ(box_step({4000, 4000}, {1000, 1000}, 8), Dims(1000, 1000)) << "8 MB already";
  EXPECT_EQ(box_step({10, 5}, {100, 100}, 8), Dims(10, 5)) << "a chunk may be larger than all";
  EXPECT_EQ(box_step({0, 5}, {2, 2}, 8), Dims(1, 5));
  EXPECT_EQ(box_step({int64_max}, {1}, 8), Dims(262144));
}

TEST(Boxes, AreReadInOrderSlabBySlab) {
  std::mt19937 random(2);
  for (int round = 0; round < test::scaled(200); ++round) {
    const Case c = random_case(random);
    const Size n = size_of(c.shape);
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.0);
    InOrder rows(std::make_shared<MemoryBoxes>(c.shape, c.step, values), c.shape, 8);
    std::vector<double> got(n);
    for (Size at = 0; at < n;) {
      const Size some = std::min<Size>(n - at, 1 + random() % 7);
      rows.read(at, some, reinterpret_cast<std::byte*>(got.data() + at));
      at += some;
    }
    EXPECT_EQ(got, values) << to_string(c.shape) << " by " << to_string(c.step);
  }
}

TEST(Boxes, LargerThanASlabAreReadInOrderToo) {
  const Dims shape(3, 1100000), step(2, 1000);
  std::vector<double> values(size_of(shape));
  std::iota(values.begin(), values.end(), 0.0);
  InOrder rows(std::make_shared<MemoryBoxes>(shape, step, values), shape, 8);
  std::vector<double> got(values.size());
  rows.read(0, got.size(), reinterpret_cast<std::byte*>(got.data()));
  EXPECT_EQ(got, values);
}

// Compares a fold of boxes with a fold of the same elements in a plain file.
class BoxFold : public testing::Test {
 protected:
  std::string answers(const Query& query, const DenseArray& array, const Limits& limits) {
    DenseInput input;
    input.x.emplace_back(file_, array);
    input.folded = folded_axes(query.options.axes, array.shape.rank(), "it", "sum");
    alignas(8) static const std::byte nowhere[8] = {};
    const Plan plan = query.plan(ArrayRef(nowhere, array.dtype, array.shape));
    Output output(plan);
    const Progress silent;
    Meter meter(silent, 0);
    fold_dense(plan, input, limits, output, meter);
    std::string text;
    for (const Answer& a : output.take(plan.output).list) {
      for (Size i = 0; i < a.size(); ++i) text += std::to_string(a[i].bits) + " ";
    }
    return text;
  }

  test::Scratch folder_;
  File file_{folder_.write("x", std::string(8 * 7000, ' '))};
};

TEST_F(BoxFold, AnswersAsThatOfAPlainFile) {
  std::mt19937 random(3);
  for (int round = 0; round < test::scaled(400); ++round) {
    const Case c = random_case(random);
    const std::vector<double> values = random_values(random, size_of(c.shape));
    const std::string path = folder_.write(
        "y", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
    File plain(path);
    Axes axes;
    if (random() % 3 > 0) {
      Dims list;
      for (int d = 0; d < c.shape.rank(); ++d) {
        if (random() % 2 == 0) list.push_back(d);
      }
      axes = Axes(std::span(list.begin(), list.end()));
    }
    const Query query("sum,argmin,argmax,var,count_nan",
                      {.axes = axes, .threads = static_cast<int>(1 + random() % 3)});
    const auto boxes = std::make_shared<MemoryBoxes>(c.shape, c.step, values);
    const DenseArray boxed{.shape = c.shape, .boxes = boxes};
    const std::string all = answers(query, boxed, {});
    EXPECT_EQ(boxes->elements_read, values.size()) << "each is read once";
    // Only few states fit at a time.
    EXPECT_EQ(answers(query, boxed, {.window_bytes = 100, .state_bytes = 4000}), all);

    DenseInput input;
    input.x.emplace_back(plain, DenseArray{.shape = c.shape});
    input.folded = folded_axes(axes, c.shape.rank(), "it", "sum");
    const Plan plan = query.plan(ArrayRef(values.data(), DType::f64, c.shape));
    Output output(plan);
    const Progress silent;
    Meter meter(silent, 0);
    fold_dense(plan, input, {}, output, meter);
    std::string expected;
    for (const Answer& a : output.take(plan.output).list) {
      for (Size i = 0; i < a.size(); ++i) expected += std::to_string(a[i].bits) + " ";
    }
    EXPECT_EQ(all, expected) << to_string(c.shape) << " by " << to_string(c.step);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::io
