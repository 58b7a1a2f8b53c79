// What the first lines of a table show; and missing values.
#include <gtest/gtest.h>

#include "io/fold_text.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::code_of;
using test::fold_text;
using test::Folded;
using test::guess;
using test::values;

TEST(TableSample, EndsLinesAtALoneCrWhereItsFirstLineDoes) {
  const std::string text = "temp,city\r5,Oslo\r\"6\",\"a\rb\"\r\r7,Rome";
  for (const char* end : {"", "\r"}) {
    const Folded f = fold_text("sum,count", text + end, guess());
    EXPECT_EQ(f.notes.columns, (std::vector<std::string>{"temp"}));
    EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{18}));
    EXPECT_EQ(values(f.answers.list[1]), (std::vector<double>{3}));
  }
  EXPECT_EQ(values(fold_text("sum", "1 2\r3 4\r", guess(), {.axes = {0}}).answers.list[0]),
            (std::vector<double>{4, 6}));
  // Pieces may end anywhere, even between CR and LF.
  std::string long_text = "a,b\r";
  for (int k = 0; k < 3000; ++k)
    long_text += "1,\"x\ry\"" + std::string(k % 7 == 0 ? "\r\n" : "\r");
  io::Limits small;
  for (small.text_chunk_bytes = 40; small.text_chunk_bytes < 60; ++small.text_chunk_bytes) {
    const Folded f = fold_text("sum", long_text, guess(), {}, small);
    EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{3000})) << small.text_chunk_bytes;
  }
  // Elsewhere it is a character of a text, and the field is no number.
  std::string says;
  EXPECT_EQ(code_of("x\n6\r7\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_EQ(code_of("x,y\n1,2\r3,4\n", guess(), &says), ErrorCode::bad_token);
}

TEST(TableSample, KeepsAFirstRowOfWhichWordsStandAboveNoNumbers) {
  io::InputOptions input = guess();
  input.columns = "2";
  input.header = io::Header::no;
  for (const char* missing : {"null", "", "NA", "-"}) {
    const Folded f =
        fold_text("count,count_nan", std::string("Oslo,") + missing + "\nBern,31.05\n", input);
    EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{1})) << missing;
    EXPECT_EQ(values(f.answers.list[1]), (std::vector<double>{0})) << missing;
    EXPECT_EQ(f.notes.missing, (std::vector<Size>{1})) << missing;
  }
  // If a single code among others is a number, the column is no column of numbers.
  EXPECT_EQ(values(fold_text("count", "abc,-\nx12,3\n77,4\nfoo,5\n", input).answers.list[0]),
            (std::vector<double>{3}));
  EXPECT_EQ(values(fold_text("sum", ",city,temp\n0,Oslo,5\n1,Bern,6\n", guess()).answers.list[0]),
            (std::vector<double>{1, 11}));
}

