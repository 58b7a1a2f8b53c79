// Quantiles of numbers that have weights, or that count several times.
#pragma once

#include <functional>
#include <vector>

#include "onefold/engine/quantile/slices.hpp"

namespace onefold {

// Finds the quantiles of weighted keys, and calls put(k, bits) for the k-th one. Sorts the keys.
//
//   q        the least number that, with all below it, has q of the weight: sums of weights are
//            compared exactly. Method averaged_inverted_cdf: halfway to the next number where they
//            are equal. Weights that are numbers of elements take every method
//   sums     integers, in units of the lowest bit of a weight: of 128 bits where that suffices,
//            else of 2,304
//   throws   bad_option: the numbers of elements have a sum of 2^59 or more
//   keys     none has a weight of 0
void select_weighted(const std::vector<Quantile>& quantiles, std::vector<WeightedKey<double>>& keys,
                     DType dtype, DType type,
                     const std::function<void(std::size_t k, uint64_t bits)>& put);
void select_weighted(const std::vector<Quantile>& quantiles,
                     std::vector<WeightedKey<uint64_t>>& keys, bool repeats, DType dtype,
                     DType type, const std::function<void(std::size_t k, uint64_t bits)>& put);

// Checks that all methods are meant for weights.
//   throws  bad_option
void check_weighted(const std::string& name, const std::vector<Quantile>& quantiles);

}  // namespace onefold
