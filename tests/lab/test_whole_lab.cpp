// The whole lab with small inputs: every rung, published version, experiment and page. `make
// test-asan` watches it.
#include <gtest/gtest.h>

#include "lab/experiment.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/page/experiments.hpp"
#include "lab/page/page.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(WholeLab, RunsEveryRungAndTwinAtAnAwkwardLength) {
  const ReduceResult r = reduce({.n = "5000", .machine = "sim"});
  EXPECT_TRUE(r.flawless);
  EXPECT_TRUE(r.agree);
  EXPECT_GT(r.rows.size(), 60u);
  EXPECT_FALSE(to_table(r).empty());
  EXPECT_FALSE(to_json(r).empty());
}

TEST(WholeLab, RunsEveryExperiment) {
  std::vector<const Experiment*> small;  // the ladder has a test of its own
  for (const Experiment* e : experiments()) {
    if (std::string_view(e->name) != "reduce") small.push_back(e);
  }
  const Shown shown = run_experiments(small, {{"machine", "sim"}});
  EXPECT_TRUE(shown.flawless);
  EXPECT_FALSE(experiments_html(shown.json).empty());
}

TEST(WholeLab, MakesThePageOfARung) {
  const ReduceResult r = reduce({.rungs = {"reduction2_kernel"}, .n = "1000", .machine = "sim"});
  const std::string data = page_data(r, "");
  EXPECT_FALSE(page_html(data).empty());
  EXPECT_FALSE(page_document(data).empty());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
