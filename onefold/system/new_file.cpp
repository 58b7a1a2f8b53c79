#include "onefold/system/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "onefold/error.hpp"
#include "onefold/system/file.hpp"

namespace onefold::system {
namespace {

// The temporary file that a signal handler must remove; handlers may read nothing else.
char temporary_name[PATH_MAX];
volatile std::sig_atomic_t temporary_exists = 0;

extern "C" void interrupted(int signal) {
  if (temporary_exists != 0) ::unlink(temporary_name);
  // NVRTC restores our handlers, but without their flag SA_RESETHAND.
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // this time it ends the program
}

// Returns the file that `path` names after following links, whether or not it exists.
std::string resolve(std::string path) {
  for (int k = 0; k < 40; ++k) {  // as many links as Linux follows
    char target[PATH_MAX];
    const ssize_t n = ::readlink(path.c_str(), target, sizeof target);
    if (n < 0) break;
    const std::size_t name = target[0] == '/' ? 0 : path.rfind('/') + 1;
    path.replace(name, path.npos, target, static_cast<std::size_t>(n));
  }
  return path;
}

// Blocks signals while the file exists under another name than `temporary_name`, or not at all.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

[[noreturn]] void refuse(const char* why) { throw Error(ErrorCode::cannot_write, why); }
[[noreturn]] void refuse() { refuse(std::strerror(errno)); }

void write_at(int file, const void* from, std::size_t n, uint64_t at) {
  for (const auto* p = static_cast<const char*>(from); n > 0;) {
    const ssize_t sent = ::pwrite(file, p, n, static_cast<off_t>(at));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) refuse();
    p += sent;
    n -= static_cast<std::size_t>(sent);
    at += static_cast<uint64_t>(sent);
  }
}

// Some file systems cannot sync.
void sync(int file) {
  if (::fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP) refuse();
}

}  // namespace

NewFile::NewFile(const std::string& path) : path_(resolve(path)) {
  const FileFacts there = facts_of(path_);
  const bool exists = there.kind != FileFacts::Kind::none;
  if (!exists && errno != ENOENT) refuse();
  if (exists && there.kind != FileFacts::Kind::regular) refuse("it is not a regular file");
  if (exists && !may_write(path_)) refuse();
  const std::size_t slash = path_.rfind('/');
  folder_ = path_.substr(0, slash == path_.npos ? 0 : slash + 1);
  const mode_t mode = exists ? there.permissions : 0666;
  // The system removes a file without a name, however the program ends. Some file systems cannot.
  const char* const folder = folder_.empty() ? "." : folder_.c_str();
  file_ = ::open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (file_ >= 0 && ::access(self().c_str(), F_OK) != 0) {
    ::close(file_);  // without /proc it could not get a name later
    file_ = -1;
  }
  if (file_ < 0) {
    // O_EXCL: a link or file that another program made under this name is neither followed nor
    // overwritten.
    make_temporary([&](const char* name) {
      return file_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    });
  }
  // The umask is meant for new files. If a file system has no modes, this error is ignored.
  if (exists && ::fchmod(file_, mode) != 0) errno = 0;
}

// Makes a name in the file's folder; an interrupt removes it.
//   make  makes the file with a name; returns < 0 if the name exists
template <class Make>
void NewFile::make_temporary(Make make) {
  const SignalsWait wait;
  const std::string before = folder_ + ".onefold-" + std::to_string(::getpid()) + "-";
  std::string name;
  int made = -1;
  for (int k = 0; k < 100 && made < 0; ++k) {
    name = before + std::to_string(k) + ".tmp";
    if (name.size() >= sizeof temporary_name) refuse("its path is too long");
    made = make(name.c_str());
    if (made < 0 && errno != EEXIST) break;
  }
  if (made < 0) refuse();
  std::memcpy(temporary_name, name.c_str(), name.size() + 1);
  temporary_exists = 1;
  temporary_ = std::move(name);
}

// The path by which linkat finds the file without a name.
std::string NewFile::self() const { return "/proc/self/fd/" + std::to_string(file_); }

std::string NewFile::shared_path() const {
  if (!temporary_.empty()) return std::filesystem::absolute(temporary_).string();
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_);
}

NewFile::~NewFile() {
  if (file_ >= 0) ::close(file_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  temporary_exists = 0;
}

void NewFile::write(const void* from, std::size_t n, uint64_t at) { write_at(file_, from, n, at); }

void NewFile::finish() {
  // Without fsync, a crash of the system could leave an empty file with this name.
  sync(file_);
  if (temporary_.empty()) {
    const auto link = [&](const char* name) {
      return ::linkat(AT_FDCWD, self().c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    };
    if (link(path_.c_str()) != 0) {
      if (errno != EEXIST) refuse();
      make_temporary(link);  // only a file with a name can replace another one
    }
  }
  if (::close(std::exchange(file_, -1)) != 0) refuse();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) refuse();
  temporary_.clear();
  temporary_exists = 0;
}

SharedFile::SharedFile(const std::string& temporary, std::string_view mark) {
  file_ = ::open(temporary.c_str(), O_RDWR | O_CLOEXEC);
  std::string begins(mark.size(), 0);
  const ssize_t n = file_ < 0 ? 0 : ::pread(file_, begins.data(), begins.size(), 0);
  if (static_cast<std::size_t>(std::max<ssize_t>(n, 0)) == mark.size() && begins == mark) return;
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}
SharedFile::~SharedFile() {
  if (file_ >= 0) ::close(file_);
}
void SharedFile::write(const void* from, std::size_t n, uint64_t at) {
  write_at(file_, from, n, at);
}
void SharedFile::finish() {
  sync(file_);
  if (::close(std::exchange(file_, -1)) != 0) refuse();
}

bool replace_file(const std::string& path, std::span<const std::string_view> parts, bool for_all) {
  // The name does not contain the process id: a killed process, or one on another machine, may have
  // used the same id.
  std::string beside = path + ".XXXXXX";
  const int file = ::mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return false;
  bool done = true;
  for (const std::string_view part : parts) {
    done = done && write_all(file, part.data(), part.size());
  }
  done = done && (!for_all || ::fchmod(file, 0644) == 0);
  ::close(file);
  done = done && ::rename(beside.c_str(), path.c_str()) == 0;
  if (!done) ::unlink(beside.c_str());
  return done;
}

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // as under nohup
    struct sigaction action {};
    action.sa_handler = interrupted;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace onefold::system
