// Accumulators that follow a window along a line: what `lift` added for an element it takes away
// again when the element leaves. Extremes are kept in two stacks.
#pragma once

#include <memory>

#include "onefold/core/accumulator.hpp"
#include "onefold/cpu/window/decimals.hpp"
#include "onefold/cpu/window/line.hpp"
#include "onefold/cpu/window/stacks.hpp"

namespace onefold::cpu_backend {

// What an accumulator holds of a window.
class Slide {
 public:
  virtual ~Slide() = default;
  // Begins with these words, of elements that never leave, and which end at `to`.
  //   end  where the last window ends
  virtual void start(const int64_t* words, const Line& line, Size to, Size end) = 0;
  // The window is now begin .. end - 1; neither has ever been greater.
  virtual void move(const Line& line, Size begin, Size end) = 0;
  virtual void put(int64_t* words) = 0;  // they are not canonical
};

template <class A>
class Sums : public Slide {
  using T = typename A::Element;

 public:
  explicit Sums(const AccumulatorRow& row) : row_(row) {}
  void start(const int64_t* words, const Line&, Size to, Size) override {
    std::copy_n(words, A::words, words_);
    begin_ = lifted_ = 0;
    to_ = to;
  }
  void move(const Line& line, Size begin, Size end) override {
    if (begin >= to_ && begin != begin_) {  // no element stays
      std::fill_n(words_, A::words, 0);
      begin_ = to_ = begin;
      lifted_ = 0;
    }
    lift<1>(line, to_, end);
    lift<-1>(line, begin_, begin);
    begin_ = begin;
    to_ = end;
  }
  void put(int64_t* words) override { std::copy_n(words_, A::words, words); }
  const int64_t* words() const { return words_; }

 private:
  template <int sign>
  void lift(const Line& line, Size from, Size to) {
    const auto add = [&](int k, int64_t v) { words_[k] += sign * v; };
    const T* const x = reinterpret_cast<const T*>(line.x);
    [[maybe_unused]] const T* const y = reinterpret_cast<const T*>(line.y);
    for (Size i = from; i < to; ++i) {
      if (!line.takes(i)) continue;
      if (++lifted_ == most_uncarried) carry_up();
      if constexpr (TwoInputs<A>) {
        A::lift(add, x[i], y[i], i);
      } else if constexpr (std::is_same_v<A, accumulator::tally<double>>) {
        // A decimal that is not 0 is not -0, although its nearest f64 may be.
        A::lift(add, x[i] == 0 && line.has_terms(i) ? 1 : x[i], i);
      } else {
        A::lift(add, x[i], i);
      }
    }
  }
  // Only digits are carried: counts that become flags must still be able to decrease.
  void carry_up() {
    lifted_ = 0;
    carry(row_, words_, row_.limbs);
  }

  const AccumulatorRow& row_;
  int64_t words_[A::words] = {};
  Size begin_ = 0, to_ = 0, lifted_ = 0;
};

template <class A>
class Ends : public Slide {
 public:
  void start(const int64_t* words, const Line&, Size to, Size) override {
    stacks_.start(load_state<A>(words), to);
  }
  void move(const Line& line, Size begin, Size end) override { stacks_.move(line, begin, end); }
  void put(int64_t* words) override { store_state<A>(words, stacks_.state()); }

 private:
  Stacks<A> stacks_;
};

// Sums of a text's numbers.
class Decimals : public Slide {
 public:
  void start(const int64_t* words, const Line& line, Size to, Size end) override {
    sum_.start(words, line, to, end);
  }
  void move(const Line& line, Size begin, Size end) override { sum_.move(line, begin, end); }
  void put(int64_t* words) override { sum_.put(words); }
  const SlidingDecimals& sum() const { return sum_; }

 private:
  SlidingDecimals sum_;
};

template <class A>
std::unique_ptr<Slide> slide_of(const AccumulatorRow& row) {
  if constexpr (std::is_same_v<A, accumulator::decimal<double>>) {
    return std::make_unique<Decimals>();
  } else if constexpr (Additive<A>) {
    return std::make_unique<Sums<A>>(row);
  } else {
    return std::make_unique<Ends<A>>();
  }
}

}  // namespace onefold::cpu_backend
