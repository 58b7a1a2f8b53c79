// Converts the results of a run in another process to bytes and back.
#pragma once

#include <memory>
#include <string>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// The launches, counters, flaws and expectations of a result.
std::string packed(const KernelResult& r);
// Reads them into `r`, which keeps the names alive.
void unpack(const std::string& bytes, KernelResult& r);

}  // namespace onefold::lab
