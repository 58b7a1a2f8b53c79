// Numbers of keys by their bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "onefold/engine/group/keys.hpp"

namespace ONEFOLD_FILE {

using onefold::Keys;
using onefold::Size;

std::vector<uint32_t> numbers_of(Keys& keys, const std::vector<std::string>& list,
                                 const std::vector<Size>& hashes) {
  std::vector<uint32_t> numbers(list.size(), 0xffffffff);
  keys.find_all(
      list.size(), [&](Size i) { return std::string_view(list[i]); },
      [&](Size i) { return hashes[i]; }, [&](Size i, uint32_t number) { numbers[i] = number; });
  return numbers;
}

// Each key three times, while the table grows.
TEST(GroupKeys, CountFromZeroAsTheyFirstOccur) {
  std::vector<std::string> list;
  std::vector<Size> hashes;
  for (int turn = 0; turn < 3; ++turn) {
    for (int k = 0; k < 5000; ++k) {
      list.push_back("key " + std::to_string(k));
      hashes.push_back(Keys::hash_of(list.back()));
    }
  }
  Keys keys;
  const std::vector<uint32_t> numbers = numbers_of(keys, list, hashes);
  ASSERT_EQ(keys.size(), Size{5000});
  for (Size i = 0; i < list.size(); ++i) {
    ASSERT_EQ(numbers[i], i % 5000) << list[i];
    ASSERT_EQ(keys[numbers[i]], list[i]);
  }
}

// Hashes at the end of the table go on at its begin, also when a wider table is filled.
TEST(GroupKeys, AreToldApartWhereHashesAreEqual) {
  std::vector<std::string> list;
  for (Size k = 8; k < 308; ++k) list.push_back(std::string(k, 'x'));
  for (const Size hash : {Size{0}, ~Size{0}, Size{0x80000000} << 32}) {
    Keys keys;
    const std::vector<Size> hashes(list.size(), hash);
    for (int turn = 0; turn < 2; ++turn) {
      const std::vector<uint32_t> numbers = numbers_of(keys, list, hashes);
      for (Size i = 0; i < list.size(); ++i) ASSERT_EQ(numbers[i], i);
    }
    ASSERT_EQ(keys.size(), list.size());
  }
}

// Short keys are told apart by their hashes alone: by bytes, by length, and from longer keys.
TEST(GroupKeys, AreToldApartWhereTheyAreShort) {
  std::vector<std::string> list;
  for (Size n = 0; n <= 9; ++n) {
    for (const char c : {'\0', '1', '\xff'}) {
      for (Size at = 0; at <= n; ++at) {
        std::string key(n, '\0');
        if (at < n) key[at] = c;
        if (std::ranges::find(list, key) == list.end()) list.push_back(key);
      }
    }
  }
  std::vector<Size> hashes;
  for (const std::string& key : list) hashes.push_back(Keys::hash_of(key));
  Keys keys;
  for (int turn = 0; turn < 2; ++turn) {
    const std::vector<uint32_t> numbers = numbers_of(keys, list, hashes);
    for (Size i = 0; i < list.size(); ++i) ASSERT_EQ(numbers[i], i);
  }
}

}  // namespace ONEFOLD_FILE
