// Headers of tables on the command line: which first lines are names, and how columns are named.
#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << text << ran.error;
  EXPECT_EQ(ran.out, out) << text << ran.error;
}

TEST(TableHeaders, HaveAWordAboveNumbersAndMayHaveNumbersBesideIt) {
  expect({"sum"}, "year,inf\n2000,2.5\n2001,3.5\n", "year\t4001\ninf\t6\n");
  expect({"mean", "--columns", "inf"}, "year,inf\n2000,2.5\n2001,3.5\n", "3\n");
  expect({"mean", "--columns", "2"}, "year,inf\n2000,2.5\n2001,3.5\n", "3\n");
  expect({"sum", "--columns", "2"}, "age,2019,2020\n1,1,2\n2,3,4\n", "4\n");
  expect({"sum", "--columns", "2019"}, "age,2019,2020\n1,1,2\n2,3,4\n", "4\n");
  expect({"count"}, "id,nan\n1,2\n3,4\n", "id\t2\nnan\t2\n");
}

TEST(TableHeaders, MayBeginWithAnEmptyCellAboveNumbers) {
  expect({"sum"}, ",0,1\n0,5.5,6\n1,7,8\n", "#1\t1\n0\t12.5\n1\t14\n");
  expect({"sum", "--columns", "1"}, ",0,1\n0,5.5,6\n1,7,8\n", "14\n");
  expect({"sum", "--columns", "#1"}, ",0,1\n0,5.5,6\n1,7,8\n", "1\n");
  expect({"sum"}, ",2000,2010\n0,5,6\n", "1\t0\n2000\t5\n2010\t6\n");
  expect({"max", "--columns", "0.9"}, ",0.5,0.9\n0,5,6\n", "6\n");
  // A row of which the first value is missing.
  expect_refused({"sum"}, ",1.5,7\n0,5,6\n", "pass --header yes");
}

TEST(TableHeaders, AreAskedForWhereTheyCannotBeKnown) {
  const std::string years = "country,2019,2020\nA,1,2\nB,3,4\n";
  for (const Words& words : {Words{"sum"},
                             {"sum", "--columns", "2"},
                             {"sum", "--columns", "2019"},
                             {"sum", "--by", "1", "--columns", "2"},
                             {"info"}}) {
    expect_refused(words, years, "--header yes");
  }
  expect({"sum", "--header", "yes", "--columns", "2019"}, years, "4\n");
  // Words that may stand for a value, and broken numbers.
  expect_refused({"sum", "--columns", "1-2"}, "Unknown,5\n3,6\n", "--header yes");
  expect_refused({"sum", "--columns", "1-2"}, "16a,5\n3,6\n", "--header yes");
}

TEST(TableHeaders, OfNumbersAloneAreRowsAndCauseOneNote) {
  const Ran ran = run_on({"sum", "--columns", "1-2"}, "1999,2000\n5,6\n");
  EXPECT_EQ(ran.out, "1\t2004\n2\t2006\n");
  EXPECT_NE(ran.error.find("line 1 is read as data, though its numbers (1999, 2000) may be column "
                           "names; pass --header yes if they are, --header no if not\n"),
            std::string::npos)
      << ran.error;
  const Ran all = run_on({"sum"}, "1999,2000\n5,6\n");
  EXPECT_EQ(all.out, "4010\n");
  EXPECT_NE(all.error.find("pass --header yes"), std::string::npos) << all.error;
  EXPECT_EQ(run_on({"sum", "--columns", "1", "--header", "yes"}, "1999,2000\n5,6\n").out, "5\n");
  for (const char* text : {"1999,2000\n2001,2002\n", "5,6\n7,8\n", "1.5,2.5\n3,4\n"}) {
    EXPECT_EQ(run_on({"sum", "--columns", "1-2"}, text).error, "") << text;
  }
  EXPECT_EQ(run_on({"sum", "--columns", "1", "--header", "no"}, "1999,2000\n5,6\n").error, "");
}

TEST(TableHeaders, NamePlacesByASign) {
  const std::string text = "Year,1,2,3\n1950,10,20,30\n";
  expect({"sum", "--columns", "2"}, text, "20\n");
  expect({"sum", "--columns", "#2"}, text, "10\n");
  expect({"sum", "--columns", "#2-3"}, text, "1\t10\n2\t20\n");
  expect({"sum", "--columns", "#3-"}, text, "2\t20\n3\t30\n");
  expect({"sum", "--columns", "#1,3"}, text, "Year\t1950\n3\t30\n");
  expect_refused({"sum", "--columns", "2-3"}, text, "write positions as #2-3");
  expect_refused({"sum", "--columns", "#5"}, text, "it has no column");
  expect({"sum", "--columns", "#2", "--header", "no"}, "1,2\n3,4\n", "6\n");
}

