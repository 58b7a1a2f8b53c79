// The functions of a row that its exponentials give.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

enum class RowFunction : uint8_t { none, logsumexp, logmeanexp, softmax, log_softmax };

// Whether each element has an answer.
ONEFOLD_FN constexpr bool is_elementwise(RowFunction f) { return f >= RowFunction::softmax; }
constexpr const char* name_of(RowFunction f) {
  constexpr const char* names[] = {"", "logsumexp", "logmeanexp", "softmax", "log_softmax"};
  return names[static_cast<int>(f)];
}

}  // namespace onefold
