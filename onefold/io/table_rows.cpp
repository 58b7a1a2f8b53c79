#include "onefold/io/table_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "onefold/io/number.hpp"
#include "onefold/io/quick_number.hpp"
#include "onefold/io/quick_token.hpp"
#include "onefold/io/short_number.hpp"
#include "onefold/io/table_fields.hpp"

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

// Returns 0 or 1 as any type.
template <class T>
T truth(bool is) {
  const char digit = is ? '1' : '0', text[] = {digit, '\n'};
  const char* stop = nullptr;
  T value{};
  parse_number(text, text + 1, false, value, stop);
  return value;
}

std::string trimmed(const std::string& s) {
  const std::size_t from = s.find_first_not_of(" \t\r");
  if (from == s.npos) return {};
  return s.substr(from, s.find_last_not_of(" \t\r") + 1 - from);
}

// Parses a field with the table's marks; sets `field` to its text with plain marks.
template <class T>
NumberError parse_field(const std::string& stood, const Table& table, bool exact, T& value,
                        std::string& field) {
  if (table.decimal == '.' && table.thousands == 0 && !table.loose) {
    field = stood;  // most tables: without a copy more
  } else {
    std::optional<std::string> plain = with_plain_marks(stood, table);
    if (!plain) return NumberError::not_a_number;
    field = std::move(*plain);
  }
  if (field.empty() || std::any_of(field.begin(), field.end(), is_separator)) {
    return NumberError::not_a_number;
  }
  const char* stop = nullptr;
  const char* const end = field.data() + field.size();
  const NumberError e = parse_number(field.data(), end, exact, value, stop);
  return e == NumberError::none && stop != end ? NumberError::not_a_number : e;
}

// Finds the next comma or line end; the text is followed by text_padding line ends.
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

#include "onefold/io/read_quickly.inl"
namespace any_number {
#include "onefold/io/table_parse.inl"
}  // namespace any_number
#ifdef ONEFOLD_QUICK_TOKEN
ONEFOLD_QUICK_TOKEN_BEGIN
namespace short_numbers {
#include "onefold/io/table_parse.inl"
}  // namespace short_numbers
ONEFOLD_QUICK_TOKEN_END
#endif

#ifdef ONEFOLD_FIELD_ENDS
ONEFOLD_FIELD_ENDS_BEGIN
namespace windows {
#include "onefold/io/table_windows.inl"
}  // namespace windows
ONEFOLD_FIELD_ENDS_END
#endif

}  // namespace

RowLayout::RowLayout(const Table& t, Integers integers)
    : blanks(t.delimiter == ' '),
      exact(integers != Integers::rounded),
      refuses(integers == Integers::refused || integers == Integers::noted),
      leaves_integers(integers == Integers::noted),
      skip_bad(t.skip_bad_lines),
      pointed(t.pointed),
      quoted_commas(t.delimiter == ',' && t.decimal == ','),
      keeps_starts(!t.by.empty()),
      table(&t) {
  for (const Column& c : t.columns) {
    slot.push_back(c.slot);
    if (c.slot < 0) continue;
    const auto k = static_cast<std::size_t>(c.slot);
    if (fields.size() <= k) fields.resize(k + 1);
    fields[k] = c.fields;
  }
  // Where bad lines are left out, each fold of a table is to leave the same ones out, whichever of
  // its columns it takes.
  for (std::size_t k = 0; k < t.columns.size(); ++k) {
    const bool taken = t.columns[k].slot >= 0 || std::ranges::find(t.by, k) != t.by.end();
    if (t.columns[k].date_format.empty() || !(taken || skip_bad)) continue;
    dates.resize(t.columns.size());
    dates[k] = DateFormat(t.columns[k].date_format);
  }
  for (const std::string& word : t.missing) {
    double value = 0;
    std::string plain;
    if (parse_field(word, t, false, value, plain) == NumberError::none) sentinels.push_back(value);
  }
  // Swaps characters so that the delimiter becomes a comma and the decimal mark a point.
  const char d = blanks ? ',' : t.delimiter;
  if (t.decimal == '.' || quoted_commas) {
    const char from[] = {d, ',', d}, to[] = {',', d, ','};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  } else if (t.decimal == ',' && blanks) {
    const char from[] = {',', '.', ','}, to[] = {'.', ',', '.'};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  } else {
    // The decimal mark is a comma and fields are not separated by blanks, or the mark is neither a
    // comma nor a point.
    const char from[] = {d, t.decimal, '.'}, to[] = {',', '.', d};
    std::copy(from, from + 3, from_), std::copy(to, to + 3, to_);
  }
}

