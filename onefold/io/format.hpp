// File formats: one file each in format/, which defines `const Format format::<stem>`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

struct Format {
  const char* name;
  std::span<const std::string_view> extensions;  // with their dots
  std::string_view magic;                        // its files begin with this; empty: with anything
  // Reads the header, checks it against the options, and leaves the file at the first element.
  // Returns null for text, which is no dense array.
  //   throws  bad_header, truncated, unsupported, type_mismatch, bad_option
  DenseArray (*open)(File& file, const InputOptions& options);
};

std::span<const Format* const> formats();
const Format& find_format(std::string_view name);  // the name must exist

// Chooses the format by --format; else by extension; else by the first bytes; else text. The name
// of a stream is ignored. throws bad_option: no format of that name
const Format& choose_format(File& file, const std::string& path, const InputOptions& options);

// Says why complex numbers are refused, and what takes them.
extern const char* const why_complex;

// Returns the bytes of the elements; throws `code` if they are more than 2^63. Called by formats.
uint64_t data_bytes(const File& file, const DenseArray& array, ErrorCode code);
// throws truncated if a seekable file ends before its last element
void check_length(const File& file, const DenseArray& array, const std::string& promise);

}  // namespace onefold::io
