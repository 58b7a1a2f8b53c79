// onefold fit: least squares of columns of a table, by keys too.
#include <algorithm>

#include "cli/run_on.hpp"
#include "onefold/fit.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string table =
    "k,y,x1,x2\na,1,2,3\nb,4,5,6.5\na,2,2,4\na,7,1,5\nb,3,1,4\nb,9,3,2\na,1,8,9\n";

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, out) << ran.error;
}
void expect_refused(const Words& words, const std::string& text, const std::string& part) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, exit_status(ErrorCode::bad_option)) << ran.error;
  EXPECT_NE(ran.error.find(part), std::string::npos) << ran.error;
}

TEST(FitVerb, FitsALineExactly) {
  const std::string line = "x,y\n1,3\n2,5\n4,9\n";
  expect({"fit", "y ~ x"}, line,
         "intercept\tx\tstderr(intercept)\tstderr(x)\tr2\tresidual_std\tn\tdof\n"
         "1\t2\t0\t0\t1\t0\t3\t1\n");
  expect({"fit", "y~x", "--json"}, line,
         "{\"intercept\": 1.0, \"x\": 2.0, \"stderr(intercept)\": 0.0, \"stderr(x)\": 0.0, "
         "\"r2\": 1.0, \"residual_std\": 0.0, \"n\": 3, \"dof\": 1}\n");
}

TEST(FitVerb, GivesTheNumbersOfTheLibrary) {
  const std::vector<double> x = {2, 5, 2, 1, 1, 3, 8, 3, 6.5, 4, 5, 4, 2, 9},
                            y = {1, 4, 2, 7, 3, 9, 1};
  const LinearFit fit = linear_fit(ArrayRef(x.data(), DType::f64, Dims(7, 2), Dims(8, 56)), y);
  const Ran ran = run_on({"fit", "y ~ x1 + x2"}, table);
  std::vector<double> found;
  std::size_t at = ran.out.find('\n');
  while (at + 1 < ran.out.size()) {
    std::size_t used = 0;
    found.push_back(std::stod(ran.out.substr(at + 1), &used));
    at += 1 + used;
  }
  std::vector<double> wanted = fit.coef;
  wanted.insert(wanted.end(), fit.standard_error.begin(), fit.standard_error.end());
  for (const double v : {fit.r2, fit.residual_std, 7.0, 4.0}) wanted.push_back(v);
  EXPECT_EQ(found, wanted) << ran.out;
}

TEST(FitVerb, FitsEachGroupAsItsRowsAlone) {
  const Ran groups = run_on({"fit", "y ~ x1", "--by", "k"}, table);
  for (const std::string key : {"a", "b"}) {
    const Ran alone = run_on({"fit", "y ~ x1", "--where", "k = '" + key + "'"}, table);
    const std::size_t line = alone.out.find('\n') + 1;
    EXPECT_NE(groups.out.find(key + "\t" + alone.out.substr(line)), std::string::npos)
        << groups.out << alone.out << alone.error;
  }
  const Ran sorted = run_on({"fit", "y ~ x1", "--by", "k", "--sort", "-x1", "--top", "1"}, table);
  EXPECT_EQ(sorted.out.substr(sorted.out.find('\n') + 1, 2), "b\t");
}

