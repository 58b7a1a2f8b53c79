// Processes and processors.
#pragma once

#include <string>
#include <vector>

namespace onefold::system {

// Processors that this process may use; 0: unknown.
int usable_processors();
// Has the functions called at each fork of this process: before it, and after it by both. False:
// it cannot.
bool at_fork(void (*before)(), void (*parent)(), void (*child)());

// Runs a program, found by PATH, and appends what it writes. Returns its exit status, 128 and the
// number of a signal that ended it, or -1 if it cannot start.
//   error   where stderr goes; null: with stdout
int run_program(const std::vector<std::string>& words, std::string& out, std::string* error);
bool is_program(const std::string& file);
// The file of this program; empty: unknown.
std::string own_program();

}  // namespace onefold::system
