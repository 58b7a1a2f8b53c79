// Names that other programs have for ops: avg is mean. An op of that name goes first.
#pragma once

#include <span>
#include <string_view>

namespace onefold {

struct Alias {
  const char* name;
  const char* op;
  const char* note;  // how the op differs from what others call so; may be empty
};
std::span<const Alias> aliases();

// Null: no alias has this name.
const Alias* find_alias(std::string_view name);

}  // namespace onefold
