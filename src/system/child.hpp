// Runs a part of this program in a child process, which may crash.
#pragma once

#include <functional>
#include <string>

namespace onefold::system {

struct ChildEnd {
  std::string last;          // what it sent last; empty: nothing
  bool done = false;         // `work` has returned
  int signal = 0;            // that ended it; 0: none
  int status = 0;            // with which it left without `work` having returned
  bool out_of_time = false;  // end_after_processor_time has ended it
};

// Calls work(send) in a fork of this process. A text that is sent replaces the one before.
//   throws  unsupported: no process can be made
ChildEnd run_in_child(
    const std::function<void(const std::function<void(const std::string&)>&)>& work);

// Has a signal end this process after so many further seconds of processor time; 0: never.
// Returns how many were left of the time set before.
double end_after_processor_time(double seconds);

// What the system calls it, as "Segmentation fault".
std::string name_of_signal(int signal);

}  // namespace onefold::system