TEST(TableHeaders, GiveEveryColumnALabelThatIsAName) {
  const std::string text = "one,two,three,three\n1,4,9,3\n";
  expect({"sum"}, text, "one\t1\ntwo\t4\nthree\t9\nthree.4\t3\n");
  expect({"sum", "--columns", "three.4"}, text, "3\n");
  expect({"sum", "--columns", "three.4,#3"}, text, "three.4\t3\nthree\t9\n");
  expect_refused({"sum", "--columns", "one,three"}, text,
                 "column \"three\" is the name of 2 columns; choose one by its position: #3, #4");
  expect({"sum", "--columns", "#4,one"}, text, "three.4\t3\none\t1\n");
  expect({"sum", "--let", "x = `three.4` + 1", "--columns", "x"}, text, "4\n");
  expect({"sum", "--by", "three.4", "--columns", "one"}, text, "three.4\tsum\n3\t1\n");
  expect({"sum", "--json"}, "a,a,a.2\n1,2,3\n",
         "{\"sum\": {\"a\": 1.0, \"a.2.2\": 2.0, \"a.2\": 3.0}}\n");
  expect({"sum", "--columns", "a.2.2,a.2"}, "a,a,a.2\n1,2,3\n", "a.2.2\t2\na.2\t3\n");
}

TEST(TableHeaders, StandBelowLinesThatAreSkippedAndBesideComments) {
  const std::string report = "Report, of 2024\n\na,b\n1,2\n3,4\n";
  expect({"sum", "--skip", "2"}, report, "a\t4\nb\t6\n");
  expect_refused({"sum", "--skip", "9"}, report, "it has only 5 complete lines");
  expect_refused({"sum", "--columns", "a", "--skip", "2"}, report + "x,5\n",
                 "line 6, column 1 (a): \"x\" is not a number");
  const std::string comments = "# \"by us\na,b\n1,2\n # 7,8\n3,4\n#end";
  expect({"sum", "--comment", "#"}, comments, "a\t4\nb\t6\n");
  expect({"sum", "--comment", "#", "--by", "a", "--columns", "b"}, comments,
         "a\tsum\n1\t2\n3\t4\n");
  // A # within quotes, or behind the begin of a line, is a character of a field.
  expect({"count", "--by", "k", "--columns", "k", "--comment", "#"}, "k,v\n\"a\n#b\",1\nc#,2\n",
         "k\tcount\n\"a\\n#b\"\t1\nc#\t1\n");
  std::string many = "a,b\n";
  for (int k = 0; k < 300000; ++k) many += k % 3 == 0 ? "# a \"comment,\n" : "1,2\n";
  expect({"sum", "--comment", "#"}, many, "a\t200000\nb\t400000\n");
  EXPECT_EQ(out_of({"sum", "--skip", "1", "--comment", "%"}, "x y z\n% c\n1 2\n3 4\n").size(), 3u);
}

TEST(TableHeaders, MayHaveALineOfUnits) {
  const std::string text = "time,temp\ns,K\n1,2\n3,4\n";
  expect({"sum", "--units"}, text, "time\t4\ntemp\t6\n");
  expect_refused({"sum"}, text, "if this line has units, pass --units");
  expect_refused({"sum", "--columns", "temp", "--units"}, text + "5,x\n",
                 "line 5, column 2 (temp)");
  expect_refused({"sum", "--units", "--header", "no"}, text, "--units");
}

TEST(TableHeaders, MayBeRepeatedInJoinedFiles) {
  const std::string text = "k,b\nx,2\nk,b\ny,6\nk,b\n";
  for (const Words& words : {Words{"sum"}, {"sum", "--columns", "b"}}) {
    const Ran ran = run_on(words, text);
    EXPECT_EQ(ran.out, "8\n") << ran.error;
    EXPECT_NE(ran.error.find("2 lines repeat the header and are left out"), std::string::npos);
  }
  expect({"sum", "--by", "k"}, text, "k\tsum\nx\t2\ny\t6\n");
  expect({"sum", "--bad-lines", "skip"}, text, "8\n");
  expect({"count", "--by", "k", "--columns", "b"}, text, "k\tcount\nx\t1\ny\t1\n");
}

