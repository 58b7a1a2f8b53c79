// Every answer of a fold along axes is that of its own elements folded alone, bit for bit, for any
// shape, order in memory, ops, type and instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// An array in memory that has holes, with its folded axes.
struct Shape {
  std::vector<int64_t> extents, strides;  // in elements
  std::vector<bool> folded;
  int64_t origin = 0;
  std::size_t size = 1;  // elements of memory

  std::string text() const {
    std::string s = "(";
    for (std::size_t d = 0; d < extents.size(); ++d) {
      s += std::to_string(extents[d]) + (folded[d] ? "*" : "") + " at " +
           std::to_string(strides[d]) + ", ";
    }
    return s + ") from " + std::to_string(origin);
  }
};

// Axes in memory from the fastest on, some with holes, some backwards, in any order.
Shape make_shape(Random& r, std::vector<int64_t> extents, std::vector<bool> folded, bool holes) {
  Shape s;
  s.extents = std::move(extents);
  s.folded = std::move(folded);
  s.strides.resize(s.extents.size());
  int64_t stride = 1;
  for (std::size_t d = s.extents.size(); d-- > 0;) {
    const bool backwards = holes && r() % 5 == 0;
    s.strides[d] = backwards ? -stride : stride;
    if (backwards) s.origin += stride * (s.extents[d] - 1);
    stride *= s.extents[d];
    if (holes && r() % 4 == 0) stride += static_cast<int64_t>(r() % 3);
    if (holes && r() % 12 == 0 && !backwards) {  // the same elements again and again
      stride /= s.extents[d];
      s.strides[d] = 0;
    }
  }
  s.size = static_cast<std::size_t>(stride + 1);
  if (holes && r() % 3 == 0) {  // transposed
    for (std::size_t d = s.extents.size(); d > 1; --d) {
      const std::size_t o = r() % d;
      std::swap(s.extents[d - 1], s.extents[o]);
      std::swap(s.strides[d - 1], s.strides[o]);
      const bool f = s.folded[d - 1];
      s.folded[d - 1] = s.folded[o];
      s.folded[o] = f;
    }
  }
  return s;
}

// The offsets of each answer's elements, both in C order.
std::vector<std::vector<int64_t>> slices(const Shape& s) {
  std::vector<std::vector<int64_t>> of{{}};
  const auto walk = [&](bool folded) {
    std::vector<int64_t> at{0};
    for (std::size_t d = 0; d < s.extents.size(); ++d) {
      if (s.folded[d] != folded) continue;
      std::vector<int64_t> next;
      for (const int64_t from : at) {
        for (int64_t i = 0; i < s.extents[d]; ++i) next.push_back(from + i * s.strides[d]);
      }
      at = next;
    }
    return at;
  };
  of.clear();
  const std::vector<int64_t> elements = walk(true);
  for (const int64_t from : walk(false)) {
    of.emplace_back(elements);
    for (int64_t& e : of.back()) e += from + s.origin;
  }
  return of;
}

void check(const Shape& s, const Data& x, std::string_view ops, const Options& given,
           const std::string& what) {
  const DType t = x.dtype();
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  Dims extents, strides;
  std::vector<int64_t> axes;
  for (std::size_t d = 0; d < s.extents.size(); ++d) {
    extents.push_back(s.extents[d]);
    strides.push_back(s.strides[d] * bytes);
    if (s.folded[d]) axes.push_back(static_cast<int64_t>(d));
  }
  Options options = given;
  options.axes = axes.empty() ? Axes::none() : Axes(axes);
  const ArrayRef array(x.data() + s.origin * bytes, t, extents, strides);
  const Answers got = fold(ops, array, options);
  const auto of = slices(s);
  options.axes = Axes();
  options.target = "portable";
  Data slice(t, of.empty() ? 0 : of[0].size());
  for (Size a = 0; a < of.size(); ++a) {
    for (std::size_t i = 0; i < of[a].size(); ++i) {
      slice.set(i, x.bits(static_cast<std::size_t>(of[a][i])));
    }
    const Answers alone = fold(ops, ArrayRef(slice.data(), t, {of[a].size()}), options);
    for (std::size_t k = 0; k < got.list.size(); ++k) {
      ASSERT_EQ(got.list[k].status[a], alone.list[k].status[0])
          << got.list[k].op << " " << a << " of " << s.text() << " " << what;
      if (alone.list[k].status[0] != Status::ok) continue;
      ASSERT_EQ(got.list[k][a].bits, alone.list[k][0].bits)
          << got.list[k].op << " " << a << " of " << s.text() << " " << what;
    }
  }
}

