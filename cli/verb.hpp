// What a verb is: a file in verb/ that defines `const Verb NAME_verb`; the folder is the list.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "file_fold/asked.hpp"
#include "file_fold/load.hpp"
#include "onefold/fold.hpp"

namespace onefold::cli {

enum class When : uint8_t { automatic, always, never };

// The command line, understood.
struct Arguments : io::Asked {
  std::vector<std::string> words;        // what is no option, without the verb
  std::string where;                     // a file of a mask; empty: none
  io::LoadedArray mask;                  // of that file
  std::optional<Correction> correction;  // --ddof or --correction
  std::string output;                    // a file; empty: stdout
  When progress = When::automatic;
  bool json = false;
  int precision = 0;        // significant digits of what is printed; 0: all
  bool each = false;        // an answer a file
  bool keep_going = false;  // whatever some of them are
  std::string files_from;   // a file of names; empty: none
  bool null = false;        // a zero ends each of them
  int silent_status = 0;    // to exit with, for another process has said why
  bool mpi = false;         // one of the ranks of an mpirun
  bool help = false;
  bool version = false;
  std::map<std::string, std::string, std::less<>> own;  // of options that only one verb has
};

// An option as data. `set` understands the value and throws bad_option with what would be right.
struct Option {
  const char* name;   // without the dashes
  const char* value;  // what stands after it in the help; null for a flag
  const char* help;
  void (*set)(Arguments& arguments, const std::string& value);  // null: kept in Arguments::own
};

struct Verb {
  const char* name;
  const char* usage;  // after "onefold "
  const char* idea;   // one sentence
  std::span<const Option* const> options;
  const char* examples;  // lines of "command   # what it shows"
  void (*run)(Arguments& arguments);
};

#define ONEFOLD_ENTRY(name) extern const Verb name##_verb;
#include "generated/verb.list"
#undef ONEFOLD_ENTRY

// Runs a verb that folds, on all ranks of an mpirun: each folds a share, and one prints.
void run_on_ranks(const Verb& verb, Arguments& arguments);

std::span<const Verb* const> verbs();
const Verb* find_verb(std::string_view name);  // null: none

}  // namespace onefold::cli
