#include "onefold/fold.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "expect_error.hpp"
#include "generate.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::expect_error;
using test::Random;

template <class K, class T>
void compare(const std::vector<K>& keys, const std::vector<T>& x, const std::string& ops,
             const Options& options = {}) {
  std::map<K, std::vector<T>> right;
  for (std::size_t i = 0; i < x.size(); ++i) right[keys[i]].push_back(x[i]);
  const Answers groups = fold_by(ops, keys, x, options);
  ASSERT_EQ(groups.key_count(), right.size());
  std::size_t g = 0;
  for (const auto& [key, list] : right) {
    EXPECT_EQ(groups.keys_as<K>()[g], key);
    const Answers alone = fold(ops, list, options);
    for (std::size_t k = 0; k < alone.list.size(); ++k) {
      EXPECT_EQ(groups.list[k][g], alone.list[k].only()) << ops << " of group " << g;
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
  const Answers groups = fold_by("sum", ArrayRef(keys.data(), DType::boolean, Dims(3), Dims(2)), x);
  ASSERT_EQ(groups.key_count(), 2u);
  EXPECT_EQ(groups["sum"][0].as<double>(), 2);
  EXPECT_EQ(groups["sum"][1].as<double>(), 5);
}

// Kinds of keys: one key, all distinct, rising, one frequent key among others, and random.
std::vector<int32_t> keys_like(const std::string& kind, Size n) {
  Random random(3);
  std::vector<int32_t> keys;
  for (Size i = 0; i < n; ++i) {
    const auto own = static_cast<int32_t>(i);
    keys.push_back(kind == "one"        ? 4
                   : kind == "distinct" ? static_cast<int32_t>((i * 7919) % n)
                   : kind == "rising"   ? own / 5
                   : kind == "hot" ? (random() % 10 == 0 ? static_cast<int32_t>(random() % n) : 6)
                                   : static_cast<int32_t>(random() % n));
  }
  return keys;
}

TEST(FoldBy, TakesKeysOfAnyDistribution) {
  Random random(9);
  for (const char* kind : {"one", "distinct", "rising", "hot", "random"}) {
    for (const Size n : {Size{1}, Size{11}, Size{6007}}) {
      std::vector<double> x;
      for (Size i = 0; i < n; ++i) x.push_back(bit_cast<double>(random()));
      compare(keys_like(kind, n), x, "sum,var,max,count,norm1");
    }
  }
}

// Labels have an answer for each group, also for groups without elements.
TEST(FoldBy, TakesLabelsInsteadOfKeys) {
  Random random(5);
  for (const char* kind : {"one", "distinct", "rising", "hot", "random"}) {
    for (const Size n : {Size{0}, Size{11}, Size{6007}, Size{70000}}) {
      const std::vector<int32_t> labels = keys_like(kind, n);
      std::vector<float> x;
      for (Size i = 0; i < n; ++i) x.push_back(bit_cast<float>(static_cast<uint32_t>(random())));
      const Size groups = std::max<Size>(n, 7) + 2;
      const auto ops = "sum,mean,max,count_nan";
      const Options options{.nan = NanPolicy::omit, .threads = 3};
      const Answers keyed = fold_by(ops, labels, x, options);
      const Answers nothing = fold(ops, std::vector<float>(), options);
      const Answers all = fold_by(ops, labels, x, {.groups = groups, .options = options});
      for (std::size_t k = 0; k < all.list.size(); ++k) {
        ASSERT_EQ(all.list[k].size(), groups);
        Size key = 0;
        for (Size g = 0; g < groups; ++g) {
          const bool there =
              key < keyed.key_count() && static_cast<Size>(keyed.keys_as<int32_t>()[key]) == g;
          const Value right = there ? keyed.list[k][key++] : nothing.list[k].only();
          ASSERT_EQ(all.list[k][g], right) << kind << " " << g << " of " << groups;
        }
      }
    }
  }
}

// Compares sums and means by labels with those by keys, which use states: for elements of very
// different exponents, and for similar ones with a few or many others among them.
template <class T>
void compare_labels(const std::string& ops, NanPolicy nan) {
  constexpr DType t = dtype_of<T>;
  Random random(11);
  const auto names = test::generators(t);
  for (int round = 0; round < test::scaled(60); ++round) {
    const Size n = round % 15 == 14 ? 70000 : 2 + random() % 3000;
    const Size groups = round % 3 == 0 ? 2 : 1 + random() % n;
    const Size hard = std::array<Size, 4>{1, 40, 700, n}[static_cast<std::size_t>(round % 4)];
    const std::string_view g = names[random() % names.size()];
    const test::Data data = test::generate(g, t, n, random());
    std::vector<T> x(n);
    std::vector<int16_t> labels(n);
    for (Size i = 0; i < n; ++i) {
      labels[i] = static_cast<int16_t>(random() % std::min<Size>(groups, 32767));
      x[i] = static_cast<T>(static_cast<double>(random() % 2000001) - 1000000) / T{3};
      if (random() % hard == 0) x[i] = bit_cast<T>(static_cast<bits_of<T>>(data.bits(i)));
    }
    labels[0] = static_cast<int16_t>(labels[1] + 1);  // so that labels do not ascend
    const Size count = groups + 2;
    const Options options{.nan = nan};
    const Answers keyed = fold_by(ops, labels, x, options);
    const Answers nothing = fold(ops, std::vector<T>(), options);
    const Answers all = fold_by(ops, labels, x, {.groups = count, .options = options});
    for (std::size_t k = 0; k < all.list.size(); ++k) {
      Size key = 0;
      for (Size group = 0; group < count; ++group) {
        const bool there =
            key < keyed.key_count() && static_cast<Size>(keyed.keys_as<int16_t>()[key]) == group;
        const Value right = there ? keyed.list[k][key++] : nothing.list[k].only();
        ASSERT_EQ(all.list[k][group], right)
            << name_of(t) << " " << g << ", one in " << hard << " of " << n << ", group " << group;
      }
    }
  }
}

TEST(FoldBy, SumsLabelledElementsAsStatesDo) {
  for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit}) {
    for (const char* ops : {"sum", "mean", "mean,sum"}) {
      compare_labels<double>(ops, nan);
      compare_labels<float>(ops, nan);
    }
  }
}

