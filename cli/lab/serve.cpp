#include "cli/lab/serve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/writer.hpp"
#include "lab/kernel_verdict.hpp"
#include "lab/live_calls.hpp"
#include "lab/page/live.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"
#include "onefold/error.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/loopback.hpp"
#include "onefold/system/temporary.hpp"
#include "onefold/system/terminal.hpp"

namespace onefold::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_head = 1 << 14, most_body = 1 << 20, most_output = 1 << 16;
constexpr unsigned most_runs = 4, most_seconds = 120;
constexpr int head_ms = 1000, body_ms = 5000;  // a browser on this machine takes some 10 ms
constexpr int rest_ms = 100;                   // of a refused request
constexpr const char* budget = "1000000000";   // of a run that says none: some 10 s

struct Request {
  std::string method, path, host, origin, body;
  std::size_t length = 0;  // bytes of the body
};

// What the page is answered; `status` is that of HTTP.
struct Reply {
  const char* status = "200 OK";
  const char* type = "application/json";
  std::string body;
};

Reply refused(const char* status, const std::string& why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = why + '\n'};
}

// The time in which a part of a request must come, however many pieces it comes in.
class Limit {
 public:
  explicit Limit(int ms) : end_(Clock::now() + std::chrono::milliseconds(ms)) {}
  int left_ms() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
    return std::max(static_cast<int>(left.count()), 0);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

bool read_more(int connection, std::string& text, const Limit& limit) {
  char piece[1 << 14];
  if (!system::wait_for_input(connection, limit.left_ms())) return false;
  const auto n = system::read_some(connection, piece, sizeof piece);
  if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  return n > 0;
}

// Reads what a refused request still holds: if the connection was closed before, its sender would
// not see the reply.
void drain(int connection) {
  char piece[1 << 14];
  const Limit limit(rest_ms);
  while (system::wait_for_input(connection, limit.left_ms())) {
    if (system::read_some(connection, piece, sizeof piece) <= 0) return;
  }
}

// The value of a header; empty: it is not there.
std::string header(const std::string& head, std::string name) {
  const auto lower = [](std::string s) {
    for (char& c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return s;
  };
  const auto at = lower(head).find("\r\n" + name + ":");
  if (at == head.npos) return "";
  const auto begin = head.find_first_not_of(' ', at + name.size() + 3);
  return head.substr(begin, head.find('\r', begin) - begin);
}

const Reply nothing_wrong{.status = nullptr, .body = ""};

// Reads a request without its body; returns why it cannot be taken, as a reply with a status.
Reply read_head(int connection, Request& r) {
  std::string text;
  std::size_t end = text.npos;
  for (const Limit limit(head_ms); (end = text.find("\r\n\r\n")) == text.npos;) {
    if (text.size() > most_head)
      return refused("431 Too Large", "the request's headers are too long");
    if (!read_more(connection, text, limit)) {
      return refused("400 Bad Request", "the request is cut short");
    }
  }
  const std::string head = text.substr(0, end + 2);
  const auto first = head.find(' '), second = head.find(' ', first + 1);
  if (second == head.npos) return refused("400 Bad Request", "this is not an HTTP request");
  r.method = head.substr(0, first);
  r.path = head.substr(first + 1, second - first - 1);
  r.host = header(head, "host");
  r.origin = header(head, "origin");
  const std::string said = header(head, "content-length");
  const auto read = std::from_chars(said.data(), said.data() + said.size(), r.length);
  if (!said.empty() && (read.ec != std::errc{} || r.length > most_body)) {
    return refused("413 Too Large", fmt::format("the request has {} bytes; at most {} are accepted",
                                                said, most_body));
  }
  r.body = text.substr(end + 4);
  return nothing_wrong;
}

Reply read_body(int connection, Request& r) {
  for (const Limit limit(body_ms); r.body.size() < r.length;) {
    if (!read_more(connection, r.body, limit)) {
      return refused("400 Bad Request", "the request is cut short");
    }
  }
  return nothing_wrong;
}

// Whether the text is a program, for which no launches are given.
bool is_program(const std::string& request, const lab::KernelOptions& o) {
  return !Json::parse(request).at("options").contains("launch") && o.file.ends_with(".cu") &&
         lab::ptx::has_main(*o.text);
}

// Runs a kernel, or the program that the text is, whose output becomes part of the report.
std::string run(const std::string& request) {
  lab::KernelOptions o = lab::live_request(request);
  if (!is_program(request, o)) return lab::to_json(lab::run_kernel(o));
  const system::TemporaryFile printed("", ".txt");
  Json report;
  {
    const system::StdoutTo aside(printed.path());
    report = Json::parse(lab::to_json(lab::run_main(o, {})));
  }
  std::string text = lab::text_of_file(printed.path());
  if (text.size() > most_output) text = text.substr(0, most_output) + "\n...";
  report["printed"] = text;
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The page that shows its launches step by step.
std::string film(const std::string& request) {
  lab::KernelOptions o = lab::live_request(request);
  if (!is_program(request, o)) return lab::live_film(o);
  o.film = true;
  const system::TemporaryFile printed("", ".txt");
  const system::StdoutTo aside(printed.path());
  const lab::KernelResult r = lab::run_main(o, {});
  if (r.page.empty()) throw Error(ErrorCode::unsupported, lab::why(r));
  return lab::page_html(r.page);
}

// A request of the page with the budget of the server, if it has none.
std::string bounded(const Json& request) {
  Json r = request.is_string() ? Json::parse(request.get<std::string>()) : request;
  if (!r.at("options").contains("budget")) r["options"]["budget"] = budget;
  return r.dump();
}

std::string answer(const std::string& what, const Json& words) {
  if (what == "onefold_lab_run") return run(bounded(words.at(0)));
  if (what == "onefold_lab_page") return film(bounded(words.at(0)));
  if (what == "onefold_lab_launches")
    return lab::live_launches(words.at(0), words.at(1).get<Size>(), words.at(2).get<unsigned>());
  return lab::live_puzzle(words.at(0), ".cu", words.at(1), words.at(2).get<unsigned>());
}

// What the page asks for, without the token: "" is the page itself.
std::string asked(const Request& r, const std::string& token) {
  return r.path.substr(token.size() + 2);
}

// Returns why a request is not answered. The token keeps out pages of other sites and other users
// of this machine, who may connect, too; the host's name those whose names have come to mean
// 127.0.0.1. The origin is what a browser says of the page that sends a request: a page of another
// site may have learned the token.
Reply check(const Request& r, const std::string& token, uint16_t port) {
  const auto is_own = [&](const std::string& address, const char* scheme) {
    return address == fmt::format("{}127.0.0.1:{}", scheme, port) ||
           address == fmt::format("{}localhost:{}", scheme, port);
  };
  if (!is_own(r.host, "")) {
    return refused("403 Forbidden", "the host of the address must be 127.0.0.1");
  }
  if (!r.origin.empty() && !is_own(r.origin, "http://")) {
    return refused("403 Forbidden", "requests from pages of other sites are refused: " + r.origin);
  }
  if (!r.path.starts_with("/" + token + "/")) {
    return refused("404 Not Found",
                   "open the address that onefold lab serve has printed, including the token");
  }
  const std::string what = asked(r, token);
  const bool is_call = what == "onefold_lab_run" || what == "onefold_lab_page" ||
                       what == "onefold_lab_launches" || what == "onefold_lab_puzzle";
  if (r.method == "GET" ? what.empty() : r.method == "POST" && is_call) return nothing_wrong;
  return refused("404 Not Found", "there is no " + r.method + " for this address");
}

Reply reply_to(const Request& r, const std::string& token, const std::string& page) {
  if (r.method == "GET") return {.type = "text/html; charset=utf-8", .body = page};
  return {.body = lab::live_answer([&] { return answer(asked(r, token), Json::parse(r.body)); })};
}

void send(int connection, const Reply& r) {
  const std::string head = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
      "no-referrer\r\nX-Frame-Options: SAMEORIGIN\r\n\r\n",
      r.status, r.type, r.body.size());
  system::write_all(connection, head.data(), head.size());
  system::write_all(connection, r.body.data(), r.body.size());
}

uint16_t port_of(const Arguments& a) {
  const auto at = a.own.find("port");
  if (at == a.own.end()) return 0;
  uint16_t port = 0;
  const char* end = at->second.data() + at->second.size();
  const auto r = std::from_chars(at->second.data(), end, port);
  if (r.ec == std::errc{} && r.ptr == end) return port;
  throw Error(ErrorCode::bad_option, "lab serve: --port " + at->second +
                                         " is not a whole number from 0, any free port, to 65535");
}

}  // namespace

void serve_lab(Arguments& a) {
  for (const auto& [name, value] : a.own) {
    if (name != "port")
      throw Error(ErrorCode::bad_option,
                  "lab serve: --" + name + " does not apply to lab serve; leave it out");
  }
  if (a.words.size() > 1 || !a.output.empty()) {
    throw Error(ErrorCode::bad_option,
                "lab serve: it takes no file; type or paste your code into the page");
  }
  const std::string page = lab::live_page("", lab::live_examples(false));
  const std::string token = system::random_digits(16);
  system::Loopback server(port_of(a));
  Writer out;
  out.write(fmt::format("http://127.0.0.1:{}/{}/\n", server.port(), token));
  out.flush();
  server.serve(most_runs, most_seconds, [&](int connection) {
    Request r;
    Reply reply = read_head(connection, r);
    // Nobody without the token can make the server wait for a body.
    if (reply.status == nullptr) reply = check(r, token, server.port());
    if (reply.status == nullptr) reply = read_body(connection, r);
    if (reply.status != nullptr) {
      send(connection, reply);
      return drain(connection);
    }
    system::end_with_connection(connection, true);  // Stop on the page closes it
    reply = reply_to(r, token, page);
    system::end_with_connection(connection, false);
    send(connection, reply);
  });
}

}  // namespace onefold::cli
