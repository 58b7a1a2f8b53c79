#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

namespace onefold::cli {
namespace {

// The temporary file that a signal handler must remove; handlers may read nothing else.
char temporary_name[PATH_MAX];
volatile std::sig_atomic_t temporary_exists = 0;

extern "C" void interrupted(int signal) {
  if (temporary_exists != 0) ::unlink(temporary_name);
  // NVRTC restores our handlers without their flag SA_RESETHAND.
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // this time it ends the program
}

// The file that `path` names, after following links, whether it exists or not; so a link remains a
// link.
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

// Blocks signals while a file and its name in `temporary_name` differ.
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

}  // namespace

const char* npy_type(DType t) {
  switch (t) {
    case DType::boolean:
      return "|b1";
    case DType::i8:
      return "|i1";
    case DType::i16:
      return "<i2";
    case DType::i32:
      return "<i4";
    case DType::i64:
      return "<i8";
    case DType::u8:
      return "|u1";
    case DType::u16:
      return "<u2";
    case DType::u32:
      return "<u4";
    case DType::u64:
      return "<u8";
    case DType::f16:
      return "<f2";
    case DType::f32:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::bf16:
      break;
  }
  throw Error(ErrorCode::unsupported, "a .npy file cannot hold " + std::string(name_of(t)) +
                                          "; ask for --result f32, which holds the same values");
}

std::string npy_header(DType dtype, const Dims& shape) {
  std::string text = "{'descr': '" + std::string(npy_type(dtype)) +
                     "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
  // Magic, version and length are 10 bytes; the data begin at a multiple of 64. An extent has at
  // most 19 digits, the rest of the text at most 54 characters.
  constexpr std::size_t before = 10, alignment = 64;
  const auto rank = static_cast<std::size_t>(shape.rank());
  const std::size_t most = before + 55 + 21 * rank;
  const std::size_t size =
      std::max<std::size_t>(128, (most + alignment - 1) / alignment * alignment);
  text.append(size - before - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

OutputFile::OutputFile(const std::string& path, const char* option)
    : option_(option), path_(resolve(path)) {
  struct stat there {};
  const bool exists = ::stat(path_.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) fail(std::strerror(errno));
  if (exists && !S_ISREG(there.st_mode)) {
    errno = S_ISDIR(there.st_mode) ? EISDIR : EINVAL;
    fail("it is no regular file");
  }
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(std::strerror(errno));
  const std::size_t slash = path_.rfind('/');
  folder_ = path_.substr(0, slash == path_.npos ? 0 : slash + 1);
  const mode_t mode = exists ? there.st_mode & 0777 : 0666;
  // Without a name the system removes it, however the program ends. Not all file systems can.
  file_ = ::open(folder_.empty() ? "." : folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (file_ >= 0 && ::access(self().c_str(), F_OK) != 0) {
    ::close(file_);  // there is no /proc to name it by
    file_ = -1;
  }
  if (file_ < 0) {
    // O_EXCL: a link or file that another program made under this name is neither followed nor
    // overwritten.
    make_temporary([&](const char* name) {
      return file_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    });
  }
  // The umask is for new files. A file system without modes is left as it is.
  if (exists && ::fchmod(file_, mode) != 0) errno = 0;
}

// Makes a name beside the file's; an interrupt removes it.
//   make  makes the file of a name; < 0: it is there
template <class Make>
void OutputFile::make_temporary(Make make) {
  const SignalsWait wait;
  const std::string before = folder_ + ".onefold-" + std::to_string(::getpid()) + "-";
  std::string name;
  int made = -1;
  for (int k = 0; k < 100 && made < 0; ++k) {
    name = before + std::to_string(k) + ".tmp";
    if (name.size() >= sizeof temporary_name) fail("its path is too long");
    made = make(name.c_str());
    if (made < 0 && errno != EEXIST) break;
  }
  if (made < 0) fail(std::strerror(errno));
  std::memcpy(temporary_name, name.c_str(), name.size() + 1);
  temporary_exists = 1;
  temporary_ = std::move(name);
}

// The file without a name, as linkat finds it.
std::string OutputFile::self() const { return "/proc/self/fd/" + std::to_string(file_); }

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  temporary_exists = 0;
}

void OutputFile::write(const Answer& answer) {
  begin(answer.dtype, answer.shape.rank());
  write(0, answer.data, answer.status);
  end(answer.shape);
}

void OutputFile::begin(DType dtype, int rank) {
  Dims shape;
  for (int d = 0; d < rank; ++d) shape.push_back(int64_max);
  dtype_ = dtype;
  room_ = npy_header(dtype, shape).size();
}

void OutputFile::write(Size first, std::span<const std::byte> values,
                       std::span<const Status> statuses) {
  send(values.data(), values.size(), room_ + first * bytes_of(dtype_));
  const auto bad =
      std::find_if(statuses.begin(), statuses.end(), [](Status s) { return s != Status::ok; });
  const Size place = first + static_cast<Size>(bad - statuses.begin());
  const std::lock_guard lock(mutex_);
  written_ += statuses.size();
  if (bad == statuses.end() || (bad_ != Status::ok && place_of_bad_ < place)) return;
  bad_ = *bad;
  place_of_bad_ = place;
}

void OutputFile::end(const Dims& shape) {
  Size answers = 1;
  for (const int64_t extent : shape) answers *= static_cast<Size>(extent);
  const std::string header = npy_header(dtype_, shape);
  if (answers != written_ || header.size() != room_) {
    throw Error(ErrorCode::internal, "a defect in onefold: " + std::to_string(written_) + " of " +
                                         std::to_string(answers) + " answers were written");
  }
  send(header.data(), header.size(), 0);
  finish();
}

void OutputFile::append(std::string_view text) {
  send(text.data(), text.size(), at_);
  at_ += text.size();
}

void OutputFile::finish() {
  // Otherwise a crash of the system could leave an empty file of that name. Some file systems
  // cannot sync.
  if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) fail(std::strerror(errno));
  if (temporary_.empty()) {
    const auto link = [&](const char* name) {
      return ::linkat(AT_FDCWD, self().c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    };
    if (link(path_.c_str()) != 0) {
      if (errno != EEXIST) fail(std::strerror(errno));
      make_temporary(link);  // only a name can take the place of another
    }
  }
  const int file = file_;
  file_ = -1;
  if (::close(file) != 0) fail(std::strerror(errno));
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  temporary_.clear();
  temporary_exists = 0;
}

void OutputFile::send(const void* bytes, std::size_t n, std::size_t at) {
  const auto* p = static_cast<const char*>(bytes);
  while (n > 0) {
    const ssize_t sent = ::pwrite(file_, p, n, static_cast<off_t>(at));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail(std::strerror(errno));
    p += sent;
    n -= static_cast<std::size_t>(sent);
    at += static_cast<std::size_t>(sent);
  }
}

void OutputFile::fail(const std::string& what) const {
  throw Error(ErrorCode::cannot_write, option_ + (" " + path_) + " cannot be written: " + what);
}

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // nohup
    struct sigaction action {};
    action.sa_handler = interrupted;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace onefold::cli
