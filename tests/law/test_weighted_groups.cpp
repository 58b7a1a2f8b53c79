// Groups with weights, masks and second arrays give what each group's elements give alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/fold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::expect_error;
using test::Random;

std::string joined(const std::vector<std::string_view>& names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ",") + std::string(name);
  return all;
}

// x, y, weights, counts and a mask, and which elements a group has.
struct Arrays {
  DType type;
  Data x, y, w;
  std::vector<uint8_t> counts;
  std::vector<Bool8> mask;
  std::vector<int16_t> labels;

  Arrays(Random& r, DType t, Size n, Size groups)
      : type(t), x(t, n), y(t, n), w(t, n), counts(n), mask(n), labels(n) {
    const auto names = test::generators(t);
    const auto some = [&] { return test::generate(names[r() % names.size()], t, n, r()); };
    x = some();
    y = r() % 4 == 0 ? x : some();
    w = some();
    const bool small = r() % 2 == 0, rising = r() % 4 == 0;
    for (Size i = 0; i < n; ++i) {
      if (small) w.set(i, is_floating(t) ? test::bits_near(t, double(r() % 5) - 1) : r() % 2);
      counts[i] = static_cast<uint8_t>(r() % 2 == 0 ? 0 : r() % 30);
      mask[i].byte = r() % 4 == 0 ? 0 : static_cast<uint8_t>(1 + r() % 255);
      labels[i] = static_cast<int16_t>(rising ? i * groups / n : r() % groups);
    }
  }
  ArrayRef all(const Data& d) const { return {d.data(), type, Dims(d.size())}; }
};

// The elements of one group, folded alone.
struct Alone {
  Data x, y, w;
  std::vector<uint8_t> counts;

  Alone(const Arrays& a, Size group, bool masked) : x(a.type, 0), y(a.type, 0), w(a.type, 0) {
    std::vector<Size> at;
    for (Size i = 0; i < a.labels.size(); ++i) {
      if (static_cast<Size>(a.labels[i]) != group || (masked && a.mask[i].byte == 0)) continue;
      at.push_back(i);
      counts.push_back(a.counts[i]);
    }
    x = y = w = Data(a.type, at.size());
    for (Size i = 0; i < at.size(); ++i) {
      x.set(i, a.x.bits(at[i]));
      y.set(i, a.y.bits(at[i]));
      w.set(i, a.w.bits(at[i]));
    }
  }
};

enum class Weighing { none, weights, counts };

void compare(const Arrays& a, Size groups, const std::string& ops, bool two, Weighing by,
             bool masked, Options o) {
  const ArrayRef x = a.all(a.x), y = a.all(a.y);
  Options all = o;
  if (masked) all.where = a.mask;
  if (by == Weighing::weights) all.weights = a.all(a.w);
  if (by == Weighing::counts) all.fweights = a.counts;
  const Labels how{groups, all};
  const Answers found = two ? fold({.ops = ops,
                                    .x = x,
                                    .y = y,
                                    .options = how.options,
                                    .labels = a.labels,
                                    .groups = how.groups})
                            : fold_by(ops, a.labels, x, how);
  const Answers keyed = two ? fold({.ops = ops, .x = x, .y = y, .options = all, .keys = a.labels})
                            : fold_by(ops, a.labels, x, all);
  Size key = 0;
  for (Size g = 0; g < groups; ++g) {
    const Alone alone(a, g, masked);
    const Dims n(alone.x.size());
    const ArrayRef xs(alone.x.data(), a.type, n), ys(alone.y.data(), a.type, n);
    Options own = o;
    if (by == Weighing::weights) own.weights = ArrayRef(alone.w.data(), a.type, n);
    if (by == Weighing::counts) own.fweights = alone.counts;
    const Answers right = two ? fold(ops, xs, ys, own) : fold(ops, xs, own);
    const bool there =
        key < keyed.key_count() && static_cast<Size>(keyed.keys_as<int16_t>()[key]) == g;
    for (std::size_t k = 0; k < right.list.size(); ++k) {
      ASSERT_EQ(found.list[k].op, right.list[k].op);
      ASSERT_EQ(found.list[k][g], right.list[k].only())
          << right.list[k].op << " of group " << g << ", " << name_of(a.type) << test::describe(o);
      if (!there) continue;
      ASSERT_EQ(keyed.list[k][key], right.list[k].only());
    }
    key += there ? 1 : 0;
  }
  EXPECT_EQ(key, keyed.key_count());
}

