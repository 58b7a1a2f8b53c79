// Raw files: type, shape and offset from the options.
#include <gtest/gtest.h>

#include <vector>

#include "io/files.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Pipe;
using test::Scratch;

std::string bytes(int n) {
  std::string s;
  for (int k = 1; k <= n; ++k) s += static_cast<char>(k);
  return s;
}

std::string answer(const std::string& path, const io::InputOptions& input,
                   const Options& options = {}) {
  std::string out;
  std::string error = test::error_of([&] {
    const Answers sums = io::fold_files({"sum", options}, {path}, input);
    for (const int64_t v : sums["sum"].values<int64_t>()) {
      out += (out.empty() ? "" : ",") + std::to_string(v);
    }
  });
  if (const auto at = error.find(path); at != std::string::npos) {
    error.replace(at, path.size(), "F");
  }
  return error.empty() ? out : error;
}

TEST(Raw, TakesShapeAndOffset) {
  const Scratch folder;
  const auto path = folder.write("x.raw", bytes(12));
  EXPECT_EQ(answer(path, {.dtype = i8}), "78");
  EXPECT_EQ(answer(path, {.dtype = i8, .offset = 10}), "23");
  EXPECT_EQ(answer(path, {.dtype = i8, .shape = Dims(3, 4)}, {.axes = {0}}), "15,18,21,24");
  EXPECT_EQ(answer(path, {.dtype = i8, .shape = Dims(2, 3), .offset = 1}, {.axes = {1}}), "9,18");
  EXPECT_EQ(answer(path, {.dtype = i16, .shape = Dims(1), .offset = 1}),
            std::to_string(2 + 3 * 256));
  EXPECT_EQ(answer(path, {.dtype = i8, .offset = 12}), "0");
}

TEST(Raw, TakesTheSameFromAPipe) {
  const Scratch folder;
  int k = 0;
  const auto pipe = [&](const io::InputOptions& input, const Options& options = {}) {
    const Pipe p(folder.path("p" + std::to_string(k++) + ".raw"), bytes(12), 5);
    return answer(p.path(), input, options);
  };
  EXPECT_EQ(pipe({.dtype = i8}), "78");
  EXPECT_EQ(pipe({.dtype = i8}, {.axes = {0}}), "78");
  EXPECT_EQ(pipe({.dtype = i8, .offset = 10}), "23");
  EXPECT_EQ(pipe({.dtype = i8, .shape = Dims(3, 4)}, {.axes = {0}}), "15,18,21,24");
  EXPECT_TRUE(pipe({.dtype = i64}).starts_with("truncated: read F: 12 bytes of data are not"));
  EXPECT_TRUE(pipe({.dtype = i8, .shape = Dims(13)}).starts_with("truncated"));
  EXPECT_TRUE(pipe({.dtype = i8, .offset = 13}).starts_with("truncated"));
}

TEST(Raw, RefusesWhatDoesNotFit) {
  const Scratch folder;
  const auto path = folder.write("x.bin", bytes(12));
  EXPECT_EQ(answer(path, {}),
            "bad_option: read F: raw data need their type; pass --dtype, such as --dtype f32");
  EXPECT_EQ(
      answer(path, {.dtype = i64}),
      "truncated: read F: 12 bytes of data are not a whole number of i64; the last 4 are left "
      "over");
  EXPECT_EQ(
      answer(path, {.dtype = i8, .shape = Dims(13)}),
      "truncated: read F: --shape (13,) promises 13 bytes of data, but the file has only 12; the "
      "file is cut short");
  EXPECT_EQ(answer(path, {.dtype = i8, .offset = 13}),
            "truncated: read F: --offset is 13, but the file has only 12 bytes");
  EXPECT_EQ(answer(path, {.dtype = i8, .shape = Dims(-1)}),
            "bad_option: read F: --shape (-1,) has a negative extent");
  EXPECT_TRUE(
      answer(path, {.dtype = i64, .shape = Dims(int64_max / 8, 2)}).starts_with("bad_option"));
  EXPECT_TRUE(answer(path, {.dtype = i8, .offset = ~uint64_t{0}}).starts_with("bad_option"));
}

TEST(Raw, OfNothingHasNoElements) {
  const Scratch folder;
  EXPECT_EQ(answer(folder.write("x.raw", ""), {.dtype = i8}), "0");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
