#include "onefold/system/process.hpp"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "onefold/system/environment.hpp"
#include "onefold/system/pipe.hpp"

extern char** environ;

namespace onefold::system {

int usable_processors() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 0;
}

bool at_fork(void (*before)(), void (*parent)(), void (*child)()) {
  return ::pthread_atfork(before, parent, child) == 0;
}

int run_program(const std::vector<std::string>& words, std::string& out, std::string* error) {
  Pipe o, e;
  if (!o.made() || !e.made()) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, o.write_end(), 1);
  posix_spawn_file_actions_adddup2(&actions, error == nullptr ? o.write_end() : e.write_end(), 2);
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  // A compiler writes its errors before its code, and they are short: so pipes are read in turn.
  o.append_to(out);
  if (error != nullptr) e.append_to(*error);
  const int status = status_of(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_program(const std::string& file) { return ::access(file.c_str(), X_OK) == 0; }

std::string program_in_path(const std::string& name) {
  const char* path = environment("PATH");
  std::istringstream folders{std::string(path == nullptr ? "" : path)};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (!folder.empty() && is_program(file)) return file;
  }
  return "";
}

std::string become_program(const std::string& file, char* const* arguments) {
  ::execv(file.c_str(), arguments);
  return std::strerror(errno);
}

std::string own_program() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).string();
}

}  // namespace onefold::system
