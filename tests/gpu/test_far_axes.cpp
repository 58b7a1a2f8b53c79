// Axes of arrays with more than 2^31 and 2^32 elements on a device: long rows and columns, many of
// them, and strides that do not fit 32 bits. Label gpu.
#include <algorithm>
#include <map>

#include "check.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr Size two31 = Size{1} << 31, two32 = Size{1} << 32;

struct Far {
  const char* name;
  Dims shape;
  int axis;
};

// All elements are 1, except a few at borders of 32-bit indices.
struct Marked {
  jit::Gpu gpu;
  Size n;
  DeviceBytes x;
  std::map<Size, int8_t> marks;

  explicit Marked(Size elements) : n(elements), x(gpu, n) {
    gpu.fill(x.address(), 1, n);
    int8_t value = 3;
    for (const Size i : {Size{0}, two31 - 1, two31, two32 - 1, two32, n / 2, n - 2, n - 1}) {
      if (i >= n || marks.count(i) != 0) continue;
      x.write(std::vector<int8_t>{value}, i);
      marks[i] = value++;
    }
  }
};

// From an element's number in C order: its slice, and its index there.
struct Place {
  Size slice, index;
};
Place place_of(const Dims& shape, int axis, Size i) {
  Size inner = 1;
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= static_cast<Size>(shape[d]);
  const auto extent = static_cast<Size>(shape[axis]);
  return {i / (inner * extent) * inner + i % inner, i / inner % extent};
}

class GpuFarAxes : public testing::TestWithParam<Far> {};

TEST_P(GpuFarAxes, FoldToTheLastElement) {
  SKIP_WITHOUT_DEVICE();
  const auto& [name, shape, axis] = GetParam();
  Size n = 1;
  for (const int64_t extent : shape) n *= static_cast<Size>(extent);
  Marked data(n);
  const auto extent = static_cast<Size>(shape[axis]), answers = n / extent;
  const ArrayRef ref(data.x.data(), i8, shape);
  const Options options{.axes = Axes{axis}, .device = cuda()};
  std::map<Size, std::map<Size, int8_t>> slices;
  for (const auto& [i, value] : data.marks) {
    const Place p = place_of(shape, axis, i);
    slices[p.slice][p.index] = value;
  }
  if (answers > 1000) {  // answers of one byte, all of which are compared
    const DeviceBytes out(data.gpu, answers);
    Dims kept;
    for (int d = 0; d < shape.rank(); ++d) {
      if (d != axis) kept.push_back(shape[d]);
    }
    fold_into({out.data(), i8, kept}, "max", ref, options);
    data.gpu.synchronize_all();
    std::vector<int8_t> got = out.read<int8_t>(answers);
    for (const auto& [slice, marks] : slices) {
      int8_t most = 1;
      for (const auto& [index, value] : marks) most = std::max(most, value);
      EXPECT_EQ(got[slice], most) << slice;
      got[slice] = 1;
    }
    EXPECT_EQ(std::count(got.begin(), got.end(), 1), static_cast<int64_t>(answers));
    return;
  }
  const Answers a = fold("sum,max,argmax", ref, options);
  for (Size slice = 0; slice < answers; ++slice) {
    auto sum = static_cast<int64_t>(extent);
    int8_t most = 1;
    Size where = 0;
    for (const auto& [index, value] : slices[slice]) {
      sum += value - 1;
      if (value > most) where = index;
      most = std::max(most, value);
    }
    EXPECT_EQ(static_cast<int64_t>(a["sum"][slice].bits), sum) << slice;
    EXPECT_EQ(static_cast<int8_t>(a["max"][slice].bits), most) << slice;
    EXPECT_EQ(a["argmax"][slice].bits, where) << slice;
  }
}

constexpr auto far31 = static_cast<int64_t>(two31) + 5, far30 = static_cast<int64_t>(two31 / 2) + 3;
INSTANTIATE_TEST_SUITE_P(
    Shapes, GpuFarAxes,
    testing::Values(Far{"long_rows", Dims{2, far31}, 1}, Far{"long_columns", Dims{far31, 2}, 0},
                    Far{"wide_columns", Dims{2, far31}, 0}, Far{"many_pairs", Dims{far31, 2}, 1},
                    Far{"long_middle", Dims{2, far30, 3}, 1},
                    Far{"far_planes", Dims{3, 2, far30}, 1}, Far{"many_short", Dims{far30, 5}, 1}),
    [](const auto& info) { return std::string(info.param.name); });

// Strides of more than 2^32 bytes, negative ones, too.
TEST(GpuFarStrides, AreFollowed) {
  SKIP_WITHOUT_DEVICE();
  const int64_t outer = static_cast<int64_t>(two32) + 7, inner = static_cast<int64_t>(two31) + 9;
  jit::Gpu gpu;
  const DeviceBytes x(gpu, static_cast<Size>(2 * outer + 2 * inner + 1));
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      x.write(std::vector<int8_t>{static_cast<int8_t>(10 * i + j)},
              static_cast<Size>(i * outer + j * inner));
    }
  }
  const ArrayRef up(x.data(), i8, Dims{3, 3}, Dims{outer, inner});
  const ArrayRef down(x.data() + 2 * outer, i8, Dims{3, 3}, Dims{-outer, inner});
  for (const bool reversed : {false, true}) {
    const ArrayRef& view = reversed ? down : up;
    const Answers rows = fold("sum", view, {.axes = {1}, .device = cuda()});
    const Answers columns = fold("sum", view, {.axes = {0}, .device = cuda()});
    for (Size k = 0; k < 3; ++k) {
      const int64_t row = reversed ? 2 - static_cast<int64_t>(k) : static_cast<int64_t>(k);
      EXPECT_EQ(static_cast<int64_t>(rows["sum"][k].bits), 30 * row + 3);
      EXPECT_EQ(static_cast<int64_t>(columns["sum"][k].bits), 30 + 3 * static_cast<int64_t>(k));
    }
  }
}

}  // namespace ONEFOLD_FILE
