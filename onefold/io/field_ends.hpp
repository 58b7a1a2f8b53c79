// Finds the ends of fields in a text: the commas and line ends outside of quotes.
//
//   speed   64 bytes at a time, by bit masks; only blocks with quotes are read byte by byte
//   quotes  open a quoted text only at the beginning of a field, or after its leading blanks;
//           elsewhere they are ordinary characters
//   source  G. Langdale, D. Lemire, Parsing gigabytes of JSON per second (2019): masks to positions
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/core/base.hpp"

#if defined(__x86_64__)
#define ONEFOLD_FIELD_ENDS
#include <immintrin.h>

#ifdef __clang__
// Clang's pragma takes one string, not two that are joined.
#define ONEFOLD_FIELD_ENDS_PRAGMA(text) _Pragma(#text)
#define ONEFOLD_FIELD_ENDS_BEGIN \
  ONEFOLD_FIELD_ENDS_PRAGMA(     \
      clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function))
#define ONEFOLD_FIELD_ENDS_END _Pragma("clang attribute pop")
#else
#define ONEFOLD_FIELD_ENDS_BEGIN \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,popcnt\")")
#define ONEFOLD_FIELD_ENDS_END _Pragma("GCC pop_options")
#endif

namespace onefold::io {

// Returns whether this processor has the instructions that the code below uses.
inline bool finds_field_ends() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
}

}  // namespace onefold::io

ONEFOLD_FIELD_ENDS_BEGIN
namespace onefold::io {

class FieldEnds {
 public:
  //   most   the most fields that are found at a time; a line with more is not found
  explicit FieldEnds(Size most) : most_(most), next_(most + block + 1), lines_(most + block) {}

  // Examines a text from the beginning of a line on. 64 bytes behind `end` must be readable.
  void look(const char* from, const char* end) {
    const char* p = from;
    uint32_t* field = next_.data() + 1;
    uint32_t* line = lines_.data();
    const uint32_t* const last = field + most_;
    quotes_ = within_ = false;
    escaped_ = nullptr;
    for (; p < end && field < last; p += block) {
      uint64_t ends = places_of(p, '\n'), quote = places_of(p, '"');
      uint64_t comma = places_of(p, ',');
      if (end - p < static_cast<std::ptrdiff_t>(block)) {
        const uint64_t left = (uint64_t{1} << (end - p)) - 1;
        comma &= left, ends &= left, quote &= left;
      }
      const auto at = static_cast<uint32_t>(p - from) + 1;
      if ((quote != 0) | within_) [[unlikely]] {
        const uint64_t kept = unquoted(from, p, comma | ends, quote);
        comma &= kept, ends &= kept;
      }
      field = put(field, at, comma | ends);
      for (; ends != 0; ends = _blsr_u64(ends)) {
        *line++ = at + static_cast<uint32_t>(_tzcnt_u64(ends));
      }
    }
    // The last line may have no line end.
    if (p >= end && !within_ && end[-1] != '\n') {
      *field++ = *line++ = static_cast<uint32_t>(end - from) + 1;
    }
    fields_ = static_cast<Size>(field - next_.data()) - 1;
    line_ends_ = static_cast<Size>(line - lines_.data());
  }

  // Returns how many fields were found; next() has where the field or line after each one begins.
  // next()[-1] is the beginning of the first field.
  Size fields() const { return fields_; }
  const uint32_t* next() const { return next_.data() + 1; }
  Size lines() const { return line_ends_; }
  const uint32_t* next_line() const { return lines_.data(); }
  bool quotes() const { return quotes_; }

 private:
  static constexpr Size block = 64;

  static uint64_t places_of(const char* p, char c) {
    const auto* const halves = reinterpret_cast<const __m256i*>(p);
    const __m256i wanted = _mm256_set1_epi8(c);
    const __m256i low = _mm256_cmpeq_epi8(_mm256_loadu_si256(halves), wanted);
    const __m256i high = _mm256_cmpeq_epi8(_mm256_loadu_si256(halves + 1), wanted);
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
  }

  // Always writes eight positions, since a branch for each would often be mispredicted.
  static uint32_t* put(uint32_t* to, uint32_t at, uint64_t mask) {
    uint32_t* const behind = to + __builtin_popcountll(mask);
    do {
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        to[k] = at + static_cast<uint32_t>(_tzcnt_u64(mask));
        mask = _blsr_u64(mask);
      }
      to += 8;
    } while (mask != 0);
    return behind;
  }

  // Returns those of the ends among 64 bytes that are outside of quotes.
  [[gnu::noinline]] uint64_t unquoted(const char* from, const char* p, uint64_t ends,
                                      uint64_t quote) {
    quotes_ = true;
    uint64_t kept = 0;
    for (uint64_t all = ends | quote; all != 0; all = _blsr_u64(all)) {
      const char* const q = p + _tzcnt_u64(all);
      if (*q != '"') {
        if (!within_) kept |= _blsi_u64(all);
      } else if (!within_) {
        const char* before = q;
        while (before > from && before[-1] == ' ') --before;
        within_ = before == from || before[-1] == ',' || before[-1] == '\n';
      } else if (q != escaped_) {
        if (q[1] == '"') {
          escaped_ = q + 1;
        } else {
          within_ = false;
        }
      }
    }
    return kept;
  }

  Size most_;
  Size fields_ = 0, line_ends_ = 0;
  std::vector<uint32_t> next_, lines_;
  bool quotes_ = false, within_ = false;
  const char* escaped_ = nullptr;  // the second of two quotes that stand for one quote
};

}  // namespace onefold::io
ONEFOLD_FIELD_ENDS_END
#endif
