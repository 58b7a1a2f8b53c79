// Files as the operating system knows them, by their descriptors. If a call fails, errno says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace onefold::system {

constexpr int standard_input = 0, standard_output = 1, standard_error = 2;

struct FileFacts {
  enum class Kind { none, regular, folder, pipe, other };
  Kind kind = Kind::none;  // none: there is no such file, or nobody may know
  uint64_t bytes = 0;
  uint64_t device = 0, id = 0;           // together no other file's
  int64_t seconds = 0, nanoseconds = 0;  // when it was last written
  unsigned permissions = 0;
  bool trusted = false;  // it belongs to this user or root, and nobody else may write it
};
bool exists(const std::string& path);
FileFacts facts_of(const std::string& path);
FileFacts facts_of(int file);
bool may_write(const std::string& path);
// The system makes the file's contents when it is read, as in /proc; its size means nothing.
bool is_made_when_read(int file);

enum class Opening {
  plain,
  no_link,  // fails for a symbolic link
  no_wait   // does not wait for a writer of a pipe
};
// Returns the descriptor, or -1.
int open_to_read(const std::string& path, Opening opening = Opening::plain);
void close_file(int file);

// How many bytes were read: 0 at the end, -1 for an error.
std::ptrdiff_t read_some(int file, void* to, std::size_t n);
std::ptrdiff_t read_some_at(int file, void* to, std::size_t n, uint64_t at);
// Where the next byte is read; -1: a stream has no such place.
int64_t place_in(int file);
// Waits until there is something to read, or the file has ended; false: the time is over.
bool wait_for_input(int file, int ms);
// False: errno says why.
bool write_all(int file, const void* from, std::size_t n);

// Makes a folder that others may read or not; nothing happens if it is there.
void make_folder(const std::string& path, bool for_all);

}  // namespace onefold::system
