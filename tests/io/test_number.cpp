// Numbers in a text are rounded once, whatever their digits, in every float type.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "generate.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/quick_number.hpp"
#include "onefold/io/text_chunk.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using io::NumberError;
using test::pick;
using test::Random;

template <class T>
T parse(const std::string& token) {
  T value{};
  const char* stop = nullptr;
  const char* end = token.data() + token.size();
  const NumberError e = io::parse_number(token.data(), end, false, value, stop);
  EXPECT_EQ(e, NumberError::none) << token;
  EXPECT_EQ(stop, end) << token;
  return value;
}

// glibc rounds correctly, and does not share fast_float's errors.
double reference(const std::string& s, double) { return std::strtod(s.c_str(), nullptr); }
float reference(const std::string& s, float) { return std::strtof(s.c_str(), nullptr); }

template <class F>
void check(const std::string& token) {
  const F expected = reference(token, F{});
  if (std::isinf(expected)) return;
  ASSERT_EQ(bit_cast<bits_of<F>>(parse<F>(token)), bit_cast<bits_of<F>>(expected)) << token;
  // The fast parser may leave a token to the general one, but may not give another value.
  const std::string padded = token + std::string(io::text_padding, '\n');
  F quick = 0;
  const char* stop = nullptr;
  if (io::quick_number(padded.data(), quick, stop)) {
    ASSERT_EQ(bit_cast<bits_of<F>>(quick), bit_cast<bits_of<F>>(expected)) << token;
    ASSERT_EQ(stop, padded.data() + token.size()) << token;
  }
}

std::string random_token(Random& r) {
  std::string s;
  if (pick(r, 0, 3) == 0) s += pick(r, 0, 3) == 0 ? '+' : '-';
  const auto digits = [&](std::size_t most) {
    for (std::size_t k = pick(r, 0, most); k > 0; --k) {
      s += static_cast<char>('0' + (pick(r, 0, 5) == 0 ? 0 : pick(r, 0, 9)));
    }
  };
  const std::size_t begin = s.size();
  digits(pick(r, 0, 5) == 0 ? 30 : 9);
  if (pick(r, 0, 2) > 0) {
    s += '.';
    digits(pick(r, 0, 5) == 0 ? 40 : 12);
  }
  if (s.size() == begin || (s.size() == begin + 1 && s.back() == '.')) s += '7';
  if (pick(r, 0, 1) == 0) {
    s += pick(r, 0, 1) == 0 ? 'e' : 'E';
    const std::size_t sign = pick(r, 0, 2);
    if (sign > 0) s += sign == 1 ? '-' : '+';
    s += std::to_string(pick(r, 0, pick(r, 0, 1) == 0 ? 30 : 340));
  }
  return s;
}

TEST(Number, IsRoundedAsTheCLibraryRounds) {
  for (uint64_t seed = 1; seed <= test::scaled(100000u); ++seed) {
    Random r(seed);
    const std::string token = random_token(r);
    check<double>(token);
    check<float>(token);
    if (HasFatalFailure()) return;
  }
}

TEST(Number, IsRoundedRightAtTheHardPlaces) {
  for (const char* token : {"0",
                            "-0",
                            "0.0",
                            "00000000000000000000000000000001",
                            "2.2250738585072011e-308",
                            "4.9406564584124654e-324",
                            "2.4703282292062327e-324",
                            "2.4703282292062328e-324",
                            "1e-400",
                            "1.7976931348623157e308",
                            "1.7976931348623158079e308",
                            "9007199254740993",
                            "9007199254740992.999999999999999999",
                            "1e23",
                            "8.5e22",
                            "5e-20",
                            "123456789012345678e-17",
                            "1.00000005960464477539062",
                            "1.00000005960464477539063",
                            "340282346638528859e21",
                            "1.401298464324817e-45",
                            "7.006492321624085e-46",
                            "1e10",
                            "1e22",
                            "1e-22",
                            "1e-23"}) {
    check<double>(token);
    check<float>(token);
  }
}

TEST(Number, QuickReadingHandsOnWhatItIsNotMadeFor) {
  for (const char* token : {"", "-", ".", "e5", "nan", "1x", "1.5.2", "12345678901234567890", "1e",
                            "1e99999999", "1e400", "+-1", "--1"}) {
    const std::string padded = token + std::string(io::text_padding, '\n');
    double v = 0;
    const char* stop = nullptr;
    EXPECT_FALSE(io::quick_number(padded.data(), v, stop)) << token;
  }
}

