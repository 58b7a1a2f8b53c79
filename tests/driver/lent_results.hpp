// Lends the memory for answers to a simulated machine.
#pragma once

#include "driver/lent.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"

namespace onefold::test {

template <kernel::OpSet ops>
class LentResults {
 public:
  LentResults(sim::Engine& gpu, const kernel::Results<HostArguments, ops>& passed, Size answers,
              Size state_words)
      : state_(gpu, "state", passed.state, state_words),
        at{.state = state_.at(), .correction = passed.correction, .nan = passed.nan, .place = {}} {
    for (int k = 0; k < count; ++k) {
      const kernel::Place<HostArguments>& p = passed.place[k];
      values_[k] =
          std::make_unique<Lent<uint8_t>>(gpu, "answer", p.value, answers * bytes_of(p.dtype));
      statuses_[k] = std::make_unique<Lent<uint8_t>>(gpu, "status", p.status, answers);
      at.place[k] = {.value = values_[k]->at(),
                     .status = statuses_[k]->at(),
                     .dtype = p.dtype,
                     .has_status = p.has_status,
                     .empty_nan = p.empty_nan};
    }
  }

 private:
  static constexpr int count = kernel::count_ops(ops);
  Lent<int64_t> state_;
  std::unique_ptr<Lent<uint8_t>> values_[count + 1], statuses_[count + 1];

 public:
  kernel::Results<Sim, ops> at;
};

}  // namespace onefold::test
