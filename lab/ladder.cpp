#include "lab/ladder.hpp"

namespace onefold::lab {
namespace reduce {
#include "generated/reduce.inl"
}  // namespace reduce

std::span<const Entry* const> reduce_ladder() { return reduce::entries; }

const Entry* find_rung(std::span<const Entry* const> ladder, std::string_view name) {
  for (const Entry* e : ladder) {
    if (e->name == name) return e;
  }
  return nullptr;
}

}  // namespace onefold::lab
