// The answers while they come in, in any order and from several threads.
//
//   sink  gets one op's answers in pieces of 64 KiB; then nothing else holds them. put() comes in
//         the order of the answers from one thread, or take_over() with those of other outputs
#pragma once

#include "api/answer_sink.hpp"
#include "backend/backend.hpp"
#include "onefold/fold.hpp"
#include "plan/plan.hpp"

namespace onefold {

class Output {
 public:
  static constexpr Size unlimited = ~Size{0};
  // throws  out_of_memory where so many answers do not fit, or need more than `most_bytes`
  explicit Output(const Plan& plan) : Output(plan, plan.answers) {}
  Output(const Plan& plan, Size answers, AnswerSink* sink = nullptr, Size most_bytes = unlimited);
  // Room for more answers: for arrays whose length shows only at their end.
  void grow(Size answers);
  Size size() const { return size_; }
  bool has_sink() const { return sink_ != nullptr; }
  // Rounds a canonical state.
  void put(const Plan& plan, Size answer, const int64_t* state);
  // All answers are that of one state, and there is room for them.
  void fill(const Plan& plan, const int64_t* state);
  // n answers of another output, from `from` on, as `first` and those after it.
  void take_over(Size first, const Output& part, Size from, Size n);
  // Where the answers to each op go, and their statuses.
  std::vector<backend::Output> all_places() {
    std::vector<backend::Output> to;
    for (Answer& a : answers_.list) to.push_back({a.data.data(), a.status.data()});
    return to;
  }
  // Bytes of an answer to each op.
  std::vector<Size> widths() const {
    std::vector<Size> bytes;
    for (const Answer& a : answers_.list) bytes.push_back(bytes_of(a.dtype));
    return bytes;
  }
  // Where the answers to each op go, for those whose status is ok.
  std::vector<std::byte*> places() {
    std::vector<std::byte*> to;
    for (Answer& a : answers_.list) to.push_back(a.data.data());
    return to;
  }
  // To the sink, what was put.
  void flush();
  // The answers, with their shape; of a sink's answer no values.
  Answers take(const Dims& shape);

 private:
  void set(Size k, Size answer, const Rounded& r);

  Answers answers_;
  Size size_ = 0, most_bytes_;
  AnswerSink* sink_;
  Size page_ = 0, at_ = 0, held_ = 0;  // of a sink: room, the first answer held, and how many are
};

}  // namespace onefold
