// Variances of equal elements are +0, and take no longer than others.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "onefold/onefold.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;

// Rows of equal elements between rows of others.
template <class T>
void expect_zeros(T constant, Size n, int64_t axis) {
  constexpr Size rows = 40;
  std::vector<T> x(rows * n);
  for (Size r = 0; r < rows; ++r) {
    for (Size e = 0; e < n; ++e) {
      const Size at = axis == 1 ? r * n + e : e * rows + r;
      x[at] = r % 3 == 0 ? static_cast<T>(e * r % 7) : constant;
    }
  }
  const auto height = static_cast<int64_t>(rows), width = static_cast<int64_t>(n);
  const ArrayRef array(x.data(), dtype_of<T>,
                       axis == 1 ? Dims(height, width) : Dims(width, height));
  for (const char* const ops : {"var", "std", "mean,std"}) {
    const Answers answers = fold(ops, array, {.axes = Axes(axis)});
    const std::span<const T> last = answers.list.back().template values<T>();
    for (Size r = 0; r < rows; ++r) {
      if (r % 3 == 0) continue;
      const T v = last[r];
      EXPECT_TRUE(v == 0 && !std::signbit(v)) << ops << " " << constant << " " << n << " " << v;
    }
  }
}
TEST(ConstantRows, HaveNoVariance) {
  for (const Size n : {2, 3, 16, 100, 1500}) {
    for (const int64_t axis : {0, 1}) {
      for (const double v : {.1, 1e300, 5e-324, -3., 0., -0., 1e9 + .3}) {
        expect_zeros<double>(v, n, axis);
      }
      for (const float v : {.1f, 3e38f, 1e-45f, -3.f, -0.f}) expect_zeros<float>(v, n, axis);
    }
  }
}

}  // namespace ONEFOLD_FILE
