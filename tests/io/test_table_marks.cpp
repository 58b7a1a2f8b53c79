// Commas and blanks that may be parts of numbers.
#include <gtest/gtest.h>

#include "io/fold_text.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::code_of;
using test::fold_text;
using test::guess;
using test::Scratch;
using test::values;

TEST(TableMarks, AreNoSeparatorsThatMayMarkThousands) {
  std::string says;
  // Some numbers have a mark; the first line looks like a header.
  for (const char* text : {"999\n1,000\n", "1,000\n2000\n", "2000\n\n-1,5\n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token) << text;
    EXPECT_NE(says.find("two ways; pass --thousands ,"), says.npos) << says;
  }
  for (const char* text : {"1'000\n2000\n3\n4\n", "1_000\n2000\n",
                           "\"1,000\",\"2,000\"\n3,4\n5,6\n", "\"1,000\"\n2\n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token) << text;
    EXPECT_NE(says.find("pass --thousands "), says.npos) << says;
  }
  for (const char* text :
       {"1 000\n2 500\n", "999\n-1 050 300.5\n", "678\n12 345\n", "1 234 567\n12 345\n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token) << text;
    EXPECT_NE(says.find("in groups of three digits; pass --thousands \" \""), says.npos) << says;
  }
  // It comes so late that the sample of first lines does not have it.
  std::string numbers;
  for (int i = 0; i < 50000; ++i) numbers += "999\n";
  EXPECT_EQ(code_of(numbers + "1,000\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 50001: \"1,000\", below lines of one number"), says.npos) << says;
  EXPECT_EQ(code_of(numbers + "1,000\n", {}, &says), ErrorCode::ok);
  EXPECT_EQ(code_of(numbers + "1,2,3\n", guess(), &says), ErrorCode::ok);
  EXPECT_EQ(code_of(numbers + "1 500\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 50001: \"1 500\", below lines of one number"), says.npos) << says;
  EXPECT_EQ(code_of(numbers + "1 500\n", {}, &says), ErrorCode::ok);
  EXPECT_EQ(code_of(numbers + "1 5\n", guess(), &says), ErrorCode::ok);
  for (const char* text : {"100 200 300\n", "001 002 003\n", "1 0\n2 05\n", "1\n2,3,4\n",
                           "1 000 0000\n", "city\n1\n", "city,\"1,000\"\n1,2\n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::ok) << text << says;
  }
  io::InputOptions input = guess();
  input.decimal = ',';
  input.columns = "a";
  EXPECT_EQ(code_of("a;b\n1 000;2,5\n3 000;4,5\n", input, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("pass --thousands \" \""), says.npos) << says;
}

TEST(TableMarks, AreBlanksOrCommasNotBoth) {
  std::string says;
  for (const char* text :
       {"1 234,50\n2 345,75\n", "1\t5,5\n2\t6,5\n", "1 60,5\n2 7,25\n", "1 000, 2 000\n",
        "1, 2 3, 4\n", "1,5 2,5\n", "1,2,3\n4 5 6\n", "1.234,50\n2.345,75\n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token) << text;
    EXPECT_NE(says.find("can be read in two ways"), says.npos) << says;
    EXPECT_EQ(code_of(text, {}, &says), ErrorCode::ok) << says;
  }
  for (const char* text : {"1, 2, 3\n", "1 , 2\n", "1 2\t3 4\n", "1,2, 3\n", " 1,2,3 \n"}) {
    EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::ok) << text << says;
  }
  EXPECT_EQ(code_of("1 000\t2 000\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("groups of three digits between tabs"), says.npos) << says;
  // The other mark may come late, in another piece.
  std::string numbers;
  for (int i = 0; i < 50000; ++i) numbers += "1,2,3\n";
  EXPECT_EQ(code_of(numbers + "4 5\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 50001: \"4 5\""), says.npos) << says;
}

TEST(TableMarks, AreTabsInATsvAndOneSeparatorInACsv) {
  const Scratch folder;
  const auto says = [&](const char* name, const char* text) {
    return test::error_of([&] { io::fold_files("sum", {folder.write(name, text)}, guess()); });
  };
  for (const char* text : {"1\t5,5\n2\t6,5\n", "1,5\n2,5\n", "1 000\t2\n", "1\t2\n3 4\n"}) {
    EXPECT_NE(says("t.tsv", text).find("which separate the numbers in a .tsv"), std::string::npos)
        << says("t.tsv", text);
  }
  EXPECT_EQ(says("t.tsv", "1\t2\n3 \t 4\n"), "");
  EXPECT_NE(says("t.csv", "1,5 2,5\n3,5 4,5\n").find("in two ways"), std::string::npos);
  for (const char* text : {"1,5\n2,5\n", "1 5\n2 5\n", "1;5\n2;5\n", "Year, n\n1990,5\n"}) {
    EXPECT_EQ(says("t.csv", text), "") << text;
  }
  io::InputOptions input = guess();
  input.decimal = ',';
  const std::string path = folder.write("t.tsv", "1\t5,5\n2\t6,5\n");
  EXPECT_EQ(values(io::fold_files("sum", {path}, input).list[0]), (std::vector<double>{15}));
}

TEST(TableMarks, StandBehindNoGroupOfALoneZero) {
  std::string says;
  io::InputOptions input = guess();
  input.thousands = ',';
  for (const char* text : {"k;v\na;0,123\n", "k;v\na;-0,123\n", "k;v\na;000,123\n"}) {
    input.columns = "v";
    EXPECT_EQ(code_of(text, input, &says), ErrorCode::bad_token) << text;
  }
  input.decimal = ',';
  input.thousands = '.';
  EXPECT_EQ(code_of("k;v\na;0.123\n", input, &says), ErrorCode::bad_token);
}

TEST(TableMarks, TakesNoMarkForADelimiterThatMayBePartOfNumbers) {
  const std::pair<const char*, const char*> cases[] = {
      {"1;21,5\n2;19,2\n", "2"},
      {"1;21,5\n2;19,2\n", "1"},
      {"1 234,50\n2 345,75\n", "1"},
      {"1 234,50\n345,75\n", "2"},
      {"1,234\n2,345\n", "1"},
      {"1'234,5\n2'345,5\n", "2"},
      {"1.234,50\n2.345,75\n", "1"},
      {"1,5 2,5\n3,5 4,5\n", "1"},
      {"Bonn 21,5\nUlm 19,2\n", "2"},
      {"Bonn 21,5\nBad Honnef 19,2\n", "2"},
      {"1 000\n2 000\n", "1"},
      {"a 1 000\nb 2 500\n", "2"},
      {"Wert EUR\n1 000\n2 500\n", ""},
      {"Stadt;Temperatur, Grad\nBonn;21,5\nUlm;19,2\n", ""},
      {"Stadt|Temperatur, Grad\nBonn|21,5\nUlm|19,2\n", ""},
      {"Ort;Lat, deg;Lon, deg\nBonn;21,5;7,1\nUlm;19,2;9,9\n", ""},
      {"Ort;Temp,Grad\nBonn;21,5\nUlm;19,2\n", ""},
      {"Temperatur, Grad\n21,5\n19,2\n", ""}};
  std::string says;
  for (const auto& [text, columns] : cases) {
    for (const io::Header header : {io::Header::unsaid, io::Header::no}) {
      if (header == io::Header::no && *columns == '\0') continue;
      io::InputOptions input = guess();
      input.columns = columns;
      input.header = header;
      EXPECT_EQ(code_of(text, input, &says), ErrorCode::bad_token) << text << columns;
      EXPECT_NE(says.find("pass --thousands"), says.npos) << says;
    }
  }
  io::InputOptions input = guess();
  input.decimal = ',';
  EXPECT_EQ(
      values(
          fold_text("sum", "Stadt;Temperatur, Grad\nBonn;21,5\nUlm;19,2\n", input).answers.list[0]),
      (std::vector<double>{40.7}));
  EXPECT_EQ(code_of("1 234,50\n2 345,75\n", input, &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("pass --thousands \" \""), says.npos) << says;
  EXPECT_EQ(values(fold_text("sum", "1 2,5\n2 34,5\n", input).answers.list[0]),
            (std::vector<double>{40}));
  input.thousands = ' ';
  EXPECT_EQ(values(fold_text("sum", "1 234,50\n2 345,75\n", input).answers.list[0]),
            (std::vector<double>{3580.25}));
}

TEST(TableMarks, TakesCommasForDelimitersThatAreNoPartsOfNumbers) {
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a, b\n1, 2\n3, 4\n", "street,n\nRoute 66,2\nRoute 7,4\n",
        "tags,n\n1;2,2\n3;4,4\n", "\"k, mm\",n\n1,2\n3,4\n", "\"k, mm\",n\n\"1,5\",2\n\"3;5\",4\n",
        "k,n\n001,2\n002,4\n", "1,2\n3,4\n", "1,2,0\n3,4,0\n"}) {
    io::InputOptions input = guess();
    input.columns = "2";
    EXPECT_EQ(values(fold_text("sum", text, input).answers.list[0])[0], 6) << text;
  }
  EXPECT_EQ(values(fold_text("sum", "1,2\n3,4\n", guess(), {.axes = {0}}).answers.list[0]),
            (std::vector<double>{4, 6}));
  std::string says;
  EXPECT_EQ(test::error_of([] {
              fold_text("sum", "1,234\n2,345\n", guess(), {.axes = {0}});
            }).substr(0, 9),
            "bad_token");
  io::InputOptions input = guess();
  input.delimiter = ',';
  input.columns = "1";
  EXPECT_EQ(values(fold_text("sum", "1,234\n2,345\n", input).answers.list[0]),
            (std::vector<double>{3}));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
