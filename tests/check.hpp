// Compares the library's answers with the oracle's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate.hpp"
#include "onefold/fold.hpp"
#include "oracle/fold.hpp"

namespace onefold::test {

// All ops of one array that have an answer of type `result`: "all,any,argmax,...".
std::string ops_of_one_array(DType t, std::optional<DType> result = {});

oracle::Options for_oracle(const Options& options);

// Says what is wrong with element i of each answer; empty: nothing.
std::string compare(const Answers& got, Size i, const oracle::Fold& expected,
                    const Options& options);
std::string compare(std::string_view op, const Value& got, const oracle::Value& expected);

// Returns random options that change answers; most often they are the defaults.
Options some_options(Random& r, std::size_t n);
std::string describe(const Options& options);

}  // namespace onefold::test
