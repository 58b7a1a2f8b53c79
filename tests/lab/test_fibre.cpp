// Stacks that run in turn.
#include <gtest/gtest.h>

#include <cstdint>

#include "onefold/machine/sim/fibre.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

template <class Switch>
class Fibres : public testing::Test {
 protected:
  struct Counter {
    FibreBy<Switch> fibre{&run, this};
    double by = 0, sum = 0;
    int rounds = 0;
    bool aligned = true;

    // Values that must survive a switch, in integer and floating-point registers.
    static void run(void* self) {
      auto& c = *static_cast<Counter*>(self);
      double a = c.by, b = 2 * c.by;
      int i = 0;
      for (; i < 3; ++i) {
        alignas(16) char here[16];
        c.aligned = c.aligned && reinterpret_cast<std::uintptr_t>(here) % 16 == 0;
        c.sum += a + b;
        a += 1, b += 1;
        c.fibre.leave();
      }
      c.rounds += i;
      c.fibre.leave();
    }
  };
};
using Switches = testing::Types<Switch, SwitchByBoost>;
TYPED_TEST_SUITE(Fibres, Switches);

TYPED_TEST(Fibres, TakeTurnsAndBeginAgain) {
  typename TestFixture::Counter counters[40];
  for (int k = 0; k < 40; ++k) counters[k].by = k;
  for (int turn = 0; turn < 8; ++turn) {
    const double before = turn;
    for (auto& c : counters) c.fibre.resume();
    EXPECT_EQ(before, turn);
  }
  for (int k = 0; k < 40; ++k) {
    EXPECT_EQ(counters[k].sum, 2 * (9 * k + 6)) << k;
    EXPECT_EQ(counters[k].rounds, 6) << k;
    EXPECT_TRUE(counters[k].aligned) << k;
  }
}

TYPED_TEST(Fibres, ForgetWhereTheyStand) {
  typename TestFixture::Counter c;
  c.by = 1;
  c.fibre.resume();
  c.fibre.rewind();
  for (int turn = 0; turn < 4; ++turn) c.fibre.resume();
  EXPECT_EQ(c.sum, 3 + 3 + 5 + 7);
  EXPECT_EQ(c.rounds, 3);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