TEST(FitVerb, ReadsTheFormula) {
  const std::string none = run_on({"fit", "y ~ 0 + x1"}, table).out;
  EXPECT_EQ(none.substr(0, none.find('\n')), "x1\tstderr(x1)\tr2\tresidual_std\tn\tdof");
  EXPECT_EQ(run_on({"fit", "y ~ x1 - 1"}, table).out, none);
  EXPECT_EQ(run_on({"fit", "y ~ 1 + x1"}, table).out, run_on({"fit", "y ~ x1"}, table).out);
  expect({"fit", "y ~ 1"}, "y\n1\n2\n6\n",
         "intercept\tstderr(intercept)\tr2\tresidual_std\tn\tdof\n"
         "3\t1.5275252316519468\t0\t2.6457513110645907\t3\t2\n");
  expect({"fit", "y ~ s", "--let", "s = x * x"}, "x,y\n1,3\n2,9\n3,19\n",
         "intercept\ts\tstderr(intercept)\tstderr(s)\tr2\tresidual_std\tn\tdof\n"
         "1\t2\t0\t0\t1\t0\t3\t1\n");
  expect_refused({"fit", "y x1"}, table, "has no ~");
  expect_refused({"fit", "y ~ "}, table, "without a name");
  expect_refused({"fit", " ~ x1"}, table, "nothing before ~");
  expect_refused({"fit", "y ~ x1 + x1"}, table, "names x1 twice");
  expect_refused({"fit", "y ~ x1 + y"}, table, "names y twice");
  expect_refused({"fit", "y ~ x1, x2"}, table, "contains a comma");
}

TEST(FitVerb, SaysWhatIsSingular) {
  const std::string text = "k,y,x1,x2\na,1,2,4\na,3,5,10\na,9,8,16\nb,1,1,1\nb,2,2,3\nb,3,3,3\n";
  expect_refused({"fit", "y ~ x1 + x2"}, "y,x1,x2\n1,2,4\n3,5,10\n9,8,16\n",
                 "fit: singular: x2 is an exact linear combination of the terms before it");
  expect_refused({"fit", "y ~ x1 + x2", "--by", "k"}, text, "fit: singular in group a: x2 is");
  const Ran nan = run_on({"fit", "y ~ x1 + x2", "--by", "k", "--empty-nan"}, text);
  EXPECT_NE(nan.out.find("a\tnan\tnan\tnan\tnan\tnan\tnan\tnan\tnan\t3\t0\n"), std::string::npos)
      << nan.out << nan.error;
  expect_refused({"fit", "y ~ x1"}, "y,x1\n", "there are no rows");
}

TEST(FitVerb, LeavesOutRowsWithMissingValues) {
  const std::string line = "x,y\n1,3\n,4\n2,5\n9,\n4,9\n";
  const Ran ran = run_on({"fit", "y ~ x"}, line);
  EXPECT_EQ(ran.out.substr(ran.out.find('\n') + 1), "1\t2\t0\t0\t1\t0\t3\t1\n");
  EXPECT_NE(ran.error.find("2 values are missing and left out"), std::string::npos) << ran.error;
  const std::string bad = "x,y\n1,3\nnan,4\n2,5\n4,9\n";
  EXPECT_NE(run_on({"fit", "y ~ x"}, bad).out.find("nan\tnan"), std::string::npos);
  EXPECT_EQ(run_on({"fit", "y ~ x", "--nan", "omit"}, bad).out, ran.out);
  EXPECT_EQ(run_on({"fit", "y ~ x", "--nan", "raise"}, bad).status,
            exit_status(ErrorCode::nan_found));
}

TEST(FitVerb, RefusesColumnsOfTexts) {
  EXPECT_EQ(run_on({"fit", "y ~ k"}, table).status, exit_status(ErrorCode::bad_token));
  expect_refused({"fit", "y ~ zz"}, table, "it has no column \"zz\"");
}

TEST(FitVerb, HasTheSameBitsForAnyPieces) {
  std::string text = "k,x,y\n";
  uint32_t random = 1;
  const auto next = [&] { return random = random * 1664525 + 1013904223, random >> 8; };
  for (int row = 0; row < 30'000; ++row) {
    text += std::to_string(next() % 5) + "," + std::to_string(next()) + ".25," +
            std::to_string(next()) + "\n";
  }
  const Ran one = run_on({"fit", "y ~ x", "--by", "k", "--threads", "1"}, text);
  EXPECT_EQ(one.status, 0) << one.error;
  EXPECT_EQ(run_on({"fit", "y ~ x", "--by", "k", "--threads", "4"}, text).out, one.out);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
