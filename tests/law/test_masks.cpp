// A fold with a mask equals the fold of the selected elements alone. The oracle folds these. This
// holds for any shape, order in memory, kind of mask, op, type and instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/onefold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// An array and its mask. For an element's number in C order: its place and that of its mask.
struct Masked {
  Dims shape, strides, mask_shape, mask_strides;  // strides in elements and units
  std::vector<bool> folded;
  Size size = 1, mask_size = 1;  // size of the memory

  int64_t at(const Dims& steps, Size i) const {
    int64_t place = 0;
    for (int d = shape.rank(); d-- > 0;) {
      const auto extent = static_cast<Size>(shape[d]);
      place += static_cast<int64_t>(i % extent) * steps[d];
      i /= extent;
    }
    return place;
  }
};

// Axes in any order of memory, with holes. The mask has other axes, or is broadcast along some.
Masked make(Random& r, const std::vector<int64_t>& extents) {
  Masked m;
  m.shape = Dims(std::span(extents));
  m.strides = m.mask_strides = m.mask_shape = m.shape;
  std::vector<int> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  const bool holes = r() % 2 == 0, broadcasts = r() % 3 == 0;
  if (r() % 3 == 0) std::shuffle(order.begin(), order.end(), r);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    m.strides[*d] = static_cast<int64_t>(m.size);
    m.size *= static_cast<Size>(m.shape[*d]);
    if (holes && r() % 3 == 0) m.size += r() % 3;
  }
  if (r() % 3 == 0) std::shuffle(order.begin(), order.end(), r);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (broadcasts && r() % 2 == 0) m.mask_shape[*d] = 1;
    m.mask_strides[*d] = m.mask_shape[*d] == 1 ? 0 : static_cast<int64_t>(m.mask_size);
    m.mask_size *= static_cast<Size>(m.mask_shape[*d]);
    if (holes && r() % 3 == 0) m.mask_size += r() % 3;
  }
  m.folded.resize(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) m.folded[d] = r() % 2 == 0;
  return m;
}

// The mask takes no element, all, some, runs of elements, or one element.
std::vector<uint8_t> make_mask(Random& r, Size n) {
  std::vector<uint8_t> mask(n);
  const auto kind = r() % 6;
  const Size run = 1 + r() % 700;
  bool on = r() % 2 == 0;
  for (Size i = 0; i < n; ++i) {
    if (i % run == 0) on = r() % 2 == 0;
    const bool taken = kind == 0   ? false
                       : kind == 1 ? true
                       : kind == 2 ? r() % 2 == 0
                       : kind == 3 ? r() % 16 != 0
                                   : on;
    mask[i] = taken ? static_cast<uint8_t>(1 + r() % 255) : 0;
  }
  if (kind == 5) {
    std::fill(mask.begin(), mask.end(), uint8_t{0});
    if (n > 0) mask[r() % n] = 1;
  }
  return mask;
}

std::vector<uint8_t> as_bits(const std::vector<uint8_t>& mask, Size first) {
  std::vector<uint8_t> bits((mask.size() + first + 7) / 8);
  for (Size i = 0; i < mask.size(); ++i) {
    if (mask[i] != 0) bits[(first + i) / 8] |= static_cast<uint8_t>(1 << (first + i) % 8);
  }
  return bits;
}

Dims times(Dims d, int64_t by) {
  for (int k = 0; k < d.rank(); ++k) d[k] *= by;
  return d;
}

// The oracle's answers for the selected elements, with indices of the original array.
oracle::Value expected_of(std::string_view op, const oracle::Fold& taken,
                          const std::vector<Size>& indices, const oracle::Options& o) {
  oracle::Value v = taken(op, o);
  const bool index = (op == "argmin" || op == "argmax") && v.status == "ok" && o.result == nullptr;
  if (index) v.bits = indices[v.bits];
  return v;
}

