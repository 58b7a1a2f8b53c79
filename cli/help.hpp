// --help, made from the tables of verbs, options, ops and errors.
#pragma once

#include "cli/verb.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {

// Everything at a glance; of a verb, its options and examples; of an op, what it is too.
void print_help(Writer& out);
void print_help(Writer& out, const Verb& verb);
// An option by its name, without dashes, and the verbs that have it. False: there is none.
bool print_help_of_option(Writer& out, std::string_view name);
void print_help_of_op(Writer& out, std::string_view op);

// Throws unknown_op for a word that is neither an op nor a verb, saying what was probably meant.
[[noreturn]] void refuse_word(const std::string& word);

}  // namespace onefold::cli
