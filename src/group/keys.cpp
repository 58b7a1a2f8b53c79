#include "group/keys.hpp"

#include <functional>
#include <new>

namespace onefold {

Size Keys::hash_of(std::string_view key) { return std::hash<std::string_view>()(key); }

uint32_t Keys::find(std::string_view key, Size hash) {
  if (2 * (size() + 1) > table_.size()) widen();
  const Size mask = table_.size() - 1;
  const auto tag = static_cast<uint32_t>(hash >> 32);
  for (Size at = hash & mask;; at = (at + 1) & mask) {
    Entry& e = table_[at];
    if (e.key == free) {
      if (size() == free) throw std::bad_alloc();
      e = {tag, static_cast<uint32_t>(size())};
      bytes_ += key;
      ends_.push_back(bytes_.size());
      return e.key;
    }
    if (e.tag == tag && (*this)[e.key] == key) return e.key;
  }
}

void Keys::widen() {
  std::vector<Entry> wider(table_.empty() ? 64 : 2 * table_.size());
  const Size mask = wider.size() - 1;
  for (uint32_t k = 0; k < size(); ++k) {
    const Size hash = hash_of((*this)[k]);
    Size at = hash & mask;
    while (wider[at].key != free) at = (at + 1) & mask;
    wider[at] = {static_cast<uint32_t>(hash >> 32), k};
  }
  table_ = std::move(wider);
}

}  // namespace onefold
