// Names that other programs use for Onefold's ops.
#pragma once

#include <span>
#include <string>

namespace onefold::cli {

struct Alias {
  const char* name;
  const char* op;
  const char* note;  // the difference between others' meaning and ours; may be empty
};
std::span<const Alias> aliases();

bool is_op(std::string_view name);

// Returns a list of ops with aliases replaced; stderr says once what an alias stands for.
//   throws  unknown_op: a name that deliberately is no op, such as median
std::string own_names(const std::string& ops);

}  // namespace onefold::cli
