// Short rows, which are folded as columns, and places in long rows of bytes.
#include <gtest/gtest.h>

#include <vector>

#include "generate.hpp"
#include "onefold/engine/vectors.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;

// Compares each row's answers with those of the row by itself.
void check(const char* ops, const Data& x, Size rows, Size length, const Options& options,
           const std::string& what) {
  const Size bytes = bytes_of(x.dtype());
  std::vector<Answers> each;
  for (Size r = 0; r < rows; ++r) {
    each.push_back(
        fold(ops, ArrayRef(x.data() + r * length * bytes, x.dtype(), {length}), options));
  }
  for (const Target target : usable_targets()) {
    Options along = options;
    along.axes = {1};
    along.target = name_of(target);
    const Answers got = fold(ops, ArrayRef(x.data(), x.dtype(), {rows, length}), along);
    for (Size r = 0; r < rows; ++r) {
      for (Size op = 0; op < got.list.size(); ++op) {
        const Answer& row = each[r].list[op];
        ASSERT_EQ(got.list[op].status[r], row.status[0]) << row.op << what;
        if (row.status[0] != Status::ok) continue;
        ASSERT_EQ(got.list[op][r].bits, row[0].bits)
            << name_of(target) << ": " << row.op << " of row " << r << " of " << rows << " of "
            << length << ": " << what;
      }
    }
  }
}

TEST(ShortRows, GiveTheAnswersOfRowsByThemselves) {
  test::Random r(1);
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<DType>(d);
    for (const std::string_view g : test::generators(t)) {
      for (const Size length : {2, 3, 4, 5, 8}) {
        const Size rows = 60 + r() % 100;
        const uint64_t seed = r() % 1000;
        const Data x = test::generate(g, t, rows * length, seed);
        const auto nan = static_cast<NanPolicy>(r() % 3);
        check(is_floating(t) ? "sum,mean,var,norm2,max,argmin,count_nonzero"
                             : "sum,mean,max,argmin,any",
              x, rows, length, {.nan = nan}, test::describe(g, t, rows * length, seed));
      }
    }
  }
}

TEST(ShortRows, MayBeManyGroups) {
  const Data x = test::generate("normal", DType::f64, 2500 * 3, 1);
  check("mean,max,argmax", x, 2500, 3, {}, "2,500 rows");
}

// A vector's lane of 8 bits numbers 127 vectors; the least element stands in the next ones, again
// and again.
TEST(LongRows, OfBytesKnowWhereTheirFirstExtremeIs) {
  for (const Size length : {2000, 8128, 8129, 20000}) {
    for (const Size at : {Size{0}, Size{63}, Size{1999}, length - 65, length - 1}) {
      Data x(DType::i8, 3 * length);
      for (Size i = 0; i < 3 * length; ++i) x.set(i, i % 7);
      for (Size i = at; i < length; i += 500) x.set(length + i, 0x80);
      check("argmin,argmax,min", x, 3, length, {}, std::to_string(at));
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
