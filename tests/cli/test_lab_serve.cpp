// Who may use the page of `onefold lab serve`.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program.hpp"

namespace onefold::test {
namespace ONEFOLD_FILE {

// The program as a server, until the end of the test.
class Served {
 public:
  Served() {
    int out[2];
    if (::pipe(out) != 0) return;
    process_ = start_program({"lab", "serve"}, STDIN_FILENO, [&] { ::dup2(out[1], 1); });
    ::close(out[1]);
    for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) address_ += c;
    ::close(out[0]);
  }
  ~Served() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  std::string host() const {
    const auto from = address_.find("127.");
    return address_.substr(from, address_.find('/', from) - from);
  }
  std::string token() const { return address_.substr(address_.find('/', address_.find("127."))); }
  // Returns the first line of the answer to a POST of an empty request, with more headers.
  std::string status(const std::string& headers) const {
    return answer("POST " + token() + "onefold_lab_run HTTP/1.1\r\nHost: " + host() +
                  "\r\nContent-Length: 2\r\n" + headers + "\r\n[]");
  }
  // Returns the first line of the answer to a request.
  std::string answer(const std::string& text) const {
    const int s = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(static_cast<uint16_t>(std::stoi(host().substr(host().find(':') + 1))));
    EXPECT_EQ(::connect(s, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::send(s, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    std::string line;
    for (char c = 0; ::recv(s, &c, 1, 0) == 1 && c != '\r';) line += c;
    ::close(s);
    return line;
  }

 private:
  pid_t process_ = -1;
  std::string address_;
};

TEST(LabServe, RefusesPagesOfOtherSites) {
  const Served served;
  ASSERT_NE(served.host(), "");
  EXPECT_EQ(served.status(""), "HTTP/1.1 200 OK");  // no browser
  EXPECT_EQ(served.status("Origin: http://" + served.host() + "\r\n"), "HTTP/1.1 200 OK");
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1",
                             "https://127.0.0.1:1", "http://127.0.0.1.evil.example"}) {
    EXPECT_EQ(served.status(std::string("Origin: ") + origin + "\r\n"), "HTTP/1.1 403 Forbidden")
        << origin;
  }
}

// Only who knows the token can make the server wait for a body.
TEST(LabServe, RefusesStrangersBeforeTheirBodiesCome) {
  const Served served;
  const std::string headers = " HTTP/1.1\r\nContent-Length: 9\r\nHost: ";
  const std::string run = "POST " + served.token() + "onefold_lab_run";
  EXPECT_EQ(served.answer("POST /0/onefold_lab_run" + headers + served.host() + "\r\n\r\n"),
            "HTTP/1.1 404 Not Found");
  EXPECT_EQ(served.answer(run + headers + "evil.example\r\n\r\n"), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(served.answer(run + headers + served.host() + "\r\n\r\n"), "HTTP/1.1 400 Bad Request");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::test
