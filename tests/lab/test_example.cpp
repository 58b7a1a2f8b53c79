// How the kernels of the lab's page are launched, for any number of elements.
#include "lab/example.hpp"

#include <gtest/gtest.h>

#include "lab/ladder.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(Example, LaunchesARungByItsFactsAsThePlanDoes) {
  for (const Entry* e : reduce_ladder()) {
    if (!e->has_kernel()) continue;
    for (const bool twin : {false, true}) {
      if (twin && !e->has_twin) continue;
      for (const Size n : {1, 2, 31, 1000, 4096, 65537}) {
        for (const unsigned block : {32, 256, 1024}) {
          SCOPED_TRACE(testing::Message() << e->name << ' ' << twin << ' ' << n << ' ' << block);
          const Plan p = plan(*e, twin, n, block, 8);
          const std::string facts = launch_facts(facts_of(*e, twin));
          if (!p.steps.empty()) {
            WrittenOptions o = example_options(facts, n, block);
            EXPECT_EQ(o.extract("expect").empty(), false);
            EXPECT_EQ(o, rung_options(p));
          } else {
            EXPECT_THROW(example_options(facts, n, block), Error);
          }
        }
      }
    }
  }
}

TEST(Example, FillsNumbersIntoOptions) {
  const std::string facts = launch_facts(
      {{"launch", "k<<<{blocks}, {block}>>>(x)"}, {"args", "x:i32[{n}], y:i32[{threads}]"}}, 4);
  EXPECT_EQ(example_options(facts, 1025, 128),
            (WrittenOptions{{"launch", "k<<<3, 128>>>(x)"}, {"args", "x:i32[1025], y:i32[384]"}}));
  EXPECT_EQ(example_options(facts, 1, 32)["launch"], "k<<<1, 32>>>(x)");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
