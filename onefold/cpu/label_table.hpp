// A table with the sum of each group, as integers in units (units.hpp).
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "onefold/cpu/read_labels.hpp"
#include "onefold/cpu/units.hpp"
#include "onefold/system/memory.hpp"

namespace onefold::cpu_backend {

// The sums of all groups, 0 at first, in huge pages if the system has some.
class LabelTable {
 public:
  explicit LabelTable(Size groups) {
    constexpr Size huge_page = Size{2} << 20;
    const Size wanted = groups * sizeof(UnitPair), page = wanted < huge_page ? 64 : huge_page;
    const Size bytes = (wanted + page - 1) / page * page;
    const std::align_val_t alignment{page};
    memory_ = {static_cast<UnitPair*>(::operator new(bytes, alignment)), Free{alignment}};
    if (page == huge_page) system::prefer_large_pages(memory_.get(), bytes);
    std::memset(static_cast<void*>(memory_.get()), 0, wanted);
  }
  UnitPair* data() { return memory_.get(); }
  UnitPair& operator[](Size g) const { return memory_.get()[g]; }

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(UnitPair* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<UnitPair, Free> memory_;
};

// Adds each element to its group; false if a label is no group's number.
//   far  prefetches groups' words before they are needed
template <class L, bool far>
bool add_units(const std::byte* label, int64_t stride, Size n, Size groups, const UnitPair* units,
               UnitPair* table) {
  constexpr Size ahead = 32;
  // Prefetches labels, too: this loop also reads elements and groups, and no hardware prefetcher
  // keeps up with so many streams.
  constexpr int far_ahead = 4096;
  for (Size i = 0; i < n; ++i, label += stride) {
    if constexpr (far) {
      if (i + ahead < n) {
        const Size g = label_at<L>(label + static_cast<int64_t>(ahead) * stride);
        __builtin_prefetch(table + (g < groups ? g : 0), 1);
      }
    }
    if (i % 8 == 0) __builtin_prefetch(label + far_ahead);
    const Size g = label_at<L>(label);
    if (g >= groups) return false;
    table[g].high += units[i].high;
    table[g].low += units[i].low;
  }
  return true;
}
template <class L>
bool add_counts(const std::byte* label, int64_t stride, Size n, Size groups, uint32_t* counts) {
  for (Size i = 0; i < n; ++i, label += stride) {
    const Size g = label_at<L>(label);
    if (g >= groups) return false;
    ++counts[g];
  }
  return true;
}

}  // namespace onefold::cpu_backend
