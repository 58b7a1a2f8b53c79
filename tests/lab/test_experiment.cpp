// Experiments as the program runs them: the list, options, JSON, tables, and kernels that compile.
#include "lab/experiment.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lab/gpu.hpp"
#include "lab/page/experiments.hpp"
#include "onefold/error.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using nlohmann::json;

std::string refusal(const char* name, const ExperimentOptions& options, ErrorCode code) {
  try {
    run_experiment(*find_experiment(name), options);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code);
    return e.what();
  }
  ADD_FAILURE() << name << " was not refused";
  return "";
}

TEST(Experiment, IsFoundByName) {
  ASSERT_GE(experiments().size(), 2u);
  for (const Experiment* e : experiments()) {
    EXPECT_EQ(find_experiment(e->name), e);
    for (const char* sentence : {e->idea, e->question, e->prediction, e->lesson}) {
      EXPECT_STRNE(sentence, "") << e->name;
    }
    EXPECT_NE(e->run == nullptr, e->show == nullptr) << e->name;
  }
  EXPECT_EQ(find_experiment("nonsense"), nullptr);
}

TEST(Experiment, RefusesWhatHasNoMeaning) {
  using enum ErrorCode;
  EXPECT_NE(refusal("banks", {{"chip", "sm_1"}}, bad_option).find("cc10, cc12"), std::string::npos);
  EXPECT_NE(refusal("banks", {{"machine", "tpu"}}, bad_option).find("gpu, sim"), std::string::npos);
  EXPECT_NE(refusal("banks", {{"sweep", "n"}}, bad_option).find("takes --machine --chip"),
            std::string::npos);
  EXPECT_NE(refusal("banks", {{"replays", "3"}}, bad_option).find("write 0"), std::string::npos);
  if (!why_no_gpu().empty()) {
    EXPECT_NE(refusal("banks", {{"machine", "gpu"}}, no_backend).find("use --machine sim"),
              std::string::npos);
  }
}

TEST(Experiment, OfTimesOnlyNeedsAGpuAndAllSkipsIt) {
  EXPECT_NE(refusal("latency", {{"machine", "sim"}}, ErrorCode::no_backend).find("measures times"),
            std::string::npos);
  const Experiment* const some[] = {find_experiment("banks"), find_experiment("latency")};
  const Shown all = run_experiments(some, {{"machine", "sim"}});
  EXPECT_TRUE(all.flawless);
  const json j = json::parse(all.json);
  ASSERT_EQ(j.at("experiments").size(), 2u);
  EXPECT_FALSE(j.at("experiments")[0].contains("skipped"));
  EXPECT_EQ(j.at("experiments")[1].at("experiment"), "latency");
  EXPECT_TRUE(j.at("experiments")[1].contains("skipped"));
  EXPECT_NE(all.table.find("\nlatency: skipped: it measures times"), std::string::npos);
}

TEST(Experiment, GivesJsonOfTheLaddersShape) {
  const Shown shown = run_experiment(*find_experiment("banks"), {{"machine", "sim"}});
  EXPECT_TRUE(shown.flawless);
  const json j = json::parse(shown.json);
  EXPECT_EQ(j.at("experiment"), "banks");
  EXPECT_EQ(j.at("machine"), "sim");
  EXPECT_EQ(j.at("chip"), "sm_90");
  for (const char* key : {"question", "prediction", "lesson"}) EXPECT_TRUE(j.at(key).is_string());
  EXPECT_FALSE(j.contains("limit_gbps"));
  for (const json& rung : j.at("rungs")) {
    for (const char* key : {"name", "title", "source"}) EXPECT_TRUE(rung.at(key).is_string());
    EXPECT_EQ(rung.at("correct"), true);
    EXPECT_EQ(rung.at("found"), rung.at("predicted"));
    EXPECT_TRUE(rung.at("params").is_object());
    EXPECT_TRUE(rung.at("counters").at("shared_load").at("wavefronts").is_number_unsigned());
    EXPECT_EQ(rung.at("flaws"), json::array());
  }
  EXPECT_EQ(j.at("rungs")[0].at("params"), (json{{"offset", 0}}));
}

