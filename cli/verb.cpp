#include "cli/verb.hpp"

namespace onefold::cli {

std::span<const Verb* const> verbs() {
  static const Verb* const list[] = {
#define ONEFOLD_ENTRY(name) &name##_verb,
#include "generated/verb.list"
#undef ONEFOLD_ENTRY
  };
  return list;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb* verb : verbs()) {
    if (name == verb->name) return verb;
  }
  return nullptr;
}

}  // namespace onefold::cli
