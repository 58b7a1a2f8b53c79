// Collects the answers of a fold, which come in any order and from several threads.
//
//   sink  gets the answers of a single op in pieces of 64 KiB instead of memory. One thread then
//         calls put() in the order of the answers, or take_over() with the answers of other outputs
#pragma once

#include "onefold/core/exact/real.hpp"
#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/fold.hpp"

namespace onefold {

struct Plan;
namespace backend {
struct Output;
}

class Output {
 public:
  static constexpr Size unlimited = ~Size{0};
  // throws out_of_memory if the answers do not fit in memory, or need more than `most_bytes`
  explicit Output(const Plan& plan);
  Output(const Plan& plan, Size answers, AnswerSink* sink = nullptr, Size most_bytes = unlimited);
  // Makes room for `answers` answers, if the array's length is known only at its end.
  void grow(Size answers);
  Size size() const { return size_; }
  bool has_sink() const { return sink_ != nullptr; }
  // Rounds a canonical state to the answers of all ops, and stores them.
  void put(const Plan& plan, Size answer, const int64_t* state);
  // Stores the answers of one state as all answers; there is room for them.
  void fill(const Plan& plan, const int64_t* state);
  // Takes over n answers of another output: its answer `from` becomes answer `first`, and so on.
  void take_over(Size first, const Output& part, Size from, Size n);
  // The addresses for the answers of each op and their statuses.
  std::vector<backend::Output> all_places();
  // The bytes of one answer of each op.
  std::vector<Size> widths() const {
    std::vector<Size> bytes;
    for (const Answer& a : answers_.list) bytes.push_back(bytes_of(a.dtype));
    return bytes;
  }
  // The addresses for the answers of each op, for callers whose answers all have the status ok.
  std::vector<std::byte*> places() {
    std::vector<std::byte*> to;
    for (Answer& a : answers_.list) to.push_back(a.data.data());
    return to;
  }
  // Passes the stored answers to the sink.
  void flush();
  // Returns the answers with their shape; without values if a sink has taken them.
  Answers take(const Dims& shape);

 private:
  void set(Size k, Size answer, const Rounded& r);

  Answers answers_;
  Size size_ = 0, most_bytes_;
  AnswerSink* sink_;
  // For a sink: how many answers fit, the number of the first stored one, and how many are stored.
  Size page_ = 0, at_ = 0, held_ = 0;
};

// Names answers by the ops that were asked for: `average` is planned as a mean, and the reverse.
void name_answers(Answers& answers, std::string_view ops);

}  // namespace onefold
