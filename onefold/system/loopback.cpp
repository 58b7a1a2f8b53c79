#include "onefold/system/loopback.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "onefold/error.hpp"
#include "onefold/system/child.hpp"

namespace onefold::system {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::device_failed, what + ": " + std::strerror(errno));
}

}  // namespace

Loopback::Loopback(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  socklen_t n = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket_, address, n) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, address, &n) != 0) {
    const int why = errno;
    ::close(socket_);
    errno = why;
    fail("port " + std::to_string(port) + " of 127.0.0.1 cannot be used");
  }
  port_ = ntohs(at.sin_port);
}

Loopback::~Loopback() { ::close(socket_); }

void Loopback::serve(unsigned most, unsigned seconds,
                     const std::function<void(int connection)>& handle) {
  const pid_t parent = ::getpid();
  for (unsigned running = 0;;) {
    while (running > 0 && ::waitpid(-1, nullptr, running < most ? WNOHANG : 0) > 0) --running;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      fail("no connection can be taken");
    }
    const pid_t child = ::fork();
    if (child == 0) {
      end_with(parent);
      ::alarm(seconds);
      ::close(socket_);
      handle(connection);
      ::_exit(0);
    }
    if (child > 0) ++running;
    ::close(connection);
  }
}

void end_with_connection(int connection, bool on) {
  ::fcntl(connection, F_SETOWN, ::getpid());
  ::fcntl(connection, F_SETFL, on ? O_ASYNC : 0);  // SIGIO ends a process
}

std::string random_digits(unsigned bytes) {
  std::string text;
  for (unsigned k = 0; k < bytes; ++k) {
    unsigned char byte = 0;
    if (::getrandom(&byte, 1, 0) != 1) fail("the system has no random bytes");
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace onefold::system
