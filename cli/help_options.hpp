// The options of a verb as help and manual pages list them: in groups, within 80 columns.
#pragma once

#include "cli/verb.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {

// A heading and the options below it, in the order in which help shows them.
struct OptionGroup {
  std::string title;
  std::vector<const Option*> options;
};
// Returns the groups of a verb's options, with the options that only this verb has first.
std::vector<OptionGroup> groups_of(const Verb& verb);

// Writes a name and what it means; a long text goes on in lines that begin below the first.
//   column  where texts begin
void write_entry(Writer& out, std::string_view name, std::string_view text, std::size_t column);
void write_option(Writer& out, const Option& option);

}  // namespace onefold::cli
