// The server of `onefold lab serve`: connections that send nothing, or half a request.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "onefold/system/loopback.hpp"

namespace onefold::system {
namespace ONEFOLD_FILE {

int connected_to(uint16_t port) {
  const int s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  if (::connect(s, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) ADD_FAILURE() << errno;
  return s;
}

// Sends a text and returns what comes until the other side closes the connection.
std::string answer_to(int connection, const std::string& text) {
  EXPECT_EQ(::send(connection, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  std::string all;
  char piece[64];
  for (ssize_t n; (n = ::recv(connection, piece, sizeof piece, 0)) > 0;) {
    all.append(piece, static_cast<std::size_t>(n));
  }
  return all;
}

// The handler never returns for a connection without a request, so that each of them would keep a
// place of the server for good.
TEST(Loopback, AnswersWhileOtherConnectionsAreIdle) {
  Loopback server(0);
  const pid_t child = ::fork();
  if (child == 0) {
    server.serve(2, 60, [](int connection) {
      std::string text;
      char c = 0;
      while (text.find("\r\n\r\n") == text.npos && ::recv(connection, &c, 1, 0) == 1) text += c;
      const std::string back = "got " + std::to_string(text.size());
      if (::send(connection, back.data(), back.size(), 0) < 0) ::_exit(1);
    });
  }
  std::vector<int> idle;
  for (int k = 0; k < 20; ++k) {
    idle.push_back(connected_to(server.port()));
    if (k % 2 == 0) {
      EXPECT_EQ(::send(idle.back(), "GET / HT", 8, 0), 8);
    }
  }
  for (int k = 0; k < 5; ++k) {
    const int s = connected_to(server.port());
    EXPECT_EQ(answer_to(s, "GET / HTTP/1.1\r\n\r\n"), "got 18");
    ::close(s);
  }
  // A head may come in pieces.
  const int s = connected_to(server.port());
  EXPECT_EQ(::send(s, "GET / HT", 8, 0), 8);
  EXPECT_EQ(answer_to(s, "TP/1.1\r\n\r\n"), "got 18");
  ::close(s);
  // A connection without a request is closed.
  EXPECT_EQ(answer_to(idle[1], ""), "");
  for (const int k : idle) ::close(k);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::system
