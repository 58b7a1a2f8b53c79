// Names that other programs use for Onefold's ops.
#pragma once

#include <span>
#include <string>

namespace onefold::cli {

struct Alias {
  const char* name;
  const char* op;
  const char* note;  // what others mean by it and we do not; may be empty
};
std::span<const Alias> aliases();

bool is_op(std::string_view name);

// The ops of a list under their own names; what an alias stands for is said on stderr, once.
//   throws  unknown_op: what is no op on purpose, such as median
std::string own_names(const std::string& ops);

}  // namespace onefold::cli
