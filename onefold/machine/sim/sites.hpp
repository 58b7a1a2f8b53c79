// Gives numbers to the source locations of a kernel.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "onefold/machine/sim/site.hpp"

namespace onefold::sim {

// Returns a number for a source location that grows along the source.
constexpr uint32_t text_order(const Site& s) {
  if ((s.column & by_number) != 0) return s.column & ~by_number;
  return s.line << 10 | (s.column & 1023);
}

// Source locations, numbered in the order in which they occur. Code whose locations are known
// before it runs has their numbers in its instructions: a Caller without a file is such a number.
class Sites {
 public:
  // Gives numbers 0, 1, .. to known locations; called before others get numbers.
  void know(std::span<const Site> places) {
    for (const Site& s : places) add(s);
  }
  uint32_t number(Caller c) {
    if (c.file == nullptr) return static_cast<uint32_t>(c.place);
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
    const uint32_t number = add(c.site());
    recent_[c.hash() % recent_.size()] = {c, number};
    return number;
  }
  uint32_t add(const Site& s) {
    const auto [it, fresh] = numbers_.try_emplace(s, static_cast<uint32_t>(sites_.size()));
    if (fresh) sites_.push_back(s), orders_.push_back(text_order(s));
    return it->second;
  }

  std::array<Recent, 512> recent_{};
  std::map<Site, uint32_t> numbers_;
  std::vector<Site> sites_;
  std::vector<uint32_t> orders_;
};

}  // namespace onefold::sim
