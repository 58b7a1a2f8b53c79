// Judges one answer of a problem: its elements are folded alone, by the oracle.
#pragma once

#include <optional>

#include "law/random/problem.hpp"
#include "oracle/fold.hpp"

namespace onefold::law {

// The oracle has its ops; the definition judges others (definition.hpp).
bool oracle_has(const OpRow& op, bool weighted);

class Judge {
 public:
  Judge(const Problem&, Size answer);
  // Says what is wrong with an answer; empty: nothing.
  std::string wrong(const OpRow& op, const Value& got);
  Value expected(const OpRow& op);
  Value expected_by_definition(const OpRow& op) const;
  std::string elements() const;  // the first ones, as bits

 private:
  void select(const std::vector<Size>& all);
  oracle::Value ask(const OpRow& op, const oracle::Options&);
  Value index_value(const OpRow& op);

  const Problem& p_;
  const oracle::Type& type_;
  Data x_, y_, w_;
  std::vector<Size> index_;  // of each selected element, within all of the answer
  std::vector<Size> times_;  // of each, how often its weight repeats it
  std::optional<oracle::Fold> fold_;
};

}  // namespace onefold::law
