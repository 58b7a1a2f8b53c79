// A user's request, parsed once from text or options and then passed on as this struct.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/options.hpp"
#include "plan/op_list.hpp"

namespace onefold {

struct Plan;

// What an op needs of numbers of a text: decimals wherever it needs a sum, and the sum of f64 too
// if its formula takes more than a sum and counts.
Accumulators needs_of_text(const OpRow& op);

struct Request {
  std::vector<const OpRow*> ops;
  Options options = {};
  bool decimals = false;  // f64 are numbers of a text, whose sum is that of its decimals

  // throws  as parse_ops
  Request(std::string_view names, const Options& o = {}) : ops(parse_ops(names)), options(o) {}
  Request(const char* names) : Request(std::string_view(names)) {}
  Request(std::vector<const OpRow*> rows, const Options& o) : ops(std::move(rows)), options(o) {}

  std::string names() const { return names_of(ops); }
  bool two_arrays() const;  // an op of them folds two
  bool indexed() const;     // an op of them answers with an index
  // Of a text it needs sums of decimals and counts alone, which integers of any length have.
  bool takes_any_digits() const;
  // The same request with other axes.
  Request with(const Axes& axes) const;
  Plan plan(const ArrayRef& x, const ArrayRef* y = nullptr) const;
};

}  // namespace onefold
