#include "onefold/engine/request/output.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/system/memory.hpp"

namespace onefold {
namespace {

constexpr Size page_bytes = Size{64} << 10;

}  // namespace

Output::Output(const Plan& plan) : Output(plan, plan.answers) {}

Output::Output(const Plan& plan, Size answers, AnswerSink* sink, Size most_bytes)
    : most_bytes_(most_bytes), sink_(sink) {
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    Answer& a = answers_.list.emplace_back();
    a.op = plan.ops[k]->name;
    a.dtype = plan.results[k];
  }
  if (sink_ != nullptr) {
    Answer& page = answers_.list[0];
    page_ = page_bytes / bytes_of(page.dtype);
    page.data.resize(page_bytes);
    page.status.resize(page_);
  }
  grow(answers);
}

std::vector<backend::Output> Output::all_places() {
  std::vector<backend::Output> to;
  for (Answer& a : answers_.list) to.push_back({a.data.data(), a.status.data()});
  return to;
}

void Output::grow(Size answers) {
  size_ = answers;
  if (sink_ != nullptr) return;
  Size bytes_of_each = 0;
  for (const Answer& a : answers_.list) bytes_of_each += bytes_of(a.dtype) + sizeof(Status);
  for (Answer& a : answers_.list) {
    const Size bytes = bytes_of(a.dtype);
    try {
      if (answers > static_cast<Size>(int64_max) / bytes_of_each) throw std::bad_alloc();
      if (answers * bytes_of_each > most_bytes_) throw std::bad_alloc();
      system::resize(a.data, answers * bytes);
      system::resize(a.status, answers);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::out_of_memory, a.op + ": " + std::to_string(answers) + " answers of " +
                                                std::to_string(bytes) +
                                                " bytes do not fit in memory; fold more axes, or "
                                                "write one op to a file with --output");
    }
  }
}

void Output::set(Size k, Size answer, const Rounded& r) {
  Answer& a = answers_.list[k];
  const std::size_t bytes = bytes_of(a.dtype);
  std::memcpy(a.data.data() + answer * bytes, &r.bits, bytes);  // little-endian
  a.status[answer] = r.status;
}

void Output::put(const Plan& plan, Size answer, const int64_t* state) {
  if (sink_ != nullptr) {
    if (held_ == page_ || answer != at_ + held_) {
      flush();
      at_ = answer;
    }
    return set(0, held_++, finish(plan, 0, state));
  }
  for (std::size_t k = 0; k < plan.ops.size(); ++k) set(k, answer, finish(plan, k, state));
}

void Output::fill(const Plan& plan, const int64_t* state) {
  bool good = true;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    const Rounded r = finish(plan, k, state);
    good &= r.status == Status::ok;
    const Size room = sink_ == nullptr ? size_ : std::min(size_, page_);
    for (Size i = 0; i < room; ++i) set(k, i, r);
  }
  if (sink_ == nullptr) return;
  // If some answer has no value, the sink gets only the first page, whose status says so.
  for (at_ = 0; at_ < size_ && (good || at_ == 0); at_ += page_) {
    held_ = std::min(page_, size_ - at_);
    flush();
  }
}

void Output::flush() {
  if (sink_ == nullptr) return;
  const Answer& page = answers_.list[0];
  if (held_ > 0) {
    sink_->write(at_, std::span(page.data).first(held_ * bytes_of(page.dtype)),
                 std::span(page.status).first(held_));
  }
  held_ = 0;
}

void Output::take_over(Size first, const Output& part, Size from, Size n) {
  for (std::size_t k = 0; k < answers_.list.size(); ++k) {
    const Answer& a = part.answers_.list[k];
    const Size bytes = bytes_of(a.dtype);
    const auto values = std::span(a.data).subspan(from * bytes, n * bytes);
    const auto statuses = std::span(a.status).subspan(from, n);
    if (sink_ != nullptr) return sink_->write(first, values, statuses);
    Answer& all = answers_.list[k];
    std::copy(values.begin(), values.end(), all.data.data() + first * bytes);
    std::copy(statuses.begin(), statuses.end(), all.status.data() + first);
  }
}

Answers Output::take(const Dims& shape) {
  if (sink_ != nullptr) {
    flush();
    answers_.list[0].data.clear();
    answers_.list[0].status.clear();
  }
  for (Answer& a : answers_.list) a.shape = shape;
  return std::move(answers_);
}

void name_answers(Answers& answers, std::string_view ops) {
  const std::vector<const OpRow*> asked = parse_ops(ops);
  for (std::size_t k = 0; k < asked.size(); ++k) answers.list[k].op = asked[k]->name;
}

}  // namespace onefold
