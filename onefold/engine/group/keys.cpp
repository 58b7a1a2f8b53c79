#include "onefold/engine/group/keys.hpp"

#include <functional>
#include <new>

namespace onefold {

Size Keys::hash_of_long(std::string_view key) { return std::hash<std::string_view>()(key); }

uint32_t Keys::find(std::string_view key, Size hash) {
  if (3 * (size() + 1) > 2 * table_.size()) widen();
  const Size end = table_.size();
  const bool is_short = Keys::is_short(key);
  for (Size at = place_of(hash);; at = at + 1 == end ? 0 : at + 1) {
    Entry& e = table_[at];
    if (e.key == free) {
      if (size() == free) throw std::bad_alloc();
      e = {static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(hash),
           static_cast<uint32_t>(size()) & free, is_short};
      bytes_ += key;
      begins_.push_back(bytes_.size());
      return e.key;
    }
    if (e.hash() != hash || e.is_short != is_short) continue;
    if (is_short || (*this)[e.key] == key) return e.key;
  }
}

void Keys::widen() {
  const std::vector<Entry> all = std::move(table_);
  table_ = std::vector<Entry>(all.empty() ? 64 : all.size() * 3 / 2);
  const Size end = table_.size();
  for (const Entry& e : all) {
    if (e.key == free) continue;
    Size at = place_of(e.hash());
    while (table_[at].key != free) at = at + 1 == end ? 0 : at + 1;
    table_[at] = e;
  }
}

}  // namespace onefold