// Years and quantiles are names as often as words are.
TEST(TableSample, TakesALineForAHeaderOrARowOnlyWhereThatIsKnown) {
  struct Case {
    const char *text, *delimiter, *place, *name;
    double row, header;  // the sums of --header no and --header yes
  };
  const Case cases[] = {
      {"country,2019,2020\nA,1,2\nB,3,4\n", ",", "2", "2019", 2023, 4},
      {"2019,2020,country\n1,2,A\n3,4,B\n", ",", "1", "2019", 2023, 4},
      {"country\t2019\t2020\nA\t1\t2\n", "\t", "3", "2020", 2022, 2},
      {"country 2019\nA 1\nB 3\n", " ", "2", "2019", 2023, 4},
      {"date,0.5,0.9\n2024-01-01,7,8\n2024-01-02,9,10\n", ",", "3", "0.9", 18.9, 18},
      {",2019,2020\nA,1,2\nB,3,4\n", ",", "2", "2019", 2023, 4},
      {"0,1,2\nOslo,5,6\nRome,7,8\n", ",", "3", "2", 16, 14},
      {"country,2019\nA,1\nB,NA\n", ",", "2", "2019", 2020, 1},
      {"country,2019,2020\n", ",", "2", "2019", 2019, 0}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    for (const char* delimiter : {"", c.delimiter}) {
      io::InputOptions input = guess();
      input.delimiter = *delimiter;
      std::string says;
      EXPECT_EQ(code_of(c.text, input, &says), ErrorCode::bad_token);
      input.columns = c.place;
      for (const io::Header header : {io::Header::unsaid, io::Header::automatic}) {
        input.header = header;
        EXPECT_EQ(code_of(c.text, input, &says), ErrorCode::bad_token);
        EXPECT_NE(says.find("pass --header yes if"), says.npos) << says;
        EXPECT_NE(says.find("--header no if"), says.npos) << says;
      }
      input.header = io::Header::no;
      EXPECT_EQ(values(fold_text("sum", c.text, input).answers.list[0])[0], c.row);
      input.header = io::Header::yes;
      input.columns = c.name;
      EXPECT_EQ(values(fold_text("sum", c.text, input).answers.list[0])[0], c.header);
    }
  }
  io::InputOptions input = guess();
  std::string says;
  for (const char* name : {"2019", "2019,2020", "inf"}) {
    input.columns = name;
    for (const char* text :
         {"country,2019,2020,inf\nA,1,2,3\n", "1999,2000\n5,6\n", "\"2019\",\"2020\"\n1,2\n"}) {
      EXPECT_NE(code_of(text, input, &says), ErrorCode::ok) << name;
      if (name[0] == '2') {
        EXPECT_NE(says.find("--header yes"), says.npos) << says;
      }
    }
  }
}

TEST(TableSample, KnowsAFirstRowOfNumbersOrTimes) {
  io::InputOptions input = guess();
  input.thousands = ',';
  EXPECT_EQ(values(fold_text("sum", "\"1,234\",5\n678,9\n", input).answers.list[0])[0], 1926);
  input = guess();
  input.columns = "2";
  for (const char* text : {"1999,2000\n5,6\n", "2024-01-01,2000\n2024-01-02,6\n",
                           "2024-01-01 10:00;2000;Oslo\n2024-01-02 11:00;6;Rome\n"}) {
    EXPECT_EQ(values(fold_text("sum", text, input).answers.list[0]), (std::vector<double>{2006}))
        << text;
  }
}

TEST(TableSample, TakesNoDelimiterThatTearsQuotes) {
  io::InputOptions input = guess();
  input.columns = "2";
  input.header = io::Header::no;
  for (const char* text :
       {"\"qq\";\"-1.5\";\"b,ar\"\n", "x;-1.5;\"b,ar\"\n", "\"qq\"\t-1.5\t\"b,a\"\n",
        "x,y;-1.5;\"b,ar\"\nx;0;z\n", "\"a;b\"|-1.5\n"}) {
    EXPECT_EQ(values(fold_text("sum", text, input).answers.list[0]), (std::vector<double>{-1.5}))
        << text;
  }
  // Signs for inches are no quotes.
  EXPECT_EQ(values(fold_text("sum", "5' 10\",180\n5' 11\",190\n", input).answers.list[0]),
            (std::vector<double>{370}));
}

TEST(TableSample, CountsMissingValuesOfEachColumn) {
  std::string text = "a,b,c\n";
  for (int k = 0; k < 2000; ++k)
    text += k % 3 == 0 ? "1,NA,\n" : k % 3 == 1 ? "-9,2,x\n" : "-,2,3\n";
  io::InputOptions input = guess();
  input.columns = "1-3";
  input.missing = {"-9"};
  input.skip_bad_lines = true;  // lines with an x anywhere are bad
  io::Limits small;
  small.text_chunk_bytes = 100;
  for (const DType type : {DType::f64, DType::f32, DType::f16}) {
    input.dtype = type;
    const Folded f = fold_text("sum", text, input, {}, small);
    EXPECT_EQ(f.notes.folded, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(f.notes.missing, (std::vector<Size>{666, 667, 667})) << name_of(type);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
