// What kernels call that no PTX defines: printf, assert, and the functions of mathematics where the
// compiler had no library of its own.
#pragma once

#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {

using Library = void (*)(Thread& t, const Instruction& i, const Call& call);
Library library_function(std::string_view name);  // null: no such function
bool library_fits(std::string_view name, const Call& call);

}  // namespace onefold::lab::ptx
