// JSON Lines: objects as the rows of a table.
#include <gtest/gtest.h>

#include "io/fold_text.hpp"
#include "onefold/io/json_lines.hpp"
#include "onefold/tables/group_fold.hpp"
#include "onefold/tables/said.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::code_of;
using test::fold_text;
using test::Folded;
using test::guess;
using test::Scratch;
using test::values;

// The lines of fields that lines of JSON become.
std::string fields_of(const std::vector<std::string>& names, const std::string& lines,
                      io::FieldLines* all = nullptr) {
  io::JsonMembers members;
  for (const std::string& name : names) members.add(name, members.size());
  io::FieldLines to;
  const std::string ended = lines + "\n";
  io::append_fields(members, members.size(), ended.data(), ended.data() + lines.size(), to);
  if (all != nullptr) *all = to;
  return to.text.substr(io::FieldLines::lead);
}

TEST(JsonLines, KeepTheLastOfTwoMembersOfOneName) {
  const auto of = [](const std::string& line) { return fields_of({"a", "a.c", "b"}, line); };
  EXPECT_EQ(of("{\"a\": 1, \"b\": 2, \"a\": 3}"), "3,,2\n");
  EXPECT_EQ(of("{\"a\": 1, \"b\": 2, \"a\": {\"c\": 3}}"), ",3,2\n");
  EXPECT_EQ(of("{\"a\": {\"c\": 3}, \"b\": 2, \"a\": 1}"), "1,,2\n");
  EXPECT_EQ(of("{\"a\": {\"c\": 3}, \"a\": {\"d\": 1}, \"b\": 2}"), ",,2\n");
  EXPECT_EQ(of("{\"a\": {\"c\": {\"x\": 1}}, \"b\": 2, \"a\": {\"c\": 5}}"), ",5,2\n");
}

std::string problem_of(const std::string& line) {
  io::FieldLines all;
  fields_of({"a"}, line, &all);
  return all.problem ? all.problem->what : "";
}

TEST(JsonLines, AreATableWhoseColumnsAreTheirMembers) {
  const Folded f = fold_text("sum", "{\"a\": 1, \"b\": 2.5}\n{\"b\": 0.1, \"a\": 4}\n", guess());
  EXPECT_EQ(f.notes.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{5, 2.6}));
}

TEST(JsonLines, HoldDecimalsOfAnyLength) {
  const Folded f = fold_text("sum", "{\"a\":0.1}\n{\"a\":0.2}\n", guess());
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{0.3}));
  const Folded g =
      fold_text("sum", "{\"a\":9007199254740993}\n{\"a\":-9007199254740992}\n", guess());
  EXPECT_EQ(values(g.answers.list[0]), (std::vector<double>{1}));
}

TEST(JsonLines, LeaveOutNullsAndMembersThatAreNotThere) {
  const Folded f =
      fold_text("sum,count", "{\"a\":1,\"b\":2}\n{\"a\":null}\n{}\n\n{\"b\":3}\n", guess());
  EXPECT_EQ(f.notes.missing, (std::vector<Size>{3, 2}));
  EXPECT_EQ(values(f.answers.list[1]), (std::vector<double>{1, 2}));
  // The rows of one column count, too, where it is null.
  const Folded g = fold_text("argmax", "{\"a\":null}\n{\"a\":7}\n", guess());
  EXPECT_EQ(values(g.answers.list[0]), (std::vector<double>{1}));
}

TEST(JsonLines, NameMembersOfObjectsWithinByBothNames) {
  EXPECT_EQ(fields_of({"u.x", "u.v.w", "y"}, R"({"u":{"x":1,"v":{"w":2}, "z":[]},"y":3})"),
            "1,2,3\n");
  const std::string line = "{\"u\":{\"x\":1},\"y\":{}}\n";
  EXPECT_EQ(io::names_of_members(line.data(), line.data() + line.size() - 1),
            (std::vector<std::string>{"u.x"}));
}

TEST(JsonLines, TakeTheLastOfTwoMembersOfOneName) {
  EXPECT_EQ(fields_of({"a"}, R"({"a":1,"a":2})"), "2\n");
}

