// onefold agg: dates among words, groups without dates, and epochs.
#include "cli/run_on.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

using Words = std::vector<std::string>;

const std::string orders =
    "k,sold,seen\n"
    "a,31/05/2024,1717158659123\n"
    "a,unknown,1717158660000\n"
    "b,01/06/2024,1717158661000\n"
    "c,unknown,1717158662000\n";

void expect(const Words& words, const std::string& text, const std::string& out) {
  const Ran ran = run_on(words, text);
  EXPECT_EQ(ran.status, 0) << ran.error;
  EXPECT_EQ(ran.out, out) << ran.error;
}

TEST(AggDates, LeaveOutWhatIsNoDateIfAsked) {
  const Words dates{"--date-format", "sold=%d/%m/%Y", "--non-numbers", "missing"};
  Words words{"agg", "max(sold), first(sold), count(sold), count()", "--empty-nan"};
  words.insert(words.end(), dates.begin(), dates.end());
  expect(words, orders,
         "max(sold)\tfirst(sold)\tcount(sold)\tcount()\n2024-06-01\t2024-05-31\t2\t4\n");
  // So are words among ISO dates.
  const std::string iso = "k,t,v\na,2024-01-02,1\na,n.a.,2\nb,2024-03-01,3\n";
  expect({"agg", "max(t), min(t)", "--non-numbers", "missing"}, iso,
         "max(t)\tmin(t)\n2024-03-01\t2024-01-02\n");
  EXPECT_EQ(run_on({"max", "--columns", "t", "--non-numbers", "missing"}, iso).out, "2024-03-01\n");
}

TEST(AggDates, AreRefusedAmongWords) {
  expect_refused({"agg", "max(t)"}, "t,v\n2024-01-02,1\n2024-01-03,2\npending,3\n",
                 "agg: max(t): \"pending\" is not a date, but most values of the column look like "
                 "dates; if it means a missing value, pass it to --missing, or pass --non-numbers "
                 "missing for all fields that are not dates");
  expect({"agg", "max(t)", "--missing", "pending"}, "t,v\n2024-01-02,1\n2024-01-03,2\npending,3\n",
         "max(t)\n2024-01-03\n");
  // A text that holds a date now and then is a text.
  expect({"agg", "max(t)"}, "t,v\nzebra,1\nyak,2\npending,3\n2024-01-02,4\n", "max(t)\nzebra\n");
}

TEST(AggDates, OfAGroupWithoutOneAreNoErrorInHaving) {
  const std::string text = "k,t,v\na,2024-01-02,1\nb,,2\nc,2024-02-02,3\n";
  expect({"agg", "sum(v)", "--by", "k", "--having", "max(t) > '2024-01-05'"}, text,
         "k\tsum(v)\nc\t3\n");
  expect({"agg", "sum(v)", "--by", "k", "--having", "first(t) is null"}, text, "k\tsum(v)\nb\t2\n");
  expect({"agg", "max(t)", "--by", "k"}, text,
         "k\tmax(t)\na\t2024-01-02\nb\tnull\nc\t2024-02-02\n");
  expect_refused({"agg", "max(t)"}, "k,t,v\na,,1\n", "max(t)");
}

TEST(AggDates, NameTheUnitOfEpochs) {
  expect_refused(
      {"agg", "count()", "--by", "month(seen)"}, orders,
      "\"1717158659123\" is not a date; write it as 2024-05-31 or 2024-05-31 12:30; if it counts "
      "milliseconds since 1970, pass --date-format COLUMN=epoch_ms");
  expect_refused({"agg", "max(seen)", "--date-format", "seen=epoch"}, orders, "COLUMN=epoch_ms");
  expect({"agg", "max(seen)", "--date-format", "seen=epoch_ms"}, orders,
         "max(seen)\n2024-05-31 12:31:02Z\n");
  expect_refused({"agg", "max(t)"}, "t,v\n05/31/2024 1:05PM,1\n05/31/2024 2:05PM,2\n",
                 "--date-format \"%m/%d/%Y %I:%M%p\"");
}

TEST(AggDates, OrderGroupsOfSeveralKeysByTheirDifferentParts) {
  // Of the second keys most different ones are dates, though most groups have another word.
  const std::string text =
      "a,b,v\n1,x,1\n2,x,1\n3,x,1\n4,x,1\n10,2024-1-5,1\n10,2024-01-05,2\n"
      "10,2023-12-31,3\n10,x,4\n";
  expect({"agg", "sum(v), nunique(b)", "--by", "a,b", "--where", "a > 2"}, text,
         "a\tb\tsum(v)\tnunique(b)\n3\tx\t1\t1\n4\tx\t1\t1\n10\t2023-12-31\t3\t1\n"
         "10\t2024-01-05\t2\t1\n10\t2024-1-5\t1\t1\n10\tx\t4\t1\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
