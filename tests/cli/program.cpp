#include "cli/program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace onefold::test {
namespace {

[[noreturn]] void exec_program(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment) {
  for (const std::string& e : environment) ::putenv(const_cast<char*>(e.c_str()));
  std::vector<char*> argv{const_cast<char*>("onefold")};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const char* other = std::getenv("ONEFOLD_PROGRAM");  // one with a fault (tests/faults)
  ::execv(other != nullptr ? other : ONEFOLD_PROGRAM, argv.data());
  ::_exit(125);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_back(int file) {
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  if (::pread(file, text.data(), text.size(), 0) < 0) text = "?";
  ::close(file);
  return text;
}

// Writes until the reader closes the pipe.
void feed(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
}

}  // namespace

Ran run_program(const std::vector<std::string>& arguments, const Surroundings& in) {
  ::signal(SIGPIPE, SIG_IGN);
  const int out = ::memfd_create("out", MFD_CLOEXEC), error = ::memfd_create("error", MFD_CLOEXEC);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(pipe[0], 0);
    ::dup2(in.out >= 0 ? in.out : out, 1);
    ::dup2(error, 2);
    if (in.stdin_closed) ::close(0);
    if (in.out_closed) ::close(1);
    if (in.in_child) in.in_child();
    exec_program(arguments, in.environment);
  }
  ::close(pipe[0]);
  feed(pipe[1], in.stdin_text);
  ::close(pipe[1]);
  const int status = wait_for(child);
  return {status, read_back(out), read_back(error)};
}

int start_program(const std::vector<std::string>& arguments, int stdin_descriptor,
                  const std::function<void()>& in_child) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::dup2(stdin_descriptor, 0);
    if (in_child) in_child();
    exec_program(arguments, {});
  }
  return child;
}

Ran run_on_terminal(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment,
                    const std::vector<std::string>& pieces) {
  ::signal(SIGPIPE, SIG_IGN);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {};
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::putenv(const_cast<char*>("TERM=xterm"));
    ::unsetenv("NO_COLOR");
    if (!pieces.empty()) ::dup2(pipe[0], 0);
    exec_program(arguments, environment);
  }
  ::close(pipe[0]);
  std::thread feeder([&] {
    for (const std::string& piece : pieces) {
      if (&piece != pieces.data()) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
      feed(pipe[1], piece);
    }
    ::close(pipe[1]);
  });
  Ran ran;
  char buffer[4096];
  for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    ran.out.append(buffer, static_cast<std::size_t>(n));
  }
  ran.status = wait_for(child);
  feeder.join();
  ::close(terminal);
  std::erase(ran.out, '\r');
  return ran;
}

Folder::Folder() {
  std::string name = std::filesystem::temp_directory_path() / "onefold-XXXXXX";
  root_ = ::mkdtemp(name.data());
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string Folder::write(std::string_view name, std::string_view bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    list.push_back(entry.path().filename());
  }
  return list;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string npy(std::string_view type, std::string_view shape, std::string_view data) {
  std::string header = "{'descr': '" + std::string(type) +
                       "', 'fortran_order': False, 'shape': " + std::string(shape) + ", }";
  while ((header.size() + 11) % 128 != 0) header += ' ';
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(data);
}

}  // namespace onefold::test
