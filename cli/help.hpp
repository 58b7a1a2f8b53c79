// --help, made from the tables of verbs, options, ops and errors.
#pragma once

#include "cli/verb.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {

// Prints an overview; for a verb its options and examples; for an op also what it is.
void print_help(Writer& out);
// Prints a screen of examples, for `onefold -h`.
void print_short_help(Writer& out);
// Prints the exit statuses, for `onefold help errors`.
void print_errors(Writer& out);
void print_help(Writer& out, const Verb& verb);
// Prints help for an option, named without dashes, and its verbs. Returns false if there is none.
bool print_help_of_option(Writer& out, std::string_view name);
void print_help_of_op(Writer& out, std::string_view op);

// Throws unknown_op for a word that is neither op nor verb, with the name that was probably meant.
[[noreturn]] void refuse_word(const std::string& word, const std::string& file = "FILE");

}  // namespace onefold::cli
