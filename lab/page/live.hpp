// The page on which kernels are edited and run: lab.html, which holds the lab as WebAssembly, and
// the page of `onefold lab serve`, which compiles CUDA.
#pragma once

#include <string>
#include <string_view>

namespace onefold::lab {

// Returns the page's kernels as JSON; `as_ptx`: compiled, with the ladder; else as CUDA C++.
std::string live_examples(bool as_ptx);

// Returns the page.
//   module  the script with the WebAssembly; empty: a server runs the kernels
std::string live_page(const std::string& module, const std::string& examples);

}  // namespace onefold::lab
