// Functions of a row, which are no ops.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

enum class RowFunction : uint8_t {
  none,
  logsumexp,
  logmeanexp,
  logsumexp_state,  // words of exponential/state.hpp
  logsumexp_of_states,
  logmeanexp_of_states,
  softmax,
  log_softmax,
  rms_norm,
  layer_norm
};

// Whether each element has an answer.
ONEFOLD_FN constexpr bool is_elementwise(RowFunction f) { return f >= RowFunction::softmax; }
ONEFOLD_FN constexpr bool is_norm(RowFunction f) { return f >= RowFunction::rms_norm; }
constexpr bool is_state(RowFunction f) {
  return f >= RowFunction::logsumexp_state && f <= RowFunction::logmeanexp_of_states;
}
constexpr const char* name_of(RowFunction f) {
  constexpr const char* names[] = {"",
                                   "logsumexp",
                                   "logmeanexp",
                                   "gather_logsumexp",
                                   "logsumexp_of_states",
                                   "logmeanexp_of_states",
                                   "softmax",
                                   "log_softmax",
                                   "rms_norm",
                                   "layer_norm"};
  return names[static_cast<int>(f)];
}

}  // namespace onefold
