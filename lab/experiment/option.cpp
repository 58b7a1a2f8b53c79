#include "lab/experiment/option.hpp"

#include "lab/whole_value.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

void refuse(const std::string& what, const std::string& value, const std::string& legal) {
  throw Error(ErrorCode::bad_option, "lab: " + what + " \"" + value + "\" is not valid; " + legal);
}

std::string given(const std::map<std::string, std::string, std::less<>>& options,
                  std::string_view name, const char* otherwise) {
  const auto at = options.find(name);
  return at == options.end() ? otherwise : at->second;
}

uint64_t number(const std::string& what, std::string_view text, uint64_t least, uint64_t most) {
  const std::string whole(text);
  const auto v = whole_value(text);
  if (!v) refuse(what, whole, "write a number such as 1000, 2^20 or 2^20+3");
  if (*v > most) refuse(what, whole, "the largest possible value is " + std::to_string(most));
  if (*v < least) refuse(what, whole, "the smallest possible value is " + std::to_string(least));
  return static_cast<uint64_t>(*v);
}

}  // namespace onefold::lab
