// The only file that includes nlohmann-json. number.cpp writes values: the library would print an
// f32 with the digits of an f64, and cannot write infinities.
#include "cli/json.hpp"

#include <nlohmann/json.hpp>

namespace onefold::cli {

std::string quote(std::string_view s) {
  return nlohmann::json(s).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string quote_list(std::span<const std::string> list) {
  std::string text;
  for (const std::string& s : list) text += (text.empty() ? "" : ", ") + quote(s);
  return "[" + text + "]";
}

}  // namespace onefold::cli
