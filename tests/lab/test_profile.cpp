// ncu's counters, compared with those that the simulated machine predicts. `ncu` here is a script
// that prints a page as ncu does.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "experiment.hpp"
#include "lab/experiment.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/workbench.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

constexpr const char* bytes_per_sector =
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";

// Two launches. Figures have commas, a row of its own has the units, an unreadable value is n/a.
const std::string page =
    std::string("==PROF== Connected to process 4711\n") +
    R"csv("ID","Kernel Name","Block Size","dram__bytes_read.sum.per_second",)csv" +
    R"csv("gpu__time_duration.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",)csv" +
    R"csv("smsp__inst_executed_op_shared_ld.sum",)csv" +
    R"csv("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",")csv" + bytes_per_sector +
    "\"\n"
    R"csv("","","","byte/second","ns","sector","inst","","%"
"0","rung","(256, 1, 1)","1,500,000,000.25","3,000","1,030","100","400","100"
"1","rung","(256, 1, 1)","500,000,000.25","1,000","10","20","20","n/a"
==PROF== Disconnected from process 4711
)csv";

class Profile : public testing::Test {
 protected:
  // Makes a program that writes `text` to the file of `--log-file` and ends with `status`.
  std::string script(const std::string& text, int status = 0) {
    std::ofstream(folder_ + "/page") << text;
    const std::string file = folder_ + "/ncu";
    std::ofstream(file) << "#!/bin/sh\n"
                           "echo \"$@\" > "
                        << folder_
                        << "/words\n"
                           "while [ \"$1\" != --log-file ]; do shift; done\n"
                           "cat "
                        << folder_ << "/page > \"$2\"\nexit " << status << '\n';
    chmod(file.c_str(), 0755);
    return file;
  }
  std::string words() const {
    std::ifstream in(folder_ + "/words");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void SetUp() override {
    folder_ = testing::TempDir() + "onefold-profile-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override {
    for (const char* name : {"/page", "/ncu", "/words", ""}) std::remove((folder_ + name).c_str());
  }

 private:
  std::string folder_;
};

const Compared& row(const std::vector<Compared>& rows, std::string_view nvprof) {
  for (const Compared& c : rows) {
    if (c.metric->nvprof == nvprof) return c;
  }
  throw std::out_of_range("no such metric");
}

TEST_F(Profile, ReadsALaunchARowWithoutTheUnitsAndTheCommas) {
  const std::vector<Figures> launches = read_ncu(page);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 1030);
  EXPECT_EQ(launches[0].at("dram__bytes_read.sum.per_second"), 1500000000.25);
  EXPECT_FALSE(launches[0].contains("Kernel Name"));
  EXPECT_FALSE(launches[1].contains(bytes_per_sector));
}

// A page that ncu 2025.3 printed on an H200, without the columns about the device: the launches of
// `lab reduce --rung modulo --n 5000`. The counters of memory were predicted exactly.
TEST_F(Profile, AgreesWithARecordedPage) {
  std::ifstream in(ONEFOLD_SOURCE_DIR "/tests/lab/ncu_h200.csv");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::vector<Figures> launches = read_ncu(text);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].at("smsp__inst_executed.sum"), 41440);
  const Entry& modulo = *find_rung(reduce_ladder(), "modulo");
  const auto run = simulate(modulo, false, {.n = 5000, .schedules = 1}, elements(5000, 1));
  const std::vector<Compared> rows = compare(run->report.counters, launches);
  for (const char* exact : {"gld_transactions", "gst_transactions", "gld_request",
                            "shared_load_transactions", "shared_store_transactions"}) {
    EXPECT_EQ(row(rows, exact).predicted, row(rows, exact).measured) << exact;
  }
  for (const char* near :
       {"gld_efficiency", "gst_efficiency", "gld_transactions_per_request", "shared_efficiency"}) {
    EXPECT_NEAR(*row(rows, near).predicted, *row(rows, near).measured, 0.01) << near;
  }
  for (const Compared& c : rows) {
    EXPECT_TRUE(c.measured) << c.metric->nvprof;
    EXPECT_TRUE(!c.differs() || *c.metric->cause != '\0') << c.metric->nvprof;
  }
}

