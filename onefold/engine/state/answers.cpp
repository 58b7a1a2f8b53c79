#include "onefold/engine/state/answers.hpp"

#include <cstring>

namespace onefold {

Answers answers_of(const State& state, std::span<const OpRow* const> ops, const Options& options) {
  Answers answers;
  for (const OpRow* op : ops) {
    const Value value = state.answer(op->name, options);
    Answer& a = answers.list.emplace_back(
        Answer{.op = op->name, .dtype = value.dtype, .shape = {}, .data = {}, .status = {}});
    a.data.resize(bytes_of(value.dtype));
    std::memcpy(a.data.data(), &value.bits, a.data.size());
    a.status = {value.status};
  }
  return answers;
}

}  // namespace onefold
