// The format of `lab reduce --json`, which pages read: every key and its type, and no other keys.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;

// count: an integer of at least 0; number: any; a final '?': missing if a machine cannot know it.
using Shape = std::map<std::string, std::string>;

bool is(const json& v, std::string_view type) {
  if (type == "text") return v.is_string();
  if (type == "count") return v.is_number_unsigned();
  if (type == "number") return v.is_number();
  if (type == "truth") return v.is_boolean();
  if (type == "list") return v.is_array();
  return type == "object" && v.is_object();
}

void expect_shape(const json& j, const Shape& shape, const std::string& where) {
  ASSERT_TRUE(j.is_object()) << where;
  for (const auto& [key, type] : shape) {
    const bool optional = type.back() == '?';
    const std::string kind = optional ? type.substr(0, type.size() - 1) : type;
    if (!j.contains(key)) {
      EXPECT_TRUE(optional) << where << " lacks " << key;
    } else {
      EXPECT_TRUE(is(j.at(key), kind)) << where << '.' << key << " is " << j.at(key);
    }
  }
  for (const auto& [key, value] : j.items()) EXPECT_TRUE(shape.contains(key)) << where << key;
}

const Shape run_shape{{"experiment", "text"},  {"question", "text"}, {"prediction", "text"},
                      {"lesson", "text"},      {"machine", "text"},  {"chip", "text"},
                      {"n", "count"},          {"type", "text"},     {"limit_gbps", "number?"},
                      {"cub_gbps", "number?"}, {"rungs", "list"}};
const Shape rung_shape{
    {"name", "text"},      {"title", "text"},       {"source", "text"},
    {"published", "list"}, {"twin", "truth"},       {"n", "count"},
    {"block", "count"},    {"grid", "count"},       {"type", "text"},
    {"result", "number"},  {"expected", "number"},  {"correct", "truth"},
    {"launches", "count"}, {"ms", "number?"},       {"gbps", "number?"},
    {"flaws", "list"},     {"counters", "object?"}, {"flaws_elsewhere", "text?"}};
const Shape published_shape{{"value", "number"}, {"unit", "text"}, {"chip", "text"}};
// lanes: threads of the block. A wrong result and a dirty ticket have no source line.
const Shape flaw_shape{{"kind", "text"}, {"file", "text?"}, {"line", "count?"}, {"lanes", "list?"}};
const Shape global_shape{
    {"requests", "count"}, {"sectors", "count"}, {"sectors_ideal", "count"}, {"bytes", "count"}};
const Shape shared_shape{{"requests", "count"},
                         {"wavefronts", "count"},
                         {"wavefronts_ideal", "count"},
                         {"bytes", "count"}};
const Shape counters_shape{
    {"global_load", "object"},  {"global_store", "object"}, {"shared_load", "object"},
    {"shared_store", "object"}, {"atomics", "count"},       {"warp_instructions", "count"},
    {"active_lanes", "number"}, {"branches", "count"},      {"divergent_branches", "count"},
    {"barriers", "count"},      {"by_line", "list"}};
const Shape line_shape{{"file", "text"},        {"line", "count"},
                       {"column", "count"},     {"instructions", "count"},
                       {"sectors", "count"},    {"active_lanes", "number"},
                       {"wavefronts", "count"}, {"divergent_branches", "count"}};

void expect_documented(const json& run) {
  expect_shape(run, run_shape, "run");
  for (const json& rung : run.at("rungs")) {
    const std::string name = rung.at("name");
    expect_shape(rung, rung_shape, name);
    for (const json& p : rung.at("published")) expect_shape(p, published_shape, name);
    for (const json& f : rung.at("flaws")) {
      expect_shape(f, flaw_shape, name + ".flaws");
      EXPECT_EQ(f.contains("file"), f.contains("line"));
      EXPECT_TRUE(f.value("file", "lab/rung/").starts_with("lab/rung/")) << f;
      if (!f.contains("lanes")) continue;
      EXPECT_FALSE(f.at("lanes").empty());
      for (const json& lane : f.at("lanes")) EXPECT_TRUE(is(lane, "count")) << name;
    }
    if (!rung.contains("counters")) continue;
    const json& c = rung.at("counters");
    expect_shape(c, counters_shape, name + ".counters");
    for (const char* k : {"global_load", "global_store"}) expect_shape(c.at(k), global_shape, k);
    for (const char* k : {"shared_load", "shared_store"}) expect_shape(c.at(k), shared_shape, k);
    EXPECT_FALSE(c.at("by_line").empty()) << name;
    for (const json& l : c.at("by_line")) expect_shape(l, line_shape, name + ".by_line");
  }
}

