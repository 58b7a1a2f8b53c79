// What a run in another process found, as bytes.
#pragma once

#include <memory>
#include <string>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// The launches, counters, flaws and expectations of a result.
std::string packed(const KernelResult& r);
// Puts them into `r`, which keeps the names.
void unpack(const std::string& bytes, KernelResult& r);

}  // namespace onefold::lab
