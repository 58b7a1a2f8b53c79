#include "onefold/tables/path_columns.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "onefold/io/codec.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/expression.hpp"
#include "onefold/io/format.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {
namespace {

namespace fs = std::filesystem;

bool ends_as_table(std::string path) {
  std::ranges::transform(path, path.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string name = without_codec(path);
  const auto is_end = [&](std::string_view extension) { return name.ends_with(extension); };
  for (const Format* f : formats()) {
    // In a folder, a text that may be only numbers is not taken for a table: it may be a note.
    const bool tables = f->open == nullptr;
    if (tables && std::ranges::any_of(f->extensions, is_end)) return !name.ends_with(".txt");
  }
  for (const Container* c : containers()) {
    if (c->open_table != nullptr && std::ranges::any_of(c->extensions, is_end)) return true;
  }
  return false;
}

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name.starts_with('_');
}

// Whether a path is a folder that is no container.
bool is_plain_folder(const std::string& path) {
  if (path == "-" || system::facts_of(path).kind != system::FileFacts::Kind::folder) return false;
  const ItemPath item = split_item(path);
  return item.document.empty() && (item.container == nullptr || item.container->documents.empty());
}

// Refuses the folder of a table whose own log says which of its files belong to it.
void refuse_logged_table(const fs::path& folder) {
  struct Format {
    const char *what, *log, *hint;
  };
  constexpr const char* iceberg =
      "; or in Python pass pyiceberg's table.scan().to_arrow() to onefold";
  constexpr Format formats[] = {
      {"a Delta", "_delta_log", "; or use onefold.fold in Python, which reads it with deltalake"},
      {"a Hudi", ".hoodie", ""},
      {"an Iceberg", "metadata/version-hint.text", iceberg}};
  const auto refuse = [&](const char* what, const char* log, const char* hint) {
    throw Error(ErrorCode::unsupported,
                "open " + folder.string() + ": it is " + what + " table, and its " + log +
                    " says which files belong to it; pass those files" + hint);
  };
  std::error_code ignored;
  for (const Format& f : formats) {
    if (fs::exists(folder / f.log, ignored)) refuse(f.what, f.log, f.hint);
  }
  for (fs::directory_iterator at(folder / "metadata", ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().ends_with(".metadata.json")) {
      refuse("an Iceberg", "metadata", iceberg);
    }
  }
}

// Refuses a file to which two of the paths lead.
void refuse_links(const std::vector<std::string>& found, const std::string& folder) {
  std::map<fs::path, std::string> known;
  for (const std::string& path : found) {
    std::error_code ignored;
    const auto [at, is_new] = known.emplace(fs::canonical(path, ignored), path);
    if (is_new) continue;
    throw Error(ErrorCode::bad_option,
                "open " + folder + ": " + at->second + " and " + path +
                    " are the same file, because one is a link; pass the files one by one");
  }
}

// A folder's tables, also those of the folders in it. A link to a folder that holds the link leads
// to no other files, and is left out.
std::vector<std::string> tables_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error, unknown;
  // Files of such a table lie in folders of its folder, too: data/ or year=2024/.
  const fs::path whole = fs::canonical(folder, error);
  for (fs::path around = whole; around != around.root_path(); around = around.parent_path()) {
    refuse_logged_table(around == whole ? fs::path(folder) : around);
  }
  std::vector<fs::path> within{whole};  // the folders around the present one
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (is_hidden(at->path())) {
      at.disable_recursion_pending();
    } else if (at->is_directory(unknown)) {
      within.resize(static_cast<std::size_t>(at.depth()) + 1);
      const fs::path real = fs::canonical(at->path(), unknown);
      if (std::ranges::find(within, real) != within.end()) at.disable_recursion_pending();
      within.push_back(real);
      refuse_logged_table(at->path());
    } else if (at->is_symlink(unknown) && !at->exists(unknown)) {
      throw Error(ErrorCode::cannot_open, "open " + folder + ": " + at->path().string() +
                                              " is a link to a file that does not exist");
    } else if (at->is_regular_file(error) && ends_as_table(at->path().string())) {
      found.push_back(at->path().string());
    }
  }
  if (error) throw Error(ErrorCode::cannot_open, "open " + folder + ": " + error.message());
  if (found.empty()) {
    throw Error(ErrorCode::cannot_open,
                "open " + folder +
                    ": the folder contains no tables; tables are files that end in .parquet, "
                    ".arrow, .csv, .tsv, .jsonl or similar");
  }
  std::ranges::sort(found);
  refuse_links(found, folder);
  return found;
}

