// Tables in texts: what is recognised, and what is refused.
#include <gtest/gtest.h>

#include <vector>

#include "generate.hpp"
#include "io/files.hpp"
#include "io/fold_text.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/fold_files.hpp"
#include "onefold/tables/said.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::code_of;
using test::fold_text;
using test::Folded;
using test::guess;
using test::Pipe;
using test::Scratch;
using test::values;

TEST(Table, FindsAHeaderAndFoldsEachColumnUnderItsName) {
  const Folded f = fold_text("sum", "a,b\n1,2\n3,4\n", guess());
  EXPECT_EQ(f.notes.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{4, 6}));
}

TEST(Table, OfAHeaderAloneIsEmptyWhereItsNameSaysThatItIsATable) {
  const Scratch folder;
  io::Notes notes;
  const Answers answers = io::fold_files({"sum,count", {}}, {folder.write("t.csv", "a,b\r\n\n")},
                                         guess(), {}, {}, &notes);
  EXPECT_EQ(notes.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values(answers.list[0]), (std::vector<double>{0, 0}));
  for (const char* word : {"a", "1,a", "a,b\nc,d\n"}) {
    EXPECT_EQ(test::error_of([&] {
                io::fold_files({"sum", {}}, {folder.write("w.csv", word)}, guess());
              }).substr(0, 9),
              "bad_token")
        << word;
  }
  std::string says;
  EXPECT_EQ(code_of("a,b\n", guess(), &says), ErrorCode::bad_token);
}

TEST(Table, HasAHeaderWhereColumnsAreNamedByAWordOfIt) {
  io::InputOptions input = guess();
  input.columns = "1-2, price";
  std::string says;
  EXPECT_EQ(code_of("k,n,price\n1,2,$5\n", input, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 2, column 3 (price)"), says.npos) << says;
  input.columns = "price";
  input.missing_is_nan = true;
  const Folded f = fold_text("count_nan", "item,price\na,NA\nb,-\n", input);
  EXPECT_EQ(f.notes.columns, (std::vector<std::string>{"price"}));
  EXPECT_EQ(f.answers.list[0].values<int64_t>()[0], 2);
  EXPECT_EQ(code_of("item,price\na,NA\n", guess(), &says), ErrorCode::bad_token);
}

TEST(Table, MayHaveAHeaderOfManyBytes) {
  std::string header, row;
  for (int k = 0; k < 20000; ++k) {
    header += (k ? ",\"c" : "\"c") + std::to_string(k) + '"';
    row += (k ? "," : "") + std::to_string(k % 7) + ".5";
  }
  const Folded f = fold_text("sum", header + "\n" + row + "\n" + row, guess());
  ASSERT_EQ(f.notes.columns.size(), 20000u);
  EXPECT_EQ(f.notes.columns[19999], "c19999");
  EXPECT_EQ(f.answers.list[0].values<double>()[6], 13);
  const Scratch folder;
  const Pipe pipe(folder.path("p"), header + "\n" + row + "\n");
  io::InputOptions input = guess();
  input.columns = "c19999";
  const Answers last = io::fold_files({"sum", {}}, {folder.path("p")}, input);
  EXPECT_EQ(values(last.list[0]), (std::vector<double>{19999 % 7 + 0.5}));
  std::string says;
  EXPECT_EQ(code_of(std::string(1 << 26, 'x') + ",y\n1,2\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("its first line is longer than 33554432 bytes"), says.npos) << says;
}

TEST(Table, IsNoneWithoutAskingForOne) {
  std::string says;
  EXPECT_EQ(code_of("a,b\n1,2\n", {}, &says), ErrorCode::bad_token);
  EXPECT_TRUE(fold_text("sum", "1 2\n3 4\n", guess()).notes.columns.empty());
}

TEST(Table, FindsEveryDelimiter) {
  for (const std::string d : {",", "\t", ";", "|", " ", "   ", ", "}) {
    const std::string text =
        "a" + d + "b" + d + "c\n1" + d + "2" + d + "3\n-4" + d + "5" + d + "6.5\n";
    const Folded f = fold_text("sum", text, guess());
    EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{-3, 7, 9.5})) << d;
  }
}

TEST(Table, LeavesColumnsOfTextOut) {
  const Folded f = fold_text("sum", "city,x\n\"a, b\",1\nc,2\n", guess());
  EXPECT_EQ(f.notes.left_out, (std::vector<std::string>{"city"}));
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{3}));
  EXPECT_TRUE(f.notes.bare);
}

