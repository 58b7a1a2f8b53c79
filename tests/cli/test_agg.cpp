// onefold agg: ops by column, which answer as the verbs of one op do.
#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string sales =
    "city,t,price,qty,user,name\n"
    "Oslo,2024-01-02,1.5,2,u1,b\n"
    "Rome,2024-01-05,10,1,u2,a\n"
    "Oslo,2024-02-01,2.5,3,u1,c\n"
    "Bern,2024-02-03,100,1,u3,\n"
    "Rome,2024-01-01,20,4,u4,z\n"
    "Oslo,2024-02-10,,5,u5,a\n";

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, out) << ran.error;
}

// A table of 3,000 rows of 13 keys, with missing values.
std::string many_rows() {
  std::string text = "k,x,y,t,w\n";
  uint32_t random = 1;
  const auto next = [&] { return random = random * 1664525 + 1013904223, random >> 8; };
  for (int row = 0; row < 3000; ++row) {
    const uint32_t k = next() % 13;
    const std::string day = std::to_string(10 + next() % 18),
                      word = "w" + std::to_string(next() % 50);
    text += "k" + std::to_string(k) + "," + (next() % 9 == 0 ? "" : std::to_string(next()) + ".1") +
            "," + std::to_string(next() % 100) + ",2024-01-" + day + "," + word + "\n";
  }
  return text;
}

TEST(Agg, FoldsEachColumnByItsOwnOps) {
  expect({"agg", "sum(price), mean(price), median(price), p90(price), nunique(user), max(t)"},
         sales,
         "sum(price)\tmean(price)\tmedian(price)\tp90(price)\tnunique(user)\tmax(t)\n"
         "134\t26.8\t10\t68\t5\t2024-02-10\n");
  expect({"agg", "sum(price), first(t), last(user), count(name), min(qty)", "--by", "city"}, sales,
         "city\tsum(price)\tfirst(t)\tlast(user)\tcount(name)\tmin(qty)\n"
         "Bern\t100\t2024-02-03\tu3\t0\t1\n"
         "Oslo\t4\t2024-01-02\tu5\t3\t2\n"
         "Rome\t30\t2024-01-05\tu4\t2\t1\n");
  expect({"agg", "average(price, qty), quantile(price, 0.999)", "--by", "city"}, sales,
         "city\taverage(price,qty)\tquantile(price,0.999)\n"
         "Bern\t100\t100\nOslo\t2.1\t2.499\nRome\t18\t19.99\n");
}

// The answers of one op and column, without names.
std::string alone(const Words& words, const std::string& text) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  return ran.out;
}

TEST(Agg, AnswersAsTheVerbsOfOneOpDo) {
  const std::string text = many_rows();
  const std::vector<std::pair<std::string, Words>> calls = {
      {"sum(x)", {"sum", "--columns", "x"}},
      {"mean(x)", {"mean", "--columns", "x"}},
      {"var(y)", {"var", "--columns", "y"}},
      {"count(x)", {"count", "--columns", "x"}},
      {"argmax(x)", {"argmax", "--columns", "x"}},
      {"median(x)", {"median", "--columns", "x"}},
      {"p5(y)", {"quantile", "--q", "0.05", "--columns", "y"}},
      {"quantile(x,0.999)", {"quantile", "--q", "0.999", "--columns", "x"}},
      {"corr(x,y)", {"corr", "--columns", "x,y"}},
      {"slope(y,x)", {"slope", "--columns", "y,x"}},
      {"nunique(w)", {"text", "nunique", "--columns", "w"}},
      {"mode(w)", {"text", "mode", "--columns", "w"}},
      {"min(w)", {"text", "min", "--columns", "w"}},
      {"count(w)", {"count", "--columns", "w"}},
      {"max(t)", {"max", "--columns", "t"}},
      {"mean(t)", {"mean", "--columns", "t"}}};
  std::string list;
  for (const auto& [call, words] : calls) list += (list.empty() ? "" : ", ") + call;
  for (const Words& more : {Words{}, {"--by", "k"}, {"--by", "k", "--where", "y > 20"}}) {
    Words all{"agg", list};
    all.insert(all.end(), more.begin(), more.end());
    // Columns of lines of both.
    const auto cells = [](const std::string& out) {
      std::vector<Words> lines(1, Words(1));
      for (const char c : out) {
        if (c == '\n') lines.emplace_back(1);
        if (c == '\t') lines.back().emplace_back();
        if (c != '\n' && c != '\t') lines.back().back() += c;
      }
      lines.pop_back();
      return lines;
    };
    const std::vector<Words> got = cells(alone(all, text));
    const std::size_t keys = more.empty() ? 0 : 1;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      Words words = calls[k].second;
      words.insert(words.end(), more.begin(), more.end());
      const std::vector<Words> one = cells(alone(words, text));
      ASSERT_EQ(one.size() + (keys == 0 ? 1 : 0), got.size());
      EXPECT_EQ(got[0][keys + k], calls[k].first);
      for (std::size_t line = 1; line < got.size(); ++line) {
        EXPECT_EQ(got[line][keys + k], one[line - (keys == 0 ? 1 : 0)].back()) << calls[k].first;
        EXPECT_EQ(got[line][0], keys > 0 ? one[line][0] : got[line][0]);
      }
    }
  }
}