TEST(JsonLines, PutTextsIntoQuotesWhereFieldsNeedThem) {
  EXPECT_EQ(fields_of({"a", "b"}, R"({"a":"x","b":"y, z"})"), "x,\"y, z\"\n");
  EXPECT_EQ(fields_of({"a", "b"}, R"({"a":"say \"x\"","b":" y"})"), "\"say \"\"x\"\"\",\" y\"\n");
  EXPECT_EQ(fields_of({"a", "b"}, R"({"a":"\u00e9\ud83d\ude00","b":[1, {"c":"]"}]})"),
            "\u00e9\U0001F600,\"[1, {\"\"c\"\":\"\"]\"\"}]\"\n");
  EXPECT_EQ(fields_of({"a"}, "{\"a\":\"\"}\n{\"a\":true}"), "\"\"\ntrue\n");
}

TEST(JsonLines, CountLinesWhereTextsHaveLineEnds) {
  io::FieldLines all;
  EXPECT_EQ(fields_of({"a"}, "{\"a\":\"1\\n2\"}\n{\"a\":\"\\n\\n\"}\n{\"a\":3}", &all),
            "\"1\n2\"\n\"\n\n\"\n3\n");
  EXPECT_EQ(all.lines, 3u);
  EXPECT_EQ(all.line_of(0), 0u);
  EXPECT_EQ(all.line_of(2), 1u);
  EXPECT_EQ(all.line_of(5), 2u);
  std::string says;
  EXPECT_EQ(code_of("{\"k\":\"x\\ny\",\"a\":1}\n{\"k\":\"\",\"a\":2}\n{\"k\":\"\",\"a\":\"z\"}\n",
                    guess(), &says),
            ErrorCode::bad_token);
  EXPECT_NE(says.find("line 3, column 2 (a): \"z\" is not a number"), says.npos) << says;
}

TEST(JsonLines, SayWhatIsWrongWithALine) {
  for (const char* good :
       {"{}", " { } ", R"({"a":-0.5e+10})", R"({"a" : [ ] })", R"({"b":[[1,"x\\"],{"c":{}}]})",
        R"({"a":false,"b":null})", "{\"b\":\"\\\"\"}\r"}) {
    EXPECT_EQ(problem_of(good), "") << good;
  }
  for (const char* bad : {"1",
                          "[]",
                          "{",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "{\"a\":1}}",
                          "{\"a\":1} 2",
                          "{a:1}",
                          "{\"a\":01}",
                          "{\"a\":.5}",
                          "{\"a\":1.}",
                          "{\"a\":+1}",
                          "{\"a\":1e}",
                          "{\"a\":0x1}",
                          "{\"a\":NaN}",
                          "{\"a\":nul}",
                          "{\"a\":\"x}",
                          "{\"a\":\"\\x\"}",
                          "{\"a\":\"\\ud800\"}",
                          "{\"a\":\"\t\"}",
                          "{\"a\":\"\xff\"}",
                          "{\"a\":[1,]}",
                          "{\"a\":[1 2]}",
                          "{\"a\":[{]}",
                          "{\"a\":1 \"b\":2}",
                          "{\"\\x\":1}",
                          "{\"a\":-}"}) {
    EXPECT_NE(problem_of(bad), "") << bad;
  }
  EXPECT_EQ(problem_of("{\"a\":nul}"), "byte 6: \"nul}\" was found where a value is expected");
  EXPECT_NE(problem_of("{\"a\":").find("byte 6: the line ends"), std::string::npos);
  std::string deep = "{\"a\":";
  for (int k = 0; k < 100000; ++k) deep += '[';
  EXPECT_NE(problem_of(deep).find("nesting of at most 100 levels"), std::string::npos);
}

TEST(JsonLines, AreLeftOutWhereTheyAreBadAndThatIsAllowed) {
  const std::string text = "{\"a\":1}\n{\"a\":2\n{\"a\":\"x\"}\n{\"a\":5}\n";
  std::string says;
  EXPECT_EQ(code_of(text, guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("line 2, byte 7: the line ends"), says.npos) << says;
  io::InputOptions input = guess();
  input.skip_bad_lines = true;
  const Folded f = fold_text("sum", text, input);
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{6}));
  const std::vector<std::string> said = io::warnings_of(f.notes);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("2 bad lines were left out; the first one: line 2, byte 7"),
            std::string::npos);
}

