// The sum of a text's numbers that follows a window (accumulator/decimal.hpp).
//
//   scale   most numbers are integers times 10^-k, for a k that fits the first ones: they are added
//           to one integer
//   others  are added to words, digit by digit; so are the digits that f64 cannot hold
#pragma once

#include <cmath>
#include <optional>

#include "onefold/core/accumulator/decimal.hpp"
#include "onefold/cpu/window/line.hpp"

namespace onefold::cpu_backend {

class SlidingDecimals {
 public:
  static constexpr int words = decimal::words;

  // Begins with these canonical words, of elements that never leave, and which end at `to`.
  //   end  where the last window ends
  void start(const int64_t* from, const Line& line, Size to, Size end) {
    std::copy_n(from, words, others_);
    begin_ = 0;
    to_ = to;
    sum_ = 0;
    other_count_ = lifted_ = 1;
    scale_ = decimals_of(others_);
    find_scale(line, to, end);
    take_words();
  }

  // The window is now begin .. end - 1; neither has ever been greater.
  void move(const Line& line, Size begin, Size end) {
    if (!known_) find_scale(line, begin, end);
    if (begin >= to_ && begin != begin_) {
      clear();
      begin_ = to_ = begin;
    }
    for (Size i = to_; i < end; ++i) add(line, i, 1, entering_);
    for (Size i = begin_; i < begin; ++i) add(line, i, -1, leaving_);
    if (other_count_ == 0) clear_others();
    begin_ = begin;
    to_ = end;
  }

  // Returns the sum divided by n, rounded to nearest. Nothing: that takes more than a division, or
  // the sum is 0, whose sign is not known here.
  std::optional<double> quotient(Size n) const {
    constexpr double most = 0x1p53;
    const double by = static_cast<double>(n) * power_;
    if (other_count_ != 0 || sum_ == 0 || n > Size{1} << 53 || by >= most) return {};
    if (sum_ > Int128{1} << 53 || sum_ < -(Int128{1} << 53)) return {};
    return static_cast<double>(static_cast<int64_t>(sum_)) / by;  // both are exact
  }

  // The words are not canonical.
  void put(int64_t* to) const {
    if (other_count_ != 0) {
      std::copy_n(others_, words, to);
    } else {
      std::fill_n(to, words, 0);
    }
    if (sum_ == 0) return;
    const auto add = [to](int k, int64_t v) { to[k] += v; };
    const auto magnitude = static_cast<Uint128>(sum_ < 0 ? -sum_ : sum_);
    if (magnitude >> 64 == 0) {
      decimal::add_scaled(add, static_cast<uint64_t>(magnitude), sum_ < 0, -scale_);
    } else {
      decimal::add_scaled(add, magnitude, sum_ < 0, -scale_);
    }
  }

 private:
  void clear() {
    sum_ = 0;
    other_count_ = 0;
    clear_others();
  }
  void clear_others() {
    if (lifted_ == 0) return;
    std::fill_n(others_, words, 0);
    lifted_ = 0;
  }

  // Returns how many decimals a sum has, at most `most_exponent`.
  static int decimals_of(const int64_t* w) {
    int k = 0;
    while (k < decimal::below && w[k] == 0) ++k;
    int decimals = 9 * (decimal::below - k);
    if (decimals == 0) return 0;
    for (int64_t digits = w[k]; digits % 10 == 0; digits /= 10) --decimals;
    return std::min(decimals, decimal::most_exponent);
  }

  // Makes the words part of the integer, if it can hold them.
  void take_words() {
    // The words that hold digits down to 10^-scale, and those above them up to 36 digits.
    const int low = decimal::below - (scale_ + 8) / 9, up = low + 4;
    int64_t w[words];
    std::copy_n(others_, words, w);
    const bool negative = w[words - 1] < 0;
    if (negative) {
      for (int64_t& digits : w) digits = -digits;
      decimal::carry(w, words);
    }
    const auto is_zero = [](int64_t digits) { return digits == 0; };
    if (!std::all_of(w, w + low, is_zero) || !std::all_of(w + up, w + words, is_zero)) return;
    Int128 sum = 0;
    for (int k = up; k-- > low;) sum = sum * decimal::base + w[k];
    const auto unit =
        static_cast<Int128>(decimal::power_of_ten(9 * (decimal::below - low) - scale_));
    if (sum % unit != 0) return;
    sum_ = (negative ? -sum : sum) / unit;
    other_count_ = 0;
    clear_others();
  }

  // Takes the most decimals that the first elements have, and some more, if all of them fit.
  void find_scale(const Line& line, Size begin, Size end) {
    constexpr Size sample = 16;
    known_ = true;
    double most = 0;
    for (Size i = begin; i < std::min(end, begin + sample); ++i) {
      const double x = std::fabs(reinterpret_cast<const double*>(line.x)[i]);
      decimal::Short d;
      if (!line.takes(i) || !(x > 0) || !decimal::find_short(x, d)) continue;
      most = std::max(most, x);
      decimal::drop_zeros(d, scale_);
      scale_ = std::max(scale_, -d.exponent);
    }
    const auto fits = [&](int k) {
      return k <= decimal::most_exponent && most * decimal::power_of_ten(k) <= decimal::most_digits;
    };
    while (scale_ > 0 && !fits(scale_)) --scale_;
    int room = 0;
    while (fits(scale_ + room + 1)) ++room;
    scale_ += std::min(room / 2, 2);
    power_ = decimal::power_of_ten(scale_);
  }

  auto sink(int sign) {
    other_count_ += sign;
    if (++lifted_ == most_lifted) {
      decimal::carry(others_, words);
      lifted_ = 1;
    }
    return [this, sign](int k, int64_t v) { others_[k] += sign * v; };
  }

  //   sign  1: the element enters; -1: it leaves
  //   next  of the terms: the first one that has not been met in this direction
  void add(const Line& line, Size i, int sign, std::size_t& next) {
    if (!line.takes(i)) return;
    while (next < line.terms.size() && line.terms[next].place < i) ++next;
    if (next < line.terms.size() && line.terms[next].place == i) {
      for (; next < line.terms.size() && line.terms[next].place == i; ++next) {
        onefold::add_term(sink(sign), line.terms[next]);
      }
      return;
    }
    const double x = reinterpret_cast<const double*>(line.x)[i];
    constexpr double magic = 0x1.8p52;  // 1.5 * 2^52: adding it rounds to an integer
    const double digits = (x * power_ + magic) - magic;
    if (digits / power_ == x && std::fabs(digits) <= decimal::most_digits) {
      sum_ += sign * static_cast<int64_t>(digits);
      return;
    }
    accumulator::decimal<double>::lift(sink(sign), x, i);
  }
  static constexpr Size most_lifted = Size{1} << 30;
  Int128 sum_ = 0;  // of the elements times 10^scale_
  int scale_ = 0;
  double power_ = 1;
  bool known_ = false;
  int64_t other_count_ = 0;  // parts of numbers in the words
  int64_t others_[words] = {};
  Size begin_ = 0, to_ = 0, lifted_ = 0;
  std::size_t entering_ = 0, leaving_ = 0;
};

}  // namespace onefold::cpu_backend
