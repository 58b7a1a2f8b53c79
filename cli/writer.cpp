#include "cli/writer.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/output.hpp"
#include "onefold/system/environment.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/terminal.hpp"

namespace onefold::cli {
void Writer::flush() {
  const std::string sent = std::move(text_);
  text_.clear();
  if (file_ != nullptr) return file_->append(sent);
  if (!system::write_all(system::standard_output, sent.data(), sent.size())) {
    if (errno == EPIPE) throw ClosedPipe();
    throw Error(ErrorCode::cannot_write,
                "writing to stdout failed: " + std::string(std::strerror(errno)));
  }
}

bool stdin_is_terminal() { return system::is_terminal(system::standard_input); }
bool stdout_is_terminal() { return system::is_terminal(system::standard_output); }
bool stderr_is_terminal() { return system::is_terminal(system::standard_error); }

bool colour_wanted() {
  const char* no = system::environment("NO_COLOR");
  const char* terminal = system::environment("TERM");
  return (no == nullptr || *no == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// Allocates nothing, since memory may have run out.
void print_error(std::string_view message) {
  std::array<char, 4000> line{'o', 'n', 'e', 'f', 'o', 'l', 'd', ':', ' '};
  std::size_t n = 9;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    line[n++] = byte < 0x20 || byte == 0x7f ? '?' : c;
    if (n < line.size()) continue;
    system::write_all(system::standard_error, line.data(), n);
    n = 0;
  }
  line[n++] = '\n';
  system::write_all(system::standard_error, line.data(), n);
}

}  // namespace onefold::cli
