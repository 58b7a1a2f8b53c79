#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "generate.hpp"
#include "onefold/tables/keyed_states.hpp"

namespace onefold::io {
namespace ONEFOLD_FILE {

using test::Random;

// Whatever is known of rows' identities, each row has its key, in the share of its hash, and the
// keys of a share are numbered as they come.
TEST(DealtRows, HaveTheKeysOfTheirRows) {
  Random random(5);
  for (const Size different : {Size{1}, Size{30}, Size{3'000}, Size{1'000'000}}) {
    for (const std::size_t shares : {std::size_t{1}, std::size_t{8}}) {
      SCOPED_TRACE(std::to_string(different) + " keys, " + std::to_string(shares) + " shares");
      std::vector<Size> key(20'000);
      for (Size& k : key) k = random() % different;
      Size appended = 0;
      const auto append = [&](Size row, std::string& bytes) {
        ++appended;
        bytes += "key " + std::to_string(key[row]);
      };
      // Of some rows it is not known.
      const auto identity = [&](Size row) { return row % 7 == 3 ? 0 : key[row] + 1; };
      const RowPartition dealt(key.size(), shares, append, identity);
      if (different <= 30) {
        EXPECT_LT(appended, key.size() / 4);
      }
      std::vector<bool> met(key.size());
      for (std::size_t s = 0; s < shares; ++s) {
        Keys keys;
        const std::vector<uint32_t> number = dealt.numbers(s, keys);
        Size next = 0, before = 0;
        for (const RowPartition::Row& row : dealt.of_share(s)) {
          const std::string name = "key " + std::to_string(key[row.row]);
          ASSERT_LT(row.key, number.size());
          EXPECT_EQ(keys[number[row.key]], name);
          EXPECT_EQ(static_cast<uint32_t>(Keys::hash_of(name)) % shares, s);
          EXPECT_LE(row.key, next);
          next = std::max<Size>(next, row.key + Size{1});
          EXPECT_TRUE(row.row >= before && !met[row.row]);
          met[row.row] = true;
          before = row.row;
        }
      }
      EXPECT_EQ(std::count(met.begin(), met.end(), true), static_cast<int64_t>(key.size()));
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::io
