#include "onefold/system/temporary.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  if (file < 0) throw Error(ErrorCode::cannot_write, path_ + " cannot be made");
  const bool written = write_all(file, text.data(), text.size());
  close_file(file);
  if (written) return;
  ::unlink(path_.c_str());
  throw Error(ErrorCode::cannot_write, path_ + " cannot be written");
}

TemporaryFile::~TemporaryFile() { ::unlink(path_.c_str()); }

TemporaryFolder::TemporaryFolder() : path_(pattern()) {
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorCode::cannot_write, path_ + " cannot be made");
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

}  // namespace onefold::system
