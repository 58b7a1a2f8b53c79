// JSON Lines as the text of a table: each line, an object, becomes a line of fields between commas.
//
//   columns  are the members of the objects; a member of an inner object is called "user.age"
//   numbers  keep their spelling, so they are decimals of any length
//   texts    are quoted if a field needs it; "NA" is missing, as in other tables
//   missing  null, and a member that a line lacks: the field is empty
//   arrays   become texts, as they are spelt
//   twice    if two members have one name, the last counts
//   bad      a line that is no JSON object becomes a blank line, and is counted
//   skipped  texts that no column needs are not checked for escapes and UTF-8
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onefold/io/table_rows.hpp"

namespace onefold::io {

// Which field of a line belongs to which member.
class JsonMembers {
 public:
  static constexpr Size skipped = none;      // no field needs the member
  static constexpr Size unknown = none - 1;  // no column has this name
  Size find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? unknown : found->second;
  }
  void add(std::string_view name, Size place) { places_.emplace(name, place); }
  Size size() const { return places_.size(); }
  // Calls f(field) for each member that lies within another one.
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

// Lines of fields, as parse_rows reads them.
struct FieldLines {
  static constexpr std::size_t lead = 32;  // bytes before the first line

  std::string text = std::string(lead, '\n');
  // Numbers of those lines whose line end, within quotes, cuts a field.
  std::vector<Size> breaks = {};
  Size lines = 0;  // number of JSON lines that have ended
  Size bad = 0;
  std::optional<RowProblem> problem = {};  // the first bad line
  std::set<std::string> unknown = {};      // names of members that are no columns

  // Converts the number of a line of fields to that of the JSON line.
  Size line_of(Size line) const;
};

// Appends the fields of the lines [begin, end).
//   begin, end  a line end follows at `end`
//   fields      number of fields of a line
void append_fields(const JsonMembers& members, Size fields, const char* begin, const char* end,
                   FieldLines& to);

// Returns the names of all members, in the order in which they first occur.
std::vector<std::string> names_of_members(const char* begin, const char* end);

// Whether a text begins as JSON Lines do. White space before the first line is skipped.
bool begins_json_lines(std::string_view text);
bool begins_json_array(std::string_view text);  // of objects, or empty
// Whether a text begins as an array that JSON, Python or NumPy prints does, of any elements.
bool begins_printed_array(std::string_view text);

// How a table of JSON Lines is read, without the columns that are not needed.
struct JsonReading {
  explicit JsonReading(const Table& table);

  Table table;                     // the table of the needed fields
  std::vector<std::size_t> outer;  // for each of them, its column in the whole table
  JsonMembers members;
};

}  // namespace onefold::io
