// Random folds of every op, type and kind: each answer is that of its elements alone, by the
// oracle. random/main.cpp is the program that tries a million.
#include <gtest/gtest.h>

#include "law/random/judge.hpp"
#include "law/random/trial.hpp"

namespace onefold::law {
namespace ONEFOLD_FILE {

TEST(RandomFolds, AnswerAsTheOracleDoes) {
  for (uint64_t k = 0; k < 5000; ++k) {
    const Draw d = draw(1, k);
    const std::optional<std::string> what = wrong(d);
    if (!what) continue;
    const Draw small = shrunk(d);
    ADD_FAILURE() << "onefold_random_folds --seed 1 --first " << k << " --draws 1: " << describe(d)
                  << ": " << *what << "\nsmallest: " << describe(small) << ": "
                  << wrong(small).value_or("");
    return;
  }
}

// An op that the oracle lacks is judged by its definition, so that must be right, too.
TEST(RandomFolds, AnswerAsTheDefinitionDoes) {
  for (uint64_t k = 0; k < 1500; ++k) {
    const Draw d = draw(2, k);
    if (elements_of(d.shape) > 3000) continue;
    const Problem p(d);
    for (Size i = 0; i < p.answers() && i < 3; ++i) {
      Judge judge(p, i);
      for (const OpRow* op : d.ops) {
        if (d.weighing == Weighing::weights && !p.weights_are_counts) continue;
        ASSERT_TRUE(judge.expected(*op) == judge.expected_by_definition(*op))
            << op->name << " of answer " << i << " of draw " << k << ": " << describe(d);
      }
    }
  }
}

TEST(RandomFolds, HaveEveryOpTypeAndKind) {
  Tally tally;
  for (uint64_t k = 0; k < 3000; ++k) {
    Draw d = draw(3, k);
    d.shape = Dims();
    for (const OpRow* op : d.ops) ++tally["op"][op->name].folds;
    ++tally["type"][onefold::name_of(d.type)].folds;
    ++tally["kind"][name_of(d.kind)].folds;
  }
  EXPECT_EQ(tally["op"].size(), op_rows().size());
  EXPECT_EQ(tally["type"].size(), static_cast<std::size_t>(dtype_count));
  EXPECT_EQ(tally["kind"].size(), static_cast<std::size_t>(kinds));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::law
