#include "cli/writer.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace onefold::cli {
namespace {

// false: errno says why.
bool write_all(int file, std::string_view s) {
  while (!s.empty()) {
    const ssize_t n = ::write(file, s.data(), s.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    s.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

void Writer::flush() {
  const std::string sent = std::move(text_);
  text_.clear();
  if (!write_all(STDOUT_FILENO, sent)) {
    if (errno == EPIPE) throw ClosedPipe();
    throw Error(ErrorCode::cannot_write,
                "writing to stdout failed: " + std::string(std::strerror(errno)));
  }
}

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) == 1; }
bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

bool colour_wanted() {
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no == nullptr || *no == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// Allocates nothing, for memory may have run out.
void print_error(std::string_view message) {
  std::array<char, 4000> line{'o', 'n', 'e', 'f', 'o', 'l', 'd', ':', ' '};
  std::size_t n = 9;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    line[n++] = byte < 0x20 || byte == 0x7f ? '?' : c;
    if (n < line.size()) continue;
    write_all(STDERR_FILENO, {line.data(), n});
    n = 0;
  }
  line[n++] = '\n';
  write_all(STDERR_FILENO, {line.data(), n});
}

}  // namespace onefold::cli
