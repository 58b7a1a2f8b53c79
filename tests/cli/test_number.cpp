// How values print, through the program: each row of a raw file is folded by itself.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// Prints a list of elements of `type`, one a line.
template <class T>
std::vector<std::string> print_each(const std::vector<T>& list, const std::string& type) {
  const Folder folder;
  const std::string file = folder.write("x.bin", bytes_of_list(list));
  const Ran ran = run_program(
      {"max", file, "--dtype", type, "--shape", std::to_string(list.size()) + "x1", "--axis", "1"});
  EXPECT_EQ(ran.status, 0) << ran.error;
  std::vector<std::string> lines;
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_EQ(lines.size(), list.size());
  lines.resize(list.size());
  return lines;
}

struct Format {
  int mantissa_bits, exponent_bits;
};
constexpr Format f16{10, 5}, bf16{7, 8};

double value_of(uint16_t bits, Format f) {
  const int fraction = bits & ((1 << f.mantissa_bits) - 1);
  const int exponent = bits >> f.mantissa_bits & ((1 << f.exponent_bits) - 1);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const double v = exponent == 0 ? std::ldexp(fraction, 1 - bias - f.mantissa_bits)
                                 : std::ldexp(fraction + (1 << f.mantissa_bits),
                                              exponent - bias - f.mantissa_bits);
  return bits >> 15 != 0 ? -v : v;
}

// To nearest, ties to even.
double round_to(double v, Format f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const int unit = std::max(std::ilogb(v), 1 - bias) - f.mantissa_bits;
  return std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit);
}

std::size_t digits_of(const std::string& text) {
  const std::string mantissa = text.substr(0, text.find('e'));
  std::string digits;
  for (const char c : mantissa) {
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  }
  if (mantissa.find('.') == mantissa.npos) {
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  }
  return digits.size();
}

// Returns whether some decimal with so many digits rounds to v.
bool reads_back_with(double v, std::size_t digits, Format f) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", static_cast<int>(digits) - 1, v);
  std::string figures(text, std::strchr(text, 'e'));
  std::erase(figures, '.');
  const int exponent = std::atoi(std::strchr(text, 'e') + 1) - static_cast<int>(digits) + 1;
  for (long d = -1; d <= 1; ++d) {
    const std::string near =
        std::to_string(std::stol(figures) + d) + "e" + std::to_string(exponent);
    if (round_to(std::strtod(near.c_str(), nullptr), f) == v) return true;
  }
  return false;
}

void check_every_value(Format f, const std::string& type) {
  std::vector<uint16_t> bits;
  for (int b = 0; b < 0x10000; ++b) {
    const int exponent = b >> f.mantissa_bits & ((1 << f.exponent_bits) - 1);
    if (exponent != (1 << f.exponent_bits) - 1) bits.push_back(static_cast<uint16_t>(b));
  }
  const std::vector<std::string> lines = print_each(bits, type);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const double v = value_of(bits[i], f);
    if (v == 0) {
      ASSERT_EQ(lines[i], std::signbit(v) ? "-0" : "0");
      continue;
    }
    ASSERT_EQ(round_to(std::strtod(lines[i].c_str(), nullptr), f), v) << lines[i];
    // Large integers show all their digits, as std::to_chars has it.
    if (v == std::floor(v) && lines[i].find('e') == std::string::npos) continue;
    const std::size_t digits = digits_of(lines[i]);
    ASSERT_FALSE(digits > 1 && reads_back_with(v, digits - 1, f)) << lines[i];
  }
}

TEST(PrintedNumber, OfF16IsTheShortestThatReadsBackForEveryValue) { check_every_value(f16, "f16"); }
TEST(PrintedNumber, OfBf16IsTheShortestThatReadsBackForEveryValue) {
  check_every_value(bf16, "bf16");
}

template <class T>
void check_random(const std::string& type) {
  std::mt19937_64 random(7);
  std::vector<T> list{0,
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::denorm_min(),
                      T(0.1),
                      T(100000),
                      T(1e23)};
  while (list.size() < 5000) {
    T x;
    const uint64_t bits = random();
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) list.push_back(x);
  }
  const std::vector<std::string> lines = print_each(list, type);
  for (std::size_t i = 0; i < list.size(); ++i) {
    T back = 0;
    std::from_chars(lines[i].data(), lines[i].data() + lines[i].size(), back);
    ASSERT_EQ(std::memcmp(&back, &list[i], sizeof back), 0) << lines[i];
  }
}

