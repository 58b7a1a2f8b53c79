// Folds windows of one axis.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

void fold_windows(const backend::Job& job);

}  // namespace onefold::cpu_backend