TEST(Agg, TakesExpressionsNamesAndHaving) {
  expect({"agg", "n = count(), total = sum(price * qty), max(qty)", "--by", "city, month(t)",
          "--having", "n > 1 and sum(price) > 3"},
         sales, "city\tmonth(t)\tn\ttotal\tmax(qty)\nRome\t1\t2\t90\t4\n");
  expect({"agg", "sum(price)", "--by", "city", "--having", "max(t) > '2024-02-05'"}, sales,
         "city\tsum(price)\nOslo\t4\n");
  expect({"agg", "sum(price)", "--by", "city", "--having", "count() > 9"}, sales,
         "city\tsum(price)\n");
  expect({"agg", "sum(price)", "--having", "max(qty) > 100"}, sales, "sum(price)\n");
  expect({"agg", "sum(price * 2)", "--let", "z = qty + 1", "--by", "z"}, sales,
         "z\tsum(price * 2)\n2\t220\n3\t3\n4\t5\n5\t40\n6\t0\n");
  expect({"agg", "sum(`a b`), sum(`2019`)"}, "a b,2019\n1,2\n", "sum(`a b`)\tsum(`2019`)\n1\t2\n");
}

TEST(Agg, SortsAndKeepsTheFirst) {
  expect({"agg", "sum(price)", "--by", "city", "--sort=-sum(price)", "--top", "2"}, sales,
         "city\tsum(price)\nBern\t100\nRome\t30\n");
  expect({"agg", "n = count(), last(name)", "--by", "city", "--sort", "n,-city", "--empty-nan"},
         sales, "city\tn\tlast(name)\nBern\t1\tnull\nRome\t2\tz\nOslo\t3\ta\n");
  expect({"agg", "first(t)", "--by", "city", "--sort", "first(t)"}, sales,
         "city\tfirst(t)\nOslo\t2024-01-02\nRome\t2024-01-05\nBern\t2024-02-03\n");
}

TEST(Agg, PrintsFlatObjectsAndFiles) {
  expect({"agg", "sum(price), max(t)", "--json"}, sales,
         "{\"sum(price)\": 134.0, \"max(t)\": \"2024-02-10\"}\n");
  expect({"agg", "sum(price)", "--by", "city", "--top", "1", "--json"}, sales,
         "{\"city\": \"Bern\", \"sum(price)\": 100.0}\n");
  const Scratch folder;
  const std::string csv = folder.path("o.csv");
  expect({"agg", "n = count(), min(name)", "--by", "user", "--empty-nan", "--output", csv}, sales,
         "");
  EXPECT_EQ(read_file(csv), "user,n,min(name)\nu1,2,b\nu2,1,a\nu3,1,\nu4,1,z\nu5,1,a\n");
}

