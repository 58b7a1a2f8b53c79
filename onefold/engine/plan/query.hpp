// The ops and options of a request, parsed once from text, before there are arrays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/engine/plan/op_list.hpp"
#include "onefold/options.hpp"

namespace onefold {

struct Plan;

// Returns what an op needs of numbers from text: decimals instead of a sum, and also the f64 sum if
// its formula needs more than a sum and counts.
Accumulators needs_of_text(const OpRow& op);

struct Query {
  std::vector<const OpRow*> ops;
  Options options = {};
  bool decimals = false;  // f64 come from text; their sum is that of the text's decimals

  // throws  as parse_ops
  Query(std::string_view names, const Options& o = {}) : ops(parse_ops(names)), options(o) {}
  Query(const char* names) : Query(std::string_view(names)) {}
  Query(std::vector<const OpRow*> rows, const Options& o) : ops(std::move(rows)), options(o) {}

  std::string names() const { return names_of(ops); }
  bool two_arrays() const;  // one of its ops folds two arrays
  bool indexed() const;     // one of its ops answers with an index
  // Whether numbers of a text may have any number of digits: only sums of decimals and counts are
  // needed.
  bool takes_any_digits() const;
  // Returns the same request for other axes.
  Query with(const Axes& axes) const;
  Plan plan(const ArrayRef& x, const ArrayRef* y = nullptr) const;
};

}  // namespace onefold
