// The input elements of the lab's kernels.
#include "lab/simulate.hpp"

namespace onefold::lab {
std::vector<int32_t> elements(Size n, uint64_t seed) {
  std::vector<int32_t> x(n);
  const uint64_t mask = n > Size{1} << 24 ? 7 : 255;
  uint64_t s = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
  for (auto& v : x) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    v = static_cast<int32_t>(s >> 32 & mask);
  }
  return x;
}

}  // namespace onefold::lab
