// A user's launch whose arguments were matched with the kernel's parameters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/ptx/module.hpp"

namespace onefold::lab {

// The value of each parameter: an array's number, or bytes.
struct Bound {
  const KernelLaunch* launch = nullptr;
  struct Place {
    std::size_t offset = 0;
    std::optional<std::size_t> array{};
    std::vector<std::byte> bytes{};
    std::vector<std::pair<std::size_t, std::size_t>> pointers{};  // of a struct: where, which array
  };
  std::vector<Place> places{};
};

//   throws  bad_option, type_mismatch: the arguments do not fit the kernel's parameters
Bound bound_of(const KernelLaunch& l, const ptx::Function& f, std::span<const KernelArgument> all,
               const std::string& source);

}  // namespace onefold::lab
