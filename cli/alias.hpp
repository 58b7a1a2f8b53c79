// Names that other programs use for Onefold's ops.
#pragma once

#include <string>
#include <string_view>

#include "onefold/engine/plan/alias.hpp"

namespace onefold::cli {

bool is_op(std::string_view name);

// Prints what an alias stands for to stderr.
void say_alias(const Alias& alias);

// Returns a list of ops with aliases replaced; stderr says once what an alias stands for.
//   file    for messages, which suggest commands
//   throws  unknown_op: a name that deliberately is not an op, such as median
std::string own_names(const std::string& ops, const std::string& file = "FILE");

}  // namespace onefold::cli
