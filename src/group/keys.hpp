// Gives each different key (its bytes) a number. Numbers count from 0 as keys first occur.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/base.hpp"

namespace onefold {

class Keys {
 public:
  static Size hash_of(std::string_view key);
  // The number of a key. A new key gets the number size().
  uint32_t find(std::string_view key, Size hash);
  Size size() const { return ends_.size(); }
  std::string_view operator[](Size k) const {
    const Size from = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(bytes_).substr(from, ends_[k] - from);
  }
  Size bytes() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(Size) + table_.capacity() * sizeof(Entry);
  }

 private:
  struct Entry {
    uint32_t tag = 0;  // some bits of the hash
    uint32_t key = free;
  };
  static constexpr uint32_t free = 0xffffffff;
  void widen();

  std::string bytes_;       // the bytes of all keys, one after another
  std::vector<Size> ends_;  // the end of each key in bytes_
  std::vector<Entry> table_;
};

}  // namespace onefold
