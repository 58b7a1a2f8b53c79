#include "lab/ptx/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "onefold/error.hpp"

extern char** environ;

namespace onefold::lab::ptx {

namespace fs = std::filesystem;

std::string first_error(const std::string& log) {
  auto at = log.find("error");
  if (at == log.npos) at = 0;
  const auto from = at == 0 ? 0 : log.rfind('\n', at) + 1;
  std::string line = log.substr(from, log.find('\n', at) - from);
  if (line.size() > 400) line.resize(400);
  return line.empty() ? "it failed without a word" : line;
}

std::vector<std::string> include_folders(const std::string& file) {
  std::vector<std::string> all;
  const std::string own = fs::path(file).parent_path().string();
  all.push_back(own.empty() ? "." : own);
  const char* home = std::getenv("CUDA_HOME");
  for (const std::string& root :
       {std::string(home == nullptr ? "" : home), std::string("/usr/local/cuda")}) {
    std::error_code ignored;
    if (!root.empty() && fs::exists(root + "/include/cuda.h", ignored)) {
      all.push_back(root + "/include");
      if (fs::exists(root + "/include/cccl", ignored)) all.push_back(root + "/include/cccl");
      break;
    }
  }
  return all;
}

int run(const std::vector<std::string>& words, std::string& out, std::string& error) {
  std::array<int, 2> o{}, e{};
  if (pipe2(o.data(), O_CLOEXEC) != 0) return -1;
  if (pipe2(e.data(), O_CLOEXEC) != 0) {
    close(o[0]), close(o[1]);
    return -1;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, o[1], 1);
  posix_spawn_file_actions_adddup2(&actions, e[1], 2);
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(o[1]), close(e[1]);
  if (failed == 0) {
    std::array<char, 65536> part{};
    // clang writes its errors before its code, and they are short.
    for (ssize_t n; (n = read(o[0], part.data(), part.size())) > 0;) {
      out.append(part.data(), static_cast<std::size_t>(n));
    }
    for (ssize_t n; (n = read(e[0], part.data(), part.size())) > 0;) {
      error.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  close(o[0]), close(e[0]);
  int status = -1;
  if (failed != 0 || waitpid(child, &status, 0) != child) return -1;
  return status;
}

Temporary::Temporary(const std::string& text, const char* end) {
  const char* folder = std::getenv("TMPDIR");
  path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/onefold-XXXXXX" + end;
  const int f = mkstemps(path_.data(), static_cast<int>(std::string_view(end).size()));
  if (f < 0) throw Error(ErrorCode::cannot_write, "lab run: " + path_ + " cannot be made");
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(f, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  close(f);
  if (done < text.size()) {
    throw Error(ErrorCode::cannot_write, "lab run: " + path_ + " cannot be written");
  }
}

Temporary::~Temporary() { unlink(path_.c_str()); }

TemporaryFolder::TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/onefold-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) {
    throw Error(ErrorCode::cannot_write, "lab run: " + path_ + " cannot be made");
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TemporaryFolder::put(const char* name, std::string_view text) const {
  std::ofstream(path_ + "/" + name) << text;
}

}  // namespace onefold::lab::ptx
