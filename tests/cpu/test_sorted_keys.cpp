// Keys in order, against a sorted vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "generate.hpp"
#include "onefold/cpu/window/sorted_keys.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using cpu_backend::SortedKeys;
using test::Random;

struct BothWays {
  SortedKeys keys;
  std::vector<uint64_t> sorted;

  void insert(uint64_t key) {
    keys.insert(key);
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), key), key);
  }
  void erase(Size rank) {
    const uint64_t key = sorted[rank];
    keys.erase(key);
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), key));
  }
  void replace(Size rank, uint64_t key) {
    const uint64_t old = sorted[rank];
    keys.replace(old, key);
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), old));
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), key), key);
  }
  void check() const {
    ASSERT_EQ(keys.size(), sorted.size());
    for (Size i = 0; i < sorted.size(); ++i) ASSERT_EQ(keys.at(i), sorted[i]) << i;
  }
};

TEST(SortedKeys, HoldTheKeysThatCameAndDidNotGo) {
  Random r(1);
  for (const uint64_t values : {uint64_t{3}, uint64_t{1000}, ~uint64_t{0}}) {
    for (const Size most : {20, 600, 5000}) {
      BothWays both;
      for (int step = 0; step < 12'000; ++step) {
        const bool grows = both.sorted.size() < most && (step / 3000 % 2 == 0 || r() % 4 == 0);
        if (both.sorted.empty() || grows) {
          both.insert(r() % values);
        } else if (r() % 3 != 0) {
          both.replace(r() % both.sorted.size(), r() % values);
        } else {
          both.erase(r() % both.sorted.size());
        }
        if (step % 1500 == 0) both.check();
      }
      both.check();
    }
  }
}

TEST(SortedKeys, LeaveNoLeafEmptyWhenKeysGoInOrder) {
  for (const bool from_below : {true, false}) {
    BothWays both;
    std::vector<uint64_t> all(7000);
    for (Size i = 0; i < all.size(); ++i) all[i] = i * i % 1000;  // many are equal
    both.keys.assign(all);
    both.sorted = all;
    std::sort(both.sorted.begin(), both.sorted.end());
    both.check();
    for (Size left = all.size(); left > 0; --left) {
      both.erase(from_below ? 0 : left - 1);
      if (left % 500 == 0) both.check();
    }
    both.insert(7);
    both.check();
  }
}

TEST(SortedKeys, AreCutWhenAllComeAtOnePlace) {
  BothWays both;
  for (uint64_t i = 0; i < 3000; ++i) both.insert(i);
  for (uint64_t i = 3000; i-- > 0;) both.insert(i);
  for (int i = 0; i < 3000; ++i) both.insert(1500);
  both.check();
  for (int i = 0; i < 8000; ++i) both.erase(both.sorted.size() / 2);
  both.check();
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
