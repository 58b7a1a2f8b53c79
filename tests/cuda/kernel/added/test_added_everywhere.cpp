// Ops and accumulators that were added by their files alone are right wherever elements come from.
// The program has its own library with them. law/test_alike.cpp runs in it, too: it compares whole
// arrays with axes, masks, segments, groups and states, alone and together with other ops.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/states.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold {
namespace {

using test::Data;

struct Expected {
  double share_negative = 0, mean0 = 0, share_equal = 0;
};

// Small integers and halves of any type, whose sums f64 hold exactly; every fifth pair is equal.
struct Inputs {
  Data x, y;
  Expected expected;
};
Inputs inputs_of(DType t, std::size_t n) {
  test::Random r(n);
  Inputs in{Data(t, n), Data(t, n), {}};
  double sum = 0, negatives = 0, equal = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_signed = kind_of(t) != Kind::unsigned_integer && t != boolean;
    const auto draw = [&] {
      const auto v = static_cast<double>(r() % (t == boolean ? 2 : 16));
      return is_signed ? (is_floating(t) ? (v - 8) / 2 : v - 8) : v;
    };
    const auto set = [&](Data& d, double v) {
      d.set(i, is_floating(t) ? test::bits_near(t, v)
                              : static_cast<uint64_t>(static_cast<int64_t>(v)));
    };
    const double x = draw(), y = i % 5 == 0 ? x : draw();
    set(in.x, x);
    set(in.y, y);
    sum += x;
    negatives += x < 0;
    equal += x == y;
  }
  const auto count = static_cast<double>(n);
  in.expected = {negatives / count, sum / count, equal / count};
  return in;
}

constexpr const char* one_array = "share_negative,mean0,sum,max";
constexpr const char* two_arrays = "share_equal,corr";

void expect_one(const Answers& got, const Expected& expected, const std::string& way) {
  EXPECT_EQ(got.get<double>("share_negative"), expected.share_negative) << way;
  EXPECT_EQ(got.get<double>("mean0"), expected.mean0) << way;
}
void expect_two(const Answers& got, const Expected& expected, const std::string& way) {
  EXPECT_EQ(got.get<double>("share_equal"), expected.share_equal) << way;
}

Options doubles() {
  Options o;
  o.wide = true;
  return o;
}

class AddedOp : public testing::TestWithParam<DType> {};

TEST_P(AddedOp, AnswersAsItsDefinitionSays) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{7}, std::size_t{300}, std::size_t{5000}}) {
    const Inputs in = inputs_of(GetParam(), n);
    const ArrayRef x(in.x.data(), GetParam(), {n}), y(in.y.data(), GetParam(), {n});
    const std::string way = std::to_string(n) + " elements";
    expect_one(fold(one_array, x, doubles()), in.expected, way);
    expect_two(fold("share_equal", x, y, doubles()), in.expected, way + " alone");
    if (n > 1) expect_two(fold(two_arrays, x, y, doubles()), in.expected, way);
  }
}

TEST_P(AddedOp, IsRightInStatesThatWereSaved) {
  const Size n = 300, cut = 128;
  const Inputs in = inputs_of(GetParam(), n);
  const auto part = [&](const Data& d, Size begin, Size end) {
    return ArrayRef(d.at(begin), GetParam(), {end - begin});
  };
  const auto merged = [&](auto gathered) {
    State a = State::load(gathered(Size{0}, cut).save());
    a.merge(State::load(gathered(cut, n).save()));
    return a;
  };
  const State one =
      merged([&](Size from, Size to) { return gather(one_array, part(in.x, from, to)); });
  const State two = merged([&](Size from, Size to) {
    return gather(two_arrays, part(in.x, from, to), part(in.y, from, to));
  });
  const auto answer = [](const State& state, const char* op) {
    return state.answer(op, doubles()).as<double>();
  };
  EXPECT_EQ(answer(one, "share_negative"), in.expected.share_negative);
  EXPECT_EQ(answer(one, "mean0"), in.expected.mean0);
  EXPECT_EQ(answer(two, "share_equal"), in.expected.share_equal);
}

TEST_P(AddedOp, IsRightInStatesOfSlices) {
  const Size n = 300;
  const Inputs in = inputs_of(GetParam(), n);
  Data columns(GetParam(), 2 * n), columns_y(GetParam(), 2 * n);  // the first is that of `in`
  for (Size i = 0; i < n; ++i) {
    columns.set(2 * i, in.x.bits(i));
    columns_y.set(2 * i, in.y.bits(i));
  }
  const Options by_column{.axes = {0}};
  const auto part = [&](const Data& d, Size begin, Size end) {
    return ArrayRef(d.at(2 * begin), GetParam(), {end - begin, Size{2}});
  };
  States one = gather_states(one_array, part(columns, 0, 128), by_column);
  one.merge(gather_states(one_array, part(columns, 128, n), by_column));
  States two = gather_states(two_arrays, part(columns, 0, 128), part(columns_y, 0, 128), by_column);
  two.merge(gather_states(two_arrays, part(columns, 128, n), part(columns_y, 128, n), by_column));
  const auto answer = [](const States& states, const char* op) {
    return states.answer(op, doubles()).list[0][0].as<double>();
  };
  EXPECT_EQ(answer(one, "share_negative"), in.expected.share_negative);
  EXPECT_EQ(answer(one, "mean0"), in.expected.mean0);
  EXPECT_EQ(answer(two, "share_equal"), in.expected.share_equal);
}

TEST_P(AddedOp, IsRightOfFiles) {
  if (GetParam() == bf16) return;  // .npy cannot hold bf16
  const std::size_t n = 5000;
  const Inputs in = inputs_of(GetParam(), n);
  const test::Scratch folder;
  io::InputOptions input;
  input.dtype = GetParam();
  input.format = "raw";
  const auto file = [&](const char* name, const Data& d) {
    return folder.write(name, {reinterpret_cast<const char*>(d.data()), d.bytes()});
  };
  const std::string x = file("x", in.x), y = file("y", in.y);
  expect_one(io::fold_files(Query(one_array, doubles()), {x}, input), in.expected, "file");
  expect_two(io::fold_files(Query(two_arrays, doubles()), {x, y}, input), in.expected, "files");
}

std::vector<DType> all_types() {
  std::vector<DType> list;
  for (int t = 0; t < dtype_count; ++t) list.push_back(static_cast<DType>(t));
  return list;
}
INSTANTIATE_TEST_SUITE_P(Types, AddedOp, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace onefold
