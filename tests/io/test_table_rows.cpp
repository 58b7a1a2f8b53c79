// Rows that are read by the ends of their fields equal rows that are read byte by byte.
#include "onefold/io/table_rows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/io/quick_number.hpp"
#include "onefold/io/short_number.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::pick;
using test::Random;

// Fields as people and adversaries write them; most are short numbers.
std::string random_field(Random& r) {
  const char* const odd[] = {
      "",       "-",     ".",       "-.",         "5.",      ".5",     "-.25",   "+1",    "NA",
      "\"\"",   "\"7\"", "\"1,5\"", "\"a\nb\"",   "x",       "1e5",    "1E-3",   " 3",    "4 ",
      " 5 ",    "\t6",   "1.2.3",   "--1",        "1-",      "nan",    "-inf",   "5\" x", "\"a\"b",
      "\"\"\"", "\"un",  "\r",      "-0",         "-0.0",    "999999", "1e400",  "a b",   "true",
      "255",    "-129",  "65536",   "3000000000", "\" 8 \"", "9\r",    " \"9\"", "0x10"};
  switch (pick(r, 0, 9)) {
    case 0:
      return odd[pick(r, 0, std::size(odd) - 1)];
    case 1: {  // up to 25 digits
      std::string s = pick(r, 0, 1) ? "-" : "";
      const std::size_t n = pick(r, 1, 25), point = pick(r, 0, 30);
      for (std::size_t k = 0; k < n; ++k) {
        if (k == point) s += '.';
        s += static_cast<char>('0' + pick(r, 0, 9));
      }
      return s;
    }
    case 2:
      return std::to_string(9007199254740990 + static_cast<int64_t>(pick(r, 0, 6)));
    case 3:
      return std::to_string(pick(r, 0, 300));
    default: {
      std::string s = std::to_string(static_cast<double>(pick(r, 0, 2000000)) / 1000 - 1000);
      s.resize(s.size() - pick(r, 0, 5));
      return s;
    }
  }
}

struct Read {
  io::ParsedRows rows;
  std::vector<std::byte> values;
};

Read read(DType t, const io::RowLayout& layout, const std::string& text, bool plain) {
  const std::string padded = std::string(32, '\r') + text + std::string(io::text_padding, '\n');
  const char* const begin = padded.data() + 32;
  const Size capacity = io::capacity_of(layout, text.size());
  Read got;
  const Size slots = std::max<Size>(layout.slot.size(), 1);
  got.values.resize(slots * capacity * bytes_of(t));
  got.rows =
      io::parse_rows(t, layout, begin, begin + text.size(), got.values.data(), capacity, plain);
  // The bytes after the rows do not matter.
  for (Size s = 0; s < slots; ++s) {
    const Size from = (s * capacity + got.rows.rows) * bytes_of(t);
    const Size to = (s + 1) * capacity * bytes_of(t);
    std::fill(got.values.begin() + static_cast<std::ptrdiff_t>(from),
              got.values.begin() + static_cast<std::ptrdiff_t>(to), std::byte{0});
  }
  return got;
}

void check_rows(uint64_t seed) {
  Random r(seed);
  const std::size_t columns = pick(r, 1, 12), lines = pick(r, 0, 3) == 0 ? 400 : 30;
  const bool hostile = pick(r, 0, 2) == 0;
  std::string text;
  for (std::size_t l = 0, n = pick(r, 0, lines); l < n; ++l) {
    const std::size_t fields = pick(r, 0, 40) == 0 ? pick(r, 1, 14) : columns;
    for (std::size_t c = 0; c < fields; ++c) {
      if (c > 0) text += ',';
      if (pick(r, 0, 7) == 0) text += ' ';
      text += hostile || pick(r, 0, 99) == 0 ? random_field(r)
                                             : std::to_string(pick(r, 0, 100000)).insert(1, ".");
    }
    if (l + 1 < n || pick(r, 0, 1)) text += pick(r, 0, 4) == 0 ? "\r\n" : "\n";
    if (pick(r, 0, 30) == 0) text += " \r\n";
  }
  io::Table table;
  table.pointed = pick(r, 0, 1);
  table.skip_bad_lines = pick(r, 0, 3) != 0;
  if (pick(r, 0, 3) == 0) table.missing = {"x", "7", "-0.25"};
  if (pick(r, 0, 1)) table.by = {0};
  for (std::size_t c = 0; c < columns; ++c) {
    const bool folded = pick(r, 0, 3) != 0;
    table.columns.push_back(
        {.name = std::to_string(c),
         .slot = folded ? static_cast<int>(table.folded.size()) : -1,
         .fields = static_cast<io::Fields>(pick(r, 0, 2) != 0 ? 0 : pick(r, 1, 4))});
    if (folded) table.folded.push_back(std::to_string(c));
  }
  const DType types[] = {DType::f64, DType::f64, DType::f64, DType::f32,  DType::i64,
                         DType::u8,  DType::i8,  DType::u64, DType::bf16, DType::boolean};
  const DType t = types[pick(r, 0, std::size(types) - 1)];
  const io::RowLayout layout(table,
                             pick(r, 0, 1) != 0 ? io::Integers::refused : io::Integers::rounded);
  const Read plain = read(t, layout, text, true), quick = read(t, layout, text, false);
  SCOPED_TRACE("seed " + std::to_string(seed) + " " + name_of(t) + "\n" + text);
  ASSERT_EQ(quick.rows.rows, plain.rows.rows);
  ASSERT_EQ(quick.rows.bad, plain.rows.bad);
  ASSERT_EQ(quick.rows.starts, plain.rows.starts);
  ASSERT_EQ(quick.rows.problem.has_value(), plain.rows.problem.has_value());
  if (plain.rows.problem) {
    ASSERT_EQ(quick.rows.problem->line, plain.rows.problem->line);
    ASSERT_EQ(quick.rows.problem->column, plain.rows.problem->column);
    ASSERT_EQ(quick.rows.problem->what, plain.rows.problem->what);
  }
  if (table.skip_bad_lines || !plain.rows.problem) {
    ASSERT_EQ(quick.rows.line_ends, plain.rows.line_ends);
  }
  ASSERT_EQ(quick.values, plain.values);
  ASSERT_EQ(quick.rows.texts.places.empty(), plain.rows.texts.places.empty());
  std::vector<Size> missing = plain.rows.missing, found = quick.rows.missing;
  std::sort(missing.begin(), missing.end());
  std::sort(found.begin(), found.end());
  ASSERT_EQ(found, missing);
}

