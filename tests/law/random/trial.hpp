// Tries random folds: runs each in two ways, judges its answers, and shrinks those that are wrong.
#pragma once

#include <map>
#include <optional>

#include "law/random/draw.hpp"

namespace onefold::law {

// How many folds were tried and how many of their answers judged: of each kind, op, type, ...
struct Judged {
  uint64_t folds = 0, answers = 0;
};
using Tally = std::map<std::string, std::map<std::string, Judged>>;  // by "kind", "op", ..

// Says what is wrong with the answers of a fold; nothing if all are right.
//   tally  if not null, the answers are counted
std::optional<std::string> wrong(const Draw&, Tally* tally = nullptr);

// The smallest fold that a few simple steps lead to, and whose answers are still wrong.
Draw shrunk(const Draw&);

}  // namespace onefold::law
