#include "onefold/system/workers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "onefold/error.hpp"
#include "onefold/system/child.hpp"
#include "onefold/system/pipe.hpp"

namespace onefold::system {
namespace {

// A child's report of a job, short enough for a pipe to take it in one piece.
struct Report {
  uint64_t job = 0;
  int error = 0;  // an ErrorCode; 0: none
  char text[512] = "";
};
static_assert(sizeof(Report) <= PIPE_BUF);

Report report_of(std::size_t job, const std::function<std::string(std::size_t)>& work) {
  Report r{.job = job};
  std::string text;
  try {
    text = work(job);
  } catch (const Error& e) {
    r.error = static_cast<int>(e.code());
    text = e.what();
  } catch (const std::exception& e) {
    r.error = static_cast<int>(ErrorCode::internal);
    text = e.what();
  }
  std::strncpy(r.text, text.c_str(), sizeof r.text - 1);
  return r;
}

bool read_report(int pipe, Report& r) {
  std::size_t at = 0;
  while (at < sizeof r) {
    const std::ptrdiff_t n = read_some(pipe, reinterpret_cast<char*>(&r) + at, sizeof r - at);
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

void in_processes(std::size_t jobs, int processes,
                  const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, const std::string&)>& done) {
  using Next = std::atomic<std::size_t>;
  static_assert(Next::is_always_lock_free);
  Pipe pipe;
  void* const shared =
      ::mmap(nullptr, sizeof(Next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || !pipe.made()) {
    throw Error(ErrorCode::out_of_memory, "memory ran out while worker processes were started");
  }
  Next& next = *new (shared) Next(0);
  std::vector<pid_t> children;
  const pid_t parent = ::getpid();
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    if (child < 0) break;
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    pipe.close_read();
    end_with(parent);  // nobody would hear of their work
    for (std::size_t k = next++; k < jobs; k = next++) {
      const Report r = report_of(k, work);
      if (::write(pipe.write_end(), &r, sizeof r) != sizeof r) break;
    }
    ::_exit(0);
  }
  pipe.close_write();
  std::optional<Error> first;
  std::size_t ended = 0;
  for (Report r; read_report(pipe.read_end(), r); ++ended) {
    if (r.error == 0) {
      done(r.job, r.text);
    } else if (!first) {
      first = Error(static_cast<ErrorCode>(r.error), r.text);
      next = jobs;
    }
  }
  pipe.close_read();
  for (const pid_t child : children) status_of(child);
  ::munmap(shared, sizeof(Next));
  if (first) throw *first;
  if (ended < jobs) {
    throw Error(ErrorCode::internal,
                "a worker process ended before its work was done, perhaps killed "
                "because memory ran out; try fewer --threads");
  }
}

}  // namespace onefold::system
