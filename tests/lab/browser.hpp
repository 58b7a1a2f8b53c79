// A headless Chromium, driven by the DevTools protocol through two pipes.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace onefold::test {

class Browser {
 public:
  using Json = nlohmann::json;

  // Returns $ONEFOLD_BROWSER, else chromium or google-chrome in the PATH; empty: there is none.
  static std::string path();

  Browser();  // throws std::runtime_error if it does not start
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Opens a page with this text from a file, in a window of this size, and waits until it is there.
  void open(const std::string& html, int width, int height, bool dark = false);
  void resize(int width, int height);

  // Returns the value of an expression; throws std::runtime_error with the exception that it threw.
  Json evaluate(const std::string& expression);
  // Waits until the value is `expected`, since events of the page may take a moment; after ten
  // seconds returns the value as it is.
  Json await(const std::string& expression, const Json& expected);
  void press(const std::string& key);  // a name as in KeyboardEvent.key, or " "

  // Calls a method of the protocol for the page.
  Json call(const std::string& method, Json parameters = Json::object());

  std::vector<std::string> complaints;  // of the console: errors, warnings, what was not caught
  std::vector<std::string> requests;    // requested addresses, except those of the page itself

 private:
  Json send(const std::string& method, Json parameters, bool to_page);
  Json receive();
  void note(const Json& event);

  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int last_ = 0;
  std::string buffer_, session_, folder_, file_;
};

}  // namespace onefold::test
