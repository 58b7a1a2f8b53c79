#include "onefold/io/arrow/keys.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

#include "onefold/io/arrow/convert.hpp"
#include "onefold/io/decimal_text.hpp"

namespace onefold::io::arrow {
namespace {

// Returns a key as Python prints it, but integers without a point: nulls turn them into floats.
template <class T>
void append_number(const std::byte* at, std::string& key) {
  T value;
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      key += "NaN";
      return;
    }
    key += shortest_text(value == 0 ? 0 : value);  // -0 becomes 0
  } else {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    key.append(text, static_cast<std::size_t>(end - text));  // a range would go through replace()
  }
}

void append_number(DType type, const std::byte* at, std::string& key) {
  if (type == DType::i64) {
    int64_t value;
    std::memcpy(&value, at, sizeof value);
    char text[24];
    const char* const end = std::to_chars(text, text + sizeof text, value).ptr;
    key.append(text, static_cast<std::size_t>(end - text));
  } else if (type == DType::boolean) {
    key += *at != std::byte{0} ? "true" : "false";
  } else if (type == DType::f16) {
    float value = 0;
    convert(DType::f16, at, nullptr, 1, DType::f32, {}, reinterpret_cast<std::byte*>(&value));
    append_number<float>(reinterpret_cast<const std::byte*>(&value), key);
  } else {
    visit(type, [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>) append_number<T>(at, key);
    });
  }
}

}  // namespace

void KeyColumn::append(Size row, std::string& key) const {
  if (!dates.empty()) {
    key += dates[row];
  } else if (!numbers) {
    const arrow_plugin::Text& t = texts[row];
    if (t.bytes < 0) {
      key += null_key;
    } else {
      key.append(t.begin, static_cast<std::size_t>(t.bytes));
    }
  } else if (present[row] == 0) {
    key += null_key;
  } else {
    append_number(*numbers, raw.data() + row * bytes_of(*numbers), key);
  }
}

// Two texts with one address and length are equal; equal texts of a dictionary have one address.
// Integers are counted from 1, so -1 has no identity.
uint64_t KeyColumn::identity(Size row) const {
  if (!dates.empty()) return 0;
  if (!numbers) {
    const arrow_plugin::Text& t = texts[row];
    constexpr int64_t most = 0xffff;
    if (t.bytes < 0 || t.bytes > most) return 0;
    const auto place = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(t.begin));
    return place << 16 | static_cast<uint64_t>(t.bytes);
  }
  if (*numbers != DType::i64 || present[row] == 0) return 0;
  uint64_t value = 0;
  std::memcpy(&value, raw.data() + row * sizeof value, sizeof value);
  return value + 1;
}

void ColumnKeys::append(Size row, std::string& key) const {
  if (columns.size() == 1) return columns[0].append(row, key);
  for (const KeyColumn& c : columns) {
    const std::size_t at = key.size();
    key.resize(at + sizeof(uint32_t));
    c.append(row, key);
    const auto n = static_cast<uint32_t>(key.size() - at - sizeof(uint32_t));
    std::memcpy(key.data() + at, &n, sizeof n);
  }
}

}  // namespace onefold::io::arrow
