#include "onefold/system/temporary.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "onefold/error.hpp"
#include "onefold/system/environment.hpp"
#include "onefold/system/file.hpp"

namespace onefold::system {
namespace {

std::string pattern() {
  const char* folder = environment("TMPDIR");
  return std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/onefold-XXXXXX";
}

}  // namespace

TemporaryFile::TemporaryFile(std::string_view text, std::string_view ending)
    : path_(pattern() + std::string(ending)) {
  const int file = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
  if (file < 0)
    throw Error(ErrorCode::cannot_write,
                path_ + " cannot be created; set $TMPDIR to a folder that may be written");
  const bool written = write_all(file, text.data(), text.size());
  close_file(file);
  if (written) return;
  ::unlink(path_.c_str());
  throw Error(ErrorCode::cannot_write,
              path_ + " cannot be written; set $TMPDIR to a folder with more room");
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

TemporaryFolder::TemporaryFolder() : path_(pattern()) {
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorCode::cannot_write,
                path_ + " cannot be created; set $TMPDIR to a folder that may be written");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::put(const char* name, std::string_view text) const {
  const std::filesystem::path path = path_ + "/" + name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void keep_pipe(int descriptor, const std::string& name) {
  std::string path = pattern();
  const int file = ::mkstemp(path.data());
  const auto refuse = [&](ErrorCode code, const char* what) {
    const std::string why = std::generic_category().message(errno);
    if (file >= 0) close_file(file);
    throw Error(code, what + name + ": " + why + " (" + path +
                          ", a temporary file; set $TMPDIR to use another folder)");
  };
  if (file < 0) refuse(ErrorCode::cannot_write, "keep ");
  ::unlink(path.c_str());
  std::vector<char> bytes(std::size_t{1} << 20);
  for (;;) {
    const ssize_t n = ::read(descriptor, bytes.data(), bytes.size());
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(ErrorCode::read_failed, "read ");
    if (!write_all(file, bytes.data(), static_cast<std::size_t>(n))) {
      refuse(ErrorCode::cannot_write, "keep ");
    }
  }
  if (::lseek(file, 0, SEEK_SET) != 0 || ::dup2(file, descriptor) != descriptor) {
    refuse(ErrorCode::cannot_write, "keep ");
  }
  close_file(file);
}

}  // namespace onefold::system