TEST(TableRows, AreThoseThatAreReadByteByByte) {
  for (uint64_t seed = 0; seed < test::scaled(5000u); ++seed) {
    check_rows(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(LongTableRows, AreThoseThatAreReadByteByByte) {
  for (uint64_t seed = 5000; seed < 100000; ++seed) {
    check_rows(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

#ifdef ONEFOLD_FIELD_ENDS
ONEFOLD_FIELD_ENDS_BEGIN
bool read_short(const char* from, const char* to, double& value) {
  return io::short_number(from, to, value);
}
bool read_four(const io::Ends (&ends)[4], double* values) {
  return io::four_short_numbers(ends[0], ends[1], ends[2], ends[3], values);
}
ONEFOLD_FIELD_ENDS_END

// Every length, and every position of the point.
TEST(ShortNumber, IsTheNumberOrIsLeftToOthers) {
  if (!io::finds_field_ends()) GTEST_SKIP() << "this processor has no AVX2";
  for (const char* sign : {"", "-"}) {
    for (std::size_t n = 0; n < 24; ++n) {
      for (std::size_t point = 0; point <= n + 1; ++point) {
        for (const std::string digits :
             {"0000000000000000000000000", "1000000000000000000000001", "9999999999999999999999999",
              "1234567890123456789012345"}) {
          std::string field = sign + digits.substr(0, n);
          if (point <= n) field.insert(field.size() - n + point, 1, '.');
          const std::string text = std::string(32, '7') + field + ",";
          const char *const from = text.data() + 32, *const to = from + field.size();
          double right = -2;
          const char* stop = nullptr;
          const io::NumberError e = io::parse_number(from, to, false, right, stop);
          const std::size_t characters = n + (point <= n);
          double values[4] = {-1, -1, -1, -1};
          const bool is_short = read_short(from, to, values[0]);
          const bool is_long = io::longer_number(from, to, values[1]);
          if (is_short) {
            EXPECT_LE(characters, 16u) << field;
            ASSERT_EQ(e, io::NumberError::none) << field;
            EXPECT_EQ(bit_cast<uint64_t>(values[0]), bit_cast<uint64_t>(right)) << field;
          } else {
            EXPECT_TRUE(n == 0 || n >= 16 || field.back() == '.') << field;
          }
          if (is_long) {
            EXPECT_GE(characters, 17u) << field;
            ASSERT_EQ(e, io::NumberError::none) << field;
            EXPECT_EQ(bit_cast<uint64_t>(values[1]), bit_cast<uint64_t>(right)) << field;
          } else {
            EXPECT_TRUE(characters < 17 || n > 19 || point == n) << field;
          }
          for (int k = 0; k < 4; ++k) {
            const io::Ends one{text.data() + 16, text.data() + 17};
            io::Ends ends[4] = {one, one, one, one};
            ends[k] = {from, to};
            const bool all = read_four(ends, values);
            ASSERT_EQ(all, is_short) << field;
            for (int i = 0; all && i < 4; ++i) {
              EXPECT_EQ(bit_cast<uint64_t>(values[i]), bit_cast<uint64_t>(i == k ? right : 7))
                  << field;
            }
          }
        }
      }
    }
  }
}
#endif

}  // namespace ONEFOLD_FILE
}  // namespace onefold
