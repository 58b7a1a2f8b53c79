#include "io/table_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number.hpp"
#include "io/quick_number.hpp"
#include "io/quick_token.hpp"

namespace onefold::io {
namespace {

template <class T>
T quiet_nan() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else {
    const char word[] = "nan";
    const char* stop = nullptr;
    T value;
    parse_number(word, word + 3, false, value, stop);
    return value;
  }
}

std::string trimmed(const std::string& s) {
  const std::size_t from = s.find_first_not_of(" \t\r");
  if (from == s.npos) return {};
  return s.substr(from, s.find_last_not_of(" \t\r") + 1 - from);
}

std::string quote_text(std::string_view s) { return quote({s.data(), s.data() + s.size()}); }

// Groups of three digits, without the marks between them.
std::string without_groups(const std::string& field, char mark, char decimal) {
  const std::size_t end = std::min(field.find(decimal), field.size());
  std::size_t at = field.find(mark);
  if (at == field.npos || at > end) return field;
  const std::size_t first = !field.empty() && (field[0] == '-' || field[0] == '+') ? 1 : 0;
  if (at == first || at - first > 3) return field;
  for (; at < end; at += 4) {
    if (field[at] != mark || end - at < 4) return field;
    for (std::size_t k = 1; k < 4; ++k) {
      if (field[at + k] < '0' || field[at + k] > '9') return field;
    }
  }
  std::string plain = field;
  plain.erase(std::remove(plain.begin(), plain.end(), mark), plain.end());
  return plain;
}

// A field as it stood, by the table's marks.
template <class T>
NumberError parse_field(const std::string& stood, const Table& table, bool exact, T& value) {
  std::string field = stood;
  if (table.thousands != 0) field = without_groups(field, table.thousands, table.decimal);
  if (table.decimal != '.') {
    if (field.find('.') != field.npos) return NumberError::not_a_number;
    std::replace(field.begin(), field.end(), table.decimal, '.');
  }
  if (field.empty() || std::any_of(field.begin(), field.end(), is_separator)) {
    return NumberError::not_a_number;
  }
  const char* stop = nullptr;
  const char* const end = field.data() + field.size();
  const NumberError e = parse_number(field.data(), end, exact, value, stop);
  return e == NumberError::none && stop != end ? NumberError::not_a_number : e;
}

// The next comma or line end; text_padding bytes behind the text are line ends.
inline const char* end_of_field(const char* p) {
#if defined(__x86_64__)
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(ends));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#else
  while (*p != ',' && *p != '\n') ++p;
  return p;
#endif
}

// One loop for each way to read a number, as in text_chunk.cpp.
namespace any_number {
template <class F>
[[gnu::always_inline]] inline bool read_quickly(const char* p, F& value, const char*& stop) {
  return quick_number(p, value, stop);
}
#include "io/table_parse.inl"
}  // namespace any_number

#ifdef ONEFOLD_QUICK_TOKEN
template <class F>
[[gnu::noinline]] bool read_longer(const char* p, F& value, const char*& stop) {
  return quick_number(p, value, stop);
}

ONEFOLD_QUICK_TOKEN_BEGIN
namespace short_numbers {
template <class F>
[[gnu::always_inline]] inline bool read_quickly(const char* p, F& value, const char*& stop) {
  return quick_token(p, value, stop) || read_longer(p, value, stop);
}
#include "io/table_parse.inl"
}  // namespace short_numbers
ONEFOLD_QUICK_TOKEN_END
#endif

}  // namespace

RowLayout::RowLayout(const Table& t, bool exactly)
    : blanks(t.delimiter == ' '),
      exact(exactly),
      skip_bad(t.skip_bad_lines),
      pointed(t.pointed),
      table(&t) {
  for (const Column& c : t.columns) slot.push_back(c.slot);
  for (const std::string& word : t.missing) {
    double value = 0;
    if (parse_field(word, t, false, value) == NumberError::none) sentinels.push_back(value);
  }
  // The delimiter becomes a comma and the decimal mark a point; what they were goes where room is.
  const char d = blanks ? ',' : t.delimiter;
  if (t.decimal == '.') {
    const char from[] = {d, ',', d}, to[] = {',', d, ','};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  } else if (t.decimal == ',' && blanks) {
    const char from[] = {',', '.', ','}, to[] = {'.', ',', '.'};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  } else {
    // decimal: a comma, and the delimiter something else; or neither is plain.
    const char from[] = {d, t.decimal, '.'}, to[] = {',', '.', d};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  }
}

void RowLayout::put_in_place(char* begin, char* end) const {
  if (from_[0] == to_[0] && from_[1] == to_[1] && from_[2] == to_[2]) return;
  const char a = from_[0], b = from_[1], c = from_[2], x = to_[0], y = to_[1], z = to_[2];
  for (char* p = begin; p != end; ++p) {
    const char k = *p;
    *p = k == a ? x : k == b ? y : k == c ? z : k;
  }
}

std::string RowLayout::as_it_stood(std::string_view text) const {
  std::string s(text);
  for (char& k : s) {
    for (int i = 0; i < 3; ++i) {
      if (k == to_[i]) {
        k = from_[i];
        break;
      }
    }
  }
  return s;
}

Size capacity_of(const RowLayout& layout, std::size_t bytes) {
  // A field less its delimiter may have no bytes, but a line that is not blank has one.
  const Size columns = layout.slot.size();
  return bytes / std::max<Size>(columns, 2) + 1;
}

ParsedRows parse_rows(DType t, const RowLayout& layout, const char* begin, const char* end,
                      void* values, Size capacity, bool plain) {
#ifdef ONEFOLD_QUICK_TOKEN
  static const bool quick = __builtin_cpu_supports("sse4.1") != 0;
  if (quick && !plain && layout.pointed) {
    if (t == DType::f64) {
      return short_numbers::parse<double>(layout, begin, end, values, capacity);
    }
    if (t == DType::f32) {
      return short_numbers::parse<float>(layout, begin, end, values, capacity);
    }
  }
#endif
  static_cast<void>(plain);
  return visit(
      t, [&]<class T>() { return any_number::parse<T>(layout, begin, end, values, capacity); });
}

}  // namespace onefold::io
