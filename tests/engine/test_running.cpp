// Elements added one by one to runs give the same state as gather.
#include "onefold/running.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "generate.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

constexpr Size groups = 7;

// Runs of several groups, and states of those elements that the runs refuse.
template <class T>
struct Groups {
  RunningKind kind;
  std::string ops;
  std::vector<std::vector<int64_t>> runs;  // each run begins 8 bytes into its block
  std::vector<State> others;
  std::vector<std::vector<T>> elements;

  explicit Groups(const char* names)
      : kind(names, dtype_of<T>, NanPolicy::propagate),
        ops(names),
        others(groups),
        elements(groups) {
    for (Size g = 0; g < groups; ++g) {
      runs.emplace_back(1 + kind.bytes() / sizeof(int64_t));
      kind.clear(&runs[g][1]);
    }
  }
  State gathered(const std::vector<T>& x) const {
    return gather(ops, ArrayRef(x.data(), dtype_of<T>, {x.size()}));
  }
  // Returns how many elements the runs refused.
  Size add(const std::vector<uint32_t>& group, const std::vector<T>& x) {
    std::vector<void*> blocks;
    for (Size i = 0; i < x.size(); ++i) {
      blocks.push_back(runs[group[i]].data());
      elements[group[i]].push_back(x[i]);
    }
    std::vector<uint32_t> left(x.size());
    const Size n = kind.add(blocks.data(), sizeof(int64_t), x.data(), x.size(), left.data());
    for (Size k = 0; k < n; ++k) others[group[left[k]]].merge(gathered({x[left[k]]}));
    return n;
  }
  State state(Size g) const {
    State all = others[g];
    all.merge(kind.state(&runs[g][1]));
    return all;
  }
};

template <class T>
T any_element(Random& random, int round) {
  if constexpr (Floating<T>) {
    if (round % 2 == 0) return bit_cast<T>(static_cast<bits_of<T>>(random()));
    return static_cast<T>(static_cast<double>(random() % 9) - 4.0) * static_cast<T>(0.1);
  } else {
    return static_cast<T>(random()) >> (round % 2 == 0 ? 0 : 50);
  }
}

template <class T>
void expect_gathers(const char* ops) {
  SCOPED_TRACE(ops);
  Groups<T> mine(ops), theirs(ops);
  ASSERT_TRUE(mine.kind.sums());
  Random random(4);
  for (int round = 0; round < test::scaled(20); ++round) {
    std::vector<uint32_t> group;
    std::vector<T> x;
    for (int i = 0; i < 60; ++i) {
      group.push_back(static_cast<uint32_t>(random() % groups));
      x.push_back(any_element<T>(random, static_cast<int>(random() % 4)));
    }
    if (round % 3 == 0) x[0] = -T{0};
    (round % 4 == 0 ? theirs : mine).add(group, x);
  }
  for (Size g = 0; g < groups; ++g) {
    EXPECT_EQ(mine.state(g), mine.gathered(mine.elements[g])) << "group " << g;
    State all = mine.state(g);
    all.merge(theirs.state(g));
    State merged = mine.others[g];
    merged.merge(theirs.others[g]);
    if (!mine.kind.merge(&mine.runs[g][1], &theirs.runs[g][1])) {
      merged.merge(theirs.kind.state(&theirs.runs[g][1]));
    }
    merged.merge(mine.kind.state(&mine.runs[g][1]));
    EXPECT_EQ(merged, all) << "group " << g;
  }
}

TEST(Running, HoldsWhatGatherDoes) {
  for (const char* ops : {"sum", "mean", "mean,var", "rms", "sumsq,sum,std,count"}) {
    expect_gathers<double>(ops);
    expect_gathers<float>(ops);
    expect_gathers<int64_t>(ops);
  }
}

TEST(Running, OfOtherOpsAndTypesIsNone) {
  for (const char* ops : {"min", "sum,max", "norm1", "count_zero", "dot", "sum,dot"}) {
    EXPECT_FALSE(RunningKind(ops, DType::f64, NanPolicy::propagate).sums()) << ops;
  }
  EXPECT_FALSE(RunningKind("sum", DType::f16, NanPolicy::propagate).sums());
}

// A run's answer equals that of its state. For data of similar exponents nearly all answers come
// from runs.
TEST(Running, AnswersAsItsStateDoes) {
  Random random(9);
  for (const char* op : {"sum", "mean", "var", "std", "rms", "sumsq"}) {
    const RunningKind kind(op, DType::f64, NanPolicy::propagate);
    std::vector<int64_t> run(kind.bytes() / sizeof(int64_t));
    Size said = 0, asked = 0;
    for (int round = 0; round < test::scaled(400); ++round) {
      kind.clear(run.data());
      const int n = 2 + static_cast<int>(random() % 9);
      const bool whole = round % 3 == 0;
      for (int i = 0; i < n; ++i) {
        const double x = static_cast<double>(random() % 2000003) - 1000001;
        const double v = whole ? x : x / 1024 / 3;
        void* const block = run.data();
        uint32_t left = 0;
        ASSERT_EQ(kind.add(&block, 0, &v, 1, &left), 0u);
      }
      for (const int ddof : {0, 1}) {
        const Correction correction(ddof);
        Value value;
        ++asked;
        if (!kind.answer(run.data(), DType::f64, correction, &value)) continue;
        ++said;
        const Value right = kind.state(run.data()).answer(op, {.ddof = correction});
        EXPECT_EQ(value, right) << op << " of " << n << ", round " << round;
      }
    }
    EXPECT_GT(said * 10, asked * 9) << op;
  }
}

TEST(Running, HasASignOfZeroOnlyWhereAllAreNegative) {
  Groups<double> g("sum");
  g.add({0, 0, 1, 1}, {-0.0, -0.0, -0.0, 0.0});
  EXPECT_TRUE(std::signbit(g.state(0).answer("sum").as<double>()));
  EXPECT_FALSE(std::signbit(g.state(1).answer("sum").as<double>()));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
