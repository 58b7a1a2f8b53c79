// The same elements give the same answer as a whole array, as a slice along an axis, as a segment,
// as a group and in a state; alone or together with other ops. This holds for each op, type of
// elements and type of the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

bool is_possible(const OpRow& op, DType t, DType result) {
  const DType own = op.about->result.of(t);
  return own == result || is_floating(result) || (is_integer(own) && is_integer(result));
}

// Integers whose sum is at a limit of `result`, one beyond it, or about 0 if so few elements cannot
// reach the limit.
Data with_sum_at_limit(Random& r, DType t, DType result, std::size_t n) {
  const auto bounds = [](DType type) {
    const int bits = 8 * static_cast<int>(bytes_of(type));
    const bool is_signed = kind_of(type) == Kind::signed_integer;
    const Int128 end = Int128{1} << (is_signed ? bits - 1 : bits);
    return std::pair{is_signed ? -end : Int128{0}, end - 1};
  };
  const auto [least, most] = bounds(t);
  const auto [low, high] = bounds(result);
  const Int128 limits[] = {low, high, 0};
  Int128 left = limits[r() % 3] + static_cast<Int128>(r() % 3) - 1;
  Data x(t, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), r);
  const Int128 each = r() % 2 == 0 ? most : std::max<Int128>(most / 4, 1);
  for (std::size_t k = 0; k < n; ++k) {
    Int128 v = std::clamp(left, least, most);
    if (k + 1 < n && r() % 2 == 0) v = std::clamp(v, -each, each);
    x.set(order[k], static_cast<uint64_t>(v));
    left -= v;
  }
  return x;
}

// 0 and its neighbours of both signs, and the limits of the type.
Data few_values(Random& r, DType t, std::size_t n) {
  Data x(t, n);
  const uint64_t sign = uint64_t{1} << (8 * bytes_of(t) - 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto small = static_cast<int64_t>(r() % 4) - 1;
    const uint64_t integers[] = {static_cast<uint64_t>(small), sign, sign - 1},
                   number = test::bits_near(t, static_cast<double>(small));
    const uint64_t floats[] = {number, number, sign};
    x.set(i, is_floating(t) ? floats[r() % 3] : integers[r() % 8 == 0 ? 1 + r() % 2 : 0]);
  }
  return x;
}

Data some_data(Random& r, DType t, DType result, std::size_t n) {
  if (r() % 4 == 0) return few_values(r, t, n);
  if (is_integer(t) && is_integer(result) && r() % 2 == 0) {
    return with_sum_at_limit(r, t, result, n);
  }
  const auto names = test::generators(t);
  return test::generate(names[r() % names.size()], t, n, r());
}

Data ones(DType t, std::size_t n) {
  Data x(t, n);
  for (std::size_t i = 0; i < n; ++i) x.set(i, is_floating(t) ? test::bits_near(t, 1) : 1);
  return x;
}

// One op of one or two arrays, its result type, and the answers for whole arrays.
class Law {
 public:
  Law(Random& r, const OpRow& op, DType t, DType result, std::size_t n)
      : r_(r),
        op_(op),
        t_(t),
        n_(n),
        x_(some_data(r, t, result, n)),
        y_(r() % 2 == 0 ? some_data(r, t, result, n) : ones(t, n)) {
    options_.result = result;
    if (r() % 4 == 0) options_.nan = NanPolicy::omit;
    const std::vector<std::string_view> targets = cpu_targets();
    options_.target = targets[r() % targets.size()];
    expected_ = fold_all(line(x_), line(y_), options_).list[0].only();
  }

  void check() {
    check_slices(false);
    check_slices(true);
    check_together();
    check_state();
    if (op_.about->inputs == 2) return;
    check_segments();
    if (!op_.about->uses_index) check_groups();
  }

