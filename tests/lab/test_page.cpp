// The page as a file: complete, self-contained, small. test_browser.cpp tests it in a browser.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "lab/ladder.hpp"
#include "lab/page/page.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;

ReduceResult small_run() {
  return reduce({.rungs = {"sequential", "unroll_last_six"}, .n = "4096", .machine = "sim"});
}

constexpr const char* times = R"({"experiment": "reduce", "machine": "gpu", "chip": "a card",
  "n": 1024, "type": "i32", "limit_gbps": 100.0, "rungs": [
  {"name": "sequential", "twin": false, "n": 512, "block": 256, "grid": 2, "correct": true,
   "launches": 1, "ms": 1.0, "gbps": 1.0},
  {"name": "sequential", "twin": false, "n": 1024, "block": 256, "grid": 4, "correct": true,
   "launches": 1, "ms": 0.5, "gbps": 25.0},
  {"name": "strided_index", "twin": false, "n": 1024, "block": 256, "grid": 4, "correct": true,
   "launches": 1, "ms": 2.0, "gbps": 6.25},
  {"name": "sequential", "twin": true, "n": 1024, "block": 256, "grid": 4, "correct": false,
   "launches": 1, "ms": 0.25, "gbps": 50.0}]})";

// The text of the element that holds the data.
std::string data_of(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const auto at = page.find(open) + open.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(Page, HoldsItsDataAndNothingElseCanEndIt) {
  const std::string data = page_data(small_run(), times);
  const std::string page = page_html(data);
  EXPECT_EQ(json::parse(data_of(page)), json::parse(data));
  EXPECT_EQ(data_of(page).find('<'), std::string::npos);
  EXPECT_EQ(page.find("/*"), page.npos) << "a mark was left, or a comment that looks like one";
  EXPECT_EQ(page_html(data), page);
}

TEST(Page, AsksNobodyForAnything) {
  const std::string page = page_html(page_data(reduce({.n = "2^12", .machine = "sim"}), ""));
  EXPECT_LT(page.size(), 1u << 20);
  for (const char* word : {"fetch(", "@import", "XMLHttpRequest", "import(", "sendBeacon",
                           "WebSocket", "url(h", " src=", "EventSource"}) {
    EXPECT_EQ(page.find(word), page.npos) << word;
  }
  // Addresses: of this page, or names of namespaces.
  const std::regex address("https?://[^\"' ]*");
  for (std::sregex_iterator at(page.begin(), page.end(), address), end; at != end; ++at) {
    EXPECT_EQ(at->str(), "http://www.w3.org/2000/svg");
  }
  EXPECT_NE(page.find("default-src 'none'"), page.npos);  // the browser sees to the rest
}

TEST(Page, HasFactsTextsCountersAndRecordings) {
  const json j = json::parse(page_data(small_run(), times));
  ASSERT_EQ(j.at("rungs").size(), 2u);
  const json& r = j.at("rungs")[0];
  EXPECT_EQ(r.at("title"), "Sequential addressing");
  EXPECT_EQ(r.at("limit"), r.at("time").at("parts")[1][0]);
  EXPECT_EQ(r.at("time").at("parts")[0][0], "launches");
  double us = 0;
  for (const json& part : r.at("time").at("parts")) us += part[1].get<double>();
  EXPECT_NEAR(us, r.at("time").at("us").get<double>(), 2);
  EXPECT_EQ(r.at("published")[0], (json{16.34, "GB/s", "GTX 280"}));
  EXPECT_NE(j.at("texts").at(r.at("file")).get<std::string>().find("s[t + h]"), std::string::npos);
  EXPECT_TRUE(j.at("texts").contains("lab/rung/shared_block.hpp"));  // of unroll_last_six
  const auto run = simulate(*find_rung(reduce_ladder(), "sequential"), false,
                            {.n = 4096, .chip = sim::chips[0], .schedules = 1}, elements(4096, 1));
  EXPECT_EQ(r.at("counters").at("cc10").at("shared_load")[1],
            run->report.counters.shared_load.count);
  EXPECT_EQ(r.at("counters").size(), 4u);
  EXPECT_EQ(r.at("recordings")[0].at("twin"), false);
  EXPECT_EQ(j.at("rungs")[1].at("recordings").size(), 3u);
}

TEST(Page, TakesTimesOfAnEarlierRun) {
  const json m = json::parse(page_data(small_run(), times)).at("measured");
  EXPECT_EQ(m.at("chip"), "a card");
  EXPECT_EQ(m.at("limit_gbps"), 100.0);
  EXPECT_EQ(m.at("n"), 1024);  // the largest
  EXPECT_EQ(m.at("rungs").at("sequential").at("gbps"), 25.0);
  EXPECT_EQ(m.at("twins").at("sequential").at("gbps"), 50.0);
}

TEST(Page, TakesAFileOfSeveralRunsThatSaysWhereTheyWereMade) {
  const std::string file = R"({"machine": "one card", "date": "today", "commit": "abc", "runs": [
    {"command": "onefold lab reduce", "result": )" +
                           std::string(times) + "}, {\"command\": \"x\", \"result\": {}}]}";
  const json m = json::parse(page_data(small_run(), file)).at("measured");
  EXPECT_EQ(m.at("machine"), "one card");
  EXPECT_EQ(m.at("commit"), "abc");
  // A run that was made later than the others has a date of its own.
  std::string later = file;
  later.replace(later.find("\"command\""), 0, "\"commit\": \"def\", ");
  const json n = json::parse(page_data(small_run(), later)).at("measured");
  EXPECT_EQ(n.at("machine"), "one card");
  EXPECT_EQ(n.at("commit"), "def");
  EXPECT_EQ(m.at("rungs").at("sequential").at("gbps"), 25.0);
}

// Each rung that a text prints has the kernel that the text prints.
TEST(Page, HasTheCudaThatTheTextsPrint) {
  const json rungs = json::parse(page_data(small_run(), "")).at("rungs");
  for (const json& r : rungs) {
    if (!r.contains("cuda")) continue;
    const auto code = r.at("cuda").at("code").get<std::string>();
    EXPECT_NE(code.find("__global__"), std::string::npos) << r.at("name");
    EXPECT_TRUE(code.ends_with("\n}")) << r.at("name");
    EXPECT_EQ(code.find("__global__"), code.rfind("__global__")) << r.at("name");
  }
  const auto sequential = std::find_if(rungs.begin(), rungs.end(),
                                       [](const json& r) { return r.at("name") == "sequential"; });
  ASSERT_NE(sequential, rungs.end());
  EXPECT_TRUE(sequential->at("cuda").at("code").get<std::string>().starts_with(
      "__global__ void reduce3(int *v) {\n"));
  EXPECT_EQ(sequential->at("cuda").at("line"), 34);
}

// The results come from bench/results/: times of every rung that runs, a profiler's counts of some.
TEST(Page, CarriesTheResultsOfAGpu) {
  const json m = json::parse(page_data(small_run(), "")).at("measured");
  EXPECT_EQ(m.at("chip"), "NVIDIA H200");
  for (const Entry* e : reduce_ladder()) {
    EXPECT_TRUE(m.at("rungs").contains(std::string(e->name))) << e->name;
  }
  EXPECT_EQ(m.at("profile_n"), 1 << 20);
  const json& p = m.at("rungs").at("sequential").at("profile");
  const auto row = std::find_if(p.begin(), p.end(),
                                [](const json& r) { return r.at("nvprof") == "gld_transactions"; });
  ASSERT_NE(row, p.end());
  EXPECT_EQ(row->at("predicted"), row->at("measured"));
  std::set<std::string> names;
  for (const json& r : p) EXPECT_TRUE(names.insert(r.at("nvprof")).second) << r;
}

TEST(PageDocument, HasASectionARungAndGainsThenAndNow) {
  const ReduceResult run =
      reduce({.rungs = {"strided_index", "sequential"}, .n = "4096", .machine = "sim"});
  const std::string t = page_document(page_data(run, times));
  EXPECT_NE(
      t.find("| [Sequential addressing](#sequential-addressing-sequential) | 16.34 GB/s | 25 | "
             "25 % | 1.96 | 4.00 |\n"),
      t.npos);
  EXPECT_NE(t.find("## Strided index (strided_index)\n"), t.npos);
  EXPECT_NE(t.find("**What comes next**: [Sequential addressing]"), t.npos);
  EXPECT_NE(t.find(": 1.96 times as fast then, 4.00 now."), t.npos);
  EXPECT_EQ(t.find("{{"), t.npos);
}

TEST(Page, RefusesOtherResults) {
  for (const char* wrong : {"{", "[]", R"({"experiment": "reduce", "machine": "sim"})",
                            R"({"experiment": "reduce", "machine": "gpu"})",
                            R"({"experiment": "reduce", "machine": "gpu", "rungs": [{}]})"}) {
    try {
      page_data(small_run(), wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_option);
      EXPECT_NE(std::string(e.what()).find("lab reduce --machine gpu --json"), std::string::npos);
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
