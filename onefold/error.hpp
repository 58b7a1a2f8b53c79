// Everything that can go wrong, in one table, and the exception that carries it.
#pragma once

#include <stdexcept>
#include <string>

#include "onefold/core/base.hpp"
#include "onefold/core/cxx20.hpp"

// ONEFOLD_ERROR(code, exit status of the program, meaning).
#define ONEFOLD_ERRORS(ONEFOLD_ERROR)                                                        \
  ONEFOLD_ERROR(bad_option, 2, "an option or argument is invalid or does not apply here")    \
  ONEFOLD_ERROR(unknown_op, 3, "no op has this name")                                        \
  ONEFOLD_ERROR(bad_axis, 4, "an axis is out of range or named twice")                       \
  ONEFOLD_ERROR(shape_mismatch, 5, "array shapes do not match")                              \
  ONEFOLD_ERROR(type_mismatch, 6, "element types do not match")                              \
  ONEFOLD_ERROR(no_backend, 7, "the requested device cannot be used")                        \
  ONEFOLD_ERROR(overlap, 8, "states to be merged cover the same elements")                   \
  ONEFOLD_ERROR(bad_state, 9, "not a saved state, or states of different kinds")             \
  ONEFOLD_ERROR(misaligned, 10, "an array on a device is not aligned to its element size")   \
  ONEFOLD_ERROR(overflow, 20, "the exact value does not fit the result type")                \
  ONEFOLD_ERROR(nan_found, 21, "a NaN was found and --nan raise was given")                  \
  ONEFOLD_ERROR(empty_input, 22, "no elements, and the op has no value for empty input")     \
  ONEFOLD_ERROR(cannot_open, 30, "a file is missing, is a directory or may not be read")     \
  ONEFOLD_ERROR(read_failed, 31, "reading failed or the file changed while it was read")     \
  ONEFOLD_ERROR(truncated, 32, "a file is shorter than its header or format requires")       \
  ONEFOLD_ERROR(bad_header, 33, "a file's header is damaged or inconsistent")                \
  ONEFOLD_ERROR(unsupported, 34, "a valid file or type that is not supported")               \
  ONEFOLD_ERROR(bad_token, 35, "text that is not a number")                                  \
  ONEFOLD_ERROR(out_of_range, 36, "a number in a text is out of range for its element type") \
  ONEFOLD_ERROR(needs_seek, 37, "this needs a seekable file, not a pipe")                    \
  ONEFOLD_ERROR(cannot_write, 38, "the output could not be written")                         \
  ONEFOLD_ERROR(out_of_memory, 50, "memory ran out")                                         \
  ONEFOLD_ERROR(device_failed, 51, "the device or its driver reported an error")             \
  ONEFOLD_ERROR(peer_failed, 52, "another process failed or cannot be reached")              \
  ONEFOLD_ERROR(internal, 70, "a defect in onefold")

namespace onefold {

enum class ErrorCode : uint8_t {
  ok,
#define ONEFOLD_ERROR(code, exit_status, meaning) code,
  ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
};

constexpr const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok:
      return "ok";
#define ONEFOLD_ERROR(code, exit_status, meaning) \
  case ErrorCode::code:                           \
    return #code;
      ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
  }
  return "?";
}

constexpr int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok:
      return 0;
#define ONEFOLD_ERROR(code, exit_status, meaning) \
  case ErrorCode::code:                           \
    return exit_status;
      ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
  }
  return 70;
}

// what() is one line: where, what is wrong, the values, what would be right.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(one_line(message)), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  // Messages quote names of files and ops, which may contain any bytes.
  static std::string one_line(std::string s) {
    for (char& c : s) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    }
    return s;
  }
  ErrorCode code_;
};

}  // namespace onefold
