// Rows that are easily rounded wrongly. Answers decided by totals of a few f64 equal those of exact
// words for every sum, type, type of answer, instruction set and place in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "generate.hpp"
#include "law/hard_rows.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Maker;
using test::Random;
using test::sign;

uint64_t nearest_bits(DType t, double v) {
  switch (t) {
    case DType::f64:
      return bit_cast<uint64_t>(v);
    case DType::f32:
      return bit_cast<uint32_t>(static_cast<float>(v));
    default:
      if (std::isnan(v)) return t == DType::f16 ? 0x7e00 : 0x7fc0;
      if (std::isinf(v)) return (t == DType::f16 ? 0x7c00 : 0x7f80) | (v < 0 ? 0x8000 : 0);
      return test::bits_near(t, v) | (std::signbit(v) ? uint64_t{1} << 15 : 0);
  }
}

constexpr const char* sums = "sum,mean,norm1,sumsq,norm2,rms,var,std";

struct Batch {
  DType dtype, result;
  Size rows, n;
  std::string what;
  Data x;  // all rows, one after another
  Options options;
};

Batch make_batch(Random& r) {
  const auto floating = [&] {
    return static_cast<DType>(static_cast<uint64_t>(DType::f16) + r() % 4);
  };
  const DType t = r() % 3 == 0 ? floating() : r() % 2 == 0 ? DType::f32 : DType::f64;
  const DType to = r() % 2 == 0 ? t : floating();
  const Size n = r() % 40 == 0  ? test::pick_log(r, 40, 1400)
                 : r() % 2 == 0 ? 2 + r() % 4
                                : 1 + r() % 20;
  const Size rows = 2 + r() % (n > 100 ? 20 : 100);
  Maker m{r, float_format(t), float_format(to)};
  const auto kind = static_cast<Maker::Kind>(r() % Maker::count);
  const bool mixed = r() % 5 == 0, ordered = r() % 2 == 0, strange = r() % 6 == 0;
  Data x(t, rows * n);
  int e = m.scale();
  for (Size row = 0; row < rows; ++row) {
    const bool other = mixed && r() % 3 == 0;
    if (r() % 8 == 0) e = m.scale();
    std::vector<double> v =
        m.make(other ? static_cast<Maker::Kind>(r() % Maker::count) : kind, n, e);
    for (Size k = 0; strange && r() % 2 == 0 && k < 2; ++k) {
      const double inf = std::numeric_limits<double>::infinity();
      const double what[] = {inf, -inf, std::numeric_limits<double>::quiet_NaN()};
      v[r() % n] = what[r() % 3];
    }
    if (!ordered) std::shuffle(v.begin(), v.end(), r);
    for (Size i = 0; i < n; ++i) x.set(row * n + i, nearest_bits(t, v[i]));
  }
  Options o;
  o.result = to;
  const Correction ddofs[] = {0, 0, 1, 1, 2, static_cast<long long>(n) - 1, 0.5, -1, 0x1p-29};
  o.ddof = ddofs[r() % std::size(ddofs)];
  o.threads = 1;
  if (strange) o.nan = static_cast<NanPolicy>(r() % 3);
  return {t, to, rows, n, std::to_string(kind), std::move(x), o};
}

// Folds the same elements as rows, as columns, or as neither.
void check_batch(Random& r, const Batch& b, const std::vector<std::string>& targets) {
  const auto bytes = static_cast<int64_t>(bytes_of(b.dtype));
  const auto rows = static_cast<int64_t>(b.rows), n = static_cast<int64_t>(b.n);
  Options o = b.options;
  o.axes = {1};
  o.target = "portable";
  const Answers expected = fold(sums, ArrayRef(b.x.data(), b.dtype, {rows, n}), o);
  const uint64_t way = r() % 4;
  const int64_t apart = 1 + static_cast<int64_t>(r() % 2);
  const int64_t row = way < 2 ? n : apart, element = way < 2 ? 1 : apart * rows;
  Data y(b.dtype, static_cast<Size>((rows + 1) * (n + 1) * 2));
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t i = 0; i < n; ++i) {
      y.set(static_cast<Size>(a * row + i * element), b.x.bits(static_cast<Size>(a * n + i)));
    }
  }
  const ArrayRef x(y.data(), b.dtype, {rows, n}, {row * bytes, element * bytes});
  o.target = targets[r() % targets.size()];
  for (std::size_t k = 0; k < expected.list.size(); ++k) {
    const Answer& want = expected.list[k];
    const Answers got = fold(want.op, x, o);
    if (got.list[0].data == want.data && got.list[0].status == want.status) continue;
    for (Size a = 0; a < b.rows; ++a) {
      if (want.status[a] != Status::ok && got.list[0].status[a] == want.status[a]) continue;
      std::string row_text;
      for (Size i = 0; i < std::min<Size>(b.n, 40); ++i) {
        char text[40];
        std::snprintf(text, sizeof text, "%016llx ",
                      static_cast<unsigned long long>(b.x.bits(a * b.n + i)));
        row_text += text;
      }
      ASSERT_EQ(got.list[0].status[a], want.status[a]) << want.op << row_text;
      ASSERT_EQ(got.list[0][a].bits, want[a].bits)
          << want.op << " of " << name_of(b.dtype) << " as " << name_of(b.result) << " on "
          << o.target << ", " << b.n << " elements, way " << way << ", kind " << b.what << ": "
          << row_text;
    }
  }
}

