// Numbers as text: what a token is, where it ends, and which shape the lines give.
// test_text_law.cpp shows that a text folds to the bits of the array that it spells.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "io/files.hpp"
#include "onefold/io/text_chunk.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Pipe;
using test::Scratch;

// Returns the answers of a text, or the error.
std::string answer(const std::string& text, const std::string& ops = "sum",
                   const Options& options = {}, const io::InputOptions& input = {},
                   const io::Limits& limits = {}) {
  const Scratch folder;
  const std::string path = folder.write("x.txt", text);
  std::string out;
  std::string error = test::error_of([&] {
    for (const Answer& a : io::fold_files({ops, options}, {path}, input, {}, limits).list) {
      out += out.empty() ? "" : " ";
      for (Size i = 0; i < a.size(); ++i) {
        const Value v = a[i];
        out += i == 0 ? "" : ",";
        if (v.dtype == f64) {
          char shown[40];
          const double d = bit_cast<double>(v.bits);
          out += std::string(shown, std::to_chars(shown, shown + 40, d).ptr);
        } else {
          out += std::to_string(static_cast<int64_t>(v.bits));
        }
      }
    }
  });
  if (const auto at = error.find(path); at != std::string::npos)
    error.replace(at, path.size(), "F");
  return error.empty() ? out : error;
}

TEST(Text, SeparatesByWhiteSpaceCommasAndLines) {
  for (const char* text : {"1 2 3", "1,2,3", "1\n2\n3\n", "1\t2\r\n3", " 1 ,\t2 , 3 \n",
                           "\n\n1 2\n\n3", "1\v2\f3\r", "+1,2e0,3.", "1.0,0.2e1,30E-1"}) {
    EXPECT_EQ(answer(text, "sum,count"), "6 3") << text;
  }
}

TEST(Text, OfNothingIsAnEmptyArray) {
  for (const char* text : {"", "\n", " \t\r\n \n"}) EXPECT_EQ(answer(text, "sum,count"), "0 0");
  EXPECT_EQ(answer("", "sum", {.axes = {0}}), "0");
}

TEST(Text, ReadsNanAndInfinityInAnyCaseAndSign) {
  for (const char* text : {"nan", "NaN", "-nan", "+NAN"}) EXPECT_EQ(answer(text), "nan") << text;
  for (const char* text : {"inf", "+Inf", "INFINITY", "infinity"}) {
    EXPECT_EQ(answer(text), "inf") << text;
  }
  EXPECT_EQ(answer("-inf"), "-inf");
  EXPECT_EQ(answer("-Infinity"), "-inf");
}

