// Names of common functions that are deliberately not ops: no state of fixed size holds them.
#pragma once

#include <string>
#include <string_view>

namespace onefold {

struct NoOp {
  std::string why;  // "median cannot be folded: it needs all values at once"; empty: other words
  std::string instead;  // "; median and quantile are separate functions; see ..."
};
NoOp why_no_op(std::string_view word);

}  // namespace onefold
