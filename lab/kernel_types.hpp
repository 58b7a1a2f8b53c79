// Checks whether an argument of --args has the type of the kernel's parameter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// Returns "int const*", "int*", "unsigned int" for "_Z3sumPKiPij"; nothing for a plain name.
std::vector<std::string> parameter_types(const std::string& mangled);

// Pointers to structs, void and bytes are not checked, and neither is the sign of integers.
//   throws  type_mismatch: "x is f64[1000], and parameter 1 of sum is const float*; give f32"
void check_type(const KernelArgument& a, const std::string& parameter, std::size_t index,
                const std::string& kernel);

// Returns the type that C calls "float", "unsigned int" or "char"; nothing for other names.
std::optional<DType> dtype_of_c(std::string_view name);

// Returns the type of the elements of a parameter "float const*"; nothing for structs and numbers.
std::optional<DType> pointed_type(const std::string& parameter);

// Returns "x:f32[1000]=iota, y:i32[1000]=iota, n=1000" for parameters of these types and names;
// without names a, b, c.
std::string example_arguments(const std::vector<std::string>& parameters,
                              const std::vector<std::string>& names);
// Returns the names of a kernel's parameters, from its text; nothing if they are not found.
std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel);

}  // namespace onefold::lab
