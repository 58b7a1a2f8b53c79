#include "onefold/engine/group/keys.hpp"

#include <functional>
#include <new>

namespace onefold {

Size Keys::hash_of(std::string_view key) { return std::hash<std::string_view>()(key); }

uint32_t Keys::find(std::string_view key, Size hash) {
  if (2 * (size() + 1) > table_.size()) widen();
  const Size mask = table_.size() - 1;
  const uint32_t tag = tag_of(hash);
  for (Size at = place_of(tag);; at = (at + 1) & mask) {
    Entry& e = table_[at];
    if (e.key == free) {
      if (size() == free) throw std::bad_alloc();
      e = {tag, static_cast<uint32_t>(size())};
      bytes_ += key;
      begins_.push_back(bytes_.size());
      return e.key;
    }
    if (e.tag == tag && (*this)[e.key] == key) return e.key;
  }
}

void Keys::widen() {
  const std::vector<Entry> all = std::move(table_);
  table_ = std::vector<Entry>(all.empty() ? 64 : 2 * all.size());
  const Size mask = table_.size() - 1;
  for (const Entry& e : all) {
    if (e.key == free) continue;
    Size at = place_of(e.tag);
    while (table_[at].key != free) at = (at + 1) & mask;
    table_[at] = e;
  }
}

}  // namespace onefold
