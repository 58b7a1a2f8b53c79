// The program under mpirun.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>

#include "cli/program.hpp"

namespace onefold::test {

struct Launch {
  std::string before = {};   // what the shell runs with it: "seq 10 | "
  std::string options = {};  // of mpiexec
  std::string others = {};   // more ranks, as mpiexec has them: " : -n 1 other-program"
  std::string program = ONEFOLD_PROGRAM;
};

// What hangs is ended, with status 124. Launches of Open MPI 4 that begin at once may fail if they
// share a folder.
inline Ran run_once(int ranks, const std::string& arguments, const Launch& launch) {
  const Folder folder;
  const std::string command = launch.before + "timeout --foreground -k 10 60 " + ONEFOLD_MPIEXEC +
                              " --mca orte_tmpdir_base " + folder.path("mpi") + " " +
                              launch.options + " -n " + std::to_string(ranks) + " " +
                              launch.program + " " + arguments + launch.others + " 2>" +
                              folder.path("error");
  Ran ran;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> some{};
  for (std::size_t n; (n = fread(some.data(), 1, some.size(), pipe)) != 0;) {
    ran.out.append(some.data(), n);
  }
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  ran.error = read_file(folder.path("error"));
  return ran;
}
// Now and then Open MPI 4's mpiexec dies of its own standard input; then once more.
inline Ran run_ranks(int ranks, const std::string& arguments, const Launch& launch = {}) {
  Ran ran = run_once(ranks, arguments, launch);
  for (int k = 0; k < 5 && ran.error.find("mca_iof_hnp") != ran.error.npos; ++k) {
    ran = run_once(ranks, arguments, launch);
  }
  return ran;
}

inline std::string wild_npy(int n) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) {
    x.push_back(std::ldexp(static_cast<double>(i * 7919 % 1000) - 500, i % 900 - 450));
  }
  return npy("<f8", "(" + std::to_string(n) + ",)", bytes_of_list(x));
}

// Its words: "mean --axis 0 x.npy".
inline std::vector<std::string> words_of(const std::string& request) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < request.size();) {
    const std::size_t space = std::min(request.find(' ', at), request.size());
    words.push_back(request.substr(at, space - at));
    at = space + 1;
  }
  return words;
}

}  // namespace onefold::test