TEST(JsonLines, HaveKeysAndColumnsByName) {
  const Scratch folder;
  const std::string path =
      folder.write("t.jsonl",
                   "{\"x\":1,\"city\":\"Bonn\",\"n\":3}\n{\"x\":2,\"city\":\"Rome, IT\",\"n\":4}\n"
                   "{\"n\":5,\"city\":\"Bonn\",\"x\":4}\n");
  io::InputOptions input = guess();
  input.by = "city";
  input.columns = "n";
  const io::Grouped g = io::group_files({"sum", {}}, {path}, input);
  EXPECT_EQ(g.keys, (std::vector<std::string>{"Bonn", "Rome, IT"}));
  EXPECT_EQ(values(g.answers.list[0]), (std::vector<double>{8, 4}));
  input.by.clear();
  input.columns.clear();
  input.choose = "city == \"Bonn\"";
  io::Notes notes;
  const Answers answers = io::fold_files({"sum", {}}, {path}, input, {}, {}, &notes);
  EXPECT_EQ(values(answers.list[0]), (std::vector<double>{5, 8}));
}

TEST(JsonLines, NoteMembersThatTheFirstLinesLack) {
  std::string text;
  for (int k = 0; k < 5000; ++k) text += "{\"a\": 1, \"filling\": \"some words\"}\n";
  text += "{\"a\": 1, \"late\": 7}\n";
  const Folded f = fold_text("sum", text, guess());
  EXPECT_EQ(values(f.answers.list[0]), (std::vector<double>{5001}));
  const std::vector<std::string> said = io::warnings_of(f.notes);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("do not have them: \"late\""), std::string::npos);
}

TEST(JsonLines, HaveTheMembersThatOptionsNameHoweverLateTheyCome) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += "{\"a\": 1, \"filling\": \"some words\"}\n";
  text += "{\"a\": 2, \"late\": 7, \"at\": {\"k\": 5}}\n{\"a\": 3, \"late\": 8}\n";
  const auto sum = [&](const std::function<void(io::InputOptions&)>& set) {
    io::InputOptions input = guess();
    set(input);
    return values(fold_text("sum", text, input).answers.list[0]);
  };
  EXPECT_EQ(sum([](auto& o) { o.columns = "late"; }), std::vector<double>{15});
  EXPECT_EQ(sum([](auto& o) { o.columns = "\"late\",a"; }), (std::vector<double>{15, 20005}));
  EXPECT_EQ(sum([](auto& o) { o.columns = "a", o.choose = "late > 7"; }), std::vector<double>{3});
  EXPECT_EQ(sum([](auto& o) { o.columns = "t", o.let = "t = late * a"; }), std::vector<double>{38});
  EXPECT_EQ(sum([](auto& o) { o.columns = "a", o.choose = "`at.k` == 5"; }),
            std::vector<double>{2});
  io::InputOptions input = guess();
  std::string says;
  input.columns = "later";
  EXPECT_EQ(code_of(text, input, &says), ErrorCode::bad_option);
}

TEST(JsonLines, HaveTheAnswersOfTheSameTableInFields) {
  // Long enough for several pieces.
  std::string json, fields = "a,k,b\n";
  for (int k = 0; k < 60000; ++k) {
    const std::string a = std::to_string(k) + "." + std::to_string(k % 97),
                      b = k % 13 == 0 ? "" : std::to_string(k * k % 1009 - 500),
                      name = k % 5 == 0 ? "x\\ny" : "word";
    json +=
        "{\"a\": " + a + ", \"k\": \"" + name + "\"" + (b.empty() ? "" : ", \"b\": " + b) + "}\n";
    fields += a + "," + (k % 5 == 0 ? "\"x\ny\"" : "word") + "," + b + "\n";
  }
  const Folded f = fold_text("sum,var,argmax,count", json, guess());
  const Folded g = fold_text("sum,var,argmax,count", fields, guess());
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(f.answers.list[k].data, g.answers.list[k].data);
  }
  EXPECT_EQ(f.notes.missing, g.notes.missing);
}

TEST(JsonLines, AreNoTextOfOtherMarks) {
  io::InputOptions input = guess();
  input.delimiter = ';';
  std::string says;
  EXPECT_EQ(code_of("{\"a\":1}\n", input, &says), ErrorCode::bad_option);
  EXPECT_NE(says.find("--delimiter does not apply to JSON Lines"), says.npos) << says;
  // An array is known by its first 32 bytes.
  EXPECT_EQ(code_of("[" + std::string(40, ' ') + "{\"a\":1}]\n", guess(), &says),
            ErrorCode::unsupported);
  EXPECT_NE(says.find("jq -c '.[]'"), says.npos) << says;
  EXPECT_EQ(code_of("{\n  \"a\": 1\n}\n", guess(), &says), ErrorCode::bad_token);
  EXPECT_NE(says.find("jq -c ."), says.npos) << says;
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