TEST_F(Profile, RefusesWhatIsNoTableWithTheWordsOfNcu) {
  try {
    read_ncu("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM: no permission\n==PROF== bye\n");
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("ERR_NVGPUCTRPERM"), std::string::npos);
  }
}

TEST_F(Profile, AddsCountsAndWeighsRatiosOverLaunches) {
  const std::vector<Compared> rows = compare({}, read_ncu(page));
  EXPECT_EQ(row(rows, "gld_transactions").measured, 1040);
  EXPECT_EQ(row(rows, "shared_load_transactions").measured, 420);
  EXPECT_EQ(row(rows, "shared_load_transactions_per_request").measured, 420.0 / 120);
  // One launch moves 1.5 GB/s for 3 us, the other 0.5 GB/s for 1 us.
  EXPECT_EQ(row(rows, "dram_read_throughput").measured, (1500000000.25 * 3 + 500000000.25) / 4);
  EXPECT_FALSE(row(rows, "dram_read_throughput").predicted);
  EXPECT_FALSE(row(rows, "gld_efficiency").measured);  // n/a in one of the launches
}

TEST_F(Profile, StatesACauseOverFivePerCentAlone) {
  sim::Counters c;
  c.global_load.count = 1000;
  c.shared_load.count = 300;
  const std::vector<Compared> rows = compare(c, read_ncu(page));
  EXPECT_FALSE(row(rows, "gld_transactions").differs());  // 4 %
  EXPECT_TRUE(row(rows, "shared_load_transactions").differs());
  EXPECT_DOUBLE_EQ(*row(rows, "shared_load_transactions").difference(), 0.4);
}

TEST_F(Profile, RunsTheProgramAgainAndPutsTheFiguresBesideThePredicted) {
  const ReduceOptions o{.rungs = {"many_elements_a_thread"}, .n = "1000", .machine = "sim"};
  ReduceResult r = reduce(o);
  r.rows.resize(1);  // without its simulated twin: two launches
  r.simulated = false;
  profile(r, o, script(page), "/usr/bin/onefold", "sm_90");
  ASSERT_TRUE(r.notes.empty()) << r.notes[0];
  EXPECT_NE(words().find("--csv --page raw"), std::string::npos) << words();
  EXPECT_NE(words().find("/usr/bin/onefold lab reduce --machine gpu --replays 0 --rung "
                         "many_elements_a_thread --n 1000 --type i32 --op sum --offset 0 --seed 1"),
            std::string::npos)
      << words();
  const Compared& loads = row(r.rows[0].profile, "gld_transactions");
  EXPECT_EQ(loads.predicted, double(r.rows[0].outcome.report.counters.global_load.count));
  EXPECT_EQ(loads.measured, 1040);
  const std::string table = to_table(r);
  EXPECT_NE(table.find("many_elements_a_thread, 16 x 256 threads, 2 launches"), table.npos);
  EXPECT_NE(table.find("  gld_transactions "), table.npos);
  const auto j = nlohmann::json::parse(to_json(r)).at("rungs")[0].at("profile");
  ASSERT_EQ(j.size(), metrics().size());
  for (const auto& m : j) {
    EXPECT_TRUE(m.at("nvprof").is_string() && m.at("ncu").is_string()) << m;
    for (const char* key : {"predicted", "measured"}) {
      EXPECT_TRUE(!m.contains(key) || m.at(key).is_number()) << m;
    }
  }
}

