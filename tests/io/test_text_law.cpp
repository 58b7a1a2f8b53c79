// A text folds to the bits of the array that it spells, whatever its numbers, lines, separators,
// chunks, axes, limits and threads are. Requests that are refused for memory are refused for texts.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <vector>

#include "generate.hpp"
#include "io/files.hpp"
#include "onefold/io/text_chunk.hpp"
#include "onefold/tables/fold_files.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::pick;
using test::Pipe;
using test::Random;
using test::Scratch;

// Returns a token that is read back as this element.
std::string token(const test::Data& data, std::size_t i, Random& r) {
  return visit(data.dtype(), [&]<class T>() -> std::string {
    T v;
    std::memcpy(&v, data.at(i), sizeof v);
    char text[64];
    if constexpr (std::is_floating_point_v<T>) {
      const auto format =
          pick(r, 0, 1) ? std::chars_format::general : std::chars_format::scientific;
      return {text, std::to_chars(text, text + 64, v, format).ptr};
    } else if constexpr (Floating<T>) {
      const double d = static_cast<double>(decode(v).mantissa) *
                       std::exp2(decode(v).shift + float_format(dtype_of<T>).unit);
      const Decoded x = decode(v);
      if (x.nan) return "nan";
      if (x.infinite) return x.negative ? "-inf" : "inf";
      return {text, std::to_chars(text, text + 64, x.negative ? -d : d).ptr};
    } else if constexpr (dtype_of<T> == DType::boolean) {
      return v.byte != 0 ? "true" : "0";
    } else {
      return std::to_string(v);
    }
  });
}

void check_case(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random r(seed);
  const auto t = static_cast<DType>(pick(r, 0, dtype_count - 1));
  const std::size_t rows = pick(r, 0, 30), columns = pick(r, 1, pick(r, 0, 3) ? 6 : 80);
  const bool ragged = pick(r, 0, 3) == 0;
  const std::size_t n = rows * columns;
  const auto all = test::generators(t);
  const test::Data data = test::generate(all[pick(r, 0, all.size() - 1)], t, n, seed);
  std::string text;
  std::size_t lines = 0, in_line = 0;
  for (std::size_t i = 0; i < n; ++i) {
    text += token(data, i, r);
    ++in_line;
    const bool end = ragged ? pick(r, 0, 4) == 0 : (i + 1) % columns == 0;
    if (end) {
      lines += in_line > 0;
      in_line = 0;
    }
    const char* separators[] = {" ", ",", " , ", "\t", "  "};
    if (!end && i + 1 < n) text += separators[pick(r, 0, 4)];
    if (end) text += pick(r, 0, 5) == 0 ? " \n\n" : "\n";
  }
  Dims shape(n);
  if (!ragged && rows >= 2 && columns >= 2) shape = Dims(rows, columns);
  if (ragged) {
    // By chance all lines may have equal lengths.
    io::LineCounts counts;
    std::vector<std::size_t> per_line;
    std::size_t c = 0;
    bool in_token = false;
    io::Lines l;
    for (const char ch : text + "\n") {
      const bool separator = io::is_separator(ch);
      c += in_token && separator;
      in_token = !separator;
      if (ch == '\n') {
        l.add(c);
        c = 0;
      }
    }
    if (io::LineCounts::is_table(l)) shape = Dims(l.count, l.columns);
  }

  const Axes choices[] = {Axes(), {0}, {1}, {-1}, {-2}, {0, 1}, Axes::none(), {0, -1}, {2}};
  const Options options{.axes = choices[pick(r, 0, 8)],
                        .keepdims = pick(r, 0, 2) == 0,
                        .threads = static_cast<int>(pick(r, 1, 3))};
  const char* requests[] = {"sum", "min,argmin", "argmax,count", "mean,var,ptp"};
  const std::string ops = requests[pick(r, 0, 3)];
  io::Limits limits{.text_chunk_bytes = pick(r, 60, 400), .table_bytes = pick(r, 1, 3000)};
  limits.text_batch_bytes = limits.text_chunk_bytes * pick(r, 1, 9);
  if (pick(r, 0, 1) == 0) limits.state_bytes = pick(r, 1, 20000);

  const Scratch folder;
  std::unique_ptr<Pipe> pipe;
  std::string path = folder.path("p");
  if (pick(r, 0, 3) == 0) {
    pipe = std::make_unique<Pipe>(path, text, pick(r, 1, 200));
  } else {
    path = folder.write("x", text);
  }
  const io::InputOptions input{.format = "text", .dtype = t};
  std::string expected = test::error_of([&] { fold(ops, {data.data(), t, shape}, options); });
  if (options.axes == Axes(2)) {  // wrong for every text, so refused before reading
    expected = "bad_axis: " + ops + ": axis 2 is out of range for a text; legal axes are -2..1";
  }
  const std::string got = test::error_of([&] {
    const Answers a = io::fold_files({ops, options}, {path}, input, {}, limits);
    const Answers b = fold(ops, {data.data(), t, shape}, options);
    for (const Answer& e : b.list) {
      EXPECT_EQ(a[e.op].shape, e.shape);
      EXPECT_EQ(a[e.op].data, e.data) << e.op << " of " << name_of(t) << " " << to_string(shape);
      EXPECT_EQ(a[e.op].status, e.status);
    }
  });
  if (pipe != nullptr && got.starts_with("needs_seek")) return;
  EXPECT_EQ(got, expected) << text;
}

TEST(Text, GivesTheBitsOfMemory) {
  for (uint64_t seed = 1; seed <= test::scaled(500u); ++seed) {
    check_case(seed);
    if (HasFailure()) return;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