void check(Random& r, const Masked& m, std::string_view target) {
  const auto t = static_cast<DType>(r() % dtype_count);
  const auto names = test::generators(t);
  const std::string_view g = r() % 2 == 0 ? names[0] : names[r() % names.size()];
  const uint64_t seed = r() % 100000;
  const Data x = test::generate(g, t, m.size, seed);
  const std::vector<uint8_t> mask = make_mask(r, m.mask_size);
  const Size first = r() % 20;
  const std::vector<uint8_t> bits = as_bits(mask, first);

  Options o = test::some_options(r, r() % 8);
  o.result.reset();
  o.target = target;
  o.threads = static_cast<int>(r() % 3);
  std::vector<int64_t> axes;
  for (std::size_t d = 0; d < m.folded.size(); ++d) {
    if (m.folded[d]) axes.push_back(static_cast<int64_t>(d));
  }
  o.axes = axes.empty() ? Axes::none() : Axes(axes);
  const bool by_bits = r() % 2 == 0;
  if (by_bits) {
    o.where = Mask::of_bits(bits.data(), first, m.mask_shape);
    o.where->array.strides = m.mask_strides;
  } else {
    o.where = ArrayRef(mask.data(), boolean, m.mask_shape, m.mask_strides);
  }
  // All ops at once, or a few ops for which other feeds are chosen.
  const std::string_view requests[] = {"sum", "mean,var", "max",   "argmin",       "norm2",
                                       "any", "ptp",      "count", "sum,argmax",   "",
                                       "rms", "std",      "min",   "count_nonzero"};
  std::string ops(requests[r() % std::size(requests)]);
  if (ops.empty()) ops = test::ops_of_one_array(t);
  const ArrayRef array(x.data(), t, m.shape, times(m.strides, bytes_of(t)));
  const Answers got = fold(ops, array, o);

  // The elements and indices of each answer, in C order.
  const Size n = std::accumulate(m.shape.begin(), m.shape.end(), Size{1},
                                 [](Size a, int64_t b) { return a * static_cast<Size>(b); });
  Dims answer = m.shape, index = m.shape;
  int64_t answers = 1, elements = 1;
  for (int d = m.shape.rank(); d-- > 0;) {
    const bool folded = m.folded[static_cast<std::size_t>(d)];
    int64_t& count = folded ? elements : answers;
    index[d] = folded ? count : 0;
    answer[d] = folded ? 0 : count;
    count *= m.shape[d];
  }
  std::vector<std::vector<std::pair<Size, Size>>> of(static_cast<Size>(answers));
  for (Size i = 0; i < n; ++i) {
    if (mask[static_cast<Size>(m.at(m.mask_strides, i))] == 0) continue;
    of[static_cast<Size>(m.at(answer, i))].emplace_back(m.at(index, i), m.at(m.strides, i));
  }
  for (Size a = 0; a < of.size(); ++a) {
    Data slice(t, of[a].size());
    std::vector<Size> indices;
    std::sort(of[a].begin(), of[a].end());
    for (std::size_t i = 0; i < of[a].size(); ++i) {
      slice.set(i, x.bits(of[a][i].second));
      indices.push_back(of[a][i].first);
    }
    const oracle::Fold taken(oracle::type(name_of(t)), slice.data(), slice.size());
    for (const Answer& answer_of : got.list) {
      const oracle::Value v = expected_of(answer_of.op, taken, indices, test::for_oracle(o));
      ASSERT_EQ(test::compare(answer_of.op, answer_of[a], v), "")
          << test::describe(g, t, m.size, seed) << test::describe(o) << " shape "
          << to_string(m.shape) << " strides " << to_string(m.strides) << " mask "
          << to_string(m.mask_shape) << (by_bits ? " of bits" : "") << " answer " << a;
    }
  }
}

class EveryMask : public testing::TestWithParam<std::string> {};

TEST_P(EveryMask, IsTheFoldOfWhatItTakes) {
  Random r(1);
  for (int round = 0; round < test::scaled(400) && !HasFatalFailure(); ++round) {
    std::vector<int64_t> e(r() % 4 + (round % 2 == 0));
    for (int64_t& n : e) n = static_cast<int64_t>(test::pick_log(r, 1, 14));
    check(r, make(r, e), GetParam());
  }
}