constexpr std::string_view requests[] = {"sum",
                                         "mean",
                                         "norm1",
                                         "sumsq",
                                         "norm2",
                                         "rms",
                                         "var",
                                         "std",
                                         "min",
                                         "max",
                                         "ptp",
                                         "argmax",
                                         "any",
                                         "all",
                                         "count,argmin",
                                         "mean,var",
                                         "sum,max",
                                         "sum,norm2,std,mean",
                                         "norminf",
                                         "count_zero",
                                         "argmin",
                                         "count_nonzero,any",
                                         "ptp,norminf,count",
                                         "all,sum,argmax"};

class EveryShape : public testing::TestWithParam<std::string> {
 protected:
  void check_shapes(uint64_t seed, int rounds, bool holes,
                    std::vector<int64_t> (*extents)(Random&)) {
    Random r(seed);
    for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
      const auto t = static_cast<DType>(r() % 3 == 0 ? r() % dtype_count
                                                     : static_cast<uint64_t>(DType::f16) + r() % 4);
      std::vector<int64_t> e = extents(r);
      std::vector<bool> folded(e.size());
      for (std::size_t d = 0; d < e.size(); ++d) folded[d] = r() % 2 == 0;
      if (std::count(folded.begin(), folded.end(), true) == 0) folded[r() % e.size()] = true;
      const Shape s = make_shape(r, std::move(e), std::move(folded), holes);
      const auto names = test::generators(t);
      const std::string_view g = r() % 2 == 0 ? names[0] : names[r() % names.size()];
      const uint64_t made = r() % 100000;
      const Data x = test::generate(g, t, s.size, made);
      Options o;
      o.target = GetParam();
      if (r() % 4 == 0) o.nan = static_cast<NanPolicy>(r() % 3);
      if (r() % 3 == 0) o.ddof = 1;
      o.threads = static_cast<int>(r() % 3);
      const std::string_view ops = requests[r() % std::size(requests)];
      check(s, x, ops, o, test::describe(g, t, s.size, made) + " for " + std::string(ops));
    }
  }
};

TEST_P(EveryShape, GivesTheAnswersOfSlicesAlone) {
  check_shapes(1, 500, true, [](Random& r) {
    std::vector<int64_t> e(1 + r() % 4);
    for (int64_t& n : e) n = static_cast<int64_t>(test::pick_log(r, 1, 14));
    return e;
  });
}

// Short rows and few columns, and both as long as panels are.
TEST_P(EveryShape, GivesTheAnswersOfLongRowsAndColumns) {
  check_shapes(2, 120, false, [](Random& r) {
    std::vector<int64_t> e{static_cast<int64_t>(test::pick_log(r, 1, 3000)),
                           static_cast<int64_t>(test::pick_log(r, 1, 24))};
    if (r() % 2 == 0) std::swap(e[0], e[1]);
    if (r() % 3 == 0) e.insert(e.begin() + static_cast<int64_t>(r() % 3), 3);
    return e;
  });
}