TEST(Text, NamesLineAndColumnOfWhatIsNoNumber) {
  const auto bad = [](const std::string& where, const std::string& token) {
    return "bad_token: read F: " + where + ": \"" + token + "\" is not a number";
  };
  EXPECT_EQ(answer("1 2\n3 x\n"), bad("line 2, column 3", "x"));
  EXPECT_EQ(answer("time,value\n1,2\n"), bad("line 1, column 1", "time"));
  for (const char* token : {"-",
                            "+",
                            ".",
                            "e5",
                            "1e",
                            "1e+",
                            "+-1",
                            "-+1",
                            "--1",
                            "1_0",
                            "0x10",
                            "1.2.3",
                            "1-2",
                            "nanx",
                            "nan(1)",
                            "infi",
                            "i",
                            "1;2",
                            "\"1\"",
                            "1d0",
                            "#1",
                            "1e5.0",
                            "\xe2\x88\x92"
                            "5"}) {
    EXPECT_EQ(answer(std::string("1\n22 ") + token + " 3"), bad("line 2, column 4", token));
  }
  EXPECT_EQ(
      answer(std::string("1 \0 2", 5)),
      bad("line 1, column 3", "?") + "; for a file of raw numbers, pass --format raw --dtype f64");
  // UTF-8 is shown unchanged, except for what controls a terminal and for invalid bytes.
  for (const auto& [token, shown] : {std::pair("Z\xc3\xbcrich", "Z\xc3\xbcrich"),
                                     {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                                     {"\xc2\x9b", "??"},
                                     {"\xe2\x80\xae", "???"},
                                     {"\xc0\xaf", "??"},
                                     {"\xed\xa0\x80", "???"},
                                     {"\xf4\x90\x80\x80", "????"},
                                     {"\xe2\x88", "??"},
                                     {"gr\xf6\xdf", "gr??"}}) {
    EXPECT_EQ(answer(token), bad("line 1, column 1", shown));
  }
}

TEST(Text, RefusesAnEmptyField) {
  for (const auto& [text, where] : {std::pair("1,,2", "line 1, column 3"),
                                    {"1,2\n,3", "line 2, column 1"},
                                    {"1,2,\n3", "line 1, column 5"},
                                    {"1,", "line 1, column 3"},
                                    {",1", "line 1, column 1"},
                                    {"1 , , 2", "line 1, column 5"},
                                    {"1\n2, \n", "line 2, column 4"}}) {
    EXPECT_EQ(answer(text), std::string("bad_token: read F: ") + where +
                                ": a field is empty; write a number before and after each comma");
  }
}

TEST(Text, FindsTheSameErrorWhereverChunksEnd) {
  std::string text;
  for (int k = 0; k < 300; ++k)
    text += std::to_string(k * 37) + (k % 7 == 6 ? "\n" : k % 3 ? "," : " ");
  text += "oops 1";
  const std::string expected = answer(text);
  EXPECT_NE(expected.find("\"oops\" is not a number"), std::string::npos);
  for (Size chunk = 8; chunk < 100; ++chunk) {
    const io::Limits limits{.text_chunk_bytes = chunk};
    EXPECT_EQ(answer(text, "sum", {.threads = 2}, {}, limits), expected) << chunk;
  }
}

TEST(Text, RefusesAFiniteNumberBeyondItsType) {
  for (const auto& [token, t] : {std::pair("1e400", f64),
                                 {"-1.8e308", f64},
                                 {"3.5e38", f32},
                                 {"340282356779733661637539395458142568448", f32},
                                 {"65520", f16},
                                 {"-1e9", f16},
                                 {"3.4e38", bf16},
                                 {"128", i8},
                                 {"-129", i8},
                                 {"256", u8},
                                 {"-1", u8},
                                 {"9223372036854775808", i64},
                                 {"-9223372036854775809", i64},
                                 {"18446744073709551616", u64},
                                 {"99999999999999999999999", u64}}) {
    const std::string e = answer(token, "sum", {}, {.dtype = t});
    EXPECT_TRUE(e.starts_with("out_of_range: read F: line 1, column 1: \"" + std::string(token) +
                              "\" is beyond " + name_of(t)))
        << e;
  }
  for (const auto& [token, t] : {std::pair("1e308", f64),
                                 {"65519.999", f16},
                                 {"127", i8},
                                 {"-128", i8},
                                 {"-0", u8},
                                 {"255", u8},
                                 {"18446744073709551615", u64},
                                 {"-9223372036854775808", i64},
                                 {"340282346638528859811704183484516925440", f32}}) {
    EXPECT_EQ(answer(token, "count", {}, {.dtype = t}), "1") << token;
  }
}

TEST(Text, RefusesAnIntegerThatF64DoesNotHold) {
  EXPECT_EQ(answer("9007199254740992", "max"), "9007199254740992");
  EXPECT_EQ(answer("100000000000000000000", "max"), "1e+20");
  EXPECT_EQ(answer("9007199254740993", "max"),
            "out_of_range: read F: line 1, column 1: \"9007199254740993\" is an integer that f64 "
            "cannot hold; --dtype i64 keeps it, and --dtype f64 rounds it");
  const auto hint = [](const std::string& token) {
    const std::string e = answer(token, "max");
    return e.substr(std::min(e.size(), e.find("cannot hold; ") + 13));
  };
  EXPECT_EQ(hint("-9223372036854775807"), "--dtype i64 keeps it, and --dtype f64 rounds it");
  EXPECT_EQ(hint("18446744073709551615"), "--dtype u64 keeps it, and --dtype f64 rounds it");
  EXPECT_EQ(hint("18446744073709551617"), "no integer type can hold it, and --dtype f64 rounds it");
  EXPECT_EQ(hint("-9223372036854775809"), "no integer type can hold it, and --dtype f64 rounds it");
  EXPECT_TRUE(answer("-123456789012345678901", "max").starts_with("out_of_range"));
  EXPECT_EQ(answer("9007199254740993", "sum", {}, {.dtype = i64}), "9007199254740993");
  EXPECT_EQ(answer("9007199254740993", "sum", {}, {.dtype = f64}), "9007199254740992");
  EXPECT_EQ(answer("9007199254740993.0", "max"), "9007199254740992");
}

TEST(Text, OfIntegersTakesOnlyIntegers) {
  EXPECT_EQ(answer("1 +2 -3 007", "sum", {}, {.dtype = i32}), "7");
  EXPECT_EQ(answer("1.5", "sum", {}, {.dtype = i32}),
            "bad_token: read F: line 1, column 1: \"1.5\" is not an integer, which i32 needs; pass "
            "--dtype f64");
  EXPECT_EQ(answer("nan", "sum", {}, {.dtype = u8}).substr(0, 9), "bad_token");
}

TEST(Text, OfBoolsTakesTheirNames) {
  EXPECT_EQ(answer("true FALSE 1 0 True", "sum", {}, {.dtype = boolean}), "3");
  EXPECT_EQ(answer("2", "sum", {}, {.dtype = boolean}),
            "bad_token: read F: line 1, column 1: \"2\" is not a bool; write true, false, 1 or 0");
}

TEST(Text, SaysWhatItBeginsWithIfThatIsNoText) {
  EXPECT_EQ(answer("\xef\xbb\xbf"
                   "1 2"),
            "bad_token: read F: line 1, column 1: it begins with a UTF-8 byte order mark; save it "
            "without one");
  EXPECT_EQ(
      answer("PK\3\4...a.npy"),
      "unsupported: read F: it is a zip archive, as .npz, .zip and .xlsx files are; save a sheet "
      "as .csv, or unzip -p FILE | onefold OP");
  EXPECT_EQ(answer("\x1f\x8b\x08"),
            "truncated: read F: the data compressed with gzip end early; the file is cut short");
  const Scratch folder;
  const Pipe pipe(folder.path("p"),
                  "\xef\xbb\xbf"
                  "1 2");
  EXPECT_TRUE(
      test::error_of([&] { io::fold_files("sum", {pipe.path()}, {}); }).starts_with("bad_token"));
}

TEST(Text, SaysThatATokenIsLongerThanAChunk) {
  const io::Limits limits{.text_chunk_bytes = 100};
  EXPECT_EQ(answer("1\n2 ." + std::string(97, '3') + " ", "count", {}, {}, limits), "3");
  EXPECT_EQ(answer("1\n2 " + std::string(200, '3') + " ", "count", {}, {}, limits),
            "bad_token: read F: line 2, column 3: \"" + std::string(40, '3') +
                "...\" is longer than 100 bytes; numbers must be shorter");
}

// A text may be long, so options that no text can have are refused before it is read.
TEST(Text, RefusesAxesOfNoTextBeforeItIsRead) {
  const std::vector<double> table{1, 2, 3, 4};
  for (const char* text : {"1 2\n3 4\n", "1 x"}) {
    for (const Axes& axes : {Axes(2), Axes(-3), Axes(0, -2), Axes(1, 1), Axes(0, 7)}) {
      // The message for the same array in memory, whose shape is known.
      std::string in_memory = test::error_of([&] {
        fold("sum", ArrayRef(table.data(), f64, {2, 2}), {.axes = axes});
      });
      if (const auto at = in_memory.find("shape (2, 2)"); at != in_memory.npos) {
        in_memory.replace(at, 12, "a text");
      }
      EXPECT_EQ(answer(text, "sum", {.axes = axes}), in_memory);
      const Scratch folder;
      const std::string path = folder.write("x.txt", text);
      EXPECT_EQ(test::error_of([&] {
                  io::plan_files({"sum", {.axes = axes}}, {path}, {});
                }),
                in_memory);
    }
  }
  const Scratch folder;
  const Pipe raw(folder.path("p"), std::string(7, '1'));  // no whole number of elements
  EXPECT_EQ(test::error_of([&] {
              io::fold_files({"sum", {.axes = {1}}}, {raw.path()}, {.format = "raw", .dtype = f64});
            }),
            "bad_axis: sum: axis 1 is out of range for a stream without --shape; legal axes are "
            "-1..0");
}

TEST(Text, IsATableIfItsLinesAgree) {
  EXPECT_EQ(answer("1 2\n3 4\n", "sum", {.axes = {0}}), "4,6");
  EXPECT_EQ(answer("1 2\n\n3 4", "sum", {.axes = {1}}), "3,7");
  EXPECT_EQ(answer("1 2\n3 4", "argmax", {.axes = {-2}}), "1,1");
  EXPECT_EQ(answer("1 2\n3 4", "sum", {.axes = Axes::none()}), "1,2,3,4");
  EXPECT_EQ(answer("1 2\n3 4", "sum", {.axes = {0, 1}}), "10");
  // A single line, a single column, or lines of different lengths have one dimension.
  for (const char* text : {"1 2 3 4", "1\n2\n3\n4", "1 2\n3\n4", "1\n2 3 4", "1 2 3\n4"}) {
    EXPECT_EQ(answer(text, "sum,argmax", {.axes = {0}}), "10 3") << text;
    EXPECT_EQ(answer(text, "sum,argmax", {.axes = {-1}}), "10 3") << text;
    EXPECT_EQ(answer(text, "sum", {.axes = {1}}),
              "bad_axis: sum: axis 1 is out of range for shape (4,); legal axes are -1..0");
  }
  EXPECT_TRUE(answer("1 2\n3 4", "sum", {.axes = {2}}).starts_with("bad_axis"));
}

TEST(Text, KeepsRowsApartWhereTheFirstLineEndsInAnotherPiece) {
  // The first line fills a piece, except for a blank or a return at its end.
  constexpr int n = 131072;
  for (const char* end : {" \n", "\r\n", "\n"}) {
    std::string text;
    for (const char* number : {"1", "2", "3"}) {
      for (int i = 0; i < n; ++i) text += (i == 0 ? "" : " ") + std::string(number);
      text += end;
    }
    for (const int threads : {1, 2}) {
      EXPECT_EQ(answer(text, "sum", {.axes = {1}, .threads = threads}), "131072,262144,393216");
      EXPECT_EQ(answer(text, "count", {.axes = {-1}, .threads = threads}), "131072,131072,131072");
    }
  }
}

TEST(Text, FilesContinueOneAnother) {
  const Scratch folder;
  const auto a = folder.write("a.csv", "1,2\n3,4\n"), b = folder.write("b.csv", "5,6\n7,8\n9,10"),
             c = folder.write("c.csv", "1,2,3\n4,5,6\n"), d = folder.write("d.csv", "1\n2\n");
  const Answers sums = io::fold_files({"sum,argmax", {.axes = {0}}}, {a, b}, {});
  EXPECT_EQ(sums["sum"].values<double>()[0], 25);
  EXPECT_EQ(sums["argmax"].values<int64_t>()[1], 4);
  const Answers rows = io::fold_files({"sum", {.axes = {1}}}, {a, b}, {});
  EXPECT_EQ(rows["sum"].shape, Dims(5));
  EXPECT_EQ(io::fold_files("sum", {d, d}, {}).get<double>("sum"), 6);
  for (const auto& other : {c, d}) {
    EXPECT_TRUE(test::error_of([&] {
                  io::fold_files("sum", {a, other}, {});
                }).starts_with("shape_mismatch"));
  }
}

TEST(Text, DotsTwoFilesOfOneShape) {
  const Scratch folder;
  const auto a = folder.write("a.txt", "1 2\n3 4\n"), b = folder.write("b.txt", "5 6\n7 8\n"),
             c = folder.write("c.txt", "5 6 7 8"), d = folder.write("d.txt", "1\n2\n3\n");
  EXPECT_EQ(io::fold_files("dot", {a, b}, {}).get<double>("dot"), 70);
  EXPECT_EQ(io::fold_files({"dot", {.axes = {0}}}, {a, b}, {})["dot"][1].as<double>(), 44);
  for (const auto& other : {c, d}) {
    EXPECT_TRUE(test::error_of([&] {
                  io::fold_files("dot", {a, other}, {});
                }).starts_with("shape_mismatch"));
  }
  EXPECT_TRUE(test::error_of([&] { io::fold_files("dot", {a}, {}); }).starts_with("bad_option"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
