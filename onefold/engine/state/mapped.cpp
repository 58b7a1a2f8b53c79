// Options and answers of folds of mapped ranges.
#include "onefold/mapped.hpp"

#include <cstring>
#include <utility>

#include "onefold/engine/state/state.hpp"

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
                std::string("a range that a function maps is read once, in its order: ") + refused +
                    " does not go with it; the function can leave out, or fold an array");
  }
  answer.result = std::exchange(gather.result, {});
  answer.wide = std::exchange(gather.wide, false);
  answer.ddof = std::exchange(gather.ddof, {});
  answer.initial = std::exchange(gather.initial, {});
  answer.empty_nan = std::exchange(gather.empty_nan, false);
}

Answers answers_of(const State& state, std::string_view ops, const Options& options) {
  Answers answers;
  for (std::size_t at = 0; at <= ops.size();) {
    const std::size_t comma = std::min(ops.find(',', at), ops.size());
    const std::string_view op = ops.substr(at, comma - at);
    const Value v = state.answer(op, options);
    Answer one{.op = std::string(op), .dtype = v.dtype};
    one.data.resize(bytes_of(v.dtype));
    std::memcpy(one.data.data(), &v.bits, one.data.size());
    one.status = {v.status};
    answers.list.push_back(std::move(one));
    at = comma + 1;
  }
  return answers;
}

}  // namespace onefold::detail