TEST(Table, FoldsIntegersThatF64DoesNotHoldAsIntegers) {
  const Folded f = fold_text("max", "id,x\n9007199254740993,1\n", guess());
  EXPECT_TRUE(f.notes.left_out.empty());
  EXPECT_EQ(f.answers.list[0][0].as<int64_t>(), 9007199254740993);
  EXPECT_EQ(f.answers.list[0][1].as<double>(), 1);
  // A column with a fraction is none of integers.
  const Folded fraction = fold_text("max", "id,x\n9007199254740993,1\n0.5,2\n", guess());
  EXPECT_EQ(fraction.notes.left_out,
            (std::vector<std::string>{"id (integers beyond f64; see --dtype i64)"}));
}

TEST(Table, ChoosesColumnsByNameNumberAndRangeInTheirOrder) {
  io::InputOptions input = guess();
  for (const auto& [list, expected] : std::vector<std::pair<std::string, std::vector<double>>>{
           {"c,a", {3, 1}}, {"2", {2}}, {"2-3,1", {2, 3, 1}}, {"3-", {3, 4}}, {"a,1", {1}}}) {
    input.columns = list;
    EXPECT_EQ(values(fold_text("sum", "a,b,c,d\n1,2,3,4\n", input).answers.list[0]), expected);
    EXPECT_EQ(values(fold_text("sum", "1,2,3,4\n0,0,0,0\n",
                               [&] {
                                 io::InputOptions o = input;
                                 std::replace(o.columns.begin(), o.columns.end(), 'c', '3');
                                 std::replace(o.columns.begin(), o.columns.end(), 'a', '1');
                                 return o;
                               }())
                         .answers.list[0]),
              expected);
  }
  std::string says;
  for (const char* list : {"e", "0", "5", "3-2", "1-9", ""}) {
    if (*list == '\0') continue;
    input.columns = list;
    EXPECT_EQ(code_of("a,b,c,d\n1,2,3,4\n", input, &says), ErrorCode::bad_option) << list;
    EXPECT_NE(says.find("its 4 columns are a, b, c, d"), std::string::npos) << says;
  }
}

TEST(Table, ReadsWhatIsMissingAsNanWhereTold) {
  Options omit;
  omit.nan = NanPolicy::omit;
  const std::string text = "a,b\n1,NA\nn/a,2\n,null\n-,NaN\n\"\",None\n7,x\n7,-999\n";
  io::InputOptions input = guess();
  input.missing = {"x", "-999"};
  input.missing_is_nan = true;
  EXPECT_EQ(values(fold_text("sum", text, input, omit).answers.list[0]),
            (std::vector<double>{15, 2}));
  const Folded counts = fold_text("count_nan", text, input);
  EXPECT_EQ(counts.answers.list[0].values<int64_t>()[0], 4);
  EXPECT_EQ(counts.answers.list[0].values<int64_t>()[1], 6);
  for (const DType t : {DType::f32, DType::bf16}) {
    input.dtype = t;
    EXPECT_EQ(fold_text("count_nan", text, input).answers.list[0].values<int64_t>()[1], 6);
  }
}

TEST(Table, ReadsQuotesCarriageReturnsAndByteOrderMarks) {
  const std::string text = "\xef\xbb\xbf\"a \"\"x\"\"\",b\r\n\"1\",\"2\"\r\n \"3\" , 4 \r\n";
  const Folded f = fold_text("sum", text, guess());
  EXPECT_EQ(f.notes.columns, (std::vector<std::string>{"a \"x\"", "b"}));
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{4, 6}));
}

TEST(Table, ReadsLineEndsWithinQuotesAndOddQuotes) {
  EXPECT_EQ(values(fold_text("sum", "t,x\n\"a\nb\",1\nc,2\n", guess()).answers.list[0]),
            (std::vector<double>{3}));
  EXPECT_EQ(values(fold_text("sum", "t,x\n5\" disk,1\nc,2\n", guess()).answers.list[0]),
            (std::vector<double>{3}));
}

