// Ranges whose elements a function maps: the answers are those of an array of its values.
#include "onefold/mapped.hpp"

#include <forward_list>
#include <list>
#include <ranges>
#include <sstream>

#include <gtest/gtest.h>

#include "onefold/onefold.hpp"
#include "tests/generate.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using namespace test;

// More than one block of 32 KiB.
std::vector<double> some_numbers() {
  Random r(1);
  std::vector<double> x(10000);
  for (double& v : x) v = static_cast<double>(static_cast<int64_t>(r())) * 0x1p-62;
  return x;
}

TEST(Mapped, FoldsTheValuesOfAFunction) {
  const std::vector<double> x = some_numbers();
  std::vector<double> squares;
  std::vector<float> narrow;
  for (const double v : x) {
    squares.push_back(v * v - 1);
    narrow.push_back(static_cast<float>(v));
  }
  const auto f = [](double v) { return v * v - 1; };
  EXPECT_EQ(sum(x, f), sum(squares));
  EXPECT_EQ(mean(x, f), mean(squares));
  EXPECT_EQ(var(x, f, {.ddof = 1}), var(squares, {.ddof = 1}));
  EXPECT_EQ(argmin(x, f), argmin(squares));
  const float s = sum(x, [](double v) { return static_cast<float>(v); });
  EXPECT_EQ(s, sum(narrow));
  const bool found = any(x, [](double v) { return v > 1.9; });
  EXPECT_TRUE(found);
  const Answers a = fold("mean,std", x, f), b = fold("mean,std", squares);
  EXPECT_EQ(a.get<double>("mean"), b.get<double>("mean"));
  EXPECT_EQ(a.get<double>("std"), b.get<double>("std"));
}

TEST(Mapped, TakesRangesThatDoNotLieInOnePiece) {
  const std::vector<double> x = some_numbers();
  const std::list<double> list(x.begin(), x.end());
  EXPECT_EQ(sum(list), sum(x));
  EXPECT_EQ(fold("max", std::forward_list<double>(x.begin(), x.end())).get<double>("max"), max(x));
  const auto last = x | std::views::drop(1) | std::views::reverse;
  EXPECT_EQ(norm1(last), norm1(std::vector<double>(x.begin() + 1, x.end())));
  const std::vector<bool> bits{true, false, true};
  EXPECT_EQ(sum(bits), 2);
  std::istringstream text("1 2 4");
  EXPECT_EQ(sum(std::views::istream<int>(text)), 7);
  const std::vector<std::string> words{"a", "bcd"};
  EXPECT_EQ(mean(words, &std::string::size), 2);
}

TEST(Mapped, AnswersOfNothingAreThoseOfAnEmptyArray) {
  const std::list<double> none;
  EXPECT_EQ(sum(none), 0);
  EXPECT_TRUE(mean(none) != mean(none));
  EXPECT_THROW(min(none), Error);
  EXPECT_EQ(min(none, {.initial = 2.0}), 2);
}

TEST(Mapped, CallsTheFunctionOnceForEachElementInOrder) {
  int calls = 0;
  const std::list<int> x{5, 6, 7};
  EXPECT_EQ(argmax(x, [&](int v) { return ++calls == v - 4 ? v : 100; }), 2u);
  EXPECT_EQ(calls, 3);
  EXPECT_THROW(sum(x, [](int v) -> int { throw v; }), int);
}

TEST(Mapped, RefusesOptionsThatAreArrays) {
  const std::list<int> x{5, 6, 7};
  Options o;
  o.axes = {0};
  EXPECT_THROW(sum(x, o), Error);
}

TEST(Mapped, StatesOfPartsMerge) {
  const std::vector<double> x = some_numbers();
  const auto f = [](double v) { return -v; };
  State a = gather("sum,argmin", x | std::views::take(7000), f);
  a.merge(gather("sum,argmin", x | std::views::drop(7000), f, {.first = 7000}));
  EXPECT_EQ(a.answer("sum").as<double>(), -sum(x));
  EXPECT_EQ(a.answer("argmin").as<int64_t>(), static_cast<int64_t>(argmax(x)));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