TEST(Json, OfASimulatedRunHasEveryKeyAndNoOther) {
  const json run = json::parse(to_json(reduce({.n = "5003", .machine = "sim"})));
  expect_documented(run);
  EXPECT_EQ(run.at("machine"), "sim");
  EXPECT_FALSE(run.contains("limit_gbps"));
  EXPECT_GE(run.at("rungs").size(), simulated_rungs().size());
  std::size_t flaws = 0, published = 0;
  for (const json& rung : run.at("rungs")) {
    const bool on_host = !find_rung(reduce_ladder(), std::string(rung.at("name")))->has_kernel();
    EXPECT_EQ(rung.contains("counters"), !on_host) << rung.at("name");
    EXPECT_EQ(rung.contains("ms"), on_host) << rung.at("name");
    EXPECT_EQ(rung.contains("gbps"), on_host) << rung.at("name");
    flaws += rung.at("flaws").size();
    published += rung.at("published").size();
    EXPECT_TRUE(rung.at("twin") || rung.at("flaws").empty()) << rung.at("name");
  }
  EXPECT_GT(flaws, 10u);
  EXPECT_GT(published, 20u);
}

TEST(Json, OfAMeasuredRunHasTimesAndNoCounters) {
  ReduceResult r = reduce({.rungs = {"modulo"}, .n = "1003", .machine = "sim"});
  r.simulated = false;  // as after a run on a GPU
  r.chip = "NVIDIA H200";
  r.limit_gbps = 4600;
  for (ReduceRow& row : r.rows) row.outcome.ms = 0.5, row.outcome.gbps = 8;
  const json run = json::parse(to_json(r));
  expect_documented(run);
  EXPECT_EQ(run.at("machine"), "gpu");
  EXPECT_EQ(run.at("limit_gbps"), 4600);
  EXPECT_EQ(run.at("rungs")[0].at("ms"), 0.5);
  EXPECT_EQ(run.at("rungs")[0].at("gbps"), 8);
  EXPECT_FALSE(run.at("rungs")[0].contains("counters"));
}

// The page draws CUB's line from this.
TEST(Json, HasTheSpeedOfCubWhereItRan) {
  ReduceResult r = reduce({.rungs = {"modulo"}, .n = "1003", .machine = "sim"});
  r.simulated = false;
  EXPECT_FALSE(json::parse(to_json(r)).contains("cub_gbps"));
  r.rows[1].rung = find_rung(reduce_ladder(), "cub");
  r.rows[1].twin = false;
  for (ReduceRow& row : r.rows) row.outcome.ms = 0.5;
  r.rows[0].outcome.gbps = 8;
  r.rows[1].outcome.gbps = 9;
  const json run = json::parse(to_json(r));
  expect_documented(run);
  EXPECT_EQ(run.at("cub_gbps"), 9);
  EXPECT_EQ(run.at("rungs")[1].at("gbps"), 9);
}

TEST(Json, KeepsWhatATextSaysOfItself) {
  const json run =
      json::parse(to_json(reduce({.rungs = {"modulo"}, .n = "4096", .machine = "sim"})));
  EXPECT_EQ(run.at("experiment"), "reduce");
  EXPECT_EQ(run.at("chip"), "sm_90");
  EXPECT_EQ(run.at("n"), 4096);
  EXPECT_EQ(run.at("type"), "i32");
  ASSERT_EQ(run.at("rungs").size(), 2u);
  const json& rung = run.at("rungs")[0];
  EXPECT_EQ(rung.at("published")[0],
            (json{{"value", 3.77}, {"unit", "GB/s"}, {"chip", "GTX 280"}}));
  EXPECT_EQ(rung.at("result"), rung.at("expected"));
  EXPECT_EQ(rung.at("counters").at("by_line")[0].at("file"), "lab/rung/reduce/modulo.hpp");
  const json& twin = run.at("rungs")[1];
  EXPECT_EQ(twin.at("twin"), true);
  EXPECT_EQ(twin.at("flaws")[0].at("kind"), "race");
  EXPECT_EQ(twin.at("flaws")[0].at("lanes").size(), 2u);
}

// JSON has no infinity, so the least of no elements is written as a string.
TEST(Json, WritesInfinitiesAsText) {
  const json run = json::parse(to_json(
      reduce({.rungs = {"cpu_loop"}, .n = "0", .type = "f64", .op = "min", .machine = "sim"})));
  EXPECT_EQ(run.at("rungs")[0].at("result"), "inf");
  EXPECT_EQ(run.at("rungs")[0].at("expected"), "inf");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
