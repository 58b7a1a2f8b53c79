// Gives each different key (its bytes) a number. Numbers count from 0 as keys first occur.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

class Keys {
 public:
  // Different keys of at most 7 bytes have different hashes, so their bytes need not be compared.
  static Size hash_of(std::string_view key) {
    if (!is_short(key)) return hash_of_long(key);
    uint64_t image = uint64_t{key.size()} << 56;
    std::memcpy(&image, key.data(), key.size());
    image *= 0x9e3779b97f4a7c15u;
    image ^= image >> 32;
    image *= 0xd6e8feb86659fd93u;
    return image ^ image >> 32;
  }
  // The number of a key, whose hash is hash_of(key). A new key gets the number size().
  uint32_t find(std::string_view key, Size hash);
  // Calls to(i, number) for n keys, which key(i) and hash(i) return. What a search reads is
  // prefetched several searches earlier, in three steps.
  template <class Key, class Hash, class To>
  void find_all(Size n, Key key, Hash hash, To to) {
    constexpr Size ahead = 8;
    for (Size i = 0; i < n; ++i) {
      if (i + 3 * ahead < n) load<Step::entry>(hash(i + 3 * ahead));
      if (i + 2 * ahead < n) load<Step::begin>(hash(i + 2 * ahead));
      if (i + ahead < n) load<Step::bytes>(hash(i + ahead));
      to(i, find(key(i), hash(i)));
    }
  }
  Size size() const { return begins_.size() - 1; }
  std::string_view operator[](Size k) const {
    return {bytes_.data() + begins_[k], begins_[k + 1] - begins_[k]};
  }
  Size bytes() const {
    return bytes_.capacity() + begins_.capacity() * sizeof(Size) +
           table_.capacity() * sizeof(Entry);
  }

 private:
  // 12 bytes, with halves of the hash
  struct Entry {
    uint32_t upper = 0, lower = 0;
    uint32_t key : 31 = free;
    uint32_t is_short : 1 = 0;
    Size hash() const { return Size{upper} << 32 | lower; }
  };
  static constexpr uint32_t free = 0x7fffffff;
  static bool is_short(std::string_view key) { return key.size() <= 7; }
  static Size hash_of_long(std::string_view key);
  // Entries are sorted by the upper halves of their hashes, except those that collisions have moved
  // on. So a larger table is filled from its begin to its end, and no key is hashed again.
  Size place_of(Size hash) const { return ((hash >> 32) * table_.size()) >> 32; }
  void widen();

  // Prefetches the entry of a hash; then the position of that key; then its bytes. GCC drops calls
  // of functions that only prefetch, so it must be inline.
  enum class Step : uint8_t { entry, begin, bytes };
  template <Step step>
  [[gnu::always_inline]] void load(Size hash) const {
    if (table_.empty()) return;
    const Entry& e = table_[place_of(hash)];
    if constexpr (step == Step::entry) return __builtin_prefetch(&e);
    if (e.key == free || e.is_short) return;
    if constexpr (step == Step::begin) __builtin_prefetch(&begins_[e.key]);
    if constexpr (step == Step::bytes) __builtin_prefetch(bytes_.data() + begins_[e.key]);
  }

  std::string bytes_;               // the bytes of all keys, one after another
  std::vector<Size> begins_ = {0};  // where each key begins in bytes_, and where the last one ends
  std::vector<Entry> table_;
};

}  // namespace onefold
