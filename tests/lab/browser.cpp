#include "browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace onefold::test {
namespace {

constexpr int patience_ms = 60'000;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("browser: " + what); }

}  // namespace

std::string Browser::path() {
  if (const char* own = std::getenv("ONEFOLD_BROWSER")) return own;
  const char* folders = std::getenv("PATH");
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::istringstream list(folders == nullptr ? "" : folders);
    for (std::string folder; std::getline(list, folder, ':');) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

Browser::Browser() {
  std::string folder = (std::filesystem::temp_directory_path() / "onefold-browser-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) fail("no temporary folder");
  folder_ = folder;
  int in[2], out[2];
  if (::pipe(in) != 0 || ::pipe(out) != 0) fail("no pipes");
  process_ = ::fork();
  if (process_ < 0) fail("it cannot be started");
  if (process_ == 0) {
    ::setpgid(0, 0);
    // The protocol uses descriptors 3 and 4, which the pipes may have themselves.
    const int a = ::fcntl(in[0], F_DUPFD, 10), b = ::fcntl(out[1], F_DUPFD, 10);
    ::dup2(a, 3);
    ::dup2(b, 4);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (int d : {0, 1, 2}) ::dup2(nowhere, d);
    ::close_range(5, ~0u, 0);
    const std::string program = path(), profile = "--user-data-dir=" + folder_;
    const char* arguments[] = {program.c_str(),     "--headless=new", "--remote-debugging-pipe",
                               "--no-sandbox",      "--disable-gpu",  "--disable-dev-shm-usage",
                               "--hide-scrollbars", "--no-first-run", profile.c_str(),
                               "about:blank",       nullptr};
    ::execv(program.c_str(), const_cast<char**>(arguments));
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  ::signal(SIGPIPE, SIG_IGN);
  const Json targets = send("Target.getTargets", {}, false);
  std::string page;
  for (const Json& t : targets.at("targetInfos")) {
    if (t.at("type") == "page") page = t.at("targetId");
  }
  if (page.empty()) page = send("Target.createTarget", {{"url", "about:blank"}}, false)["targetId"];
  session_ =
      send("Target.attachToTarget", {{"targetId", page}, {"flatten", true}}, false).at("sessionId");
  for (const char* domain : {"Page", "Runtime", "Log", "Network", "Accessibility"}) {
    call(std::string(domain) + ".enable");
  }
}

Browser::~Browser() {
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(to_);
  ::close(from_);
  std::error_code ignored;
  for (int tries = 0; tries < 10; ++tries) {  // its children may still write for a moment
    std::filesystem::remove_all(folder_, ignored);
    if (!std::filesystem::exists(folder_)) break;
    ::usleep(100'000);
  }
}

Browser::Json Browser::receive() {
  for (;;) {
    const auto end = buffer_.find('\0');
    if (end != buffer_.npos) {
      const Json j = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return j;
    }
    pollfd p{from_, POLLIN, 0};
    const int ready = ::poll(&p, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) fail("it does not answer");
    char piece[65536];
    const ssize_t n = ::read(from_, piece, sizeof piece);
    if (n <= 0) fail("it has ended");
    buffer_.append(piece, static_cast<std::size_t>(n));
  }
}

void Browser::note(const Json& event) {
  const std::string method = event.value("method", "");
  const Json p = event.value("params", Json::object());
  if (method == "Runtime.exceptionThrown") complaints.push_back(p.dump());
  if (method == "Log.entryAdded") complaints.push_back(p.at("entry").at("text"));
  if (method == "Runtime.consoleAPICalled") {
    const std::string type = p.at("type");
    if (type == "error" || type == "warning" || type == "assert") complaints.push_back(p.dump());
  }
  if (method == "Network.requestWillBeSent") {
    const std::string url = p.at("request").at("url");
    const bool own = url.find(file_) != url.npos || url.starts_with("data:") ||
                     url.starts_with("blob:");  // made by the page itself
    if (!own) requests.push_back(url);
  }
}

Browser::Json Browser::send(const std::string& method, Json parameters, bool to_page) {
  Json message{{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (message["params"].is_null()) message["params"] = Json::object();
  if (to_page) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(to_, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("it has ended");
    at += static_cast<std::size_t>(n);
  }
  for (;;) {
    const Json answer = receive();
    if (answer.value("id", 0) == last_) {
      if (answer.contains("error")) fail(method + ": " + answer["error"].dump());
      return answer.at("result");
    }
    note(answer);
  }
}

Browser::Json Browser::call(const std::string& method, Json parameters) {
  return send(method, std::move(parameters), true);
}

void Browser::resize(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::open(const std::string& html, int width, int height, bool dark) {
  file_ = folder_ + "/page.html";
  std::ofstream(file_, std::ios::binary) << html;
  resize(width, height);
  call("Emulation.setEmulatedMedia",
       {{"features",
         {{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}},
          {{"name", "prefers-reduced-motion"}, {"value", "reduce"}}}}});
  call("Page.navigate", {{"url", "file://" + file_}});
  for (int tries = 0; tries < 600; ++tries) {
    if (evaluate("document.readyState + location.protocol") == "completefile:") return;
    ::usleep(50'000);
  }
  fail("the page does not come to an end");
}

Browser::Json Browser::evaluate(const std::string& expression) {
  const Json r =
      call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (r.contains("exceptionDetails")) fail(expression + ": " + r["exceptionDetails"].dump());
  return r.at("result").value("value", Json());
}

Browser::Json Browser::await(const std::string& expression, const Json& expected) {
  Json value = evaluate(expression);
  for (int tries = 0; tries < 500 && value != expected; ++tries) {
    ::usleep(20'000);
    value = evaluate(expression);
  }
  return value;
}

void Browser::press(const std::string& key) {
  const Json k{{"key", key},
               {"code", key == " " ? "Space" : key},
               {"type", "rawKeyDown"},
               {"windowsVirtualKeyCode", key == "Tab"          ? 9
                                         : key == " "          ? 32
                                         : key == "End"        ? 35
                                         : key == "Home"       ? 36
                                         : key == "ArrowLeft"  ? 37
                                         : key == "ArrowUp"    ? 38
                                         : key == "ArrowRight" ? 39
                                         : key == "ArrowDown"  ? 40
                                                               : 13}};
  call("Input.dispatchKeyEvent", k);
  Json up = k;
  up["type"] = "keyUp";
  call("Input.dispatchKeyEvent", up);
}

}  // namespace onefold::test
