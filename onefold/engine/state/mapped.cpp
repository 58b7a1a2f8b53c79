// Options and answers of folds of mapped ranges.
#include "onefold/mapped.hpp"

#include <utility>

#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/state/answers.hpp"

namespace onefold::detail {

MappedOptions::MappedOptions(const Options& options) : gather(options) {
  const char* const refused = options.where                             ? ".where"
                              : options.weights                         ? ".weights"
                              : options.fweights                        ? ".fweights"
                              : !options.axes.all() || options.keepdims ? ".axes"
                              : options.stream || options.nccl          ? ".stream"
                                                                        : nullptr;
  if (refused != nullptr) {
    throw Error(ErrorCode::bad_option,
                std::string("a range mapped by a function is read once and in order, so ") +
                    refused +
                    " cannot be used with it; skip elements in the function, or fold an array");
  }
  answer.result = std::exchange(gather.result, {});
  answer.wide = std::exchange(gather.wide, false);
  answer.ddof = std::exchange(gather.ddof, {});
  answer.initial = std::exchange(gather.initial, {});
  answer.empty_nan = std::exchange(gather.empty_nan, false);
}

Answers answers_of(const State& state, std::string_view ops, const Options& options) {
  return onefold::answers_of(state, Query(ops).ops, options);
}

}  // namespace onefold::detail
