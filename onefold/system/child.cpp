#include "onefold/system/child.hpp"

#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "onefold/error.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/pipe.hpp"

namespace onefold::system {
namespace {

constexpr uint64_t end_mark = ~uint64_t{0};

// Finds the last text that was sent completely; its length is sent before each text.
void take(const std::string& sent, ChildEnd& end) {
  for (std::size_t at = 0; at + sizeof(uint64_t) <= sent.size();) {
    uint64_t n = 0;
    std::memcpy(&n, sent.data() + at, sizeof n);
    at += sizeof n;
    if (n == end_mark) end.done = true;
    if (n > sent.size() - at) return;
    end.last = sent.substr(at, n);
    at += n;
  }
}

}  // namespace

void end_with(int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

ChildEnd run_in_child(
    const std::function<void(const std::function<void(const std::string&)>&)>& work) {
  std::fflush(nullptr);
  std::cout.flush();
  Pipe pipe;
  if (!pipe.made())
    throw Error(ErrorCode::unsupported, "a pipe to a child process cannot be created");
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0)
    throw Error(ErrorCode::unsupported,
                "a child process cannot be created; the system may be out of memory or processes");
  if (child == 0) {
    end_with(parent);
    pipe.close_read();
    const auto send = [&](const void* from, std::size_t n) {
      return write_all(pipe.write_end(), from, n);
    };
    work([&](const std::string& text) {
      const uint64_t n = text.size();
      if (send(&n, sizeof n)) send(text.data(), text.size());
    });
    std::cout.flush();
    std::fflush(nullptr);
    send(&end_mark, sizeof end_mark);
    ::_exit(0);
  }
  std::string sent;
  pipe.append_to(sent);
  ChildEnd end;
  take(sent, end);
  const int status = status_of(child);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  end.out_of_time = !end.done && end.signal == SIGPROF;
  return end;
}

double end_after_processor_time(double seconds) {
  const auto us = std::llround(seconds * 1e6);
  itimerval timer{}, before{};
  timer.it_value.tv_sec = static_cast<time_t>(us / 1'000'000);
  timer.it_value.tv_usec = static_cast<suseconds_t>(us % 1'000'000);
  ::setitimer(ITIMER_PROF, &timer, &before);
  return static_cast<double>(before.it_value.tv_sec) +
         static_cast<double>(before.it_value.tv_usec) * 1e-6;
}

std::string name_of_signal(int signal) { return ::strsignal(signal); }

}  // namespace onefold::system