TEST(Agg, FoldsLongIntegersOneOpAfterAnother) {
  const std::string text = "id,x\n9007199254740993,1\n9007199254740995,2.5\n";
  expect({"agg", "sum(id), max(x), max(id)"}, text,
         "sum(id)\tmax(x)\tmax(id)\n18014398509481988\t2.5\t9007199254740995\n");
  expect({"agg", "sum(id), max(x)", "--by", "x"}, text,
         "x\tsum(id)\tmax(x)\n1\t9007199254740993\t1\n2.5\t9007199254740995\t2.5\n");
  expect({"agg", "sum(x), max(id), median(id)", "--by", "x"}, text,
         "x\tsum(x)\tmax(id)\tmedian(id)\n1\t1\t9007199254740993\t9007199254740992\n"
         "2.5\t2.5\t9007199254740995\t9007199254740996\n");
}

TEST(Agg, CountsRowsBesideLongIntegers) {
  const std::string text = "id,k\n9007199254740993,1\n9007199254740992,2\n";
  expect({"agg", "sum(id), n = count()"}, text, "sum(id)\tn\n18014398509481985\t2\n");
  expect({"agg", "max(id), n = count()", "--by", "k"}, text,
         "k\tmax(id)\tn\n1\t9007199254740993\t1\n2\t9007199254740992\t1\n");
  expect({"agg", "n = count(), sum(k * 2), m = count()"}, text, "n\tsum(k * 2)\tm\n2\t6\t2\n");
  EXPECT_EQ(out_of({"agg", "sum(k), n = count()", "-"}, text), "sum(k)\tn\n3\t2\n");
}

TEST(Agg, SaysOnceThatTextsAreMissing) {
  const Ran ran = run_on({"agg", "nunique(name), sum(price)", "--nan", "propagate"}, sales);
  EXPECT_EQ(ran.out, "nunique(name)\tsum(price)\n4\tnan\n");
  EXPECT_NE(ran.error.find("1 in column name, 1 in column price"), std::string::npos) << ran.error;
}

TEST(Agg, ReadsSeveralFilesAndPipesOfOnePass) {
  const Scratch folder;
  const std::string a = folder.write("a.csv", sales), b = folder.write("b.csv", sales);
  EXPECT_EQ(out_of({"agg", "n = count(), last(t), median(price)", "--by", "city", a, b}, ""),
            "city\tn\tlast(t)\tmedian(price)\nBern\t2\t2024-02-03\t100\nOslo\t6\t2024-02-10\t2\n"
            "Rome\t4\t2024-01-01\t15\n");
  EXPECT_EQ(out_of({"agg", "sum(price), max(qty)", "-"}, sales), "sum(price)\tmax(qty)\n134\t5\n");
  EXPECT_EQ(out_of({"agg", "first(name), last(name)", "--by", "city", "--empty-nan"}, sales),
            "city\tfirst(name)\tlast(name)\nBern\tnull\tnull\nOslo\tb\ta\nRome\ta\tz\n");
  // What is read several times is kept, as if it were a file.
  EXPECT_EQ(
      out_of({"agg", "sum(price), median(qty), max(t), n = count()", "--by", "city", "-"}, sales),
      out_of({"agg", "sum(price), median(qty), max(t), n = count()", "--by", "city"}, sales));
  EXPECT_EQ(out_of({"agg", "median(price), max(t)"}, sales),
            "median(price)\tmax(t)\n10\t2024-02-10\n");
}

TEST(Agg, FindsFirstAndLastOfManyPieces) {
  std::string text = "k,v\n";
  for (int row = 0; row < 400000; ++row) {
    text +=
        std::to_string(row % 3) + "," + (row < 5 || row > 399990 ? "" : std::to_string(row)) + "\n";
  }
  expect({"agg", "first(v), last(v)", "--by", "k"}, text,
         "k\tfirst(v)\tlast(v)\n0\t6\t399990\n1\t7\t399988\n2\t5\t399989\n");
  expect({"agg", "first(v), last(v)"}, text, "first(v)\tlast(v)\n5\t399990\n");
}

