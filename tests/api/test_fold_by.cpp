#include "onefold/fold_by.hpp"

#include <gtest/gtest.h>

#include <map>

#include "expect_error.hpp"
#include "generate.hpp"

namespace onefold {
namespace {

using test::expect_error;
using test::Random;

template <class K, class T>
void compare(const std::vector<K>& keys, const std::vector<T>& x, const std::string& ops,
             const Options& options = {}) {
  std::map<K, std::vector<T>> right;
  for (std::size_t i = 0; i < x.size(); ++i) right[keys[i]].push_back(x[i]);
  const Groups groups = fold_by(ops, keys, x, options);
  ASSERT_EQ(groups.size(), right.size());
  std::size_t g = 0;
  for (const auto& [key, list] : right) {
    EXPECT_EQ(groups.keys_as<K>()[g], key);
    const Answers alone = fold(ops, list, options);
    for (std::size_t k = 0; k < alone.list.size(); ++k) {
      EXPECT_EQ(groups.answers.list[k][g], alone.list[k].only()) << ops << " of group " << g;
    }
    ++g;
  }
}

TEST(FoldBy, GivesWhatEachGroupGivesAlone) {
  Random random(7);
  for (const Size count : {0u, 1u, 100u, 9000u}) {
    for (const uint64_t distinct : {1u, 10u, 3000u}) {
      std::vector<int64_t> keys;
      std::vector<int16_t> narrow;
      std::vector<double> x;
      std::vector<float> y;
      std::vector<uint64_t> z;
      for (Size i = 0; i < count; ++i) {
        keys.push_back(static_cast<int64_t>((random() % (distinct))) * 0x100000001 - 7);
        narrow.push_back(static_cast<int16_t>((random() % (distinct))));
        x.push_back(bit_cast<double>(random()));
        y.push_back(static_cast<float>((random() % (1000))) - 500.5f);
        z.push_back(random());
      }
      compare(keys, x, "sum,mean,min,count_nan");
      compare(keys, x, "max,norm2", {.nan = NanPolicy::omit});
      compare(narrow, y, "mean,var,std,ptp", {.ddof = 1});
      compare(keys, z, "sum,max,any");
    }
  }
}

TEST(FoldBy, TakesStridesAndSmallKeys) {
  const std::vector<uint8_t> keys{1, 9, 0, 9, 1, 9};
  const std::vector<double> x{1, 2, 4};
  const Groups groups = fold_by("sum", ArrayRef(keys.data(), DType::boolean, Dims(3), Dims(2)), x);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups.answers["sum"][0].as<double>(), 2);
  EXPECT_EQ(groups.answers["sum"][1].as<double>(), 5);
}

TEST(FoldBy, RefusesWhatHasNoMeaning) {
  const std::vector<int> keys{1, 2};
  const std::vector<double> x{1, 2}, three{1, 2, 3};
  expect_error(ErrorCode::bad_option, {"index"}, [&] { fold_by("argmin", keys, x); });
  expect_error(ErrorCode::bad_option, {"two arrays"}, [&] { fold_by("dot", keys, x); });
  expect_error(ErrorCode::bad_option, {"integers"}, [&] { fold_by("sum", x, x); });
  expect_error(ErrorCode::shape_mismatch, {"agree"}, [&] { fold_by("sum", keys, three); });
  expect_error(ErrorCode::bad_option, {"axes"}, [&] { fold_by("sum", keys, x, {.axes = {0}}); });
}

}  // namespace
}  // namespace onefold