TEST_P(EveryMask, IsTheFoldOfWhatItTakesOfLongRowsAndColumns) {
  Random r(2);
  for (int round = 0; round < test::scaled(60) && !HasFatalFailure(); ++round) {
    std::vector<int64_t> e{static_cast<int64_t>(test::pick_log(r, 1, 20000)),
                           static_cast<int64_t>(test::pick_log(r, 1, 5))};
    if (r() % 2 == 0) std::swap(e[0], e[1]);
    check(r, make(r, e), GetParam());
  }
}

std::vector<std::string> targets() {
  std::vector<std::string> list;
  for (const cpu_backend::Target t : usable_targets()) list.emplace_back(name_of(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Targets, EveryMask, testing::ValuesIn(targets()),
                         [](const auto& i) { return i.param; });

// Several threads take chunks of one answer.
TEST(Mask, TakesTheSameForAnyNumberOfThreads) {
  Random r(3);
  std::vector<double> x(700000);
  for (double& v : x) v = static_cast<double>(r() % 1000000) - 500000;
  std::vector<Bool8> mask(x.size());
  for (Bool8& m : mask) m.byte = r() % 3 == 0;
  const Options one{.where = mask, .threads = 1}, four{.where = mask, .threads = 4};
  const Answers a = fold("sum,argmax,argmin,var", x, one),
                b = fold("sum,argmax,argmin,var", x, four);
  for (const char* op : {"sum", "argmax", "argmin", "var"}) EXPECT_EQ(a[op][0], b[op][0]) << op;
}

TEST(Mask, LeavesStatesThatMergeToTheWhole) {
  Random r(4);
  std::vector<float> x(5000);
  for (float& v : x) v = static_cast<float>(r() % 2000) - 1000;
  std::vector<Bool8> mask(x.size());
  for (Bool8& m : mask) m.byte = r() % 2 == 0;
  const std::span all(x);
  const std::span takes(mask);
  for (const char* ops : {"mean,var", "argmin,sum", "max", "dot"}) {
    const bool two = std::string(ops) == "dot";
    const auto part = [&](Size from, Size to) {
      const auto piece = all.subspan(from, to - from);
      const Options o{.where = takes.subspan(from, to - from), .first = from};
      return two ? gather(ops, piece, piece, o) : gather(ops, piece, o);
    };
    State left = part(0, 1234);
    left.merge(part(1234, x.size()));
    EXPECT_EQ(left, part(0, x.size())) << ops;
    EXPECT_EQ(State::load(left.save()), left) << ops;
    EXPECT_EQ(left.count(), static_cast<Size>(std::count_if(mask.begin(), mask.end(),
                                                            [](Bool8 m) { return m.byte != 0; })))
        << ops;
  }
  // Without indices a masked state equals that of the selected elements alone.
  std::vector<float> taken;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (mask[i].byte != 0) taken.push_back(x[i]);
  }
  EXPECT_EQ(gather("var,max", x, {.where = mask}), gather("var,max", taken));
}

TEST(Mask, OfNothingGivesTheAnswersOfNothing) {
  const std::vector<double> x{1, 2, 3, 4};
  const std::vector<Bool8> none(4);
  const Options o{.where = none};
  EXPECT_EQ(sum(x, o), 0);
  EXPECT_TRUE(std::isnan(mean(x, o)));
  EXPECT_EQ(fold("count", x, o).get<int64_t>("count"), 0);
  test::expect_error(ErrorCode::empty_input, {"max"}, [&] { max(x, o); });
  std::vector<double> out(2);
  const ArrayRef square(x.data(), f64, {2, 2});
  const Bool8 first[] = {{1}, {0}};
  test::expect_error(ErrorCode::empty_input, {"min[1]"}, [&] {
    fold_into(out, "min", square, {.axes = {1}, .where = ArrayRef(first, boolean, {2, 1})});
  });
  fold_into(out, "min", square,
            {.axes = {1}, .where = ArrayRef(first, boolean, {2, 1}), .empty_nan = true});
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
}

TEST(Mask, IsRefusedBeforeAnyWork) {
  const std::vector<double> x(6);
  const ArrayRef a(x.data(), f64, {2, 3});
  const std::vector<Bool8> mask(4);
  const std::vector<int8_t> numbers(6);
  test::expect_error(ErrorCode::shape_mismatch, {"(4,)", "(2, 3)"},
                     [&] { fold("sum", a, {.where = mask}); });
  test::expect_error(ErrorCode::shape_mismatch, {"(1, 2, 3)"}, [&] {
    fold("sum", a, {.where = ArrayRef(numbers.data(), boolean, {1, 2, 3})});
  });
  test::expect_error(ErrorCode::type_mismatch, {"i8", "bool"}, [&] {
    fold("sum", a, {.where = ArrayRef(numbers.data(), i8, {2, 3})});
  });
  test::expect_error(ErrorCode::bad_option, {"null"}, [&] {
    fold("sum", a, {.where = ArrayRef(nullptr, boolean, {2, 3})});
  });
  test::expect_error(ErrorCode::bad_option, {".where"}, [&] {
    gather("sum", a).answer("sum", {.where = ArrayRef(numbers.data(), boolean, {3})});
  });
}

TEST(Initial, IsOneMoreElement) {
  const std::vector<double> x{1, 2, 3};
  EXPECT_EQ(sum(x, {.initial = 0.5}), 6.5);
  EXPECT_EQ(sum(x, {.initial = 4}), 10);
  EXPECT_EQ(max(x, {.initial = 7.0}), 7);
  EXPECT_EQ(min(x, {.initial = -INFINITY}), -INFINITY);
  EXPECT_TRUE(std::isnan(min(x, {.initial = NAN})));
  EXPECT_EQ(min(x, {.nan = NanPolicy::omit, .initial = NAN}), 1);
  const std::vector<double> nothing;
  EXPECT_EQ(max(nothing, {.initial = 3.0}), 3);
  EXPECT_TRUE(std::signbit(sum(nothing, {.initial = -0.0})));
  const std::vector<int64_t> whole{INT64_MAX, 5};
  EXPECT_EQ(sum(whole, {.initial = int64_t{-5}}), INT64_MAX);
  test::expect_error(ErrorCode::overflow, {"sum"}, [&] { sum(whole); });
  // `.initial` is part of every answer.
  const ArrayRef square(x.data(), f64, {3, 1});
  const Answers a = fold("sum,max", square, {.axes = {1}, .initial = 2.5});
  EXPECT_EQ(a["sum"].values<double>()[2], 5.5);
  EXPECT_EQ(a["max"].values<double>()[0], 2.5);
  EXPECT_EQ(gather("sum", x).answer("sum", {.initial = 1.0}).as<double>(), 7);
}

TEST(Initial, IsRefusedWhereItHasNoMeaning) {
  const std::vector<float> x{1, 2};
  const std::vector<uint8_t> bytes{1, 2};
  test::expect_error(ErrorCode::bad_option, {"mean", ".initial"},
                     [&] { mean(x, {.initial = 1.0f}); });
  test::expect_error(ErrorCode::bad_option, {"f32", "cannot hold"},
                     [&] { sum(x, {.initial = 0.1}); });
  test::expect_error(ErrorCode::bad_option, {"u8"}, [&] { sum(bytes, {.initial = 256}); });
  test::expect_error(ErrorCode::bad_option, {"u8"}, [&] { sum(bytes, {.initial = -1}); });
  test::expect_error(ErrorCode::bad_option, {"u8"}, [&] { sum(bytes, {.initial = 1.5}); });
  test::expect_error(ErrorCode::bad_option, {".initial"},
                     [&] { gather("sum", x, {.initial = 1.0f}); });
}

TEST(EmptyNan, IsForFloatingPointMinimaMaximaAndRanges) {
  const std::vector<float> x;
  const Answers a = fold("min,max,ptp,argmin,sum", x, {.empty_nan = true});
  for (const char* op : {"min", "max", "ptp"}) EXPECT_TRUE(std::isnan(a.get<float>(op))) << op;
  EXPECT_EQ(a["argmin"][0].status, Status::empty_input);
  EXPECT_EQ(a.get<float>("sum"), 0);
  const std::vector<int32_t> whole;
  EXPECT_EQ(fold("min", whole, {.empty_nan = true})["min"][0].status, Status::empty_input);
  const std::vector<float> nan{NAN, NAN};
  EXPECT_TRUE(std::isnan(max(nan, {.nan = NanPolicy::omit, .empty_nan = true})));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