// Parses a chunk by the method that suits it, or as on the oldest processors.
template <class T>
struct Read {
  std::vector<bits_of<T>> values;
  io::ParsedChunk chunk;
};
template <class T>
Read<T> read(const std::string& text, bool exact, bool plain) {
  const std::string padded = text + std::string(io::text_padding, '\n');
  Read<T> r;
  const auto sink = [](void* context, const void* values, Size n, std::span<const DecimalTerm>) {
    auto& to = *static_cast<std::vector<bits_of<T>>*>(context);
    const auto* from = static_cast<const bits_of<T>*>(values);
    to.insert(to.end(), from, from + n);
  };
  r.chunk = io::parse_chunk(
      dtype_of<T>, padded.data(), padded.data() + text.size(), io::LineState::start,
      exact ? io::Integers::refused : io::Integers::rounded, true, sink, &r.values, plain);
  return r;
}
template <class T>
void check_both_ways(const std::string& text, bool exact) {
  const Read<T> quick = read<T>(text, exact, false), plain = read<T>(text, exact, true);
  ASSERT_EQ(quick.values, plain.values) << text;
  ASSERT_EQ(quick.chunk.lines.numbers, plain.chunk.lines.numbers) << text;
  ASSERT_EQ(quick.chunk.problem.has_value(), plain.chunk.problem.has_value()) << text;
  if (!quick.chunk.problem) return;
  ASSERT_EQ(quick.chunk.problem->at, plain.chunk.problem->at) << text;
  ASSERT_EQ(quick.chunk.problem->what, plain.chunk.problem->what) << text;
}

// A text begins with tokens for which the fast parser is chosen; then any token follows, valid or
// not.
TEST(Number, IsTheSameBothWaysOfReadingAText) {
  for (uint64_t seed = 1; seed <= test::scaled(30000u); ++seed) {
    Random r(seed);
    std::string text = "0.5 -0.25 1.5e1 ";
    for (int k = 0; k < 4; ++k) {
      if (r() % 3 == 0) {
        // Random characters of numbers, of lengths around the fast parser's limit.
        for (std::size_t n = 1 + r() % 20; n > 0; --n) text += "0123456789.123456789e-+E"[r() % 24];
      } else {
        text += random_token(r);
      }
      text += r() % 4 == 0 ? "\n" : " ";
    }
    if (r() % 2 == 0) text.pop_back();
    check_both_ways<double>(text, r() % 2 == 0);
    check_both_ways<float>(text, false);
    if (HasFatalFailure()) return;
  }
}

TEST(Number, OfEveryShapeIsTheSameBothWays) {
  for (const char* sign : {"", "-", "+"}) {
    for (std::size_t whole = 0; whole < 17; ++whole) {
      for (std::size_t fraction = 0; fraction < 17; ++fraction) {
        for (const char* exponent : {"", "e0", "e-7", "E+12", "e22", "e-22", "e23", "e-300", "e123",
                                     "e", "e-", "e5.", "e+x"}) {
          const std::string digits = "98765432109876543210";
          const std::string token =
              sign + digits.substr(0, whole) + "." + digits.substr(whole, fraction) + exponent;
          check_both_ways<double>("0.5 1.5 " + token, true);
          check_both_ways<float>("0.5 " + token + " 1.5", false);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Returns all digits of a double.
std::string exact(double d) {
  char text[1200];
  return {text, std::to_chars(text, text + sizeof text, d, std::chars_format::fixed, 140).ptr};
}

// Returns a number that is below s = 0.ddd by less than any double can tell.
std::string just_below(std::string s) {
  std::size_t last = s.find_last_of("123456789");
  --s[last];
  for (std::size_t k = last + 1; k < s.size(); ++k) {
    if (s[k] != '.') s[k] = '9';
  }
  return s + "99";
}

template <class T>
void check_every_midpoint() {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr unsigned infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  const auto value = [&](unsigned bits) {
    const Decoded x = decode(T{static_cast<uint16_t>(bits)});
    return std::ldexp(static_cast<double>(x.mantissa), x.shift + f.unit);
  };
  for (unsigned low = 0; low + 1 < infinity; ++low) {
    const double middle = (value(low) + value(low + 1)) / 2;
    const std::string token = exact(middle);
    ASSERT_EQ(parse<T>(exact(value(low))).bits, low);
    ASSERT_EQ(parse<T>(token).bits, low + (low & 1)) << token;
    ASSERT_EQ(parse<T>("-" + just_below(token)).bits, low | 0x8000) << token;
    ASSERT_EQ(parse<T>(token + "000000001").bits, low + 1) << token;
  }
  // Half a step above the largest number is out of range.
  const double top = value(infinity - 1), step = top - value(infinity - 2);
  const std::string beyond = exact(top + step / 2);
  EXPECT_EQ(parse<T>(just_below(beyond)).bits, infinity - 1);
  T v{};
  const char* stop = nullptr;
  EXPECT_EQ(io::parse_number(beyond.data(), beyond.data() + beyond.size(), false, v, stop),
            NumberError::beyond);
}

TEST(Number, OfF16IsRoundedFromTheDecimalAtEveryMidpoint) { check_every_midpoint<float16>(); }
TEST(Number, OfBf16IsRoundedFromTheDecimalAtEveryMidpoint) { check_every_midpoint<bfloat16>(); }

TEST(Number, ReadsFromOneDigitToNineteenAtAnyPlace) {
  for (int n = 1; n <= 19; ++n) {
    for (int point = 0; point <= n; ++point) {
      std::string token = std::string("9876543210987654321").substr(0, static_cast<std::size_t>(n));
      if (point < n) token.insert(static_cast<std::size_t>(point), ".");
      check<double>(token);
      check<float>(token);
      check<double>("-" + token + "e-5");
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