TEST_F(Profile, SaysInOneNoteWhyItCannot) {
  const ReduceOptions o{.rungs = {"cpu_loop"}, .n = "10", .machine = "sim"};
  const auto note = [&](const std::string& ncu) {
    ReduceResult r = reduce(o);
    profile(r, o, ncu, "/usr/bin/onefold", "sm_90");
    return r.notes.size() == 1 ? r.notes[0] : "";
  };
  EXPECT_NE(note("").find("ncu was not found"), std::string::npos);
  EXPECT_NE(note("/nonexistent/ncu").find("/nonexistent/ncu cannot be started"), std::string::npos);
  EXPECT_NE(note(script("==ERROR== no permission\n", 1)).find("no permission"), std::string::npos);
  EXPECT_NE(note(script(page)).find("ncu recorded 2 launches instead of 0"), std::string::npos);
}

// A page of `n` launches. Each of them loaded 4 sectors.
std::string page_of_launches(std::size_t n) {
  std::string text = "\"ID\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n\"\",\"sector\"\n";
  for (std::size_t k = 0; k < n; ++k) text += "\"" + std::to_string(k) + "\",\"4\"\n";
  return text;
}

TEST_F(Profile, PutsAProfilersFiguresBesideEachPointOfAnExperiment) {
  const Experiment& banks = *find_experiment("banks");
  const std::size_t points = points_of("banks").size();
  const auto count = [&](const std::string& ncu) {
    return counted(banks, {{"seed", "3"}, {"counters", ""}},
                   {.ncu = ncu, .program = "/usr/bin/onefold", .gpu = "a card", .chip = "sm_90"});
  };
  const Findings f = count(script(page_of_launches(points)));
  EXPECT_EQ(f.remarks, std::vector<std::string>{});
  EXPECT_NE(words().find("--kernel-name point"), std::string::npos) << words();
  EXPECT_NE(words().find("/usr/bin/onefold lab banks --machine gpu --replays 0 --chip sm_90 "
                         "--seed 3\n"),
            std::string::npos)
      << words();
  EXPECT_EQ(words().find("dram"), std::string::npos) << "it has no prediction";
  for (const Point& p : f.points) {
    const Compared& loads = row(p.profile, "gld_transactions");
    EXPECT_EQ(loads.predicted, double(p.report->counters.global_load.count));
    EXPECT_EQ(loads.measured, 4);
  }
  const auto all = agreements(f.points);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_STREQ(all[0].metric->nvprof, "gld_transactions");
  EXPECT_EQ(all[0].points, points);
  const std::string table = agreement_table(f);
  EXPECT_NE(table.find("measured by ncu on a card"), table.npos) << table;

  // ncu reports one launch too few, or no launch.
  const auto remark = [&](const std::string& ncu) {
    const Findings without = count(ncu);
    EXPECT_TRUE(agreements(without.points).empty());
    return without.remarks.size() == 1 ? without.remarks[0] : "";
  };
  EXPECT_EQ(remark(script(page_of_launches(points - 1))),
            "--counters: left out, because ncu recorded " + std::to_string(points - 1) +
                " launches instead of " + std::to_string(points));
  EXPECT_NE(remark("").find("ncu was not found"), std::string::npos);
}

TEST(Agreement, CountsEqualAndNearPointsAndNamesTheFurthest) {
  const Metric* m = &metrics()[0];
  std::vector<Point> points(4);
  const double measured[] = {100, 104, 90, 0}, predicted[] = {100, 100, 100, 0};
  for (std::size_t k = 0; k < 4; ++k) points[k].profile = {{m, predicted[k], measured[k]}};
  const auto all = agreements(points);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].points, 3u);  // nothing was predicted or measured at the last
  EXPECT_EQ(all[0].equal, 1u);
  EXPECT_EQ(all[0].near, 2u);
  EXPECT_EQ(all[0].furthest, &points[2]);
}

TEST_F(Profile, AsksForTheNameThatAChipHas) {
  const auto asks = [](const char* chip, const char* name) {
    const auto names = ncu_names(chip);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(asks("sm_90", "dram__bytes_read.sum.per_second"));
  EXPECT_TRUE(asks("sm_120", "dram__bytes_op_read.sum.per_second"));
  EXPECT_FALSE(asks("sm_120", "dram__bytes_read.sum.per_second"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