void RowLayout::put_in_place(char* begin, char* end) const {
  if (std::equal(from_, from_ + 3, to_)) return;
  const char a = from_[0], b = from_[1], c = from_[2], x = to_[0], y = to_[1], z = to_[2];
  for (char* p = begin; p != end; ++p) {
    const char k = *p;
    *p = k == a ? x : k == b ? y : k == c ? z : k;
  }
}

bool RowLayout::is_blank_here(char c) const {
  char stood = c;
  put_back(&stood, &stood + 1);
  return is_blank(stood);
}

void RowLayout::put_back(char* begin, char* end) const {
  if (std::equal(from_, from_ + 3, to_)) return;
  for (char* p = begin; p != end; ++p) {
    for (int i = 0; i < 3; ++i) {
      if (*p == to_[i]) {
        *p = from_[i];
        break;
      }
    }
  }
}

std::string RowLayout::as_it_stood(std::string_view text) const {
  std::string s(text);
  put_back(s.data(), s.data() + s.size());
  return s;
}

namespace {

// Reads a field from p to its end, with the text between its quotes.
const char* read_field(const RowLayout& layout, const char* p, const char* end,
                       std::string& field) {
  const auto ends = [&](char c) {
    return layout.blanks ? c == ' ' || c == '\t' || c == '\n' || c == '\r' : c == ',' || c == '\n';
  };
  field.clear();
  if (p < end && *p == '"') {
    for (++p; p < end; ++p) {
      if (*p == '"' && (p + 1 >= end || p[1] != '"')) break;
      if (*p == '"') ++p;
      field += *p;
    }
    if (p < end) ++p;
  }
  const char* const from = p;
  while (p < end && !ends(*p)) ++p;
  // Blanks within quotes stay.
  const char* to = p;
  while (to > from && layout.is_blank_here(to[-1])) --to;
  field.append(from, to);
  return p;
}

// Returns the text between the quotes of the field at p, and moves p to the field's end. Returns
// nothing, and leaves p, if a quote is doubled or text follows.
std::optional<std::string_view> plainly_quoted(const RowLayout& layout, const char*& p,
                                               const char* end) {
  const char* const from = p + 1;
  const auto* const close = static_cast<const char*>(
      std::memchr(from, '"', static_cast<std::size_t>(std::max<std::ptrdiff_t>(end - from, 0))));
  if (close == nullptr) return {};
  const char* q = close + 1;
  while (q < end && layout.is_blank_here(*q)) ++q;
  if (q < end && *q != ',' && *q != '\n') return {};
  p = q;
  return std::string_view(from, static_cast<std::size_t>(close - from));
}

// Returns the text of a date in ISO's notation; of another field, as it stands, or nothing if it is
// to be missing.
std::string with_dates(const RowLayout& layout, std::size_t column, std::string field) {
  if (layout.dates.empty() || !layout.dates[column]) return field;
  std::optional<std::string> text = layout.dates[column]->standard_text(field);
  if (!text && layout.table->others_are_missing) return {};
  return text ? *std::move(text) : std::move(field);
}

}  // namespace

std::optional<std::string> other_date(const RowLayout& layout, std::size_t c, const char* p,
                                      const char* end) {
  if (!layout.dates[c]) return {};
  std::string field;
  read_field(layout, p, end, field);
  field = layout.as_it_stood(field);
  const bool fits = layout.dates[c]->fits(field) || is_missing(field, layout.table->missing);
  return fits ? std::nullopt : std::optional(std::move(field));
}

