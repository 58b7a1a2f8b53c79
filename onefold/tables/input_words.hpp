// Parses the options that say how to read input: `--header no`, `header="no"`.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "onefold/io/input.hpp"

namespace onefold::io {

// Whether the value of --where names a mask file: the file exists, or the value ends in .npy or
// names a member of an .npz. If not, the value is an expression.
bool names_mask(const std::string& where);

// Sets the option of this name: shape, offset, format, header, columns, by, where (an expression),
// let, delimiter, missing, bad-lines, decimal, thousands, numbers, non-numbers, skip, comment,
// units or union.
//   throws  bad_option: the value has no meaning here; the message lists the valid ones
void set_input(InputOptions& input, std::string_view name, const std::string& value);

// Throws bad_option if one character has two meanings.
void check_marks(const InputOptions& input);

// Reads the memory of a fold ("500MB") in bytes, and sets the part for chunks of containers.
//   throws  bad_option
Size set_memory(InputOptions& input, const std::string& value);

// Reads the number of groups for --top.
//   throws  bad_option
Size read_top(const std::string& value);

// Reads a whole number or a decimal. Returns false if `text` is neither.
template <class T>
bool read_number(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}
// Reads "0,2" or "1000x4".
bool read_list(std::string_view text, const char* separators, Dims& list);

// Throws bad_option: `value` is not valid for --option; `right` describes valid values.
[[noreturn]] void refuse_word(std::string_view option, const std::string& value,
                              const std::string& right);

}  // namespace onefold::io
