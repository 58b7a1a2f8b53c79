// A server for programs of this machine alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace onefold::system {

class Loopback {
 public:
  // Listens at 127.0.0.1; port 0: any free one. throws device_failed
  explicit Loopback(uint16_t port);
  ~Loopback();
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  uint16_t port() const { return port_; }

  // Calls handle(connection) of each connection in a fork of this process, and never returns. Such
  // a process ends after `seconds`, and when this one does; at most `most` run at once. A caller
  // has two seconds to send the head of a request of HTTP; until then it takes none of the `most`.
  [[noreturn]] void serve(unsigned most, unsigned seconds,
                          const std::function<void(int connection)>& handle);

 private:
  int socket_;
  uint16_t port_ = 0;
};

// Lets this process be ended when the other side of a connection sends more or is closed.
void end_with_connection(int connection, bool on);

// Returns so many random bytes, as two hexadecimal digits each. throws device_failed
std::string random_digits(unsigned bytes);

}  // namespace onefold::system
