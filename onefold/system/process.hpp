// Processes and processors.
#pragma once

#include <string>
#include <vector>

namespace onefold::system {

// Processors that this process may use; 0: unknown.
int usable_processors();
// Registers functions that every fork of this process calls: one before it, one after it in each of
// both processes. Returns false if that fails.
bool at_fork(void (*before)(), void (*parent)(), void (*child)());

// Runs a program, found by PATH, and appends its output. Returns its exit status; 128 plus the
// signal that ended it; or -1 if it cannot start.
//   error   gets stderr; null: stderr goes to `out`
int run_program(const std::vector<std::string>& words, std::string& out, std::string* error);
bool is_program(const std::string& file);
// Returns the program of this name in a folder of PATH; empty: none.
std::string program_in_path(const std::string& name);
// Replaces this process by a program with these arguments, of which the last is null. Returns only
// if that fails: why.
std::string become_program(const std::string& file, char* const* arguments);
// Returns the file of this program; empty: unknown.
std::string own_program();

}  // namespace onefold::system
