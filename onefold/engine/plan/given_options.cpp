#include <algorithm>

#include "onefold/engine/plan/check.hpp"

namespace onefold {

const char* option_beside(const Options& given, std::initializer_list<std::string_view> meant) {
  // This does not compile if an option is missing from the list.
  const auto& [axes, keepdims, result, wide, nan, ddof, where, initial, weights, fweights,
               empty_nan, device, stream, threads, target, first, nccl] = given;
  const std::pair<const char*, bool> options[] = {
      {".axes", !axes.all()},
      {".keepdims", keepdims},
      {".result", result.has_value()},
      {".wide", wide},
      {".nan", nan != NanPolicy::propagate},
      {".ddof", ddof != Correction()},
      {".where", where.has_value()},
      {".initial", initial.has_value()},
      {".weights", weights.has_value()},
      {".fweights", fweights.has_value()},
      {".empty_nan", empty_nan},
      {".device", device != Device()},
      {".stream", stream != nullptr},
      {".threads", threads != 0},
      {".target", !target.empty()},
      {".first", first != 0},
      {".nccl", nccl != nullptr},
  };
  for (const auto& [name, is_set] : options) {
    if (is_set && std::find(meant.begin(), meant.end(), name) == meant.end()) return name;
  }
  return nullptr;
}

}  // namespace onefold