TEST(PrintedNumber, OfF32ReadsBack) { check_random<float>("f32"); }
TEST(PrintedNumber, OfF64ReadsBack) { check_random<double>("f64"); }
TEST(PrintedNumber, OfShortDecimalsHasTheFewestDigits) {
  std::mt19937_64 random(3);
  std::vector<double> list{0.001, 999999999999999, 1e14, 123456789012.345, 0.1 + 0.2, 100, 0.05};
  while (list.size() < 5000) {
    const auto digits = static_cast<double>(random() % 1'000'000'000'000'000 >> random() % 50);
    const double x = digits / std::pow(10, static_cast<int>(random() % 19));
    if (x >= 1e-3) list.push_back(random() % 2 == 0 ? x : -x);
  }
  const std::vector<std::string> lines = print_each(list, "f64");
  for (std::size_t i = 0; i < list.size(); ++i) {
    char text[64];
    const auto end = std::to_chars(text, text + 64, list[i], std::chars_format::fixed).ptr;
    EXPECT_EQ(lines[i], std::string(text, end));
  }
}

TEST(PrintedNumber, ShowsSpecialValuesAsWords) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(print_each<double>({inf, -inf, std::nan(""), -0.0, 0.5, 1e300}, "f64"),
            (std::vector<std::string>{"inf", "-inf", "nan", "-0", "0.5", "1e+300"}));
}

// Numbers print as by Python's repr, but integers of a float type without ".0".
TEST(PrintedNumber, HasNoExponentFromTenThousandthsToTenQuadrillion) {
  EXPECT_EQ(print_each<double>({1e-4, 9.999999999999999e-5, 0.00012345, 100000, 123456789.5, 1e15,
                                9999999999999998, 1e16, 1.2345678901234567e16, -1e5},
                               "f64"),
            (std::vector<std::string>{"0.0001", "9.999999999999999e-05", "0.00012345", "100000",
                                      "123456789.5", "1000000000000000", "9999999999999998",
                                      "1e+16", "1.2345678901234568e+16", "-100000"}));
  // The exponent of the shortest digits decides: the f32 nearest to 1e-4 is below it.
  EXPECT_EQ(print_each<float>({1e-4f, 9e-5f, 16777216, 123456792, 1e16f}, "f32"),
            (std::vector<std::string>{"0.0001", "9e-05", "16777216", "123456792", "1e+16"}));
}

TEST(PrintedNumber, HasAtMostAsManyDigitsAsAskedFor) {
  const auto print = [](const std::string& text, const char* precision) {
    return run_program({"sum", "--precision", precision}, {.stdin_text = text}).out;
  };
  EXPECT_EQ(print("3.14159265", "3"), "3.14\n");
  EXPECT_EQ(print("2.5", "17"), "2.5\n");
  EXPECT_EQ(print("0.1", "17"), "0.10000000000000001\n");
  EXPECT_EQ(print("99999", "2"), "100000\n");
  EXPECT_EQ(print("123456", "2"), "120000\n");
  EXPECT_EQ(print("1.5e20", "4"), "1.5e+20\n");
  EXPECT_EQ(print("1e-9", "4"), "1e-09\n");
  EXPECT_EQ(print("-0", "4"), "-0\n");
  EXPECT_EQ(print("nan", "4"), "nan\n");
  EXPECT_EQ(run_program({"sum,count", "--json", "--precision", "2"}, {.stdin_text = "1234.5"}).out,
            "{\"sum\": 1200.0, \"count\": 1}\n");
}

TEST(PrintedNumber, CanBeCountedOnByAShell) {
  std::string numbers;
  for (int i = 1; i <= 100000; ++i) numbers += std::to_string(i) + "\n";
  EXPECT_EQ(run_program({"max"}, {.stdin_text = numbers}).out, "100000\n");
}

TEST(PrintedNumber, ShowsIntegersInFull) {
  EXPECT_EQ(print_each<uint64_t>({0, ~uint64_t{0}}, "u64"),
            (std::vector<std::string>{"0", "18446744073709551615"}));
  EXPECT_EQ(print_each<int64_t>({INT64_MIN, -1}, "i64"),
            (std::vector<std::string>{"-9223372036854775808", "-1"}));
  EXPECT_EQ(print_each<int8_t>({-128, 65}, "i8"), (std::vector<std::string>{"-128", "65"}));
}

TEST(PrintedNumber, ShowsBoolsAsWords) {
  EXPECT_EQ(print_each<uint8_t>({0, 1, 7}, "bool"),
            (std::vector<std::string>{"false", "true", "true"}));
}

TEST(PrintedJson, KeepsTheSignOfZeroAndFloatsApartFromIntegers) {
  const Ran ran = run_program({"sum,count", "--json"}, {.stdin_text = "-0 -0\n"});
  EXPECT_EQ(ran.out, "{\"sum\": -0.0, \"count\": 2}\n");
  EXPECT_EQ(run_program({"sum,count", "--json"}, {.stdin_text = "1 2"}).out,
            "{\"sum\": 3.0, \"count\": 2}\n");
}

TEST(PrintedJson, HasStringsForNanAndInfinities) {
  const Ran ran = run_program({"max,min,mean", "--json"}, {.stdin_text = "inf -inf\n"});
  EXPECT_EQ(ran.out, "{\"max\": \"inf\", \"min\": \"-inf\", \"mean\": null}\n");
}

TEST(PrintedJson, HasBoolsAndFullIntegers) {
  const Folder folder;
  const std::string file = folder.write("x.bin", bytes_of_list<uint64_t>({~uint64_t{0}, 0}));
  const Ran ran = run_program({"max,any,all", "--json", "--dtype", "u64", file});
  EXPECT_EQ(ran.out, "{\"max\": 18446744073709551615, \"any\": true, \"all\": false}\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
