// The input elements of the lab's kernels.
#include <array>

#include "lab/simulate.hpp"

namespace onefold::lab {
namespace {

// glibc's rand() with seed 1, an additive generator.
class Rand {
 public:
  Rand() {
    r_[0] = 1;
    for (std::size_t i = 1; i < 31; ++i) {
      r_[i] = static_cast<uint32_t>(uint64_t{16807} * r_[i - 1] % 2147483647);
    }
    for (int i = 0; i < 310; ++i) (*this)();  // rand() drops the first 310
  }
  uint32_t operator()() {
    uint32_t& next = r_[at_];
    next += r_[(at_ + 28) % 31];
    at_ = (at_ + 1) % 31;
    return next >> 1;
  }

 private:
  std::array<uint32_t, 31> r_{};
  std::size_t at_ = 3;
};

}  // namespace

std::vector<int32_t> elements(Size n, uint64_t seed) {
  std::vector<int32_t> x(n);
  const uint64_t mask = n > Size{1} << 24 ? 7 : 255;
  if (seed == seed_of_rand) {
    Rand rand;
    for (auto& v : x) v = static_cast<int32_t>(rand() & mask);
    return x;
  }
  uint64_t s = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  for (auto& v : x) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    v = static_cast<int32_t>(s >> 32 & mask);
  }
  return x;
}

}  // namespace onefold::lab