TEST(Agg, HasNumbersOfTheFirstAndLastRow) {
  expect(
      {"agg", "first(price), last(qty), last(name)", "--by", "city", "--empty-nan", "--json"},
      sales,
      "{\"city\": \"Bern\", \"first(price)\": 100.0, \"last(qty)\": 1.0, \"last(name)\": null}\n"
      "{\"city\": \"Oslo\", \"first(price)\": 1.5, \"last(qty)\": 5.0, \"last(name)\": \"a\"}\n"
      "{\"city\": \"Rome\", \"first(price)\": 10.0, \"last(qty)\": 4.0, \"last(name)\": \"z\"}\n");
  expect({"agg", "first(v)", "--decimal", ",", "--having", "first(v) > 1"}, "k;v\na;1,5\n",
         "first(v)\n1.5\n");
  expect({"agg", "first(v), last(v), min(v)", "--by", "k", "--empty-nan"}, "k,v\na,1\nb,\na,2\n",
         "k\tfirst(v)\tlast(v)\tmin(v)\na\t1\t2\t1\nb\tnan\tnan\tnan\n");
  expect({"agg", "first(v), last(v), min(v)", "--by", "k", "--non-numbers", "missing"},
         "k,v\na,abc\na,1\nb,2\nb,zz\n", "k\tfirst(v)\tlast(v)\tmin(v)\na\t1\t1\t1\nb\t2\t2\t2\n");
  expect({"agg", "first(id)"}, "id,x\n9007199254740993,1\n", "first(id)\n9007199254740993\n");
  expect({"agg", "sum(`1`), last(`2`)", "--header", "no"}, "1,2\n3,4\n",
         "sum(`1`)\tlast(`2`)\n4\t4\n");
}

TEST(Agg, TakesAColumnByItsNameAndByItsPlace) {
  expect({"agg", "sum(qty), sum(`4`)", "--by", "city", "--having", "sum(`4`) > 0"}, sales,
         "city\tsum(qty)\tsum(`4`)\nBern\t1\t1\nOslo\t10\t10\nRome\t5\t5\n");
  expect({"agg", "median(`4`), median(qty), median(price), nunique(`5`), last(`1`)"}, sales,
         "median(`4`)\tmedian(qty)\tmedian(price)\tnunique(`5`)\tlast(`1`)\n"
         "2.5\t2.5\t10\t5\tOslo\n");
  const std::string twice = "x,y,x\n1,20,300\n2,10,100\n";
  expect({"agg", "sum(`x.3`), sum(`3`), sum(`1`), sum(y)"}, twice,
         "sum(`x.3`)\tsum(`3`)\tsum(`1`)\tsum(y)\n400\t400\t3\t30\n");
  Ran ran = run_program({"agg", "sum(x)"}, {.stdin_text = twice});
  EXPECT_NE(
      ran.error.find("column \"x\" is the name of 2 columns; choose one by its position: #1, #3"),
      std::string::npos);
  ran = run_program({"agg", "sum(qty), sum(`4`)"}, {.stdin_text = sales});
  EXPECT_NE(ran.error.find("refer to one column both by name and by position"), std::string::npos);
}

TEST(Agg, KeepsCallsApartFromNamesThatAreCalls) {
  expect({"agg", "`max(price)` = sum(price)", "--having", "max(price) > 15", "--by", "city"}, sales,
         "city\tmax(price)\nBern\t100\nRome\t30\n");
  expect({"agg", "`max(price)` = sum(price)", "--having", "max(price) > 15"}, sales,
         "max(price)\n134\n");
  expect(
      {"agg", "`sum(qty)` = sum(price), z = sum(qty)", "--by", "city", "--having", "sum(qty) > 6"},
      sales, "city\tsum(qty)\tz\nOslo\t4\t10\n");
}

