#include "io/output.hpp"

#include <cstring>

namespace onefold::io {

Output::Output(const Plan& plan) {
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    Answer& a = answers_.list.emplace_back();
    a.op = plan.ops[k]->name;
    a.dtype = plan.results[k];
  }
  grow(plan.answers);
}

void Output::grow(Size answers) {
  for (Answer& a : answers_.list) {
    a.data.resize(answers * bytes_of(a.dtype));
    a.status.resize(answers);
  }
}

void Output::put(const Plan& plan, Size answer, const int64_t* state) {
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const Rounded r = finish(plan, k, state);
    Answer& a = answers_.list[k];
    const std::size_t bytes = bytes_of(a.dtype);
    std::memcpy(a.data.data() + answer * bytes, &r.bits, bytes);  // little-endian
    a.status[answer] = r.status;
  }
}

Answers Output::take(const Dims& shape) {
  for (Answer& a : answers_.list) a.shape = shape;
  return std::move(answers_);
}

}  // namespace onefold::io
