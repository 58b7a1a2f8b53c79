#include "onefold/engine/group/state_table.hpp"

#include <gtest/gtest.h>

#include "generate.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/group/keys.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

// The state of the elements of one group, as a backend gathers it.
template <class T>
std::vector<int64_t> gathered(const Plan& plan, const std::vector<T>& x) {
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  clear(state.data(), plan.layout, plan.dtype);
  Nest line{.bytes = sizeof(T)};
  add_axis(line, x.size(), 1, true);
  if (!x.empty()) backend::gather(plan, line, x.data(), nullptr, state.data());
  return state;
}

TEST(StateTable, HasTheStatesThatBackendsGather) {
  for (const char* ops : {"sum", "mean,var", "norm1,count_zero,count_nan", "sumsq"}) {
    for (const Size uncarried : {Size{1} << 30, Size{7}}) {
      SCOPED_TRACE(ops);
      const Plan plan = group_plan(ops, DType::f64);
      StateTable states(plan, 0, StateTable::Keeps::words);
      states.carry_interval = uncarried;
      std::vector<std::vector<double>> right(9);
      Random random(5);
      for (int round = 0; round < test::scaled(40); ++round) {
        std::vector<uint32_t> group;
        std::vector<double> x;
        for (int i = 0; i < 50; ++i) {
          group.push_back(static_cast<uint32_t>((random() % (9))));
          // Elements of all magnitudes, of both signs, and NaN and infinities.
          const double wide = bit_cast<double>(random());
          x.push_back(round % 2 == 0 ? wide : static_cast<double>((random() % (9))) - 4.0);
          right[group.back()].push_back(x.back());
        }
        states.grow(9);
        states.add(group.data(), reinterpret_cast<const std::byte*>(x.data()), 1, x.size());
      }
      for (Size g = 0; g < 9; ++g) {
        std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
        states.get(g, state.data());
        EXPECT_EQ(state, gathered(plan, right[g])) << "group " << g;
      }
    }
  }
}

TEST(StateTable, TakesFewWordsForLikeSizedNumbers) {
  const Plan plan = group_plan("mean,var,min,max", DType::f64);
  StateTable states(plan, 0, StateTable::Keeps::words);
  constexpr Size groups = 1000;
  states.grow(groups);
  Random random(1);
  for (uint32_t g = 0; g < groups; ++g) {
    const double x = static_cast<double>((random() % (1 << 30))) * 0x1p-29 - 1;
    states.add(&g, reinterpret_cast<const std::byte*>(&x), 1, 1);
  }
  EXPECT_LE(states.bytes(), groups * 200);  // a single state takes 1.7 kB
}

TEST(Keys, NumberWhatComes) {
  Keys keys;
  Random random(3);
  std::vector<std::string> known;
  for (int i = 0; i < 20000; ++i) {
    const std::string key =
        std::to_string((random() % (5000))) + std::string((random() % (3)), '\0');
    const uint32_t k = keys.find(key, Keys::hash_of(key));
    if (k == known.size()) known.push_back(key);
    ASSERT_LT(k, known.size());
    ASSERT_EQ(known[k], key);
    ASSERT_EQ(keys[k], key);
  }
  EXPECT_EQ(keys.size(), known.size());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
