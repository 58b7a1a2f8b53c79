#include "cli/lab/serve.hpp"

#include <fmt/format.h>

#include <charconv>
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
constexpr const char* budget = "1000000000";  // of a run that says none: some 10 s

struct Request {
  std::string method, path, host, body;
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

// Reads more of a connection, for which a browser needs no five seconds.
bool read_more(int connection, std::string& text) {
  char piece[1 << 14];
  if (!system::wait_for_input(connection, 5000)) return false;
  const auto n = system::read_some(connection, piece, sizeof piece);
  if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  return n > 0;
}

// Reads what a refused request still holds: if the connection was closed before, its sender would
// not see the reply.
void drain(int connection) {
  char piece[1 << 14];
  while (system::wait_for_input(connection, 1000)) {
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

// Reads a request; returns why it cannot be taken, as a reply with a status, or one without.
Reply read_request(int connection, Request& r) {
  std::string text;
  std::size_t end = text.npos;
  while ((end = text.find("\r\n\r\n")) == text.npos) {
    if (text.size() > most_head) return refused("431 Too Large", "the request's head is too long");
    if (!read_more(connection, text)) return refused("400 Bad Request", "the request is cut short");
  }
  const std::string head = text.substr(0, end + 2);
  const auto first = head.find(' '), second = head.find(' ', first + 1);
  if (second == head.npos) return refused("400 Bad Request", "this is no request of HTTP");
  r.method = head.substr(0, first);
  r.path = head.substr(first + 1, second - first - 1);
  r.host = header(head, "host");
  std::size_t length = 0;
  const std::string said = header(head, "content-length");
  const auto read = std::from_chars(said.data(), said.data() + said.size(), length);
  if (!said.empty() && (read.ec != std::errc{} || length > most_body)) {
    return refused("413 Too Large",
                   fmt::format("the request has {} bytes; at most {} are taken", said, most_body));
  }
  r.body = text.substr(end + 4);
  while (r.body.size() < length) {
    if (!read_more(connection, r.body))
      return refused("400 Bad Request", "the request is cut short");
  }
  return {.status = nullptr, .body = ""};
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

// The token keeps out pages of other sites and other users of this machine, who may connect, too;
// the host's name those whose names have come to mean 127.0.0.1.
Reply reply_to(const Request& r, const std::string& token, uint16_t port, const std::string& page) {
  if (r.host != fmt::format("127.0.0.1:{}", port) && r.host != fmt::format("localhost:{}", port)) {
    return refused("403 Forbidden", "the host of the address must be 127.0.0.1");
  }
  const std::string folder = "/" + token + "/";
  if (!r.path.starts_with(folder)) {
    return refused("404 Not Found",
                   "open the address that onefold lab serve has printed, token "
                   "and all");
  }
  const std::string what = r.path.substr(folder.size());
  if (r.method == "GET" && what.empty()) return {.type = "text/html; charset=utf-8", .body = page};
  if (r.method != "POST" || (what != "onefold_lab_run" && what != "onefold_lab_page" &&
                             what != "onefold_lab_launches" && what != "onefold_lab_puzzle")) {
    return refused("404 Not Found", "there is no " + r.method + " of this address");
  }
  return {.body = lab::live_answer([&] { return answer(what, Json::parse(r.body)); })};
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
      throw Error(ErrorCode::bad_option, "lab serve: --" + name + " has no meaning here");
  }
  if (a.words.size() > 1 || !a.output.empty()) {
    throw Error(ErrorCode::bad_option, "lab serve: it takes no file; type into the page");
  }
  const std::string page = lab::live_page("", lab::live_examples(false));
  const std::string token = system::random_digits(16);
  system::Loopback server(port_of(a));
  Writer out;
  out.write(fmt::format("http://127.0.0.1:{}/{}/\n", server.port(), token));
  out.flush();
  server.serve(most_runs, most_seconds, [&](int connection) {
    Request r;
    Reply reply = read_request(connection, r);
    if (reply.status != nullptr) {
      send(connection, reply);
      return drain(connection);
    }
    system::end_with_connection(connection, true);  // Stop on the page closes it
    reply = reply_to(r, token, server.port(), page);
    system::end_with_connection(connection, false);
    send(connection, reply);
  });
}

}  // namespace onefold::cli
