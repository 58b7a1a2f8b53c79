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
  std::string stdin_text = {};  // through a pipe
  bool stdin_closed = false;
  int out = -1;  // stdout goes to this descriptor instead
  bool out_closed = false;
  std::vector<std::string> environment = {};  // NAME=value, beside what there is
  std::function<void()> in_child = {};        // between fork and exec: limits
};

Ran run_program(const std::vector<std::string>& arguments, const Surroundings& in = {});

// On a terminal of its own for stdin, stdout and stderr; what appears there is `out`.
//   pieces  if any: stdin is a pipe instead, and they arrive in it 1.2 seconds apart
Ran run_on_terminal(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment = {},
                    const std::vector<std::string>& pieces = {});

// Starts the program and gives its id; the caller waits for it. stdin is the descriptor.
int start_program(const std::vector<std::string>& arguments, int stdin_descriptor,
                  const std::function<void()>& in_child = {});

// A folder of this test alone; files are made in it and all goes at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path(std::string_view name) const { return root_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view bytes) const;  // the path
  std::vector<std::string> names() const;                                  // of what is there
 private:
  std::string root_;
};
std::string read_file(const std::string& path);

// The bytes of elements, and a .npy file of them.
template <class T>
std::string bytes_of_list(const std::vector<T>& list) {
  return {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)};
}
std::string npy(std::string_view type, std::string_view shape, std::string_view data);

}  // namespace onefold::test
