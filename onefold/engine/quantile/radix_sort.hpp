// Sorts by 64-bit keys, digit by digit.
//
//   method  one pass counts all eight digits; then each digit of which not all keys have the same
//           moves the elements, from the lowest digit up. Keys of narrow types have few
//   memory  as much again as the elements
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace onefold {

//   key_of  key_of(element) returns its key
template <class E, class KeyOf>
void radix_sort(std::vector<E>& elements, const KeyOf& key_of) {
  constexpr std::size_t least = 256;  // below that comparisons are quicker
  if (elements.size() < least) {
    std::sort(elements.begin(), elements.end(),
              [&](const E& a, const E& b) { return key_of(a) < key_of(b); });
    return;
  }
  std::vector<std::array<std::size_t, 256>> counts(8);
  for (const E& one : elements) {
    const uint64_t key = key_of(one);
    for (unsigned d = 0; d < 8; ++d) ++counts[d][key >> (8 * d) & 255];
  }
  std::vector<E> other(elements.size());
  for (unsigned d = 0; d < 8; ++d) {
    const unsigned shift = 8 * d;
    if (counts[d][key_of(elements[0]) >> shift & 255] == elements.size()) continue;
    std::size_t begin = 0;
    for (std::size_t& count : counts[d]) begin += std::exchange(count, begin);
    for (const E& one : elements) other[counts[d][key_of(one) >> shift & 255]++] = one;
    elements.swap(other);
  }
}

}  // namespace onefold