TEST(Table, ReadsDecimalCommasAndThousandsOnlyWhereTold) {
  std::string says;
  EXPECT_EQ(code_of("1,000\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("--thousands ,"), std::string::npos) << says;
  EXPECT_EQ(code_of("1,5\n2,5\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("--decimal ,"), std::string::npos) << says;
  EXPECT_EQ(code_of("1,5 2,5\n", guess(), &says), ErrorCode::bad_token);
  io::InputOptions named = guess();
  named.columns = "a";
  EXPECT_EQ(code_of("a;b\n1,5;2\n", named, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 2, column 1 (a): \"1,5\" is not a number; if its comma"), says.npos)
      << says;
  EXPECT_EQ(code_of("a,b\n\"1,000\",2\n", named, &says), ErrorCode::bad_token);
  EXPECT_EQ(fold_text("sum", "a;b\n1,5;2\n", guess()).notes.left_out[0],
            "a (\"1,5\"; if its comma is a decimal point, pass --decimal ,)");
  EXPECT_EQ(code_of("1,2,3\n", guess(), &says), ErrorCode::ok);

  io::InputOptions input = guess();
  input.decimal = ',';
  EXPECT_EQ(fold_text("sum", "1,5\n2,5\n", input).answers.list[0].only().as<double>(), 4);
  EXPECT_EQ(values(fold_text("sum", "a;b\n1,5;2\n-0,25;,5\n", input).answers.list[0]),
            (std::vector<double>{1.25, 2.5}));
  EXPECT_EQ(values(fold_text("sum", "a\tb\n1,5\t2\n", input).answers.list[0]),
            (std::vector<double>{1.5, 2}));
  input.columns = "a";
  EXPECT_EQ(code_of("a;b\n1.5;2\n1,5;2\n", input, &says), ErrorCode::bad_token);
  input.columns = "";
  input.thousands = '.';
  EXPECT_EQ(values(fold_text("sum", "a;b\n1.234.567,5;2\n-1.000;3\n", input).answers.list[0]),
            (std::vector<double>{1233567.5, 5}));
  for (const char* bad : {"a;b\n1.23;2\n1;2\n", "a;b\n1.2345;2\n1;2\n", "a;b\n1234.567;2\n1;2\n"}) {
    input.columns = "a";
    EXPECT_EQ(code_of(bad, input, &says), ErrorCode::bad_token) << bad;
    input.columns = "";
  }
  input.decimal = '.';
  input.thousands = ',';
  EXPECT_EQ(fold_text("sum", "1,000\n2,000.5\n", input).answers.list[0].only().as<double>(),
            3000.5);
  EXPECT_EQ(values(fold_text("sum", "a,b\n\"1,000\",2\n", input).answers.list[0]),
            (std::vector<double>{1000, 2}));
  input.thousands = ' ';
  EXPECT_EQ(values(fold_text("sum", "a;b\n1 000;2\n", input).answers.list[0]),
            (std::vector<double>{1000, 2}));
  EXPECT_EQ(fold_text("sum", "1 000 000\n2 000\n", input).answers.list[0].only().as<double>(),
            1002000);
  EXPECT_EQ(fold_text("sum", "v\n1 000\n", input).answers.list[0].only().as<double>(), 1000);
}

TEST(Table, GivesEachColumnALabelOfItsOwn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(fold_text("sum", "a,a,a.2\n1,2,3\n", guess()).notes.columns,
            (Names{"a", "a.2.2", "a.2"}));
  EXPECT_EQ(fold_text("sum", "a.3,b,a,a\n1,2,3,4\n", guess()).notes.columns,
            (Names{"a.3", "b", "a", "a.4"}));
  EXPECT_EQ(fold_text("sum", "a,a.2,a\n1,2,3\n", guess()).notes.columns,
            (Names{"a", "a.2", "a.3"}));
}

TEST(Table, RefusesNumbersThatMayBeNamesOrPlacesOfColumns) {
  io::InputOptions input = guess();
  input.header = io::Header::yes;
  const std::string text = "Year,1,2,3\n1950,10,20,30\n";
  std::string says;
  for (const char* list : {"2-3", "1-2", "2-", "2,4", "4,1"}) {
    input.columns = list;
    EXPECT_EQ(code_of(text, input, &says), ErrorCode::bad_option) << list;
  }
  for (const auto& [list, sum] : std::vector<std::pair<std::string, std::vector<double>>>{
           {"2", {20}}, {"2,3", {20, 30}}, {"4", {30}}, {"4-", {30}}, {"Year,3", {1950, 30}}}) {
    input.columns = list;
    EXPECT_EQ(values(fold_text("sum", text, input).answers.list[0]), sum) << list;
  }
}

TEST(Table, NamesLineColumnAndTextOfWhatIsNoNumber) {
  std::string says;
  io::InputOptions chosen = guess();
  chosen.columns = "a,b";
  EXPECT_EQ(code_of("a,b\n1,2\n\n\"3\",4x\n", chosen, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 4, column 2 (b): \"4x\" is not a number"), says.npos) << says;
  EXPECT_EQ(code_of("a,b\n1,2\n3\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 3, column 2 (b): there is 1 field, but the first line has 2"),
            says.npos)
      << says;
  EXPECT_EQ(code_of("a b\n1 2\n3 4 5\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 3, column 3: there are 3 or more fields"), says.npos) << says;
  for (const char* text : {"a,b,c\n1,2,\"x\n3,4,q\n", "a,b\n\"1,2"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token) << text;
    EXPECT_NE(says.find("a quote is not closed"), says.npos) << text << says;
  }
  EXPECT_EQ(code_of("a,b\n1,1e999\n", chosen, &says), ErrorCode::out_of_range);
  EXPECT_EQ(code_of("a,b\n1,2\n1,1e999\n", chosen, &says), ErrorCode::out_of_range);
  io::InputOptions input = guess();
  input.dtype = DType::i64;
  input.missing_is_nan = true;
  EXPECT_EQ(code_of("a,b\n1,2\n1,NA\n", input, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("i64 cannot hold missing values"), says.npos) << says;
}

TEST(Table, LeavesBadLinesOutWhereToldAndCountsThem) {
  io::InputOptions input = guess();
  input.skip_bad_lines = true;
  const Folded f = fold_text("sum", "a,b\n1,2\n3\n4,x\n5,6,7\n\"8,9\n10,20\n", input);
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{11, 22}));
  const std::vector<std::string> said = io::warnings_of(f.notes);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("4 bad lines were left out; the first one: line 3, column 2 (b)"),
            std::string::npos)
      << said[0];
}

TEST(Table, FoldsRowsAndAllNumbersByItsAxes) {
  Options options;
  options.axes = Axes{1};
  EXPECT_EQ(values(fold_text("sum", "a,b\n1,2\n3,4\n", guess(), options).answers.list[0]),
            (std::vector<double>{3, 7}));
  options.axes = Axes{0, 1};
  const Folded f = fold_text("sum,argmax", "a,b\n1,9\n9,4\n", guess(), options);
  EXPECT_EQ(f.answers.list[0].only().as<double>(), 23);
  EXPECT_EQ(f.answers.list[1].only().as<int64_t>(), 1);
}

// Such long lines are read as numbers, but still are a table.
TEST(Table, IsWhatAxesAskForHoweverWideItIs) {
  for (const std::size_t width : {2u, 9999u, 10000u, 40000u}) {
    std::string line;
    for (std::size_t k = 0; k < width; ++k) line += (k == 0 ? "" : " ") + std::to_string(k % 10);
    for (const std::size_t lines : {1u, 2u}) {
      for (const char* end : {"", "\n"}) {
        const std::string text = (lines == 2 ? line + "\n" : "") + line + end;
        const Folded columns = fold_text("sum,argmax", text, guess(), {.axes = {0}});
        ASSERT_EQ(columns.answers.list[0].shape, Dims(width)) << lines;
        EXPECT_EQ(values(columns.answers.list[0])[width - 1],
                  static_cast<double>(lines * ((width - 1) % 10)));
        const Folded rows = fold_text("argmax", text, guess(), {.axes = {1}});
        ASSERT_EQ(rows.answers.list[0].shape, Dims(lines)) << width;
        EXPECT_EQ(rows.answers.list[0][lines - 1].as<int64_t>(), width == 2 ? 1 : 9);
        const Folded all = fold_text("count", text, guess(), {.axes = {0, 1}});
        EXPECT_EQ(all.answers.get<int64_t>("count"), static_cast<int64_t>(lines * width));
      }
    }
    for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 1}}) {
      EXPECT_EQ(test::error_of([&] {
                  fold_text("sum", line + "\n" + line + " 1\n", guess(), {.axes = axes});
                }).substr(0, 9),
                "bad_token");
    }
  }
}

TEST(Table, OfOtherColumnsDoesNotContinueOne) {
  const Scratch folder;
  const std::string a = folder.write("a", "x,y\n1,2\n"), b = folder.write("b", "y,z\n1,2\n"),
                    c = folder.write("c", "y,x\n6,5\n"), d = folder.write("d.csv", "1,2\n");
  io::Notes notes;
  EXPECT_EQ(values(io::fold_files("sum", {a, c}, guess(), {}, {}, &notes).list[0]),
            (std::vector<double>{6, 8}));
  for (const std::string& other : {b, d}) {
    try {
      io::fold_files("sum", {a, other}, guess());
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::shape_mismatch) << e.what();
    }
  }
  // Columns chosen by name may be anywhere.
  io::InputOptions chosen = guess();
  chosen.columns = "x";
  EXPECT_EQ(io::fold_files("sum", {a, c}, chosen).list[0].only().as<double>(), 6);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
