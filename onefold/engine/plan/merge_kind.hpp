// The properties that two states must share before their words may be added.
#pragma once

#include "onefold/engine/plan/table.hpp"
#include "onefold/options.hpp"

namespace onefold {

// Returns a hash of a text, which is the same in every process and never 0.
uint64_t hash_of(std::string_view text);

// Returns a hash of these properties, which is the same in every process and never 0.
//   holds    the accumulators of the state
//   indexed  whether index ranges are kept
//   shape    the shape of the slices, if there are many
uint64_t merge_kind(DType dtype, Accumulators holds, NanPolicy nan, bool indexed,
                    const Dims& shape = {});

}  // namespace onefold
