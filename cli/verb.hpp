// A verb is a file in verb/ that defines `const Verb NAME_verb`; the folder is the list of verbs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/fold.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/load.hpp"

namespace onefold::cli {

enum class When : uint8_t { automatic, always, never };

// The parsed command line.
struct Arguments : io::FileRequest {
  std::vector<std::string> words;        // words other than options and the verb
  char** command_line = nullptr;         // all words of it, and a null pointer
  std::string where;                     // the file of a mask; empty: none
  io::FileArray mask;                    // the contents of that file
  std::optional<Correction> correction;  // --ddof or --correction
  std::string output;                    // the file for answers; empty: stdout
  When progress = When::automatic;
  bool json = false;
  int precision = 0;        // significant digits to print; 0: all of them
  bool each = false;        // fold each file separately
  bool keep_going = false;  // continue after an error of a file
  std::string files_from;   // a file with names of files; empty: none
  bool null = false;        // a zero ends each name in it
  int silent_status = 0;    // exit status without a message, since another process has printed it
  bool mpi = false;         // this is one of the ranks of an mpirun
  bool help = false;
  bool version = false;
  std::map<std::string, std::string, std::less<>> own;  // options that only one verb has
};

// An option as data. `set` parses the value, and throws bad_option with what would be right.
struct Option {
  const char* name;   // without the dashes
  const char* value;  // the value's name in the help; null for a flag
  const char* help;
  void (*set)(Arguments& arguments, const std::string& value);  // null: kept in Arguments::own
};

// A heading above an option in help, and above those of the verb's own options that follow it.
struct Heading {
  const Option* first;
  const char* title;
};

struct Verb {
  const char* name;
  const char* usage;  // the text after "onefold "
  const char* idea;   // one sentence
  std::span<const Option* const> options;
  std::span<const Heading> headings = {};
  const char* examples;  // lines of "command   # what it shows"
  void (*run)(Arguments& arguments);
};

#define ONEFOLD_ENTRY(name) extern const Verb name##_verb;
#include "generated/verb.list"
#undef ONEFOLD_ENTRY

// Runs a verb that folds on all ranks of an mpirun: each folds a share, and one of them prints.
void run_on_ranks(const Verb& verb, Arguments& arguments);

std::span<const Verb* const> verbs();
const Verb* find_verb(std::string_view name);  // null: there is none

}  // namespace onefold::cli
