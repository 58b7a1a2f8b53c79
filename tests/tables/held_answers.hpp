// A sink that keeps answers in memory, so that they can be compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "onefold/engine/request/answer_sink.hpp"

namespace onefold::test {

class AnswerBuffer : public AnswerSink {
 public:
  void begin(DType dtype, int rank) override {
    EXPECT_FALSE(begun_);
    begun_ = true;
    dtype_ = dtype;
    rank_ = rank;
  }
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override {
    EXPECT_TRUE(begun_);
    EXPECT_EQ(values.size(), statuses.size() * bytes_of(dtype_));
    const std::lock_guard lock(mutex_);
    const Size end = first + statuses.size();
    if (times_.size() < end) {
      times_.resize(end);
      held_.status.resize(end);
      held_.data.resize(end * bytes_of(dtype_));
    }
    for (Size i = first; i < end; ++i) ++times_[i];
    std::copy(statuses.begin(), statuses.end(), held_.status.data() + first);
    std::copy(values.begin(), values.end(), held_.data.data() + first * bytes_of(dtype_));
  }
  // Returns the answers, with the shape that `told` has.
  Answers all(const Answers& told) {
    const Answer& a = told.list[0];
    EXPECT_EQ(a.dtype, dtype_);
    EXPECT_LE(a.shape.rank(), rank_);
    EXPECT_TRUE(a.data.empty() && a.status.empty());
    EXPECT_TRUE(std::all_of(times_.begin(), times_.end(), [](int n) { return n == 1; }));
    held_.op = a.op;
    held_.dtype = a.dtype;
    held_.shape = a.shape;
    Answers answers;
    answers.list.push_back(held_);
    return answers;
  }

 private:
  std::mutex mutex_;
  std::vector<int> times_;
  bool begun_ = false;
  DType dtype_ = DType::f64;
  int rank_ = 0;
  Answer held_;
};

}  // namespace onefold::test
