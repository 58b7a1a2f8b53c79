// Every op of the contract, from its definition, over exact numbers.
#pragma once

#include <optional>
#include <span>

#include "oracle/number.hpp"

namespace oracle {

enum class Nan { propagate, omit, raise };

struct Options {
  Nan nan = Nan::propagate;
  mpq_class ddof = 0;
  const Type* result = nullptr;  // null: the one of the contract's table
};

// The contract's ops of one array. What is added to the product later is tested beside its file.
std::span<const std::string_view> ops_of_one_array();

// The type of the contract's table.
const Type& result_type(std::string_view op, const Type& t);

// n elements side by side, looked at once.
class Fold {
 public:
  Fold(const Type& t, const void* x, std::size_t n);
  // Every op of one array.
  Value operator()(std::string_view op, const Options& options = {}) const;

 private:
  std::optional<Exact> settled(std::string_view op, Nan policy, std::string_view& status) const;
  Exact exact(std::string_view op, const Options& options, std::string_view& status) const;

  const Type& type_;
  std::size_t n_ = 0, nan_ = 0, positive_infinite_ = 0, negative_infinite_ = 0, zero_ = 0;
  std::size_t negative_zero_ = 0;
  mpz_class sum_ = 0, absolute_ = 0, square_ = 0;  // finite ones, in units of 2^unit, 2^(2 unit)
  std::optional<std::size_t> first_nan_, least_, greatest_;  // indices
  Element least_element_, greatest_element_;
};

// The sum of products.
Value dot(const Type& t, const void* x, const void* y, std::size_t n, const Options& options = {});

}  // namespace oracle