TEST(Experiment, PrintsItsSentencesAndARowAPoint) {
  const std::string t = run_experiment(*find_experiment("banks"), {{"machine", "sim"}}).table;
  for (const char* part : {"question    How", "\nprediction  32 banks", "\nlesson      Offsets",
                           "published: 16 ways, c.c. 1.x", "wavefronts_per_request  predicted"}) {
    EXPECT_NE(t.find(part), t.npos) << part;
  }
  EXPECT_EQ(t.find("wrong"), t.npos);
}

TEST(Experiment, WritesAPageThatNeedsNothing) {
  const Experiment* const some[] = {find_experiment("banks"), find_experiment("latency")};
  const Shown shown = run_experiments(some, {{"machine", "sim"}});
  const std::string page = experiments_html(shown.json);
  EXPECT_EQ(experiments_html(shown.json), page);
  for (const char* part :
       {R"(<section id="banks">)", R"(<section id="latency">)", "<b>Skipped.</b> it measures times",
        "<code>stride</code> s[t * c]", "<th>wavefronts_per_request</th><th>predicted</th>",
        "<td>24</td><td>8</td><td>8</td><td>right</td>", "published: 16 ways"}) {
    EXPECT_NE(page.find(part), page.npos) << part;
  }
  // Plots, and an H200's results for experiments that this machine cannot measure.
  for (const char* part : {"<svg class=\"graph\"", "<b>Recorded.</b>", "On an NVIDIA H200",
                           "<details><summary>64 points</summary>", "8 MiB"}) {
    EXPECT_NE(page.find(part), page.npos) << part;
  }
  for (const char* word : {"<script", "http://", "https://", " src=", "url("}) {
    EXPECT_EQ(page.find(word), page.npos) << word;
  }
}

// A GPU that only compiles.
class CompilesOnly final : public Workbench {
 public:
  bool simulated() const override { return false; }
  std::string chip() const override { return "sm_90"; }
  double clock_ghz() override { return 1; }
  int multiprocessors() const override { return 132; }
  std::size_t l2_bytes() const override { return std::size_t{50} << 20; }

 protected:
  void run(std::span<const Case> cases, const Use&) override {
    const std::vector<jit::Header> headers = gpu_headers();
    const std::vector<std::string> verbose{"--ptxas-options=-v"};
    for (const Case& c : cases) {
      // One kernel of each source is enough, since other tiles or types are similar; functions with
      // errors are not.
      const bool error = c.job.kernel.name() == "error";
      const std::string name(error ? c.job.kernel.type : c.job.kernel.name());
      const bool fresh =
          seen_.insert(name + (name == "spilling" ? std::to_string(c.job.block) : "")).second;
      if (!fresh) continue;
      const auto cubin = jit::Nvrtc::get().compile(gpu_source(c.job.kernel, c.job.block), "sm_90",
                                                   headers, verbose);
      EXPECT_FALSE(cubin.image.empty()) << c.job.kernel.type << '\n' << cubin.log;
      const bool spills = c.job.kernel.name() == "spilling" && c.job.block == 1024;
      EXPECT_NE(cubin.log.find(" 0 bytes spill stores") != std::string::npos, spills)
          << c.job.kernel.type << '\n'
          << cubin.log;
    }
  }

 private:
  std::set<std::string> seen_;
};

class EveryExperiment : public testing::TestWithParam<const Experiment*> {};

TEST_P(EveryExperiment, CompilesForAGpuWithoutSpills) {
  const auto& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) GTEST_SKIP() << "NVRTC was not found: " << nvrtc.library().why;
  const std::string_view name = GetParam()->name;
  if (name == "reduce" || name == "cost" || name == "transfer")
    GTEST_SKIP() << "its rungs have a test of their own";
  CompilesOnly bench;
  ExperimentOptions options;  // small inputs if possible, since they are not used
  if (std::string_view(GetParam()->options).find('n') != std::string_view::npos) {
    options["n"] = "1024";
  }
  GetParam()->run(bench, options);
}

TEST_P(EveryExperiment, IsRightOnAGpu) {
  if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
  EXPECT_TRUE(run_experiment(*GetParam(), {}).flawless);
}

INSTANTIATE_TEST_SUITE_P(Lab, EveryExperiment,
                         testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