TEST(WeightedGroups, GiveWhatEachGroupGivesAlone) {
  Random r(23);
  for (int round = 0; round < test::scaled(300) && !testing::Test::HasFatalFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const Size n = test::pick_log(r, 1, round % 50 == 0 ? 5000 : 200) - 1, groups = 1 + r() % 9;
    const Arrays a(r, t, n, groups);
    const bool masked = r() % 2 == 0, two = r() % 2 == 0;
    Options o{.threads = static_cast<int>(r() % 3)};
    o.nan = static_cast<NanPolicy>(r() % 3);
    if (r() % 4 == 0) o.result = DType::f32;
    compare(a, groups, joined(weighted_ops(two ? 2 : 1)), two, Weighing::weights, masked, o);
    o.ddof = Correction(static_cast<double>(r() % (two ? 3 : 2)));
    o.result.reset();
    compare(a, groups, two ? "cov,corr,mse,dot" : "var,mean,count,any,kurtosis", two,
            two ? Weighing::none : Weighing::counts, masked, o);
  }
}

TEST(WeightedGroups, OfManyElementsGiveWhatEachGivesAlone) {
  Random r(4);
  for (const Size groups : {Size{3}, Size{5'000}}) {
    const Arrays a(r, f64, 60'000, groups);
    compare(a, groups, "mean,var", false, Weighing::weights, false, {});
    compare(a, groups, "min,var,norm2", false, Weighing::counts, groups == 3, {});
  }
}

TEST(WeightedGroups, HaveWeightsThatBroadcast) {
  const std::vector<int> labels{1, 0, 1, 3};
  const std::vector<double> x{1, 2, 4, 8}, one{0.25};
  const Bool8 all{1};
  const Labels how{4, {.where = ArrayRef(&all, DType::boolean, {1}), .weights = one}};
  EXPECT_EQ(fold_by("var", labels, x, how)["var"][1].as<double>(), 2.25);
  const std::vector<uint16_t> twice{2};
  const Answers sums = fold_by("sum,count", labels, x, {4, {.fweights = twice}});
  EXPECT_EQ(sums["sum"].values<double>()[1], 10);
  EXPECT_EQ(sums["count"].values<int64_t>()[2], 0);
  const uint8_t bits[] = {0b10100};
  const Options last{.where = Mask::of_bits(bits, 1, {4})};
  EXPECT_EQ(fold_by("count", labels, x, {4, last})["count"][3].as<int64_t>(), 1);
}

TEST(WeightedGroups, WithoutElementsOrWeightHaveTheAnswerOfNone) {
  const std::vector<int> labels{2, 0, 0};
  const std::vector<double> x{1, 2, 4}, w{3, 1, -1};
  const Answers found = fold_by("mean,var", labels, x, {3, {.weights = w}});
  for (const Answer& a : found.list) {
    EXPECT_TRUE(std::isnan(a[0].as<double>()) && std::isnan(a[1].as<double>()));
    EXPECT_EQ(a[2].as<double>(), a.op == "mean" ? 1 : 0);
  }
  const Answers least = fold_by("min", labels, x, {3, {.fweights = std::vector<int>{1, 0, 0}}});
  EXPECT_EQ(least["min"][0].status, Status::empty_input);
  const std::vector<Bool8> none{{0}, {1}, {1}};
  EXPECT_EQ(fold_by("sum", labels, x, {.where = none})["sum"][1].as<double>(), 0);
}

TEST(WeightedGroups, RefuseWhatHasNoMeaning) {
  const std::vector<int> keys{2, 1, 2};
  const std::vector<double> x{1, 2, 4}, two{1, 2};
  const std::vector<float> single{1, 2, 4};
  const auto refused = [&](ErrorCode code, const char* message, const char* op, const Options& o) {
    expect_error(code, {message}, [&] { fold_by(op, keys, x, o); });
    expect_error(code, {message}, [&] { fold_by(op, keys, x, {3, o}); });
  };
  refused(ErrorCode::bad_option, ".weights applies only to average", "sum", {.weights = x});
  refused(ErrorCode::bad_option, "ddof", "var", {.ddof = 1, .weights = x});
  refused(ErrorCode::type_mismatch, "f32", "var", {.weights = single});
  refused(ErrorCode::shape_mismatch, "(2,)", "var", {.weights = two});
  refused(ErrorCode::bad_option, ".initial", "sum",
          {.where = std::vector<Bool8>(3), .initial = 1.0});
  refused(ErrorCode::bad_option, "element 1 is -3", "sum",
          {.fweights = std::vector<int>{1, -3, 0}});
  refused(ErrorCode::bad_option, "index", "argmin", {.fweights = keys});
  refused(ErrorCode::bad_option, "one was given", "cov", {.fweights = keys});
  ArrayRef there(x);
  there.device = cuda();
  refused(ErrorCode::bad_option, "computed on the host", "var", {.weights = there});
  expect_error(ErrorCode::shape_mismatch, {"(2,)"},
               [&] { fold({.ops = "cov", .x = x, .y = two, .keys = keys}); });
  expect_error(ErrorCode::bad_option, {"label 0 is 2"},
               [&] { fold({.ops = "cov", .x = x, .y = x, .labels = keys, .groups = 2}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
