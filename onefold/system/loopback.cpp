#include "onefold/system/loopback.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

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

namespace {

using Clock = std::chrono::steady_clock;

// A connection whose request is not yet handled.
struct Waiting {
  int connection;
  Clock::time_point until;
  enum class Has : uint8_t { nothing, part, head } has = Has::nothing;
};

constexpr std::size_t most_waiting = 64;  // then the oldest without a head is closed
constexpr std::chrono::seconds for_head{2};
constexpr int between_looks_ms = 20;

// Looks at what a connection has sent, without taking it; returns false if it is closed.
bool look(Waiting& w) {
  char head[1 << 14];
  const auto n = ::recv(w.connection, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  const std::string_view text(head, static_cast<std::size_t>(n));
  const bool all = text.size() == sizeof head || text.find("\r\n\r\n") != text.npos;
  w.has = all ? Waiting::Has::head : Waiting::Has::part;
  return true;
}

// Waits for a connection, for input, or until it is time to look again.
void wait_for_any(int socket, const std::vector<Waiting>& waiting) {
  std::vector<pollfd> all{{socket, POLLIN, 0}};
  int ms = -1;
  for (const Waiting& w : waiting) {
    if (w.has == Waiting::Has::nothing) all.push_back({w.connection, POLLIN, 0});
    const int next = w.has == Waiting::Has::nothing ? 500 : between_looks_ms;
    ms = ms < 0 ? next : std::min(ms, next);
  }
  ::poll(all.data(), all.size(), ms);
}

}  // namespace

void Loopback::serve(unsigned most, unsigned seconds,
                     const std::function<void(int connection)>& handle) {
  const pid_t parent = ::getpid();
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  std::vector<Waiting> waiting;
  const auto drop = [&](std::size_t k) {
    ::close(waiting[k].connection);
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(k));
  };
  for (unsigned running = 0;;) {
    wait_for_any(socket_, waiting);
    while (running > 0 && ::waitpid(-1, nullptr, WNOHANG) > 0) --running;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) {
      if (waiting.size() == most_waiting) {
        const auto idle = std::find_if(waiting.begin(), waiting.end(), [](const Waiting& w) {
          return w.has != Waiting::Has::head;
        });
        drop(idle == waiting.end() ? 0 : static_cast<std::size_t>(idle - waiting.begin()));
      }
      waiting.push_back({connection, Clock::now() + for_head});
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      fail("no connection can be accepted");
    }
    for (std::size_t k = 0; k < waiting.size();) {
      Waiting& w = waiting[k];
      const bool open = w.has == Waiting::Has::head || look(w);
      const bool late = w.has != Waiting::Has::head && Clock::now() > w.until;
      if (!open || late) {
        drop(k);
        continue;
      }
      if (w.has != Waiting::Has::head || running == most) {
        ++k;
        continue;
      }
      const pid_t child = ::fork();
      if (child == 0) {
        end_with(parent);
        ::alarm(seconds);
        ::close(socket_);
        for (const Waiting& other : waiting) {
          if (other.connection != w.connection) ::close(other.connection);
        }
        handle(w.connection);
        ::_exit(0);
      }
      if (child > 0) ++running;
      drop(k);
    }
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
    if (::getrandom(&byte, 1, 0) != 1) fail("the system provides no random bytes");
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace onefold::system
