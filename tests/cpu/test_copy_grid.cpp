// Elements of any strides are copied as they stand, and nothing else is read.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "guarded.hpp"
#include "onefold/cpu/copy_grid.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

constexpr Size most = 300;

// Copies `outer` runs of n elements, the last of which ends where the readable memory ends.
void expect_copied(const test::Guarded& memory, Target target, Size bytes, Size outer, Size n,
                   Size steps) {
  const Size stride = steps * bytes, run = n * stride + 1;  // so that runs are not aligned
  const Size length = (outer - 1) * run + (n - 1) * stride + bytes;
  const std::byte* const from = memory.end() - length;
  std::vector<std::byte> got(outer * n * bytes), expected;
  for (Size o = 0; o < outer; ++o) {
    for (Size i = 0; i < n; ++i) {
      const std::byte* const x = from + o * run + i * stride;
      expected.insert(expected.end(), x, x + bytes);
    }
  }
  const auto to_bytes = [](Size s) { return static_cast<int64_t>(s); };
  copy_grid_of(target)(from, outer, to_bytes(run), n, to_bytes(stride), bytes, got.data());
  EXPECT_EQ(got, expected) << name_of(target) << ": " << outer << " runs of " << n
                           << " elements of " << bytes << " bytes, every " << steps << "th";
}

TEST(CopyGrid, CopiesEveryElementOfAnyStrideAndReadsNothingElse) {
  const test::Guarded memory(2 * most * 8 * 8);
  for (std::byte* p = memory.begin(); p != memory.end(); ++p) {
    *p = static_cast<std::byte>((p - memory.begin()) * 2654435761U >> 8);
  }
  for (const Target target : usable_targets()) {
    for (const Size bytes : {1, 2, 4, 8}) {
      for (const Size steps : {1, 2, 3, 4, 5, 8}) {
        for (Size n = 1; n < most; n += n < 140 ? 1 : 31) {
          expect_copied(memory, target, bytes, 1, n, steps);
        }
        expect_copied(memory, target, bytes, 2, 100, steps);
      }
    }
  }
}

TEST(CopyGrid, TurnsRowsIntoColumnsAndReadsNothingElse) {
  const test::Guarded memory(most * 8 * 8);
  for (std::byte* p = memory.begin(); p != memory.end(); ++p) {
    *p = static_cast<std::byte>((p - memory.begin()) * 2654435761U >> 8);
  }
  for (const Target target : usable_targets()) {
    for (const Size bytes : {1, 2, 4, 8}) {
      for (const Size length : {2, 3, 4, 5, 8}) {
        for (Size n = 1; n < most; n += n < 140 ? 1 : 31) {
          const std::byte* const from = memory.end() - n * length * bytes;
          std::vector<std::byte> got(n * length * bytes), expected;
          for (Size c = 0; c < length; ++c) {
            for (Size i = 0; i < n; ++i) {
              const std::byte* const x = from + (i * length + c) * bytes;
              expected.insert(expected.end(), x, x + bytes);
            }
          }
          copy_grid_of(target)(from, length, static_cast<int64_t>(bytes), n,
                               static_cast<int64_t>(length * bytes), bytes, got.data());
          ASSERT_EQ(got, expected) << name_of(target) << ": " << n << " rows of " << length
                                   << " elements of " << bytes << " bytes";
        }
      }
    }
  }
}

TEST(CopyGrid, CopiesBackwards) {
  std::vector<double> x(most), got(most);
  std::iota(x.begin(), x.end(), 0.0);
  for (const Target target : usable_targets()) {
    copy_grid_of(target)(reinterpret_cast<const std::byte*>(&x[most - 1]), 1, 0, most / 2, -16, 8,
                         reinterpret_cast<std::byte*>(got.data()));
    for (Size i = 0; i < most / 2; ++i) EXPECT_EQ(got[i], x[most - 1 - 2 * i]);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