TEST(TableHeaders, MayBeRepeatedWhereAColumnIsEmptyOrNamedByANumber) {
  std::string late = "id,late\n1,\nid,late\n";
  for (int k = 0; k < 20000; ++k) late += "2,\n";
  expect({"sum"}, late + "3,5\n3,5\n", "id\t40007\nlate\t10\n");
  // Rows that are alike are no headers.
  expect({"sum", "--columns", "2"}, "2024-01-01,5\n2024-01-01,5\n", "10\n");
  // Most lines are headers.
  expect({"sum"}, "k,v\na,\nk,v\nb,1\nk,v\n", "1\n");
  const std::string years = "id,2019\n1,5\nid,2019\n2,7\n";
  const Ran ran = run_on({"sum", "--columns", "2019"}, years);
  EXPECT_EQ(ran.out, "12\n");
  EXPECT_NE(ran.error.find("1 line repeats the header"), std::string::npos) << ran.error;
  expect({"sum", "--by", "id", "--columns", "2019"}, years, "id\tsum\n1\t5\n2\t7\n");
  expect({"max", "--columns", "2019", "--where", "id > 0"}, years, "7\n");
  expect({"sum"}, ",0,1\n0,5,6\n,0,1\n1,7,8\n", "#1\t1\n0\t12\n1\t14\n");
  // A line within quotes, and one of numbers alone, are values.
  expect({"count", "--columns", "k"}, "k,2019\n\"x\nk,2019\n\",5\ny,6\n", "2\n");
  expect({"sum", "--header", "yes"}, "2019,2020\n1,2\n2019,2020\n", "2019\t2020\n2020\t2022\n");
  std::string many = "id,2019\n";
  for (int k = 0; k < 200000; ++k) many += k % 4 == 0 ? "id,2019\n" : "1,2\n";
  expect({"sum"}, many + "id,2019", "id\t150000\n2019\t300000\n");
}

TEST(TableHeaders, AreRowsOfNumbersWithANoteWhateverSeparates) {
  for (const char* text :
       {"2019;2020\n1;2\n", "2019,2020\n0,1\n", "0;1;2\n5;6;7\n", "0\t1\t2\n5\t6\t7\n"}) {
    const Ran ran = run_on({"sum"}, text);
    EXPECT_NE(ran.error.find("may be column names; pass --header yes"), std::string::npos) << text;
  }
  for (const char* text : {"0;1;2\n1;2;3\n", "2019;2020\n2021;2022\n", "0;1\n5;6\n"}) {
    EXPECT_EQ(run_on({"sum"}, text).error, "") << text;
  }
}

TEST(TableHeaders, ThatCountFromOneCauseTheNote) {
  for (const Words& words : {Words{"sum"}, {"sum", "--columns", "2"}}) {
    EXPECT_NE(run_on(words, "1,2,3\n5.5,6.5,7.5\n8.5,9.5,1.5\n").error.find("may be column names"),
              std::string::npos);
    EXPECT_NE(run_on(words, "01,02,03\n5,6,7\n8,9,1\n").error.find("may be column names"),
              std::string::npos);
    for (const char* text : {"1,2,3\n4,5,6\n7,8,9\n", "1,2,3\n2,3,4\n", "1,2\n5,7\n"}) {
      EXPECT_EQ(run_on(words, text).error, "") << text;
    }
  }
}

TEST(TableHeaders, OfTwoNumbersCauseTheNoteAboveFractions) {
  for (const char* text : {"1,2\n5.5,6.5\n", "0,1\n5,6.5\n5.5,6\n", "1;2\n5.5;6.5\n"}) {
    EXPECT_NE(run_on({"sum"}, text).error.find("may be column names"), std::string::npos) << text;
  }
  for (const char* text : {"1,2\n5,6.5\n7,2.5\n", "2,3\n5.5,6.5\n", "1,3\n5.5,6.5\n"}) {
    EXPECT_EQ(run_on({"sum"}, text).error, "") << text;
  }
}

TEST(TableHeaders, CauseTheSameNoteFromAPipeAsFromAFile) {
  for (const std::string text :
       {"2020,2021,2022\n1,2,3\n5,5,6\n", "1,2,3\n5.5,6.5,7.5\n", "1,2\n5.5,6.5\n",
        "0\t1\t2\n5\t6\t7\n", "1,2,3\n4,5,6\n", "1,2\n5,6\n", "2020 2021\n1 2\n"}) {
    for (const Words& words : {Words{"sum"}, {"median"}, {"max", "--columns", "2"}}) {
      const Folder folder;
      const std::string path = folder.write("t.txt", text);
      Words file = words, dash = words;
      file.push_back(path);
      dash.emplace_back("-");
      std::string said = run_program(file).error;
      if (const auto at = said.find(path); at != said.npos) said.replace(at, path.size(), "stdin");
      EXPECT_EQ(run_program(words, {.stdin_text = text}).error, said) << text;
      EXPECT_EQ(run_program(dash, {.stdin_text = text}).error, said) << text;
    }
  }
}