 private:
  bool two() const { return op_.about->inputs == 2; }
  static ArrayRef line(const Data& x) {
    return {x.data(), x.dtype(), {static_cast<int64_t>(x.size())}};
  }
  Answers fold_all(const ArrayRef& x, const ArrayRef& y, const Options& o,
                   const std::string& others = "") const {
    const std::string ops = op_.name + others;
    return two() ? fold(ops, x, y, o) : fold(ops, x, o);
  }
  // Other ops with the same number of arrays and the same result type.
  std::string others(bool with_indices = true) const {
    std::string s;
    for (const OpRow& other : op_rows()) {
      const bool fits = other.about->inputs == op_.about->inputs && &other != &op_ &&
                        is_possible(other, t_, *options_.result);
      if (!with_indices && other.about->uses_index) continue;
      if (fits && r_() % 4 == 0) s += "," + std::string(other.name);
    }
    return s;
  }
  void expect(const Value& got, const std::string& way) const {
    const bool ok = expected_.status == Status::ok;
    if (got.status == expected_.status && (!ok || got.bits == expected_.bits)) return;
    ADD_FAILURE() << op_.name << " of " << n_ << " " << name_of(t_) << " as "
                  << name_of(*options_.result) << " " << way << ": " << name_of(got.status) << " "
                  << got.bits << ", whole: " << name_of(expected_.status) << " " << expected_.bits
                  << (two() ? "" : ", of " + first_elements());
  }
  std::string first_elements() const {
    std::string s;
    for (std::size_t i = 0; i < n_ && i < 8; ++i) s += " " + std::to_string(x_.bits(i));
    return s;
  }

  // x is the part that `mask` selects as slice `number` of `count`; the rest is other data.
  Data among(const Data& x, std::size_t count, std::size_t number, bool columns,
             const Data& mask) const {
    const std::size_t m = mask.size();
    Data all = some_data(r_, t_, *options_.result, count * m);
    for (std::size_t i = 0, next = 0; i < m; ++i) {
      if (mask.bits(i) != 0) all.set(columns ? i * count + number : number * m + i, x.bits(next++));
    }
    return all;
  }
  // Selects n elements among others, or all elements.
  Data some_mask() const {
    const std::size_t more = r_() % 2 == 0 || op_.about->uses_index ? 0 : r_() % (n_ + 3);
    Data mask(boolean, n_ + more);
    std::size_t left = n_;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const bool taken = r_() % (mask.size() - i) < left;
      mask.set(i, taken ? 1 : 0);
      left -= taken ? 1 : 0;
    }
    return mask;
  }
  void check_slices(bool columns) {
    const std::size_t count = 2 + r_() % (n_ < 2000 ? 9 : 2), number = r_() % count;
    const Data mask = some_mask(), x = among(x_, count, number, columns, mask),
               y = among(y_, count, number, columns, mask);
    const auto m = static_cast<int64_t>(mask.size()), slices = static_cast<int64_t>(count);
    const Dims shape = columns ? Dims(m, slices) : Dims(slices, m);
    Options o = options_;
    o.axes = Axes(columns ? 0 : 1);
    o.threads = static_cast<int>(r_() % 3);
    if (mask.size() != n_ || r_() % 4 == 0) {
      o.where = ArrayRef(mask.data(), boolean, columns ? Dims(m, int64_t{1}) : Dims(int64_t{1}, m));
    }
    const ArrayRef a(x.data(), t_, shape), b(y.data(), t_, shape);
    const std::string way = columns ? "along axis 0" : "along axis 1";
    expect(fold_all(a, b, o).list[0][number], way);
    expect(fold_all(a, b, o, others()).list[0][number], way + " together");
  }

  void check_together() const {
    const std::string more = others();
    expect(fold_all(line(x_), line(y_), options_, more).list[0].only(), "together with" + more);
  }

  void check_state() const {
    const std::string ops = op_.name + others();
    Options o;
    o.nan = options_.nan;
    o.target = options_.target;
    const std::size_t cut = r_() % (n_ + 1);
    const auto part = [&](const Data& x, std::size_t begin, std::size_t end) {
      return ArrayRef(x.at(begin), t_, {static_cast<int64_t>(end - begin)});
    };
    const auto gathered = [&](std::size_t begin, std::size_t end) {
      o.first = begin;
      return two() ? gather(ops, part(x_, begin, end), part(y_, begin, end), o)
                   : gather(ops, part(x_, begin, end), o);
    };
    State state = gathered(cut, n_);
    state.merge(gathered(0, cut));
    Options answer;
    answer.result = options_.result;
    expect(state.answer(op_.name, answer), "in a state");
  }

  void check_segments() const {
    const std::size_t before = r_() % 20, behind = r_() % 20, all = before + n_ + behind;
    Data x = some_data(r_, t_, *options_.result, all);
    for (std::size_t i = 0; i < n_; ++i) x.set(before + i, x_.bits(i));
    const int64_t offsets[] = {0, static_cast<int64_t>(before), static_cast<int64_t>(before + n_),
                               static_cast<int64_t>(all)};
    Options o = options_;
    o.threads = static_cast<int>(r_() % 3);
    expect(fold_segments(op_.name, line(x), offsets, o).list[0][1], "as a segment");
    expect(fold_segments(op_.name + others(), line(x), offsets, o).list[0][1],
           "as a segment together");
  }

  // Group 1 of three groups. Its elements come in any order, or group after group.
  void check_groups() const {
    for (const bool rising : {false, true}) {
      std::vector<int64_t> labels(n_, 1);
      for (uint64_t k = r_() % 20; k > 0; --k) labels.push_back(static_cast<int64_t>(r_() % 2) * 2);
      if (rising) {
        std::sort(labels.begin(), labels.end());
      } else {
        std::shuffle(labels.begin(), labels.end(), r_);
      }
      Data x = some_data(r_, t_, *options_.result, labels.size());
      for (std::size_t i = 0, next = 0; i < labels.size(); ++i) {
        if (labels[i] == 1) x.set(i, x_.bits(next++));
      }
      Options o = options_;
      o.target = {};  // groups have no target
      const std::string way = rising ? " that rise" : "", ops = op_.name + others(false);
      expect(fold_by(ops, labels, line(x), Labels{3, o}).list[0][1], "by labels" + way);
      const Answers groups = fold_by(op_.name, labels, line(x), o);
      const auto keys = groups.keys_as<int64_t>();
      const auto at = static_cast<Size>(std::find(keys.begin(), keys.end(), 1) - keys.begin());
      expect(groups.list[0][at], "by keys" + way);
    }
  }

  Random& r_;
  const OpRow& op_;
  const DType t_;
  const std::size_t n_;
  const Data x_, y_;
  Options options_;
  Value expected_{};
};

