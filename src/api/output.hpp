// The answers while they come in, in any order and from several threads.
#pragma once

#include "backend/backend.hpp"
#include "onefold/fold.hpp"
#include "plan/plan.hpp"

namespace onefold {

class Output {
 public:
  // throws  out_of_memory where so many answers do not fit
  explicit Output(const Plan& plan) : Output(plan, plan.answers) {}
  Output(const Plan& plan, Size answers);
  // Room for more answers: for arrays whose length shows only at their end.
  void grow(Size answers);
  Size size() const { return answers_.list[0].size(); }
  // Rounds a canonical state.
  void put(const Plan& plan, Size answer, const int64_t* state);
  // Where the answers to each op go, and their statuses.
  std::vector<backend::Output> all_places() {
    std::vector<backend::Output> to;
    for (Answer& a : answers_.list) to.push_back({a.data.data(), a.status.data()});
    return to;
  }
  // Where the answers to each op go, for those whose status is ok.
  std::vector<std::byte*> places() {
    std::vector<std::byte*> to;
    for (Answer& a : answers_.list) to.push_back(a.data.data());
    return to;
  }
  // The answers, with their shape.
  Answers take(const Dims& shape);

 private:
  Answers answers_;
};

}  // namespace onefold