TEST(TableHeaders, OfNumbersBetweenBlanksCauseTheNote) {
  const std::string note = "line 1 is read as data, though its numbers (2020, 2021) may be";
  for (const std::string text : {"2020 2021\n1 2\n", "2020  2021\n   1     2\n"}) {
    EXPECT_NE(run_program({"sum"}, {.stdin_text = text}).error.find(note), std::string::npos);
    for (const char* name : {"t.txt", "t.csv"}) {
      EXPECT_NE(run_on({"sum"}, text, name).error.find(note), std::string::npos) << name;
    }
  }
  // Numbers in lines of several lengths do not make a table.
  EXPECT_EQ(run_program({"sum"}, {.stdin_text = "1 2 3\n5 7\n9 9 9 9\n"}).error, "");
}

TEST(TableHeaders, AreNoRowsOfDatesOrOfANumberThatTheNextLineContinues) {
  const Ran dates = run_on({"sum"}, "2000-01-01,0\n2000-01-02,1\n2000-01-03,5\n");
  EXPECT_EQ(dates.out, "6\n") << dates.error;
  EXPECT_NE(dates.error.find("without numbers is left out: 1"), std::string::npos) << dates.error;
  EXPECT_EQ(run_on({"sum"}, "1,Newark,EWR\n2,Jamaica,Queens\n3,Alley,Queens\n").out, "6\n");
  expect_refused({"sum"}, "5,Newark,EWR\n9,Jamaica,Queens\n", "--header yes");
  // A word in the first row was a name, and the row was lost.
  expect_refused({"sum"}, "2024-01-01,closed\n2024-01-02,5\n", "\"closed\" is not a number");
}

TEST(TableHeaders, MayBeDeniedBesideColumnsOfText) {
  const Ran ran = run_on({"sum", "--header", "no"}, "a,1\nb,2\n");
  EXPECT_EQ(ran.out, "3\n") << ran.error;
  EXPECT_NE(ran.error.find("without numbers is left out: 1"), std::string::npos) << ran.error;
  EXPECT_EQ(run_on({"sum", "--header", "no"}, "a,1,5\nb,2,6\n").out, "2\t3\n3\t11\n");
}

TEST(TableHeaders, BelowOtherLinesAreFoundBySkip) {
  for (const std::string above : {"Stations of the north\n\n", "Title\n", "source,2024\n\n"}) {
    const std::string text = above + "city,temp,rain\nOslo,1,2\nRome,3,4\n";
    const auto n = std::to_string(std::count(above.begin(), above.end(), '\n'));
    for (const char* verb : {"sum", "info"}) expect_refused({verb}, text, "pass --skip " + n);
    EXPECT_EQ(run_on({"sum", "--skip", n}, text).out, "temp\t4\nrain\t6\n");
  }
}

TEST(TableHeaders, BelowLinesOfFewerFieldsAreFoundBySkip) {
  const std::string said = "line 3 has 3 fields, but the first line has ", cure = "pass --skip 2\n";
  const std::pair<std::string, std::string> cases[] = {
      {"Station,Oslo\nYear,2020\na,b,c\n1,2,3\n4,5,6", "t.txt"},
      {"Station,Oslo\nYear,2020\na,b,c\nx,2,p\ny,5,q\n", "t.csv"},
      {"Station\tOslo\nYear\t2020\na\tb\tc\n1\t2\t3\n4\t5\t6\n", "t.tsv"},
      {"Station;Oslo\nYear;2020\na;b;c\n1,5;2;3\n4,5;5;6\n", "t.csv"},
      {"Station Oslo\nYear 2020\na b c\n1 2 3\n4 5 6\n", "t.txt"},
      {"Station Oslo\nYear: 2020\na;b;c\n1,5;2;3\n4,5;5;6\n", "t.csv"},
      {"\"Station\",\"Oslo\"\n\"Year\",\"2020\"\na,b,c\n1,2,3\n4,5,6\n", "t.csv"}};
  for (const auto& [text, name] : cases) {
    const std::vector<Words> calls = {
        {"sum"}, {"info"}, {"sum", "--columns", "b"}, {"sum", "--by", "c"}, {"agg", "sum(b)"}};
    for (const Words& words : calls) {
      const Ran ran = run_on(words, text, name);
      EXPECT_NE(ran.error.find(said), std::string::npos) << text << words[0] << ran.error;
      EXPECT_TRUE(ran.error.ends_with(cure)) << text << words[0] << ran.error;
    }
  }
  for (const std::string text : {"Title\na b c\n1 2 3\n4 5 6\n", "Title\n1 2 3\n4 5 6\n"}) {
    for (const char* verb : {"sum", "info"}) expect_refused({verb}, text, "pass --skip 1", "t.txt");
  }
  expect_refused({"info"}, "\"Report\nof it\"\na,b\n1,2\n3,4\n", "pass --skip 2\n");
  const std::string comment = "# by hand\nStation,Oslo\na,b,c\n1,2,3\n4,5,6\n";
  for (const char* verb : {"sum", "info"}) {
    expect_refused({verb}, comment, "leave out comments with --comment '#'");
    expect_refused({verb, "--comment", "#"}, comment, "pass --skip 2\n");
  }
  expect({"sum", "--skip", "2"}, comment, "a\t5\nb\t7\nc\t9\n");
}

