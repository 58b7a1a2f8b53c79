// Sums and means of labelled elements, without sorting them.
#pragma once

#include "api/output.hpp"

namespace onefold {

enum class LabelSums : uint8_t {
  done,
  refused,    // other ops or types, or elements of too many sizes: nothing is put out
  bad_label,  // some label is no group's number: nothing is put out
};
// Folds x[i] into the group of number labels[i].
//   labels  integers or bools, as many as x; any strides
LabelSums fold_label_sums(const Plan& plan, const ArrayRef& labels, const ArrayRef& x, Size groups,
                          Output& output);

}  // namespace onefold
