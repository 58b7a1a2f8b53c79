// Runs the built program as a user would: arguments in, bytes and an exit status out.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::test {

struct Ran {
  int status = -1;  // exit status; 128 + the number of the signal that ended it
  std::string out;
  std::string error;
};

struct Surroundings {
  std::string stdin_text = {};  // sent through a pipe
  bool stdin_closed = false;
  int out = -1;  // stdout goes to this descriptor instead
  bool out_closed = false;
  std::vector<std::string> environment = {};  // NAME=value, added to the environment
  std::function<void()> in_child = {};        // called between fork and exec, to set limits
};

Ran run_program(const std::vector<std::string>& arguments, const Surroundings& in = {});

// Runs the program on a new terminal for stdin, stdout and stderr; `out` is what appears there.
//   pieces  if there are any, stdin is a pipe, in which they arrive 1.2 seconds apart
Ran run_on_terminal(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {},
                    const std::vector<std::string>& pieces = {});

// Starts the program and returns its id; the caller waits for it. Its stdin is the descriptor.
int start_program(const std::vector<std::string>& arguments, int stdin_descriptor,
                  const std::function<void()>& in_child = {});

// A folder for one test; its destructor removes all that is in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(std::string_view name) const { return root_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view bytes) const;  // returns the path
  std::vector<std::string> names() const;                                  // its files
 private:
  std::string root_;
};
std::string read_file(const std::string& path);

// Returns the bytes of elements, and a .npy file of them.
template <class T>
std::string bytes_of_list(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}
std::string npy(std::string_view type, std::string_view shape, std::string_view data);

}  // namespace onefold::test