// Names that options may use for columns of paths.
std::set<std::string> asked_names(const InputOptions& input) {
  std::set<std::string> asked;
  for (const std::string* list : {&input.columns, &input.by}) {
    for (const ListWord& word : words_of_list(*list)) asked.insert(word.text);
  }
  std::vector<std::string> names;
  if (!input.choose.empty()) static_cast<void>(parse_expression("where", input.choose, names));
  if (!input.let.empty()) {
    for (const Let& let : parse_lets("let", input.let)) {
      names.insert(names.end(), let.names.begin(), let.names.end());
    }
  }
  asked.insert(names.begin(), names.end());
  return asked;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    unsigned byte = 0;
    const char* const digits = text.data() + k + 1;
    if (text[k] == '%' && k + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      plain += static_cast<char>(byte);
      k += 2;
    } else {
      plain += text[k];
    }
  }
  return plain;
}

// A number of more characters may have no f64, as 1e400 and 1e-400.
bool is_number(const std::string& text, double& value) {
  const char* const end = text.data() + text.size();
  if (text.empty() || text.size() > 15) return false;
  if (text.find_first_not_of("0123456789+-.eE") != text.npos) return false;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

// Returns the pairs ("year", "2024") of a path's folders year=2024.
std::map<std::string, std::string> pairs_of(const std::string& path) {
  std::map<std::string, std::string> pairs;
  for (const fs::path& part : fs::path(path).parent_path()) {
    const std::string name = part.string();
    const std::size_t at = name.find('=');
    if (at == name.npos || at == 0) continue;
    pairs[unescaped(name.substr(0, at))] = unescaped(name.substr(at + 1));
  }
  return pairs;
}

}  // namespace

std::vector<std::string> files_in_folders(const std::vector<std::string>& paths) {
  if (std::ranges::none_of(paths, is_plain_folder)) return paths;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!is_plain_folder(path)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> found = tables_in(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<std::vector<PathColumn>> path_columns(const std::vector<std::string>& files,
                                                  const InputOptions& input) {
  std::vector<std::vector<PathColumn>> all(files.size());
  const auto has_pairs = [](const std::string& f) { return f.find('=') != f.npos; };
  if (std::ranges::none_of(files, has_pairs)) return all;
  const std::set<std::string> asked = asked_names(input);
  std::map<std::string, bool> numbers;  // for each name: whether all of its values are numbers
  for (const std::string& file : files) {
    for (const auto& [name, text] : pairs_of(file)) {
      if (!asked.contains(name)) continue;
      double value = 0;
      const bool number = text == PathColumn::null || is_number(text, value);
      const auto known = numbers.emplace(name, number).first;
      known->second = known->second && number;
    }
  }
  for (std::size_t k = 0; k < files.size(); ++k) {
    const auto pairs = pairs_of(files[k]);
    for (const auto& [name, number] : numbers) {
      const auto found = pairs.find(name);
      PathColumn column{.name = name, .number = number};
      if (found != pairs.end() && found->second != PathColumn::null) column.text = found->second;
      if (number && column.text) static_cast<void>(is_number(*column.text, column.value));
      all[k].push_back(column);
    }
  }
  return all;
}

}  // namespace onefold::io
