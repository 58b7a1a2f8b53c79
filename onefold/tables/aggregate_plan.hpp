// Plans which walks answer the calls of aggregate.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/io/expression.hpp"
#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Calls that one walk over the files answers: each op of each column, or of the pair of columns.
struct CallFamily {
  // counts: of values of text; rows: their number, by a column of ones; ends: the first and the
  // last value; weighted, repeated: with a column of weights, or of numbers of times
  enum class Walk : uint8_t {
    numbers,
    counts,
    rows,
    pair,
    quantiles,
    texts,
    times,
    ends,
    weighted,
    repeated
  };
  Walk walk = Walk::numbers;
  std::vector<std::string> ops;
  std::vector<std::string> columns;  // words for --columns
  std::vector<Quantile> quantiles = {};
  bool numbers = false;      // ends: of a column of numbers
  bool whole = false;        // one answer of all rows, whatever their keys are
  std::string weights = {};  // weighted, repeated: the word of their column
  std::string let = {};      // --let of the columns that are expressions
  // i64, u64: of columns that a file stores as such; none: as --dtype says
  std::optional<DType> dtype = {};
};

// An op of a column of a family, or an expression of other calls.
struct PlannedCall {
  std::string name, label;  // "sum(price)"; as the user called it
  std::size_t family = 0, op = 0, column = 0;
  bool shown = false;                   // else only other calls or --having have it
  bool whole = false;                   // total(...): of all rows
  bool number = false;                  // a first or last value of a column of numbers
  bool narrow = false;                  // whose texts are shortest for f32
  std::optional<DType> integer = {};    // i64, u64: which the file stores as such
  std::string let = {};                 // --let of its column, which is an expression
  std::optional<Node> expression = {};  // of calls before it; then it has no family
};

struct AggregatePlan {
  FileRequest request;  // with the keys that expressions make
  std::vector<CallFamily> families;
  std::vector<PlannedCall> calls;
  std::optional<Node> having;
  std::shared_ptr<const Table> table = {};  // of the first file; null: it is not known
};

//   throws  bad_option, unknown_op: what is wrong with the lists
AggregatePlan plan_aggregate(const std::string& list, const std::string& having,
                             const std::vector<std::string>& files, const FileRequest& asked);

}  // namespace onefold::io