// One group has so many elements, each as large as the anchor allows, that its words must be
// emptied in between. Others have zeros of both signs: only -0, also +0, and elements that
// cancel.
TEST(FoldBy, EmptiesWordsOfLabelsBeforeTheyOverflow) {
  const Size n = (Size{1} << 20) + 77;
  std::vector<double> x(n, std::nextafter(4.0, 0));
  std::vector<uint32_t> labels(n, 2);
  labels[0] = 3;
  const Answers a = fold_by("sum,mean", labels, x, {.groups = 4});
  const Answers alone = fold("sum,mean", std::span<const double>(x).subspan(1));
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(a.list[k][2], alone.list[k].only());
}
TEST(FoldBy, KnowsTheSignOfZeroSumsOfLabels) {
  const std::vector<double> x{-0.0, 1.0, -0.0, 0.0, -0.0, -1.0, 2.0};
  const std::vector<int64_t> labels{1, 3, 1, 2, 2, 3, 0};
  const Answers a = fold_by("sum,mean", labels, x, {.groups = 5});
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(std::signbit(a.list[k][1].as<double>()));
    EXPECT_FALSE(std::signbit(a.list[k][2].as<double>()));
    EXPECT_FALSE(std::signbit(a.list[k][3].as<double>()));
  }
  EXPECT_FALSE(std::signbit(a["sum"][4].as<double>()));
  EXPECT_TRUE(std::isnan(a["mean"][4].as<double>()));
}

// With several threads each has its own states, which are merged.
TEST(FoldBy, FoldsFewLabelsByAllThreads) {
  std::vector<uint8_t> labels;
  std::vector<double> x;
  std::vector<double> each[3];
  for (Size i = 0; i < 400000; ++i) {
    labels.push_back(static_cast<uint8_t>(i % 3));
    x.push_back(static_cast<double>(i) * 0x1p-30 + (i % 7 == 0 ? 1e30 : 0));
    each[i % 3].push_back(x.back());
  }
  const Answers a = fold_by("sum,std,min", labels, x, {.groups = 3, .options = {.threads = 4}});
  for (Size g = 0; g < 3; ++g) {
    const Answers alone = fold("sum,std,min", each[g]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(a.list[k][g], alone.list[k].only());
  }
}

TEST(FoldBy, RefusesLabelsThatAreNoGroups) {
  const std::vector<double> x{1, 2, 3};
  const std::vector<int64_t> low{0, 1, -1}, high{0, 4, 1}, far{0, 1, int64_t{1} << 40};
  const auto by = [&](const std::vector<int64_t>& labels, Size groups) {
    return [&labels = labels, &x, groups] { fold_by("sum", labels, x, {.groups = groups}); };
  };
  expect_error(ErrorCode::bad_option, {"label 2 is -1", "0..3"}, by(low, 4));
  expect_error(ErrorCode::bad_option, {"label 1 is 4", "0..3"}, by(high, 4));
  expect_error(ErrorCode::bad_option, {"label 2 is 1099511627776"}, by(far, 4));
  expect_error(ErrorCode::bad_option, {"label 0 is 0", "with 0 groups"}, by(high, 0));
  expect_error(ErrorCode::bad_option, {"at most"}, by(high, Size{1} << 32));
  const std::vector<uint64_t> huge{0, 1, ~uint64_t{0}};
  expect_error(ErrorCode::bad_option, {"label 2 is 18446744073709551615"},
               [&] { fold_by("sum", huge, x, {.groups = 4}); });
  expect_error(ErrorCode::bad_option, {"index"}, [&] { fold_by("argmin", low, x, {.groups = 4}); });
}

TEST(FoldBy, RefusesWhatHasNoMeaning) {
  const std::vector<int> keys{1, 2};
  const std::vector<double> x{1, 2}, three{1, 2, 3};
  expect_error(ErrorCode::bad_option, {"index"}, [&] { fold_by("argmin", keys, x); });
  expect_error(ErrorCode::bad_option, {"two arrays"}, [&] { fold_by("dot", keys, x); });
  expect_error(ErrorCode::bad_option, {"integers"}, [&] { fold_by("sum", x, x); });
  expect_error(ErrorCode::shape_mismatch, {"both must have one dimension and the same length"},
               [&] { fold_by("sum", keys, three); });
  expect_error(ErrorCode::bad_option, {"axes"}, [&] { fold_by("sum", keys, x, {.axes = {0}}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
