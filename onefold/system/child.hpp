// Runs a part of this program in a child process, which may crash.
#pragma once

#include <functional>
#include <string>

namespace onefold::system {

struct ChildEnd {
  std::string last;          // the last text that it sent; empty: none
  bool done = false;         // `work` has returned
  int signal = 0;            // the signal that ended it; 0: none
  int status = 0;            // its exit status, if `work` has not returned
  bool out_of_time = false;  // end_after_processor_time ended it
};

// Calls work(send) in a fork of this process. Each text that is sent replaces the one before.
//   throws  unsupported: the system makes no process
ChildEnd run_in_child(
    const std::function<void(const std::function<void(const std::string&)>&)>& work);

// Lets this process, a child of process `parent`, be killed when the parent ends.
void end_with(int parent);

// Lets a signal end this process after so many more seconds of processor time; 0: never. Returns
// how many seconds were left before.
double end_after_processor_time(double seconds);

// Returns the system's name of a signal, such as "Segmentation fault".
std::string name_of_signal(int signal);

}  // namespace onefold::system
