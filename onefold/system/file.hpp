// Files as the operating system knows them, by descriptors. If a call fails, errno says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace onefold::system {

constexpr int standard_input = 0, standard_output = 1, standard_error = 2;

struct FileFacts {
  enum class Kind { none, regular, folder, pipe, other };
  Kind kind = Kind::none;  // none: no such file, or it cannot be examined
  uint64_t bytes = 0;
  uint64_t device = 0, id = 0;           // together they identify the file
  int64_t seconds = 0, nanoseconds = 0;  // when it was last written
  unsigned permissions = 0;
  bool trusted = false;  // owned by this user or root, and nobody else may write to it
};
// Whether two facts are of one file, which was not written to between them.
inline bool same_contents(const FileFacts& a, const FileFacts& b) {
  return a.device == b.device && a.id == b.id && a.bytes == b.bytes && a.seconds == b.seconds &&
         a.nanoseconds == b.nanoseconds;
}
bool exists(const std::string& path);
FileFacts facts_of(const std::string& path);
FileFacts facts_of(int file);
bool may_write(const std::string& path);
// Returns whether the system makes the contents when they are read, as in /proc: `bytes` is wrong.
bool is_made_when_read(int file);

enum class Opening {
  plain,
  no_link,  // fails for a symbolic link
  no_wait   // does not wait for a writer of a pipe
};
// Returns the descriptor, or -1.
int open_to_read(const std::string& path, Opening opening = Opening::plain);
void close_file(int file);

// Returns how many bytes were read: 0 at the end, -1 for an error.
std::ptrdiff_t read_some(int file, void* to, std::size_t n);
std::ptrdiff_t read_some_at(int file, void* to, std::size_t n, uint64_t at);
// Returns where the next byte will be read; -1 for a stream.
int64_t place_in(int file);
// Waits until there is something to read, or the file has ended; returns false after `ms`.
bool wait_for_input(int file, int ms);
// Returns false if a write fails; errno says why.
bool write_all(int file, const void* from, std::size_t n);

// Makes a folder, which others may read if for_all; does nothing if it exists.
void make_folder(const std::string& path, bool for_all);

}  // namespace onefold::system
