// Functions that kernels call and PTX does not define: printf, assert, and mathematical functions
// if the compiler had no library.
#pragma once

#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {

using Library = void (*)(Thread& t, const Instruction& i, const Call& call);
Library library_function(std::string_view name);  // null: there is none
bool library_fits(std::string_view name, const Call& call);

}  // namespace onefold::lab::ptx
