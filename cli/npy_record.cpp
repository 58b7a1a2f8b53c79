#include "cli/npy_record.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "cli/output.hpp"
#include "onefold/error.hpp"

namespace onefold::cli {
namespace {

std::string python_text(const std::string& name) {
  std::string text = "'";
  for (const char c : name) text += c == '\'' || c == '\\' ? std::string("\\") + c : std::string{c};
  return text + "'";
}

bool is_integer(std::string_view key, int64_t& value) {
  const char* const end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, value);
  return error == std::errc() && stop == end && std::to_string(value) == key;
}

// Removes the next code point from `key`; returns false if it is not UTF-8.
bool next_point(std::string_view& key, uint32_t& point) {
  const auto first = static_cast<unsigned char>(key[0]);
  const std::size_t n = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || key.size() < n) return false;
  point = n == 1 ? first : first & (0x7fu >> n);
  for (std::size_t k = 1; k < n; ++k) {
    const auto c = static_cast<unsigned char>(key[k]);
    if (c >> 6 != 2) return false;
    point = point << 6 | (c & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[n] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
  key.remove_prefix(n);
  return true;
}

void append_bytes(uint64_t bits, std::size_t n, std::string& record) {
  for (std::size_t k = 0; k < n; ++k) record += static_cast<char>(bits >> (8 * k));
}

}  // namespace

std::string npy_header(const std::vector<NpyField>& fields, Size n) {
  std::string text = "{'descr': [";
  std::set<std::string> names;
  for (const NpyField& f : fields) {
    if (!names.insert(f.name).second) {
      throw Error(ErrorCode::unsupported,
                  "--output: two columns would have the same name in the .npy file: " + f.name +
                      "; write a .csv file");
    }
    text += (names.size() == 1 ? "(" : ", (") + python_text(f.name) + ", '" + f.descr + "')";
  }
  text += "], 'fortran_order': False, 'shape': (" + std::to_string(n) + ",), }";
  // Version 3, since names are UTF-8 and may be many. Magic, version and length take 12 bytes.
  text.append((64 - (12 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x03\x00", 8);
  append_bytes(text.size(), 4, header);
  return header + text;
}

void KeyField::see(std::string_view key) {
  int64_t value = 0;
  if (integers_ && !type_) integers_ = is_integer(key, value);
  most_bytes_ = std::max(most_bytes_, key.size());
  std::size_t points = 0;
  uint32_t point = 0;
  while (code_points_ && !key.empty()) {
    code_points_ = next_point(key, point);
    ++points;
  }
  most_points_ = std::max(most_points_, points);
}

std::optional<DType> KeyField::type() const {
  if (type_ || !integers_) return type_;
  return DType::i64;
}

std::string KeyField::descr() const {
  if (type()) return npy_type(*type());
  return code_points_ ? "<U" + std::to_string(most_points_) : "|S" + std::to_string(most_bytes_);
}

void KeyField::append(std::string_view key, std::string& record) const {
  if (type_ == DType::boolean) return append_bytes(key == "true", 1, record);
  if (type_ || integers_) {
    uint64_t bits = 0;
    int64_t value = 0;
    if (is_integer(key, value)) {
      bits = static_cast<uint64_t>(value);
    } else {
      std::from_chars(key.data(), key.data() + key.size(), bits);
    }
    return append_bytes(bits, type_ ? bytes_of(*type_) : 8, record);
  }
  const std::size_t end = record.size() + (code_points_ ? 4 * most_points_ : most_bytes_);
  uint32_t point = 0;
  if (!code_points_) record += key;
  while (code_points_ && !key.empty() && next_point(key, point)) append_bytes(point, 4, record);
  record.resize(end, '\0');
}

}  // namespace onefold::cli