TEST(TableHeaders, AreNotSoughtBelowABadLine) {
  for (const std::string text :
       {"a,b,c\n1,2,3\n4,5\n7,8,9\n1,2,3\n", "a,b,c\n1,2,3\nSum of all,7\nSource,WHO\n",
        "a,b,c\n1,2,3\n\n7,8,9\n1,2\n", "k,x\na,1\nb\nc,2\nd,3\n",
        "land,2020,2021\nNo,1\nSe,2,4\nDk,2,5\n", "hello world\nthis is prose\nand more too\n"}) {
    for (const char* verb : {"sum", "info"}) {
      const Ran ran = run_on({verb}, text);
      EXPECT_NE(ran.status, 0) << text << ran.out;
      EXPECT_EQ(ran.error.find("--skip"), std::string::npos) << text << ran.error;
    }
  }
}

TEST(TableHeaders, DecideTheSeparatorBelowCommentsAndBesideBadLines) {
  std::string comments;
  for (int k = 0; k < 30; ++k) comments += "# of, x; y\n";
  expect_refused({"sum", "--comment", "#"}, comments + "a;b\n1;2\n1;2;3\n",
                 "line 33, column 3: there are 3 fields, but the first line has 2");
  expect({"sum", "--comment", "#"}, comments + "a;b\n1;2\n", "a\t1\nb\t2\n");
  expect({"sum", "--comment", "#", "--bad-lines", "skip"}, comments + "a;b\n1;2\n1;2;3\n",
         "a\t1\nb\t2\n");
  expect({"sum", "--bad-lines", "skip"}, "a b|v\nx y|1\nz w|2|3\nu w|5\n", "6\n");
}

TEST(TableHeaders, AreNotThereWhereAllLinesAreLeftOut) {
  expect_refused({"sum", "--skip", "2"}, "x,y\n1,2\n",
                 "--skip and --comment leave out all its lines");
  expect_refused({"sum", "--comment", "#"}, "# x,y\n# 1,2\n",
                 "--skip and --comment leave out all its lines");
  expect_refused({"max", "--skip", "2", "--columns", "x"}, "x,y\n1,2\n", "leave out all its lines");
}

TEST(TableHeaders, CalledAsPlacesAreNames) {
  const std::string text = "x,#1\n1,2\n";
  expect({"sum", "--columns", "#1"}, text, "2\n");
  expect({"sum", "--columns", "#1-1"}, text, "1\n");
  expect_refused({"sum", "--columns", "#7"}, text, "it has no column \"#7\"");
  expect_refused({"sum", "--columns", "#2-7"}, text, "it has no column \"#2-7\"");
}

TEST(TableHeaders, FollowAByteOrderMark) {
  expect({"sum"}, "\xef\xbb\xbfyear,inf\n2000,1\n", "year\t2000\ninf\t1\n");
  expect({"sum", "--skip", "1"}, "\xef\xbb\xbftitle\na,b\n1,2\n", "a\t1\nb\t2\n");
}

TEST(TableHeaders, AreListedByInfoWhereNoColumnHasNumbers) {
  expect({"info"}, "k,v\na,\nb,\n",
         "name\ttype\tshape\tmissing\nk\ttext\t(2,)\t0\nv\tf64\t(2,)\t2\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
