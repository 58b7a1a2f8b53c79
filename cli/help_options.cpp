#include "cli/help_options.hpp"

#include <algorithm>

#include "cli/option.hpp"

namespace onefold::cli {
namespace {

constexpr std::size_t most_columns = 80;

struct Row {
  const char* title;
  std::initializer_list<const Option*> options;
};

// Options that several verbs share; those of one verb alone are in none of these groups.
std::span<const Row> rows() {
  using namespace option;
  static const Row list[] = {
      {"Columns, rows and groups", {&columns, &by, &where, &let, &sort, &top, &no_sort}},
      {"What to compute",
       {&axis, &keepdims, &nan, &ddof, &correction, &weights, &fweights, &offsets, &initial,
        &empty_nan, &result}},
      {"Windows of rows", {&rolling, &cumulative, &over, &within, &min_periods, &closed}},
      {"Reading tables",
       {&header, &delimiter, &decimal, &thousands, &missing, &numbers, &non_numbers, &date_format,
        &bad_lines, &skip, &comment, &units, &unite}},
      {"Reading arrays and raw files", {&format, &dtype, &shape, &offset}},
      {"Several files", {&each, &keep_going, &files_from, &null}},
      {"States", {&state, &parts}},
      {"Output", {&json, &precision, &output, &progress}},
      {"Speed and memory", {&threads, &device, &target, &memory, &mpi}},
      {"Help", {&help, &version}},
  };
  return list;
}

}  // namespace

std::vector<OptionGroup> groups_of(const Verb& verb) {
  std::vector<const Option*> own(verb.options.begin(), verb.options.end());
  std::vector<OptionGroup> shared, groups;
  for (const Row& row : rows()) {
    OptionGroup group{.title = row.title, .options = {}};
    for (const Option* option : row.options) {
      if (std::erase(own, option) > 0) group.options.push_back(option);
    }
    if (!group.options.empty()) shared.push_back(std::move(group));
  }
  for (const Option* option : own) {
    const auto heading = std::ranges::find(verb.headings, option, &Heading::first);
    const bool begins = heading != verb.headings.end();
    if (begins || groups.empty()) groups.push_back({begins ? heading->title : "Options", {}});
    groups.back().options.push_back(option);
  }
  groups.insert(groups.end(), shared.begin(), shared.end());
  return groups;
}

void write_entry(Writer& out, std::string_view name, std::string_view text, std::size_t column) {
  std::string line = "  " + std::string(name);
  const auto pad = [&] { line.resize(std::max(line.size(), column), ' '); };
  if (!name.empty() && line.size() + 2 > column) {
    out.write(line + "\n");
    line.clear();
  }
  pad();
  while (!text.empty()) {
    std::string_view piece = text;
    if (column + text.size() > most_columns) {
      const std::size_t blank = text.rfind(' ', most_columns - column);
      piece = text.substr(0, blank);
    }
    out.write(line + std::string(piece) + "\n");
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
    line.clear();
    pad();
  }
}

void write_option(Writer& out, const Option& option) {
  constexpr std::size_t column = 24;
  std::string name = "--" + std::string(option.name);
  if (option.value != nullptr) name += " " + std::string(option.value);
  write_entry(out, name, option.help, column);
}

}  // namespace onefold::cli
