// The properties that two states must share before their words may be added.
#pragma once

#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold {

// A number of a text, the same in every process: never 0.
uint64_t hash_of(std::string_view text);

// A number of it, the same in every process: never 0.
//   holds    the accumulators
//   indexed  whether ranges matter
//   shape    of the slices, where there are many
uint64_t merge_kind(DType dtype, Accumulators holds, NanPolicy nan, bool indexed,
                    const Dims& shape = {});

}  // namespace onefold
