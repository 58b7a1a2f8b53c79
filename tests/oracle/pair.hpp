// Ops of two arrays, from their definitions, over rational numbers.
#pragma once

#include <span>

#include "oracle/fold.hpp"

namespace oracle {

std::span<const std::string_view> ops_of_pairs();

// The type of the contract's table.
const Type& result_type_of_pairs(std::string_view op, const Type& t);

Value pair(std::string_view op, const Type& t, const void* x, const void* y, std::size_t n,
           const Options& options = {});

}  // namespace oracle
