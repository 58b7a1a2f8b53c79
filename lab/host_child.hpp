// Runs a part of the program in a child process, which may crash.
#pragma once

#include <functional>
#include <string>

namespace onefold::lab {

struct ChildEnd {
  std::string last;   // what it sent last; empty: nothing
  bool done = false;  // `work` has returned
  int signal = 0;     // that ended it; 0: none
  int status = 0;     // with which it left without `work` having returned
};

// Calls work(send) in a fork of this process. A text that is sent replaces the one before.
//   throws  unsupported: no process can be made
ChildEnd run_in_child(
    const std::function<void(const std::function<void(const std::string&)>&)>& work);

}  // namespace onefold::lab
