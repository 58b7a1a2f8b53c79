#include "onefold/io/json_lines.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/io/character.hpp"
#include "onefold/io/table_fields.hpp"
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif

namespace onefold::io {
namespace {

// Returns the text of a JSON string with escapes or bytes beyond ASCII; nothing if it is no JSON
// string.
std::optional<std::string> decoded([[maybe_unused]] std::string_view quoted) {
#if __has_include(<nlohmann/json.hpp>)
  const auto string = nlohmann::json::parse(quoted.begin(), quoted.end(), nullptr, false);
  if (string.is_string()) return string.get<std::string>();
#endif
  return {};
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The value of one member of the current line.
struct Value {
  enum class Kind : uint8_t { nothing, plain, text } kind = Kind::nothing;
  std::string_view bytes = {};
};

// A sink that needs no member.
struct Nobody {
  static void begin(const std::string&, bool) {}
  static Size find(const std::string&) { return JsonMembers::skipped; }
  static void put(Size, const Value&) {}
  static std::string_view keep(const std::string&) { return {}; }
};

// Parses a line; a line end follows it.
//   Sink  begin(path, is_object) reports a member; find(path) returns its field's number, or
//         `skipped`, or `unknown`; put(place, value) takes the value of a member with a field
template <class Sink>
class JsonLine {
 public:
  JsonLine(const char* line, Sink& sink) : JsonLine(line, line, sink) {}

  // Returns what is wrong with the line; empty: nothing.
  std::string parse() {
    skip();
    if (*p_ != '{') return wrong("an object, such as {\"x\": 1.5}");
    if (!object(0)) return what_;
    skip();
    return *p_ == '\n' ? std::string() : wrong("the end of the line");
  }

 private:
  static constexpr int most_depth = 100;
  template <class>
  friend class JsonLine;

  JsonLine(const char* line, const char* at, Sink& sink) : begin_(line), p_(at), sink_(sink) {}

  void skip() {
    while (is_space(*p_)) ++p_;
  }
  std::string wrong(const char* expected) const {
    const char* end = p_;
    while (*end != '\n') ++end;
    const std::string place = "byte " + std::to_string(p_ - begin_ + 1) + ": ";
    if (p_ == end) {
      return place + "the line ends where " + expected +
             " is expected; each line must hold a whole object, as jq -c . FILE writes it";
    }
    return place + quote({p_, end}) + " was found where " + expected + " is expected";
  }
  bool fail(const char* expected) {
    what_ = wrong(expected);
    return false;
  }

  bool object(int depth) {
    if (depth > most_depth) return fail("nesting of at most 100 levels");
    ++p_;
    skip();
    if (*p_ == '}') return ++p_, true;
    const std::size_t before = path_.size();
    for (;; ++p_) {
      skip();
      std::string_view name;
      bool plain = false;
      const char* const quote = p_;
      if (*p_ != '"' || !string(name, plain)) return fail("a name in quotes");
      path_.resize(before);
      if (plain) {
        path_ += name;
      } else if (const auto text = decoded(name)) {
        path_ += *text;
      } else {
        return p_ = quote, fail("a name with valid escapes and UTF-8");
      }
      skip();
      if (*p_ != ':') return fail("a colon");
      ++p_;
      skip();
      sink_.begin(path_, *p_ == '{');
      if (*p_ == '{') {
        path_ += '.';
        if (!object(depth + 1)) return false;
      } else if (!member()) {
        return false;
      }
      skip();
      if (*p_ == ',') continue;
      if (*p_ != '}') return fail("a comma or }");
      path_.resize(before);
      return ++p_, true;
    }
  }

  bool member() {
    const Size place = sink_.find(path_);
    Value value;
    if (!read(value, place != JsonMembers::skipped && place != JsonMembers::unknown, 0)) {
      return false;
    }
    if (place != JsonMembers::skipped && place != JsonMembers::unknown) sink_.put(place, value);
    return true;
  }

  // Reads a value that is no object, or one within an array.
  //   needed  the value is used, so its text is decoded
  bool read(Value& value, bool needed, int depth) {
    const char* const from = p_;
    const auto plain = [&](Value::Kind kind) {
      value = {kind, {from, static_cast<std::size_t>(p_ - from)}};
      return true;
    };
    switch (*p_) {
      case '"': {
        std::string_view text;
        bool is_plain = false;
        if (!string(text, is_plain)) return fail("a string with a closing quote");
        value = {Value::Kind::text, text};
        if (is_plain || !needed) return true;
        const auto made = decoded(text);
        if (!made) return p_ = from, fail("a string with valid escapes and UTF-8");
        value.bytes = sink_.keep(*made);
        return true;
      }
      case 't':
        return word("true") && plain(Value::Kind::plain);
      case 'f':
        return word("false") && plain(Value::Kind::plain);
      case 'n':
        return word("null");
      case '[':
        return array(depth) && plain(Value::Kind::text);
      default:
        return number() && plain(Value::Kind::plain);
    }
  }

  bool array(int depth) {
    if (depth > most_depth) return fail("nesting of at most 100 levels");
    ++p_;
    skip();
    if (*p_ == ']') return ++p_, true;
    for (;; ++p_) {
      skip();
      Value value;
      if (*p_ == '{') {
        // Members of an object in an array are no columns.
        Nobody nobody;
        JsonLine<Nobody> within(begin_, p_, nobody);
        const bool is_object = within.object(depth + 1);
        p_ = within.p_;
        what_ = within.what_;
        if (!is_object) return false;
      } else if (!read(value, false, depth + 1)) {
        return false;
      }
      skip();
      if (*p_ == ',') continue;
      if (*p_ != ']') return fail("a comma or ]");
      return ++p_, true;
    }
  }

  // Reads a string, from quote to quote. plain: the bytes between them are the text.
  //   text  if it is not plain: with its quotes
  bool string(std::string_view& text, bool& plain) {
    const char* const from = p_++;
    plain = true;
    for (;; ++p_) {
      const char c = *p_;
      if (c == '"') break;
      if (static_cast<signed char>(c) >= ' ' && c != '\\') continue;
      plain = false;
      if (c == '\n') return false;
      if (c == '\\' && *++p_ == '\n') return false;
    }
    ++p_;
    text = {from, static_cast<std::size_t>(p_ - from)};
    if (plain) text = text.substr(1, text.size() - 2);
    return true;
  }

  bool word(const char* word) {
    const std::size_t n = std::strlen(word);
    if (std::strncmp(p_, word, n) != 0) return fail("a value");
    p_ += n;
    return true;
  }

  bool digits() {
    if (!is_digit(*p_)) return false;
    while (is_digit(*p_)) ++p_;
    return true;
  }
  bool number() {
    const char* const from = p_;
    const auto none = [&] { return p_ = from, fail("a value"); };
    if (*p_ == '-') ++p_;
    if (*p_ == '0' && is_digit(p_[1])) return none();
    if (!digits()) return none();
    if (*p_ == '.' && (++p_, !digits())) return none();
    if (*p_ != 'e' && *p_ != 'E') return true;
    ++p_;
    if (*p_ == '+' || *p_ == '-') ++p_;
    return digits() || none();
  }

  const char* begin_;
  const char* p_;
  Sink& sink_;
  std::string path_, what_;
};

// The values of one line. Remembers the members of the line before by position, to find fields
// quickly.
class Row {
 public:
  Row(const JsonMembers& members, Size fields, std::set<std::string>& unknown)
      : members_(members), values_(fields), unknown_(unknown) {}

  void begin() {
    std::ranges::fill(values_, Value());
    kept_.clear();
    objects_.clear();
    at_ = 0;
  }
  // If two members have one name, the last counts, so values within an earlier one are dropped.
  void begin(const std::string& path, bool is_object) {
    if (std::ranges::find(objects_, path) != objects_.end()) {
      members_.each_within(path, [&](Size place) { drop(place); });
    }
    if (!is_object) return;
    objects_.push_back(path);
    drop(members_.find(path));
  }
  Size find(const std::string& path) {
    const std::size_t at = at_++;
    if (at < seen_.size() && seen_[at].first == path) return seen_[at].second;
    const Size place = members_.find(path);
    if (place == JsonMembers::unknown && unknown_.size() < 100) unknown_.insert(path);
    if (at < 10000) {
      if (seen_.size() <= at) seen_.resize(at + 1);
      seen_[at] = {path, place};
    }
    return place;
  }
  void put(Size place, const Value& value) { values_[place] = value; }
  std::string_view keep(const std::string& text) {
    return *kept_.emplace_back(std::make_unique<std::string>(text));
  }

  void append(FieldLines& to) const {
    const std::size_t from = to.text.size();
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (k > 0) to.text += ',';
      const auto& [kind, bytes] = values_[k];
      if (kind != Value::Kind::text || is_bare(bytes)) {
        to.text += bytes;
        continue;
      }
      to.text += '"';
      for (const char c : bytes) {
        if (c == '"') to.text += '"';
        if (c == '\n') to.breaks.push_back(to.lines);
        to.text += c;
      }
      to.text += '"';
    }
    if (to.text.size() == from) to.text += "\"\"";  // a blank line would be no row
  }

 private:
  // Whether a field with this text needs no quotes.
  static bool is_bare(std::string_view s) {
    return s.empty() ||
           (s.find_first_of(",\"\n\r") == s.npos && !is_blank(s.front()) && !is_blank(s.back()));
  }

  void drop(Size place) {
    if (place < values_.size()) values_[place] = {};
  }

  const JsonMembers& members_;
  std::vector<Value> values_;
  std::vector<std::string> objects_;  // paths of the line's objects
  std::vector<std::unique_ptr<std::string>> kept_;
  std::vector<std::pair<std::string, Size>> seen_;
  std::size_t at_ = 0;
  std::set<std::string>& unknown_;
};

// Calls f(line, blank) for each line.
template <class F>
void over_json(const char* begin, const char* end, F f) {
  for (const char* p = begin; p < end;) {
    const char* first = p;
    while (is_space(*first)) ++first;
    f(p, *first == '\n');
    const void* const line_end = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    p = line_end == nullptr ? end : static_cast<const char*>(line_end) + 1;
  }
}

}  // namespace

Size FieldLines::line_of(Size line) const {
  Size cuts = 0;
  while (cuts < breaks.size() && breaks[cuts] + cuts < line) ++cuts;
  return line - cuts;
}

void append_fields(const JsonMembers& members, Size fields, const char* begin, const char* end,
                   FieldLines& to) {
  Row row(members, fields, to.unknown);
  to.lines = 0;
  over_json(begin, end, [&](const char* line, bool blank) {
    row.begin();
    const std::string what = blank ? "" : JsonLine<Row>(line, row).parse();
    if (!what.empty()) {
      ++to.bad;
      if (!to.problem) {
        to.problem = {.line = to.lines, .column = RowProblem::no_column, .what = what};
      }
    } else if (!blank) {
      row.append(to);
    }
    to.text += '\n';
    ++to.lines;
  });
}

std::vector<std::string> names_of_members(const char* begin, const char* end) {
  struct Names {
    static void begin(const std::string&, bool) {}
    Size find(const std::string& path) {
      if (known.insert(path).second) names.push_back(path);
      return JsonMembers::skipped;
    }
    static void put(Size, const Value&) {}
    static std::string_view keep(const std::string&) { return {}; }
    std::set<std::string> known;
    std::vector<std::string> names;
  } names;
  over_json(begin, end, [&](const char* line, bool blank) {
    if (!blank) JsonLine<Names>(line, names).parse();
  });
  return names.names;
}

}  // namespace onefold::io
