// Statistics of elements with weights, from their definitions, over rational numbers.
#pragma once

#include <span>

#include "oracle/fold.hpp"

namespace oracle {

// mean, average, var, std of one array; mse, rmse, mae, cov, total_var, total_std, corr, slope,
// intercept of two.
std::span<const std::string_view> ops_with_weights();

//   y       null: an op of one array
//   w       the weights, of x's type
Value weighted(std::string_view op, const Type& t, const void* x, const void* y, const void* w,
               std::size_t n, const Options& options = {});

}  // namespace oracle
