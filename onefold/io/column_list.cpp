// Columns by their names, labels and places, as --columns and --by list them.
#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_set>

#include "onefold/engine/plan/nearest.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/table.hpp"
#include "onefold/io/table_fields.hpp"

namespace onefold::io {
namespace {

[[noreturn]] void refuse_no_column(const File& file, const std::string& word, const Table& table) {
  if (table.columns.empty()) {
    file.fail(ErrorCode::bad_option, "it is empty, so it has no column " + quote_text(word));
  }
  std::vector<std::string_view> names;
  std::string all;
  for (const Column& c : table.columns) {
    names.push_back(c.name);
    if (names.size() > 20) continue;
    all += all.empty() ? "" : ", ";
    for (const char k : c.name) all += static_cast<unsigned char>(k) < 0x20 || k == 0x7f ? '?' : k;
  }
  if (names.size() > 20) all += ", ...";
  const bool is_digits = word.find_first_not_of("0123456789-", word.starts_with('#')) == word.npos;
  const bool computes = word.find_first_of("(+*/") != word.npos;
  file.fail(
      ErrorCode::bad_option,
      "it has no column " + quote_text(word) + (is_digits ? "" : did_you_mean(word, names)) +
          "; its " + std::to_string(names.size()) + " columns are " + all +
          (computes ? "; to use an expression, give it a name with --let 'k = " + word + "'" : "") +
          (is_digits && !table.header && !names.empty()
               ? "; if the first line has column names, pass --header yes"
               : ""));
}

// Refuses a name that several columns have.
void refuse_twice(const File& file, std::size_t first, const Table& table) {
  const std::string& name = table.columns[first].name;
  std::string places;
  std::size_t columns = 0;
  for (std::size_t k = 0; k < table.columns.size() && columns < 20; ++k) {
    if (table.columns[k].name != name) continue;
    places += (columns++ == 0 ? "#" : ", #") + std::to_string(k + 1);
  }
  if (columns < 2) return;
  file.fail(ErrorCode::bad_option, "column " + quote_text(name) + " is the name of " +
                                       std::to_string(columns) +
                                       " columns; choose one by its position: " + places);
}

// Returns the label of each column.
std::vector<std::string> all_labels(const Table& table) {
  std::unordered_set<std::string> names, taken;
  for (const Column& c : table.columns) names.insert(c.name);
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    std::string label = table.columns[k].name;
    // x.2 may be the name of another column.
    while (taken.contains(label) || (label != table.columns[k].name && names.contains(label))) {
      label += "." + std::to_string(k + 1);
    }
    taken.insert(label);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace

std::vector<std::string> labels_of(const Table& table, const std::vector<std::size_t>& columns) {
  const std::vector<std::string> all = all_labels(table);
  std::vector<std::string> labels;
  for (const std::size_t k : columns) labels.push_back(all[k]);
  return labels;
}

std::vector<std::string> words_for(const Table& table) {
  std::vector<std::string> words = all_labels(table);
  const std::set<std::string> others(words.begin(), words.end());
  std::multiset<std::string_view> names;
  for (const Column& c : table.columns) names.insert(c.name);
  for (std::size_t k = 0; k < words.size(); ++k) {
    // A name of several columns means none of them.
    const std::string place = std::to_string(k + 1);
    const bool means_none = names.count(words[k]) > 1 && !others.contains("#" + place);
    words[k] = !table.header ? place : means_none ? "#" + place : list_of_names({words[k]});
  }
  return words;
}

std::vector<std::size_t> columns_of(const File& file, const std::string& list, const Table& table) {
  const auto number = [&](std::string_view s, std::size_t& n) {
    const auto [stop, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    return error == std::errc() && stop == s.data() + s.size();
  };
  const std::size_t count = table.columns.size();
  std::vector<std::size_t> chosen;
  // If some columns have numbers as names, "2" is a name and "3" may be a position: never use both
  // in a list.
  std::string name_word, place_word;
  const auto place_of = [&](std::size_t name) {
    for (std::size_t k = 0; k < count && table.header; ++k) {
      if (table.columns[k].name == std::to_string(name)) return k + 1;
    }
    return name;
  };
  std::vector<std::string> labels;
  for (auto& [word, quoted] : words_of_list(list)) {
    const auto named = [&, &name = word](const Column& c) {
      return table.header && c.name == name;
    };
    auto found = std::find_if(table.columns.begin(), table.columns.end(), named);
    if (found == table.columns.end() && table.header) {
      // A label of a column whose name another column has, too.
      if (labels.empty()) labels = all_labels(table);
      const auto label = std::find(labels.begin(), labels.end(), word);
      found = table.columns.begin() + (label - labels.begin());
    }
    std::size_t first = 0, last = 0;
    // #2 is always a place.
    const bool place_only = !quoted && found == table.columns.end() && word.starts_with('#');
    const std::string asked = word;
    if (place_only) word.erase(0, 1);
    const std::size_t dash = word.find('-');
    if (found != table.columns.end()) {
      first = last = static_cast<std::size_t>(found - table.columns.begin()) + 1;
      if (found->name == word) refuse_twice(file, first - 1, table);
      std::size_t place = 0;
      if (!quoted && number(word, place) && place != first) name_word = word;
    } else if (quoted) {
      refuse_no_column(file, word, table);
    } else if (word.find('*') != word.npos) {
      const std::size_t before = chosen.size();
      for (std::size_t k = 0; k < count && table.header; ++k) {
        if (matches(word, table.columns[k].name)) chosen.push_back(k);
      }
      if (chosen.size() == before) refuse_no_column(file, word, table);
      continue;
    } else if (number(word, first)) {
      last = first;
      if (!place_only) place_word = word;
    } else if (dash == word.npos || !number(std::string_view(word).substr(0, dash), first)) {
      refuse_no_column(file, asked, table);
    } else if (dash + 1 == word.size()) {
      last = count;  // "5-"
    } else if (!number(std::string_view(word).substr(dash + 1), last)) {
      refuse_no_column(file, asked, table);
    }
    if (first < 1 || last > count || first > last) refuse_no_column(file, asked, table);
    const bool range = found == table.columns.end() && dash != word.npos && !place_only;
    if (range && (place_of(first) != first || place_of(last) != last)) {
      file.fail(ErrorCode::bad_option,
                "columns " + word +
                    " may be names or positions, because the names of some columns are numbers; "
                    "list the names, as in 2,3, or write positions as #2-3");
    }
    if (!name_word.empty() && !place_word.empty()) {
      file.fail(ErrorCode::bad_option, "column " + name_word + " is a name, but " + place_word +
                                           " can only be a position; write #" + place_word);
    }
    for (std::size_t k = first; k <= last; ++k) chosen.push_back(k - 1);
  }
  return chosen;
}

}  // namespace onefold::io
