#include "lab/experiment/option.hpp"

#include <charconv>

#include "onefold/error.hpp"

namespace onefold::lab {

void refuse(const std::string& what, const std::string& value, const std::string& legal) {
  throw Error(ErrorCode::bad_option,
              "lab: " + what + " \"" + value + "\" has no meaning; " + legal);
}

uint64_t number(const std::string& what, std::string_view text, uint64_t least, uint64_t most) {
  const std::string whole(text);
  const auto read = [&](std::string_view part) {
    uint64_t v = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), v);
    if (error != std::errc() || stop != part.data() + part.size() || part.empty()) {
      refuse(what, whole, "write a number such as 1000, 2^20 or 2^20+3");
    }
    return v;
  };
  uint64_t more = 0;
  if (const auto plus = text.find('+'); plus != text.npos) {
    more = read(text.substr(plus + 1));
    text = text.substr(0, plus);
  }
  uint64_t v = 0;
  if (text.starts_with("2^")) {
    const uint64_t exponent = read(text.substr(2));
    v = exponent < 40 ? uint64_t{1} << exponent : most + 1;
  } else {
    v = read(text);
  }
  if (v > most || more > most - v) refuse(what, whole, "the most is " + std::to_string(most));
  if (v + more < least) refuse(what, whole, "the least is " + std::to_string(least));
  return v + more;
}

}  // namespace onefold::lab
