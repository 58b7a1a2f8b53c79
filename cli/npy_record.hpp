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

// Returns a header for n records. Throws unsupported: two fields of one name, which NumPy refuses.
std::string npy_header(const std::vector<NpyField>& fields, Size n);

// A column of keys: bools; integers (also if each text is an integer as it is printed); otherwise
// texts as long as the longest, as code points, or as bytes if one is not UTF-8.
class KeyField {
 public:
  explicit KeyField(std::optional<DType> type) : type_(type) {}
  void see(std::string_view key);     // called for all keys before one is appended
  std::optional<DType> type() const;  // nothing: keys are text
  bool is_unicode() const { return code_points_; }
  std::string descr() const;
  void append(std::string_view key, std::string& record) const;

 private:
  std::optional<DType> type_;  // the keys' type if they come from an array; otherwise nothing
  bool integers_ = true, code_points_ = true;
  std::size_t most_bytes_ = 1, most_points_ = 1;
};

}  // namespace onefold::cli
