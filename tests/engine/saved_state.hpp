// Makes saved states with a correct CRC that contain words of other data.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/engine/crc32.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/fold.hpp"

namespace onefold::test {

using Bytes = std::vector<std::byte>;

// Returns an accumulator's words in the bytes of a state.
inline std::span<std::byte> words_of(Bytes& bytes, Accumulator a, DType t) {
  const std::string name = name_of(a);
  const uint64_t n = name.size();
  std::string pattern(reinterpret_cast<const char*>(&n), 8);
  pattern += name;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find(pattern);
  EXPECT_NE(at, text.npos);
  return std::span(bytes).subspan(at + pattern.size(),
                                  static_cast<std::size_t>(row_of(a, t).words) * 8);
}

inline void seal(Bytes& bytes) {
  const uint32_t crc = crc32_of(bytes.data(), bytes.size() - 4);
  std::memcpy(&bytes[bytes.size() - 4], &crc, 4);
}

// Returns the state of a share, as files have it: the number of all elements, and a hash.
inline Bytes of_share(Bytes bytes, uint64_t elements, uint64_t hash) {
  bytes[7] = std::byte{3};
  const uint64_t whole[] = {elements, 0, hash};
  const auto* const b = reinterpret_cast<const std::byte*>(whole);
  bytes.insert(bytes.begin() + 8, b, b + sizeof whole);
  seal(bytes);
  return bytes;
}

inline std::string refusal(const Bytes& bytes) {
  try {
    State::load(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_state);
    return e.what();
  }
  return "";
}

struct Spliced {
  const char* ops;
  std::vector<double> data;
  Accumulator accumulator;                   // its words are replaced by those of
  std::vector<double> other;                 // other data,
  const char* why;                           // the reason for which loading refuses it
  std::vector<double> y = {}, other_y = {};  // the second arrays of ops of two arrays
};

template <class T>
Bytes saved(const char* ops, const std::vector<double>& data, const std::vector<double>& second) {
  std::vector<T> x, y;
  for (const double v : data) x.push_back(static_cast<T>(v));
  for (const double v : second) y.push_back(static_cast<T>(v));
  if (std::string_view(ops) == "dot") return gather(ops, x, x).save();
  return y.empty() ? gather(ops, x).save() : gather(ops, x, y).save();
}

template <class T>
void expect_refused(const Spliced& c) {
  Bytes bytes = saved<T>(c.ops, c.data, c.y), from = saved<T>(c.ops, c.other, c.other_y);
  EXPECT_EQ(refusal(bytes), "") << "the tool itself is right";
  const auto to = words_of(bytes, c.accumulator, dtype_of<T>);
  const auto words = words_of(from, c.accumulator, dtype_of<T>);
  ASSERT_EQ(to.size(), words.size());
  std::memcpy(to.data(), words.data(), to.size());
  seal(bytes);
  EXPECT_NE(refusal(bytes).find(c.why), std::string::npos)
      << name_of(c.accumulator) << " in " << c.ops << ": \"" << refusal(bytes) << "\" instead of \""
      << c.why << '"';
}

}  // namespace onefold::test