class Alike : public testing::TestWithParam<DType> {};

TEST_P(Alike, AreAnswersHoweverTheElementsCome) {
  Random r(1 + static_cast<uint64_t>(GetParam()));
  for (const OpRow& op : op_rows()) {
    for (int k = 0; k < dtype_count; ++k) {
      const auto result = static_cast<DType>(k);
      if (!is_possible(op, GetParam(), result)) continue;
      const int rounds = is_integer(GetParam()) && is_integer(result) ? 12 : 3;
      for (int round = 0; round < rounds; ++round) {
        const Size most = r() % 3 == 0 ? 4 : r() % 40 == 0 ? 100000 : 300;
        const std::size_t n = test::pick_log(r, 1, most);
        Law(r, op, GetParam(), result, n).check();
        if (HasFailure()) return;
      }
    }
  }
}

std::vector<DType> all_types() {
  std::vector<DType> list;
  for (int t = 0; t < dtype_count; ++t) list.push_back(static_cast<DType>(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Types, Alike, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// This law found a defect: axes, segments and groups wrapped where whole arrays said `overflow`.
TEST(Alike, NegativeSumsAreNoUnsignedNumbers) {
  const std::vector<int64_t> x{-1, -2, 5, 6}, labels{0, 0, 1, 1}, offsets{0, 2, 4};
  const ArrayRef rows(x.data(), i64, {2, 2});
  Options o;
  o.result = u64;
  const auto expect = [](const Answer& a, const char* way) {
    EXPECT_EQ(a[0].status, Status::overflow) << way;
    EXPECT_EQ(a[1].as<uint64_t>(), 11u) << way;
  };
  expect(fold_segments("sum", x, offsets, o).list[0], "segments");
  expect(fold_by("sum", labels, x, Labels{2, o}).list[0], "labels");
  expect(fold_by("sum", labels, x, o).list[0], "keys");
  o.axes = Axes(1);
  expect(fold("sum", rows, o).list[0], "rows");
  const std::vector<int64_t> ones(4, 1);
  expect(fold("dot", rows, ArrayRef(ones.data(), i64, {2, 2}), o).list[0], "products");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
