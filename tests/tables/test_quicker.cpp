#include "onefold/tables/quicker.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ONEFOLD_FILE {

using onefold::io::Quicker;

std::vector<bool> ways_of(int slow, int parts) {
  Quicker ways;
  std::vector<bool> taken;
  for (int i = 0; i < parts; ++i) {
    ways.run(1000, [&](bool second) {
      taken.push_back(second);
      if (slow == (second ? 1 : 0)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    });
  }
  return taken;
}

TEST(Quicker, TakesTurnsAndThenTheQuickerWay) {
  for (const int slow : {0, 1}) {
    const auto taken = ways_of(slow, 20);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const bool trying = i < 2 * Quicker::turns;
      EXPECT_EQ(taken[i], trying ? i % 2 == 1 : slow == 0) << "part " << i;
    }
  }
}

TEST(Quicker, CountsTimeByTheSizeOfAPart) {
  // The second method takes four times as long for a part, which is a hundred times as large.
  Quicker ways;
  int second_parts = 0;
  for (int i = 0; i < 20; ++i) {
    bool was_second = false;
    const bool will_be_second = i < 2 * Quicker::turns ? i % 2 == 1 : true;
    ways.run(will_be_second ? 100 : 1, [&](bool second) {
      was_second = second;
      std::this_thread::sleep_for(std::chrono::microseconds(second ? 4000 : 1000));
    });
    second_parts += was_second ? 1 : 0;
  }
  EXPECT_EQ(second_parts, 20 - Quicker::turns);
}

}  // namespace ONEFOLD_FILE
