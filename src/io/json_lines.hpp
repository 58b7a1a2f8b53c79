// JSON Lines as the text of a table: each line, an object, becomes a line of fields between commas.
//
//   columns  are the members of the objects; one of an object within is called "user.age"
//   numbers  stay as they are spelt, so they are decimals of any length
//   texts    are in quotes where a field needs them; "NA" is missing, as in other tables
//   missing  null, and a member that a line lacks: the field is empty
//   arrays   are texts, as they stand
//   twice    the last of two members of one name counts
//   bad      a line that is no object of JSON becomes a blank line, and is counted
//   skipped  texts that no column needs are not checked for escapes and UTF-8
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/table_rows.hpp"

namespace onefold::io {

// The places of members among the fields of a line.
class JsonMembers {
 public:
  static constexpr Size skipped = none;      // no field needs it
  static constexpr Size unknown = none - 1;  // no column is called so
  Size find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? unknown : found->second;
  }
  void add(std::string_view name, Size place) { places_.emplace(name, place); }
  Size size() const { return places_.size(); }
  // f(place) of each member that is within another one.
  template <class F>
  void each_within(std::string_view outer, F f) const {
    for (const auto& [name, place] : places_) {
      if (name.size() > outer.size() && name.starts_with(outer) && name[outer.size()] == '.')
        f(place);
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  std::unordered_map<std::string, Size, Hash, std::equal_to<>> places_;
};

// Lines of fields, as parse_rows takes them.
struct FieldLines {
  static constexpr std::size_t lead = 32;  // bytes before the first line

  std::string text = std::string(lead, '\n');
  std::vector<Size> breaks = {};  // the line of the text that each line end within quotes cuts
  Size lines = 0;                 // of JSON, that ended
  Size bad = 0;
  std::optional<RowProblem> problem = {};  // of the first bad line
  std::set<std::string> unknown = {};      // names of members that are no column

  // A line of the text as a line of JSON.
  Size line_of(Size line) const;
};

// Appends the fields of lines.
//   begin, end  a line end stands at `end`, too
//   fields      places are below this
void append_fields(const JsonMembers& members, Size fields, const char* begin, const char* end,
                   FieldLines& to);

// The names of all members, in the order in which they come first.
std::vector<std::string> names_of_members(const char* begin, const char* end);

// Does a text begin as JSON Lines do? White space before the first line does not count.
bool begins_json_lines(std::string_view text);
bool begins_json_array(std::string_view text);

// A table of JSON Lines without the columns that nobody needs: how its lines are read.
struct JsonReading {
  explicit JsonReading(const Table& table);

  Table table;                     // of the fields that are needed
  std::vector<std::size_t> outer;  // the column that each of them is
  JsonMembers members;
};

}  // namespace onefold::io
