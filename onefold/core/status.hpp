// Errors that depend on the data: each output element has a status and a value.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

// bad_offsets: on a device, the offsets of a segment are invalid (segments.hpp). mismatch: ranks
// asked for different folds (nccl.hpp). bad_weights: on a device, weights are bad (docs/errors.md).
// too_few: a window has fewer elements than its answer asks for. undecided: a state's bound leaves
// the rounding of its answer open.
enum class Status : uint8_t {
  ok,
  overflow,
  nan_found,
  empty_input,
  bad_offsets,
  mismatch,
  bad_weights,
  too_few,
  undecided
};

ONEFOLD_FN constexpr const char* name_of(Status s) {
  switch (s) {
    case Status::ok:
      return "ok";
    case Status::overflow:
      return "overflow";
    case Status::nan_found:
      return "nan_found";
    case Status::empty_input:
      return "empty_input";
    case Status::bad_offsets:
      return "bad_offsets";
    case Status::mismatch:
      return "mismatch";
    case Status::bad_weights:
      return "bad_weights";
    case Status::too_few:
      return "too_few";
    case Status::undecided:
      return "undecided";
  }
  return "?";
}

enum class NanPolicy : uint8_t { propagate, omit, raise };

ONEFOLD_FN constexpr const char* name_of(NanPolicy p) {
  switch (p) {
    case NanPolicy::propagate:
      return "propagate";
    case NanPolicy::omit:
      return "omit";
    case NanPolicy::raise:
      return "raise";
  }
  return "?";
}

}  // namespace onefold
