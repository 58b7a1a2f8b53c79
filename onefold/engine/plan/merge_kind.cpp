#include "onefold/engine/plan/merge_kind.hpp"

#include <algorithm>
#include <string>

namespace onefold {

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return std::max<uint64_t>(hash, 1);
}

uint64_t merge_kind(DType dtype, Accumulators holds, NanPolicy nan, bool indexed,
                    const Dims& shape) {
  std::string text = std::string(name_of(dtype)) + ' ' + name_of(nan) + (indexed ? " i" : "") +
                     ' ' + to_string(shape);
  for (int a = 0; a < every_accumulator; ++a) {
    if (!holds.has(static_cast<Accumulator>(a))) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), dtype);
    text += std::string(" ") + row.name + std::to_string(row.words);
  }
  return hash_of(text);
}

}  // namespace onefold