std::vector<std::string> targets() {
  std::vector<std::string> list;
  for (const cpu_backend::Target t : usable_targets()) list.emplace_back(name_of(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Targets, EveryShape, testing::ValuesIn(targets()),
                         [](const auto& i) { return i.param; });

// Rows whose sums are near ties, cancel, are zeros of either sign, overflow in between, or contain
// infinities or NaN, each among ordinary rows.
template <class T>
void check_hard(const std::string& target) {
  using L = std::numeric_limits<T>;
  const T inf = L::infinity(), nan = L::quiet_NaN(), tiny = L::denorm_min(), max = L::max();
  const T half = T(0.5) * L::epsilon();
  const std::vector<std::vector<T>> hard = {{nan, 1, 2},          {inf, 1, 2},
                                            {inf, -inf, 1},       {max, max, -max},
                                            {max, max, max},      {-T(0), -T(0), -T(0)},
                                            {-T(0), T(0), -T(0)}, {1, -1, -T(0)},
                                            {1, half, 0},         {1, half, tiny},
                                            {1, half, -tiny},     {1 + 2 * half, half, 0},
                                            {tiny, tiny, tiny},   {tiny, 0, 0},
                                            {max, half, -max},    {1, half, half * half * half},
                                            {-1, -half, 0},       {max, tiny, -max},
                                            {3, 6 * half, 0},     {L::min(), -tiny, 0},
                                            {-tiny, -T(0), T(0)}, {5, 5, 5},
                                            {max, max, -inf},     {1, half, -half * half}};
  Random r(3);
  for (const int64_t n : {3, 4, 7, 8, 20, 100, 1500}) {
    const auto rows = static_cast<int64_t>(3 * hard.size());
    Data x(dtype_of<T>, static_cast<std::size_t>(rows * n));
    for (const bool by_columns : {false, true}) {
      for (int64_t row = 0; row < rows; ++row) {
        const auto& h = hard[static_cast<std::size_t>(row) / 3];
        std::vector<T> v(static_cast<std::size_t>(n), row % 2 == 0 ? -T(0) : h[0] * 0);
        for (std::size_t i = 0; i < v.size(); ++i) {
          if (row % 3 != 0) v[i] = static_cast<T>(static_cast<int>(r() % 7) - 3);
          if (row % 3 == 0 && i < 3) v[i] = h[i];
          if (row % 3 == 0 && i >= 3) v[i] = -T(0);
        }
        std::shuffle(v.begin(), v.end(), r);
        for (int64_t i = 0; i < n; ++i) {
          const int64_t at = by_columns ? i * rows + row : row * n + i;
          x.set(static_cast<std::size_t>(at), bit_cast<bits_of<T>>(v[static_cast<std::size_t>(i)]));
        }
      }
      Shape s;
      s.extents = by_columns ? std::vector<int64_t>{n, rows} : std::vector<int64_t>{rows, n};
      s.strides = {s.extents[1], 1};
      s.folded = {by_columns, !by_columns};
      Options o;
      o.target = target;
      for (const char* ops :
           {"sum", "mean", "norm1", "sumsq", "norm2", "rms", "var", "std", "max", "argmin"}) {
        check(s, x, ops, o, std::string("hard ") + ops + (by_columns ? " columns" : " rows"));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}
TEST_P(EveryShape, RoundsHardRowsAndColumnsOnce) {
  check_hard<float>(GetParam());
  check_hard<double>(GetParam());
}

// The caller's floating-point environment does not matter and is not changed.
TEST(Shapes, LeaveTheStickyFlagsOfTheCaller) {
  const std::vector<float> x(64, 1.0f);
  volatile double one = 1, three = 3;
  volatile double inexact = one / three;
  (void)inexact;
  const unsigned before = __builtin_ia32_stmxcsr();
  const Answers a = fold("sum", ArrayRef(x.data(), DType::f32, {8, 8}), {.axes = {1}});
  EXPECT_EQ(__builtin_ia32_stmxcsr() & before, before);
  EXPECT_EQ(a["sum"].values<float>()[0], 8.0f);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
