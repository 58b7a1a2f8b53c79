// Reads numbers, clocks and offsets of zones from the front of a text.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>

#include "onefold/io/time_text.hpp"

namespace onefold::io {

// Splits parts off the front of a text.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_; }
  bool ended() const { return text_.empty(); }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  // Takes blanks; returns whether there are any.
  bool blanks() {
    const std::size_t n = std::min(text_.find_first_not_of(" \t"), text_.size());
    text_.remove_prefix(n);
    return n > 0;
  }
  // Reads a number of `least` to `most` digits, and no more than `most`.
  bool digits(std::size_t least, std::size_t most, int64_t& value) {
    const std::size_t n = std::min({text_.find_first_not_of("0123456789"), most, text_.size()});
    if (n < least || !TextCursor(text_.substr(0, n)).number(least, most, value)) return false;
    text_.remove_prefix(n);
    return true;
  }
  // Reads a number of `least` to `most` digits that no digit follows.
  bool number(std::size_t least, std::size_t most, int64_t& value) {
    std::size_t n = 0;
    while (n < text_.size() && text_[n] >= '0' && text_[n] <= '9') ++n;
    if (n < least || n > most) return false;
    if (std::from_chars(text_.data(), text_.data() + n, value).ec != std::errc()) return false;
    text_.remove_prefix(n);
    return true;
  }
  // Reads a point and at most 9 digits, as nanoseconds; they may be missing.
  bool fraction(int64_t& ns) {
    ns = 0;
    if (!take(".")) return true;
    const std::size_t before = text_.size();
    if (!number(1, 9, ns)) return false;
    for (std::size_t n = before - text_.size(); n < 9; ++n) ns *= 10;
    return true;
  }
  // Z, UTC, GMT, +02, +0200, +02:00
  bool zone(bool& east, Clock& offset) {
    offset = {};
    east = true;
    if (take("Z") || take("UTC") || take("GMT")) return true;
    east = take("+");
    if (!east && !take("-")) return false;
    TextCursor rest = *this;
    if (rest.clock(2, 23, 59, offset)) return *this = rest, true;
    rest = *this;
    offset = {};
    int64_t digits = 0;
    if (rest.number(4, 4, digits)) {
      offset = {.hour = digits / 100, .minute = digits % 100};
    } else if (!rest.number(2, 2, offset.hour)) {
      return false;
    }
    *this = rest;
    return offset.hour <= 23 && offset.minute <= 59;
  }
  // 12:30, 12:30:59, 12:30:59.25
  bool clock(std::size_t most_digits, int64_t most_hour, int64_t most_second, Clock& c) {
    if (!number(1, most_digits, c.hour) || c.hour > most_hour || !take(":")) return false;
    if (!number(2, 2, c.minute) || c.minute > 59) return false;
    return !take(":") || (number(2, 2, c.second) && c.second <= most_second && fraction(c.ns));
  }

 private:
  std::string_view text_;
};

}  // namespace onefold::io
