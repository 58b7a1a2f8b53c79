#include "onefold/system/file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace onefold::system {
namespace {

FileFacts facts_of(const struct stat& s) {
  using enum FileFacts::Kind;
  const bool pipe_or_socket = S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode);
  return {.kind = S_ISREG(s.st_mode)   ? regular
                  : S_ISDIR(s.st_mode) ? folder
                  : pipe_or_socket     ? pipe
                                       : other,
          .bytes = static_cast<uint64_t>(s.st_size),
          .device = s.st_dev,
          .id = s.st_ino,
          .seconds = s.st_mtim.tv_sec,
          .nanoseconds = s.st_mtim.tv_nsec,
          .permissions = s.st_mode & 0777u,
          .trusted =
              (s.st_uid == ::geteuid() || s.st_uid == 0) && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0};
}

// Calls f again while a signal interrupts it.
template <class F>
auto uninterrupted(F f) {
  auto n = f();
  while (n < 0 && errno == EINTR) n = f();
  return n;
}

}  // namespace

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

FileFacts facts_of(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 ? facts_of(s) : FileFacts{};
}

FileFacts facts_of(int file) {
  struct stat s {};
  return ::fstat(file, &s) == 0 ? facts_of(s) : FileFacts{};
}

bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

bool is_made_when_read(int file) {
  struct statfs s {};
  if (::fstatfs(file, &s) != 0) return false;
  const auto type = static_cast<unsigned long>(s.f_type);
  return type == SYSFS_MAGIC || type == PROC_SUPER_MAGIC || type == DEBUGFS_MAGIC ||
         type == TRACEFS_MAGIC || type == SECURITYFS_MAGIC;
}

int open_to_read(const std::string& path, Opening opening) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY |
                    (opening == Opening::no_link   ? O_NOFOLLOW
                     : opening == Opening::no_wait ? O_NONBLOCK
                                                   : 0);
  return uninterrupted([&] { return ::open(path.c_str(), flags); });
}

void close_file(int file) { ::close(file); }

std::ptrdiff_t read_some(int file, void* to, std::size_t n) {
  return uninterrupted([&] { return ::read(file, to, n); });
}

std::ptrdiff_t read_some_at(int file, void* to, std::size_t n, uint64_t at) {
  return uninterrupted([&] { return ::pread(file, to, n, static_cast<off_t>(at)); });
}

int64_t place_in(int file) { return ::lseek(file, 0, SEEK_CUR); }

bool wait_for_input(int file, int ms) {
  pollfd wait{file, POLLIN, 0};
  return ::poll(&wait, 1, ms) != 0;
}

bool write_all(int file, const void* from, std::size_t n) {
  for (const auto* p = static_cast<const char*>(from); n > 0;) {
    const ssize_t sent = uninterrupted([&] { return ::write(file, p, n); });
    if (sent < 0) return false;
    p += sent;
    n -= static_cast<std::size_t>(sent);
  }
  return true;
}

void make_folder(const std::string& path, bool for_all) {
  if (::mkdir(path.c_str(), 0700) == 0 && for_all) ::chmod(path.c_str(), 0755);
}

}  // namespace onefold::system
