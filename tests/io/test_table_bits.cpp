// Columns of random tables give the same bits as arrays of their numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/tables/fold_files.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::pick;
using test::Pipe;
using test::Random;
using test::Scratch;

// A random table, and what each column holds.
void check_table(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random r(seed);
  const std::size_t rows = pick(r, 1, 60), columns = pick(r, 2, 9);
  const char delimiters[] = {',', '\t', ';', '|', ' '};
  const char d = delimiters[pick(r, 0, 4)];
  const bool comma = d != ',' && pick(r, 0, 2) == 0, crlf = pick(r, 0, 1) != 0;
  const auto all = test::generators(DType::f64);
  const test::Data data =
      test::generate(all[pick(r, 0, all.size() - 1)], DType::f64, rows * columns, seed);
  std::vector<std::vector<double>> column(columns);
  std::vector<std::vector<Bool8>> present(columns);
  std::string text;
  std::vector<bool> is_text(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    is_text[c] = c > 0 && pick(r, 0, 4) == 0;
    if (c > 0) text += d;
    text += pick(r, 0, 3) == 0 ? "\"col " + std::to_string(c) + "\"" : "c" + std::to_string(c);
  }
  const std::string end = crlf ? "\r\n" : "\n";
  text += end;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) text += d;
      if (is_text[c]) {
        const char* const words[] = {"abc", "\"x, y;\tz|\"", "\"line\nend\"", "\"a \"\"q\"\"\"",
                                     "2024-01-02"};
        text += words[pick(r, 0, 4)];
        continue;
      }
      double v;
      std::memcpy(&v, data.at(i * columns + c), sizeof v);
      if (std::isfinite(v) && std::fabs(v) >= 0x1p53) v = std::copysign(0.5, v);
      char digits[400];
      std::string token(digits, std::to_chars(digits, digits + 400, v).ptr);
      if (comma) std::replace(token.begin(), token.end(), '.', ',');
      bool is_missing = false;
      if (pick(r, 0, 9) == 0) {
        const char* const missing[] = {"NA", "-", "null", "None", "\"\"", "nan"};
        const std::size_t k = pick(r, 0, 5);
        token = missing[k];
        is_missing = k < 5;
        v = std::nan("");
      } else if (pick(r, 0, 9) == 0) {
        token = '"' + token + '"';
      }
      text += token;
      column[c].push_back(v);
      present[c].push_back({static_cast<uint8_t>(!is_missing)});
    }
    // The last line may lack its end.
    if (i + 1 < rows || pick(r, 0, 1) != 0) text += end;
    if (pick(r, 0, 9) == 0 && i + 1 < rows) text += end;
  }
  io::InputOptions input;
  input.guess = true;
  input.header = io::Header::yes;
  input.delimiter = d;
  input.decimal = comma ? ',' : '.';
  input.missing_is_nan = pick(r, 0, 1) != 0;
  Options options;
  options.nan = pick(r, 0, 1) ? NanPolicy::omit : NanPolicy::propagate;
  options.threads = static_cast<int>(pick(r, 1, 3));
  io::Limits limits;
  limits.text_chunk_bytes = pick(r, 16, 400);
  std::string list;
  for (std::size_t c = 0; c < columns; ++c) {
    if (!is_text[c]) list += (list.empty() ? "" : ",") + std::to_string(c + 1);
  }
  input.columns = list;
  input.dtype = DType::f64;
  const std::string ops = "sum,var,max,argmin,count,count_nan";
  Answers answers;
  const Scratch folder;
  if (pick(r, 0, 1)) {
    const Pipe pipe(folder.path("p"), text, pick(r, 1, 500));
    answers = io::fold_files({ops, options}, {pipe.path()}, input, {}, limits);
  } else {
    answers = io::fold_files({ops, options}, {folder.write("t", text)}, input, {}, limits);
  }
  std::size_t k = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    if (is_text[c]) continue;
    Options own = options;
    if (!input.missing_is_nan) own.where = Mask(present[c]);
    const Answers expected = fold(ops, column[c], own);
    for (std::size_t op = 0; op < expected.list.size(); ++op) {
      const Value got = answers.list[op][k], right = expected.list[op][0];
      ASSERT_EQ(got.status, right.status) << ops << " column " << c << "\n" << text;
      if (right.status == Status::ok) {
        ASSERT_EQ(got.bits, right.bits) << expected.list[op].op << " column " << c << "\n" << text;
      }
    }
    ++k;
  }
}

TEST(Table, FoldsToTheBitsOfItsColumns) {
  for (uint64_t seed = 0; seed < test::scaled(1000u); ++seed) check_table(seed);
}

TEST(LongTable, FoldsToTheBitsOfItsColumns) {
  for (uint64_t seed = 1000; seed < 11000; ++seed) check_table(seed);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
