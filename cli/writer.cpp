#include "cli/writer.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "cli/output.hpp"
#include "onefold/system/environment.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/terminal.hpp"

namespace onefold::cli {
namespace {

std::mutex progress_mutex;
bool progress_drawn = false;

}  // namespace

void Writer::flush() {
  const std::string sent = std::move(text_);
  text_.clear();
  if (file_ != nullptr) return file_->append(sent);
  erase_progress();
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

void draw_progress(std::string_view line) {
  const std::lock_guard lock(progress_mutex);
  const std::string text = "\r\033[K" + std::string(line);
  system::write_all(system::standard_error, text.data(), text.size());
  progress_drawn = true;
}

void erase_progress() {
  constexpr std::string_view erased = "\r\033[K";
  const std::lock_guard lock(progress_mutex);
  if (progress_drawn) system::write_all(system::standard_error, erased.data(), erased.size());
  progress_drawn = false;
}

// Allocates nothing, since memory may have run out.
void print_error(std::string_view message) {
  erase_progress();
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