TEST(Agg, RefusesFilesWithoutColumns) {
  for (const std::string text : {"", "\n"}) {
    for (const std::string list : {"count()", "n = count()", "median(1)"}) {
      expect_refused({"agg", list}, text, "it is empty, so it has no columns");
    }
    expect_refused({"sum", "--let", "z=1"}, text, "it is empty, so it has no columns");
  }
  for (const Words& words :
       {Words{"agg", "count()", "--by", "g"}, {"agg", "sum(x)", "--by", "g"}}) {
    expect_refused(words, "[]\n", "t.json: it is empty, so it has no column \"", "t.json");
  }
}

TEST(Agg, RefusesANumberThatIsTheNameOfAColumn) {
  const std::string says = "3 is a number here, but also the name of a column; write `3` for the";
  const std::string rows = "1,2,30\n4,5,60\n";
  expect_refused({"agg", "sum(3)"}, rows, says);
  expect_refused({"agg", "max(1), sum(3)", "--header", "no"}, rows, "1 is a number here, but also");
  expect_refused({"agg", "mean(3, weights = 2)", "--header", "no"}, rows, "is a number here");
  const Ran pipe = run_program({"agg", "sum(3)"}, {.stdin_text = rows});
  EXPECT_NE(pipe.error.find(says), std::string::npos) << pipe.error;
  expect({"agg", "sum(`3`)"}, rows, "sum(`3`)\n90\n");
  expect({"agg", "sum(`3` + 1), sum(7)"}, rows, "sum(`3` + 1)\tsum(7)\n92\t14\n");
  expect({"agg", "sum(3)"}, "a,b,c\n" + rows, "sum(3)\n6\n");
}

TEST(Agg, RefusesWhatItCannotRead) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"agg", "sum(foo)"}, "it has no column \"foo\""},
      {{"agg", "summ(price)"}, "there is no function summ (did you mean sum?)"},
      {{"agg", "sum(price"}, "agg \"sum(price\": it ends too early"},
      {{"agg", "price"}, "\"price\" is not of the form OP(COLUMN); write calls such as sum(price)"},
      {{"agg", "sum(mean(price))"},
       "mean is called inside another call; only total and fraction accept a call"},
      {{"agg", "sum(price), sum(price)"}, "sum(price) is listed twice"},
      {{"agg", "n = sum(price), n = max(price)"}, "n is listed twice"},
      {{"agg", "city = count()", "--by", "t,city"}, "both called city; give the call another name"},
      {{"agg", "corr(price)"}, "corr takes two columns"},
      {{"agg", "sum(price, qty)"}, "sum takes one column"},
      {{"agg", "quantile(price, 2)"}, "from 0 to 1"},
      {{"agg", "sum(name)"}, "\"b\" is not a number"},
      {{"agg", "sum('price')"}, "'price' is text, not a column; write a name alone"},
      {{"agg", "max(price)", "--where", "price > 1e9"}, "max(price): there is nothing"},
      {{"agg", "sum(price)", "--having", "max(qty)"},
       "--having must be true or false for each group"},
      {{"agg", "sum(price)", "--having", "q > 1"}, "q is not known in --having"},
      {{"agg", "sum(price)", "--having", "sum(price) >"},
       "--having \"sum(price) >\": it ends too early"},
      {{"agg", "sum(price)", "--sort", "city"}, "pass the columns to group by with --by"},
      {{"agg", "sum(price)", "--by", "city", "--sort", "n"}, "its columns are city, sum(price)"},
      {{"agg", "sum(price)", "--by", "month(t"}, "--by \"month(t\": it ends too early"}};
  for (const auto& [words, says] : cases) expect_refused(words, sales, says);
  const Scratch folder;
  const std::string mask = folder.write("m.npy", npy("|b1", "(1,)", bytes_of_list<char>({1})));
  expect_refused({"agg", "sum(price)", "--where", mask}, sales,
                 "agg: --where does not support mask files");
  EXPECT_EQ(run_program({"agg"}).status, exit_status(ErrorCode::bad_option));
  expect_refused({"agg", "sum(x)"}, npy("<f8", "(1,)", bytes_of_list<double>({1})),
                 "agg needs a table with columns, but this file is not one", "x.npy");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
