#include "onefold/io/zarr/attributes.hpp"

#if __has_include(<nlohmann/json.hpp>)
#include <cstring>
#include <limits>
#include <optional>

namespace onefold::io::zarr {
namespace {

// Replaces the bytes of an attribute by those of a number.
template <class T>
void add_number(CfAttribute& a, DType type, T value) {
  a.dtype = type;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  a.numbers.insert(a.numbers.end(), bytes, bytes + sizeof value);
}
bool add_number(CfAttribute& a, const Json& j) {
  if (j.is_number_unsigned() && j.get<uint64_t>() > static_cast<uint64_t>(int64_max)) {
    add_number(a, DType::u64, j.get<uint64_t>());
  } else if (j.is_number_integer()) {
    add_number(a, DType::i64, j.get<int64_t>());
  } else if (j.is_number()) {
    add_number(a, DType::f64, j.get<double>());
  } else if (j == "NaN") {
    add_number(a, DType::f64, std::numeric_limits<double>::quiet_NaN());
  } else {
    return false;
  }
  return true;
}

// xarray writes a fill value of floats, of version 3, as the base64 text of an f64.
std::optional<double> of_base64(const std::string& text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() != 12 || text.back() != '=') return {};
  Uint128 bits = 0;
  for (const char c : text.substr(0, 11)) {
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) return {};
    bits = bits << 6 | digit;
  }
  bits >>= 2;  // 66 bits, of which the first 64 are the number's, the lowest byte first
  double value = 0;
  std::byte bytes[8];
  for (int k = 0; k < 8; ++k) bytes[k] = static_cast<std::byte>(bits >> (56 - 8 * k) & 0xff);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

std::string shown(const std::string& text) {
  std::string s;
  for (const char c : text.substr(0, 40)) s += c >= ' ' && c <= '~' ? c : '?';
  return s;
}
std::string shown(const Json& j) {
  if (j.is_string()) return shown(j.get<std::string>());
  return j.is_structured() ? "a structure"
                           : shown(j.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::map<std::string, CfAttribute> attributes_of(const File& file, const Json& all, DType dtype) {
  std::map<std::string, CfAttribute> found;
  if (!all.is_object()) return found;
  for (const char* name :
       {"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned"}) {
    if (!all.contains(name) || all[name].is_null()) continue;
    const Json& value = all[name].is_array() && all[name].size() == 1 ? all[name][0] : all[name];
    CfAttribute a;
    if (!add_number(a, value)) {
      if (!value.is_string()) {
        file.fail(ErrorCode::unsupported,
                  "its attribute " + std::string(name) + " is not a number");
      }
      const auto text = value.get<std::string>();
      const std::optional<double> packed = of_base64(text);
      if (packed && is_floating(dtype)) {
        add_number(a, DType::f64, *packed);
      } else {
        a.text = text;
      }
    }
    // Scales are floats, although JSON does not distinguish 2 from 2.0.
    const bool scales =
        name == std::string_view("scale_factor") || name == std::string_view("add_offset");
    if (scales && value.is_number()) {
      a = {};
      add_number(a, DType::f64, value.get<double>());
    }
    found[name] = std::move(a);
  }
  for (const char* name : {"units", "calendar"}) {
    if (all.contains(name) && all[name].is_string()) found[name].text = all[name];
  }
  return found;
}

}  // namespace onefold::io::zarr
#endif