// Products of these rows with the rows of another batch. Either batch may be broadcast.
void check_dots(Random& r, const Batch& b, const std::vector<std::string>& targets) {
  const auto bytes = static_cast<int64_t>(bytes_of(b.dtype));
  const auto rows = static_cast<int64_t>(b.rows), n = static_cast<int64_t>(b.n);
  Data y(b.dtype, b.rows * b.n);
  Maker m{r, float_format(b.dtype), float_format(b.result)};
  const int e = m.scale();
  for (Size a = 0; a < b.rows; ++a) {
    const auto kind = static_cast<Maker::Kind>(r() % Maker::count);
    const std::vector<double> v = m.make(kind, b.n, e);
    for (Size i = 0; i < b.n; ++i) {
      const double power = std::ldexp(sign(r), static_cast<int>(r() % 5));
      y.set(a * b.n + i, nearest_bits(b.dtype, r() % 3 == 0 ? v[i] : power));
    }
  }
  // As columns: the same bytes with shape (n, rows), folded along the first axis.
  const bool by_columns = r() % 2 == 0, one = r() % 4 == 0;
  const Dims shape = by_columns ? Dims{n, rows} : Dims{rows, n};
  const Dims strides{shape[1] * bytes, bytes};
  Dims other = strides;
  if (one) other[by_columns ? 1 : 0] = 0;
  Options o = b.options;
  o.axes = {by_columns ? 0 : 1};
  const ArrayRef x(b.x.data(), b.dtype, shape, strides), z(y.data(), b.dtype, shape, other);
  o.target = "portable";
  const Answers want = fold("dot", x, z, o);
  o.target = targets[r() % targets.size()];
  const Answers got = fold("dot", x, z, o);
  for (Size a = 0; a < b.rows; ++a) {
    ASSERT_EQ(got.list[0].status[a], want.list[0].status[a]) << a;
    if (want.list[0].status[a] != Status::ok) continue;
    ASSERT_EQ(got.list[0][a].bits, want.list[0][a].bits)
        << "dot of " << name_of(b.dtype) << " as " << name_of(b.result) << " on " << o.target
        << (by_columns ? " by columns " : " by rows ") << b.n << ", " << a << " kind " << b.what;
  }
}

void check(uint64_t seed, Size rows) {
  Random r(seed);
  std::vector<std::string> targets;
  for (const cpu_backend::Target t : usable_targets()) {
    if (t != cpu_backend::Target::portable) targets.emplace_back(name_of(t));
  }
  for (Size done = 0; done < rows && !testing::Test::HasFatalFailure();) {
    const uint64_t batch = r();
    SCOPED_TRACE("batch " + std::to_string(batch));
    Random own(batch);
    const Batch b = make_batch(own);
    check_batch(own, b, targets);
    check_dots(own, b, targets);
    done += b.rows;
  }
}

TEST(HardRows, AreRoundedAsExactWordsAre) { check(1, 100'000); }

// 10^9 rows take four hours of one core, so there are forty parts.
class LongHardRows : public testing::TestWithParam<int> {};
TEST_P(LongHardRows, AreRoundedAsExactWordsAre) {
  check(static_cast<uint64_t>(GetParam()), 25'000'000);
}
INSTANTIATE_TEST_SUITE_P(Parts, LongHardRows, testing::Range(2, 42));

}  // namespace ONEFOLD_FILE
}  // namespace onefold
