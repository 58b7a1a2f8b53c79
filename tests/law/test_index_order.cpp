// Indices are positions in C order; of equal elements the first wins. Both hold in whatever order
// elements are read from memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

// Few different elements, so most answers have several candidates. Axes are in any order of memory,
// with holes, backwards or repeated; one is long enough to be read in runs.
template <class T>
void check_random_shapes(uint64_t first_seed, int rounds) {
  for (uint64_t seed = first_seed; seed < first_seed + static_cast<uint64_t>(rounds); ++seed) {
    std::mt19937_64 r(seed);
    const std::size_t rank = 2 + r() % 3;
    std::vector<std::size_t> order(rank);
    std::vector<int64_t> axes;
    Dims shape, strides;
    for (std::size_t d = 0; d < rank; ++d) {
      order[d] = d;
      shape.push_back(static_cast<int64_t>(1 + r() % 6));
      strides.push_back(0);
      if (r() % 4 != 0) axes.push_back(static_cast<int64_t>(d));
    }
    std::shuffle(order.begin(), order.end(), r);
    const auto lengthen = static_cast<int>(order[r() % 3 == 0 ? rank - 1 : 0]);
    shape[lengthen] = static_cast<int64_t>(60 + r() % 140);
    int64_t stride = 1, origin = 0;
    for (const std::size_t d : order) {
      const auto at = static_cast<int>(d);
      if (r() % 6 == 0) stride += static_cast<int64_t>(r() % 3);
      const bool backwards = r() % 5 == 0, still = r() % 10 == 0;
      strides[at] = still ? 0 : backwards ? -stride : stride;
      if (backwards && !still) origin += stride * (shape[at] - 1);
      if (!still) stride *= shape[at];
    }
    std::vector<T> memory(static_cast<std::size_t>(stride));
    for (T& v : memory) v = static_cast<T>(r() % 3);
    if constexpr (std::is_floating_point_v<T>) {
      if (r() % 3 == 0) memory[r() % memory.size()] = static_cast<T>(NAN);
    }
    // Finds the element that comes first in C order.
    Size answers = 1, n = 1;
    std::vector<bool> folded(rank, false);
    for (const int64_t a : axes) folded[static_cast<std::size_t>(a)] = true;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto extent = static_cast<Size>(shape[static_cast<int>(d)]);
      if (!folded[d]) answers *= extent;
      n *= extent;
    }
    struct First {
      T value;
      int64_t index = -1;
    };
    std::vector<First> least(answers), greatest(answers);
    for (Size i = 0; i < n; ++i) {
      Size left = i, answer = 0, index = 0, of_answers = 1, of_index = 1;
      int64_t at = origin;
      for (std::size_t d = rank; d-- > 0;) {
        const auto extent = static_cast<Size>(shape[static_cast<int>(d)]), k = left % extent;
        left /= extent;
        at += static_cast<int64_t>(k) * strides[static_cast<int>(d)];
        (folded[d] ? index : answer) += k * (folded[d] ? of_index : of_answers);
        (folded[d] ? of_index : of_answers) *= extent;
      }
      const T v = memory[static_cast<std::size_t>(at)];
      const auto see = [&](First& f, bool better) {
        if (f.index < 0 || (f.value == f.value && (v != v || better))) {
          f = {v, static_cast<int64_t>(index)};
        }
      };
      see(least[answer], v < least[answer].value);
      see(greatest[answer], v > greatest[answer].value);
    }
    for (std::size_t d = 0; d < rank; ++d) {
      strides[static_cast<int>(d)] *= static_cast<int64_t>(sizeof(T));
    }
    const ArrayRef x(memory.data() + origin, dtype_of<T>, shape, strides);
    Options o;
    o.axes = axes.empty() ? Axes::none() : Axes(axes);
    o.threads = 1 + static_cast<int>(r() % 2);
    const Answers got = fold(r() % 2 == 0 ? "argmin,argmax" : "sum,argmax,min,argmin", x, o);
    for (Size a = 0; a < answers; ++a) {
      ASSERT_EQ(got["argmin"].values<int64_t>()[a], least[a].index) << seed << ", answer " << a;
      ASSERT_EQ(got["argmax"].values<int64_t>()[a], greatest[a].index) << seed << ", answer " << a;
    }
  }
}

TEST(IndexOrder, IsThatOfTheArrayNotOfMemory) {
  check_random_shapes<double>(1, 3000);
  check_random_shapes<float>(10'000, 3000);
  check_random_shapes<int8_t>(20'000, 2000);
  check_random_shapes<int64_t>(30'000, 2000);
}

// Folds an array in Fortran order by one thread and by several. No thread knows the parts of the
// others.
TEST(IndexOrder, HoldsForLargeTransposedArrays) {
  const int64_t rows = 1000, columns = 700;
  std::vector<float> x(static_cast<std::size_t>(rows * columns), 1);
  const ArrayRef fortran(x.data(), f32, {rows, columns}, {4, 4 * rows});
  const auto at = [&](int64_t i, int64_t j) -> float& {
    return x[static_cast<std::size_t>(i + j * rows)];
  };
  at(900, 3) = 2;
  at(17, 650) = 2;
  at(18, 1) = 2;
  at(30, 30) = 0;
  at(29, 600) = 0;
  for (const int threads : {1, 2, 5}) {
    const Answers a = fold("argmax,argmin,sum", fortran, {.threads = threads});
    EXPECT_EQ(a.get<int64_t>("argmax"), 17 * columns + 650);
    EXPECT_EQ(a.get<int64_t>("argmin"), 29 * columns + 600);
    EXPECT_EQ(a.get<float>("sum"), static_cast<float>(rows * columns + 1));
    const State s = gather("argmax", fortran, {.threads = threads, .first = 5});
    EXPECT_EQ(s.answer("argmax").as<int64_t>(), 5 + 17 * columns + 650);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
