// Every op of every type, on hard data, equals the oracle's answer: for each instruction set,
// through the public interface.
#include <gtest/gtest.h>

#include <algorithm>

#include "check.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

struct Case {
  DType dtype;
  std::string_view generator;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    for (const std::string_view g : test::generators(dtype)) list.push_back({dtype, g});
  }
  return list;
}
std::string name_of_case(const Case& c) {
  return std::string(name_of(c.dtype)) + "_" + std::string(c.generator);
}
void PrintTo(const Case& c, std::ostream* out) { *out << name_of_case(c); }

// Picks a few names from a list with commas.
std::string some_of(test::Random& r, const std::string& ops) {
  std::string s;
  for (std::size_t at = 0; at < ops.size();) {
    const std::size_t comma = std::min(ops.find(',', at), ops.size());
    if (r() % 8 == 0) s += (s.empty() ? "" : ",") + ops.substr(at, comma - at);
    at = comma + 1;
  }
  return s.empty() ? ops.substr(0, ops.find(',')) : s;
}

// Checks one array: all ops by each instruction set, some ops by one of them, and the dot product.
void check_one(const Case& c, std::size_t n, uint64_t seed, std::size_t portable_limit) {
  test::Random r(seed);
  const std::size_t skip = r() % 16;
  const test::Data x = test::generate(c.generator, c.dtype, n + skip, seed);
  // Products need mixed data: infinities with zeros, signs with -0.
  const auto generators = test::generators(c.dtype);
  const std::string_view partner = r() % 2 == 0 ? c.generator : generators[r() % generators.size()];
  const test::Data y = test::generate(partner, c.dtype, n + skip, seed + 1000000);
  const auto extent = static_cast<int64_t>(n);
  const ArrayRef array(x.at(skip), c.dtype, {extent}), other(y.at(0), c.dtype, {extent});
  const oracle::Type& t = oracle::type(name_of(c.dtype));
  const oracle::Fold expected(t, array.data, n);

  Options options = test::some_options(r, n);
  const std::string ops = test::ops_of_one_array(c.dtype, options.result);
  Options dot_options = options;
  const bool dot_result = !options.result || is_floating(*options.result) || !is_floating(c.dtype);
  if (!dot_result) dot_options.result = {};
  const oracle::Value dot =
      oracle::dot(t, array.data, other.data, n, test::for_oracle(dot_options));

  const auto what = [&](const Options& o) {
    return test::describe(c.generator, c.dtype, n + skip, seed) + " from " + std::to_string(skip) +
           test::describe(o);
  };
  const auto targets = cpu_targets();
  for (const std::string_view target : targets) {
    if (target == "portable" && n > portable_limit) continue;
    options.target = dot_options.target = target;
    options.threads = dot_options.threads = static_cast<int>(r() % 4);
    if (!ops.empty()) {
      ASSERT_EQ(test::compare(fold(ops, array, options), 0, expected, options), "")
          << what(options);
    }
    const Answers d = fold("dot", array, other, dot_options);
    ASSERT_EQ(test::compare("dot", d["dot"][0], dot), "")
        << what(dot_options) << " with " << partner << " seed " << seed + 1000000;
  }
  options.target = targets[r() % (targets.size() - 1)];
  if (!ops.empty()) {
    const std::string some = some_of(r, ops);
    ASSERT_EQ(test::compare(fold(some, array, options), 0, expected, options), "")
        << some << " " << what(options);
  }
}

class Contract : public testing::TestWithParam<Case> {};

TEST_P(Contract, EveryOpIsRoundedOnceByEveryInstructionSet) {
  test::Random r(1);
  // Integers are summed in one way, floating-point numbers in many ways.
  const int arrays = test::scaled(is_floating(GetParam().dtype) ? 500 : 100);
  for (int k = 0; k < arrays && !HasFatalFailure(); ++k) {
    const std::size_t n = k < 5 ? static_cast<std::size_t>(k) : test::pick_log(r, 1, 100000);
    check_one(GetParam(), n, static_cast<uint64_t>(k), 2000);
  }
}

INSTANTIATE_TEST_SUITE_P(Data, Contract, testing::ValuesIn(cases()),
                         [](const auto& info) { return name_of_case(info.param); });

class LongContract : public testing::TestWithParam<Case> {};

TEST_P(LongContract, EveryOpIsRoundedOnceByEveryInstructionSet) {
  test::Random r(2);
  const int arrays = is_floating(GetParam().dtype) ? 20000 : 2000;
  for (int k = 0; k < arrays && !HasFatalFailure(); ++k) {
    check_one(GetParam(), test::pick_log(r, 1, 100000), 1000 + static_cast<uint64_t>(k), 2000);
  }
}

TEST_P(LongContract, TenMillionElementsAreRoundedOnceByEveryInstructionSet) {
  check_one(GetParam(), 10000000 + GetParam().generator.size(), 7, ~std::size_t{0});
}

INSTANTIATE_TEST_SUITE_P(Data, LongContract, testing::ValuesIn(cases()),
                         [](const auto& info) { return name_of_case(info.param); });

}  // namespace ONEFOLD_FILE
}  // namespace onefold
