// Writes keys and answers as records: NumPy's structured arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/array.hpp"

namespace onefold::cli {

struct NpyField {
  std::string name, descr;
};

// A header for n records. Throws unsupported: two fields of one name, as NumPy does.
std::string npy_header(const std::vector<NpyField>& fields, Size n);

// A column of keys: bools; integers, also where every key of a text is one as it is printed; else
// text of the longest, as code points or, where it is no UTF-8, as bytes.
class KeyField {
 public:
  explicit KeyField(std::optional<DType> type) : type_(type) {}
  void see(std::string_view key);     // all, before one is appended
  std::optional<DType> type() const;  // none: text
  bool is_unicode() const { return code_points_; }
  std::string descr() const;
  void append(std::string_view key, std::string& record) const;

 private:
  std::optional<DType> type_;  // of an array; none: the keys say
  bool integers_ = true, code_points_ = true;
  std::size_t most_bytes_ = 1, most_points_ = 1;
};

}  // namespace onefold::cli
