#include "api/output.hpp"

#include <cstring>
#include <new>

namespace onefold {

Output::Output(const Plan& plan, Size answers) {
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    Answer& a = answers_.list.emplace_back();
    a.op = plan.ops[k]->name;
    a.dtype = plan.results[k];
  }
  grow(answers);
}

void Output::grow(Size answers) {
  for (Answer& a : answers_.list) {
    const Size bytes = bytes_of(a.dtype);
    try {
      if (answers > static_cast<Size>(int64_max) / bytes) throw std::bad_alloc();
      a.data.resize(answers * bytes);
      a.status.resize(answers);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::out_of_memory, a.op + ": " + std::to_string(answers) + " answers of " +
                                                std::to_string(bytes) +
                                                " bytes do not fit memory; fold more axes");
    }
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

}  // namespace onefold
