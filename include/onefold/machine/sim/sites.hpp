// Numbers the source locations of a kernel.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "onefold/machine/sim/site.hpp"

namespace onefold::sim {

// A number for a source location, in the order of the source.
constexpr uint32_t text_order(const Site& s) {
  if ((s.column & by_number) != 0) return s.column & ~by_number;
  return s.line << 10 | (s.column & 1023);
}

// Places, numbered as they are met.
class Sites {
 public:
  uint32_t number(Caller c) {
    const Recent& r = recent_[c.hash() % recent_.size()];
    return same(r.caller, c) ? r.number : find(c);
  }
  const Site& operator[](uint32_t number) const { return sites_[number]; }
  uint32_t order(uint32_t number) const { return orders_[number]; }

 private:
  struct alignas(32) Recent {
    Caller caller{};
    uint32_t number = 0;
  };

  [[gnu::noinline]] uint32_t find(Caller c) {
    const auto [it, fresh] = numbers_.try_emplace(c.site(), static_cast<uint32_t>(sites_.size()));
    if (fresh) sites_.push_back(it->first), orders_.push_back(text_order(it->first));
    recent_[c.hash() % recent_.size()] = {c, it->second};
    return it->second;
  }

  std::array<Recent, 512> recent_{};
  std::map<Site, uint32_t> numbers_;
  std::vector<Site> sites_;
  std::vector<uint32_t> orders_;
};

}  // namespace onefold::sim
