#include "onefold/io/checksum.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>

#include "onefold/engine/crc32.hpp"

namespace onefold::io {
namespace ONEFOLD_FILE {

uint32_t bit_by_bit(const unsigned char* p, std::size_t n) {
  uint32_t crc = ~0u;
  for (std::size_t i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

TEST(Checksum, IsTheCrcOfZipForEveryLengthAndPlace) {
  constexpr std::string_view check = "123456789";
  EXPECT_EQ(crc32_of(check.data(), check.size()), 0xcbf43926);
  std::vector<unsigned char> bytes(700);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * i >> 3);
  for (std::size_t from = 0; from < 20; ++from) {
    for (std::size_t n = 0; n + from <= bytes.size(); ++n) {
      const uint32_t crc = bit_by_bit(bytes.data() + from, n);
      ASSERT_EQ(crc32_of(bytes.data() + from, n), crc) << from << ", " << n;
      const std::size_t cut = n / 3;
      const uint32_t first = crc32_of(bytes.data() + from, cut);
      const unsigned char* const second = bytes.data() + from + cut;
      ASSERT_EQ(crc32_of(second, n - cut, first), crc) << n;
      ASSERT_EQ(crc32_of_both(first, crc32_of(second, n - cut), n - cut), crc) << n;
    }
  }
}

TEST(Checksum, TakesPiecesInAnyOrderAndReadsWhatIsMissing) {
  using enum Checksum::Match;
  std::vector<unsigned char> bytes(std::size_t{3} << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  const uint32_t crc = crc32_of(bytes.data(), bytes.size());
  uint64_t read_bytes = 0;
  const auto read = [&](uint64_t at, void* to, std::size_t n) {
    std::copy_n(bytes.data() + at, n, static_cast<unsigned char*>(to));
    read_bytes += n;
  };
  const auto verdict = [&](uint32_t expected,
                           std::vector<std::pair<std::size_t, std::size_t>> list) {
    Checksum sum(expected, bytes.size());
    for (const auto& [at, n] : list) sum.add(at, bytes.data() + at, n);
    read_bytes = 0;
    return sum.compare(read);
  };
  const std::size_t all = bytes.size(), k = 1 << 10;
  EXPECT_EQ(verdict(crc, {{all / 2, all / 2}, {128, all / 2 - 128}}), right);
  EXPECT_EQ(read_bytes, 128u);
  EXPECT_EQ(verdict(crc ^ 1, {{all / 2, all / 2}, {0, all / 2}}), wrong);
  EXPECT_EQ(read_bytes, 0u);
  // Pieces that are read twice, within another, and across the end of another.
  EXPECT_EQ(verdict(crc, {{0, all}, {0, all}, {100 * k, 100 * k}}), right);
  EXPECT_EQ(verdict(crc, {{0, 2000 * k}, {1900 * k, 200 * k}, {2100 * k, all - 2100 * k}}), right);
  EXPECT_EQ(read_bytes, 100u * k);
  EXPECT_EQ(verdict(crc, {{0, 1000 * k}}), unknown);
  EXPECT_EQ(verdict(crc, {}), unknown);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::io
