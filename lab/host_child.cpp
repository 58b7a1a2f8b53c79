#include "lab/host_child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "onefold/error.hpp"

namespace onefold::lab {
namespace {

constexpr uint64_t end_mark = ~uint64_t{0};

void write_all(int f, const void* from, std::size_t n) {
  const char* p = static_cast<const char*>(from);
  while (n != 0) {
    const ssize_t k = ::write(f, p, n);
    if (k < 0 && errno != EINTR) return;
    if (k > 0) p += k, n -= static_cast<std::size_t>(k);
  }
}

std::string read_all(int f) {
  std::string all;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t n = ::read(f, part.data(), part.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return all;
    if (n > 0) all.append(part.data(), static_cast<std::size_t>(n));
  }
}

// The last text that is whole: each comes after its length.
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

ChildEnd run_in_child(
    const std::function<void(const std::function<void(const std::string&)>&)>& work) {
  std::array<int, 2> ends{};
  std::fflush(nullptr);
  std::cout.flush();
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ErrorCode::unsupported, "lab run: no pipe can be made for main()");
  }
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]), close(ends[1]);
    throw Error(ErrorCode::unsupported, "lab run: no process can be made for main()");
  }
  if (child == 0) {
    close(ends[0]);
    work([&](const std::string& text) {
      const uint64_t n = text.size();
      write_all(ends[1], &n, sizeof n);
      write_all(ends[1], text.data(), text.size());
    });
    std::cout.flush();
    std::fflush(nullptr);
    write_all(ends[1], &end_mark, sizeof end_mark);
    _exit(0);
  }
  close(ends[1]);
  ChildEnd end;
  take(read_all(ends[0]), end);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  return end;
}

}  // namespace onefold::lab