void append_key(const RowLayout& layout, const char* line, const char* end, std::string& key) {
  const std::vector<std::size_t>& by = layout.table->by;
  const std::size_t last = *std::max_element(by.begin(), by.end());
  const char* p = line;
  const auto skip_blanks = [&] {
    while (p < end && (*p == ' ' || (layout.blanks && (*p == '\t' || *p == '\r')))) ++p;
  };
  const auto append_length = [&](std::size_t bytes) {
    const auto n = static_cast<uint32_t>(bytes);
    if (by.size() > 1) key.append(reinterpret_cast<const char*>(&n), sizeof n);
  };
  // Few keys, in which no quote is doubled, need no copies.
  std::array<std::string_view, 8> few;
  if (by.size() <= few.size() && !layout.blanks && layout.dates.empty()) {
    bool copied = false;
    for (std::size_t c = 0; c <= last && !copied; ++c, ++p) {
      skip_blanks();
      const bool is_key = std::find(by.begin(), by.end(), c) != by.end();
      std::string_view field;
      if (p < end && *p == '"') {
        const std::optional<std::string_view> text = plainly_quoted(layout, p, end);
        if (text) {
          field = *text;
        } else {
          std::string skipped;
          p = read_field(layout, p, end, skipped);
          copied = is_key;
        }
      } else {
        const char *const from = p, *to = p = end_of_field(p);
        while (is_key && to > from && layout.is_blank_here(to[-1])) --to;
        field = {from, static_cast<std::size_t>(to - from)};
      }
      for (std::size_t k = 0; k < by.size() && is_key; ++k) {
        if (by[k] == c) few[k] = field;
      }
    }
    for (std::size_t k = 0; k < by.size() && !copied; ++k) {
      append_length(few[k].size());
      const std::size_t from = key.size();
      key += few[k];
      layout.put_back(key.data() + from, key.data() + key.size());
    }
    if (!copied) return;
    p = line;
  }
  std::string field;
  std::vector<std::string> parts(by.size());
  for (std::size_t c = 0; c <= last; ++c) {
    skip_blanks();
    if (c < last && std::find(by.begin(), by.end(), c) == by.end() && !layout.blanks &&
        (p >= end || *p != '"')) {
      p = end_of_field(p);
    } else {
      p = read_field(layout, p, end, field);
      for (std::size_t k = 0; k < by.size(); ++k) {
        if (by[k] == c) parts[k] = field;
      }
    }
    if (!layout.blanks) ++p;
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string stood = with_dates(layout, by[k], layout.as_it_stood(parts[k]));
    append_length(stood.size());
    key += stood;
  }
}

std::string join_key(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string key;
  for (const std::string& part : parts) {
    const auto n = static_cast<uint32_t>(part.size());
    key.append(reinterpret_cast<const char*>(&n), sizeof n);
    key += part;
  }
  return key;
}

std::string_view part_of_key(std::string_view key, std::size_t parts, std::size_t k) {
  if (parts == 1) return key;
  for (;; --k) {
    uint32_t n = 0;
    std::memcpy(&n, key.data(), sizeof n);
    if (k == 0) return key.substr(sizeof n, n);
    key.remove_prefix(sizeof n + n);
  }
}

std::string_view first_parts_of_key(std::string_view key, std::size_t parts, std::size_t n) {
  if (n == 0) return {};
  if (n == 1) return part_of_key(key, parts, 0);
  const std::string_view last = part_of_key(key, parts, n - 1);
  return {key.data(), static_cast<std::size_t>(last.data() + last.size() - key.data())};
}

std::vector<std::string_view> parts_of_key(std::string_view key, std::size_t parts) {
  std::vector<std::string_view> list;
  for (std::size_t k = 0; k < parts; ++k) list.push_back(part_of_key(key, parts, k));
  return list;
}

Size capacity_of(const RowLayout& layout, std::size_t bytes) {
  // Each field takes at least the byte of its delimiter, and a line that is not blank at least two.
  const Size columns = layout.slot.size();
  return bytes / std::max<Size>(columns, 2) + 1;
}

ParsedRows parse_rows(DType t, const RowLayout& layout, const char* begin, const char* end,
                      void* values, Size capacity, bool plain) {
#ifdef ONEFOLD_FIELD_ENDS
  // Indices have 32 bits.
  const bool few = end - begin < std::ptrdiff_t{1} << 31;
  plain |= !layout.dates.empty();  // only the loop below checks dates
  if (!plain && !layout.blanks && !layout.quoted_commas && few && finds_field_ends()) {
    return visit(
        t, [&]<class T>() { return windows::parse<T>(layout, begin, end, values, capacity); });
  }
#endif
#ifdef ONEFOLD_QUICK_TOKEN
  const bool quick = __builtin_cpu_supports("sse4.1") != 0;
  if (quick && !plain && layout.pointed && layout.blanks) {
    if (t == DType::f64) {
      return short_numbers::parse<double, true>(layout, begin, end, values, capacity);
    }
    if (t == DType::f32) {
      return short_numbers::parse<float, true>(layout, begin, end, values, capacity);
    }
  }
#endif
  static_cast<void>(plain);
  return visit(t, [&]<class T>() {
    return layout.blanks ? any_number::parse<T, true>(layout, begin, end, values, capacity)
                         : any_number::parse<T, false>(layout, begin, end, values, capacity);
  });
}

}  // namespace onefold::io
