#include "cli/suggest.hpp"

#include <algorithm>
#include <charconv>

#include "cli/alias.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/system/file.hpp"
#include "onefold/tables/aggregate_ops.hpp"
#include "onefold/tables/column_kinds.hpp"

namespace onefold::cli {
namespace {

struct Pair {
  std::string_view word, means;
};

// Names of others for what only calls of agg answer; x is a column.
constexpr Pair calls[] = {{"iqr", "p75(x) - p25(x)"},
                          {"q1", "p25(x)"},
                          {"q3", "p75(x)"},
                          {"med", "median(x)"},
                          {"nanmedian", "median(x)"},
                          {"perc", "quantile(x, 0.9)"},
                          {"percentile", "quantile(x, 0.9)"},
                          {"percentiles", "quantile(x, 0.9)"},
                          {"quantile", "quantile(x, 0.9)"},
                          {"quantiles", "quantile(x, 0.9)"},
                          {"nanquantile", "quantile(x, 0.9)"},
                          {"nanpercentile", "quantile(x, 0.9)"},
                          {"unique", "nunique(x)"},
                          {"n_unique", "nunique(x)"},
                          {"uniq", "nunique(x)"},
                          {"distinct", "nunique(x)"},
                          {"countunique", "nunique(x)"}};

constexpr Pair options[] = {{"--group-by", "--by"},
                            {"--groupby", "--by"},
                            {"--group_by", "--by"},
                            {"--group", "--by"},
                            {"-b", "--by"},
                            {"-g", "--by"},
                            {"--key", "--by"},
                            {"-k", "--by"},
                            {"-c", "--columns"},
                            {"-f", "--columns"},
                            {"--fields", "--columns"},
                            {"--select", "--columns"},
                            {"--filter", "--where"},
                            {"-w", "--where"},
                            {"-d", "--delimiter"},
                            {"-F", "--delimiter"},
                            {"-t", "--delimiter"},
                            {"--sep", "--delimiter"},
                            {"--separator", "--delimiter"},
                            {"--ifs", "--delimiter"},
                            {"-o", "--output"},
                            {"--out", "--output"},
                            {"--limit", "--top"},
                            {"--head", "--top"},
                            {"-j", "--threads"},
                            {"--jobs", "--threads"}};

std::string_view find(std::span<const Pair> pairs, std::string_view word) {
  const auto found = std::ranges::find(pairs, word, &Pair::word);
  return found == pairs.end() ? std::string_view() : found->means;
}

// Returns a file's name as a shell takes it.
std::string in_shell(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 ||
           std::string_view("._-/+=:@%,").find(c) != std::string::npos;
  });
  return plain ? name : "'" + name + "'";
}

bool is_number(const std::string& word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

// Returns the command up to the file names: "onefold sum".
std::string command(const Arguments& arguments, std::size_t first) {
  const bool ops = first == 1 && is_op(comma_list(arguments.words[0])[0]);
  return "onefold " + (ops ? arguments.words[0] : std::string("sum"));
}

// Returns how the data at an address come into a pipe; empty: the word is not an address.
std::string pipe_of(const std::string& address) {
  const std::size_t at = address.find("://");
  if (at == address.npos) return {};
  const std::string scheme = address.substr(0, at), word = in_shell(address);
  if (scheme == "s3") return "aws s3 cp " + word + " - | ";
  if (scheme == "gs") return "gcloud storage cat " + word + " | ";
  return "curl -sSL " + word + " | ";
}

// Returns the file among the others that has a column of this name; empty: none has.
std::string file_with_column(const std::string& name, const std::vector<std::string>& files,
                             const io::InputOptions& input) {
  for (const std::string& file : files) {
    if (io::is_stream(file) || !system::exists(file)) continue;
    try {
      if (io::ColumnKinds({file}, input).has(name)) return file;
    } catch (const Error&) {  // it is refused when it is folded
    }
  }
  return {};
}

}  // namespace

std::string agg_instead(const std::string& ops, const std::string& file) {
  const std::vector<std::string> known = io::ops_of_calls();
  std::string list;
  for (const std::string& word : comma_list(ops)) {
    std::string call(find(calls, word));
    if (call.empty() && is_op(word)) {
      call = word + (find_op(word).about->inputs == 2 ? "(x, y)" : "(x)");
    }
    if (call.empty() && std::ranges::find(known, word) == known.end()) return {};
    list += (list.empty() ? "" : ", ") + (call.empty() ? word + "(x)" : call);
  }
  return "onefold agg '" + list + "' " + in_shell(file);
}

std::string command_instead(const std::string& word, const std::string& file) {
  if (const std::size_t open = word.find('('); open != word.npos) {
    const std::vector<std::string> known = io::ops_of_calls();
    const bool call = std::ranges::find(known, word.substr(0, open)) != known.end();
    return call ? "onefold agg '" + word + "' " + in_shell(file) : "";
  }
  constexpr std::string_view groups[] = {"by", "group", "group-by", "group_by", "groupby"};
  if (std::ranges::find(groups, word) != std::end(groups)) return "onefold sum --by COLUMN FILE";
  return {};
}

std::string_view option_instead(std::string_view name) { return find(options, name); }

void check_names_of_files(const Arguments& arguments, const std::vector<std::string>& files,
                          std::size_t first) {
  const auto refuse = [](const std::string& name, const std::string& what) {
    throw Error(ErrorCode::bad_option, "there is no file " + name + "; " + what);
  };
  for (const std::string& name : files) {
    if (name == "-" || system::exists(name)) continue;
    const bool lists_ops = first == 1 && is_op(comma_list(arguments.words[0])[0]);
    if (is_op(name)) {
      refuse(name, "to compute several ops, join them with commas: " +
                       (first == 1 ? arguments.words[0] : "sum") + "," + name);
    }
    if (const std::string pipe = pipe_of(name); !pipe.empty()) {
      refuse(name, "onefold reads files and pipes: " + pipe + command(arguments, first));
    }
    if (!lists_ops) continue;
    if (std::ranges::all_of(files, is_number)) {
      std::string numbers;
      for (const std::string& number : files) numbers += number + " ";
      refuse(name, "numbers must come from a file or a pipe: echo " + numbers + "| " +
                       command(arguments, first));
    }
    const auto there = [](const std::string& file) { return system::exists(file); };
    const auto other = std::ranges::find_if(files, there);
    if (const std::string call = command_instead(name, other == files.end() ? "FILE" : *other);
        !call.empty() && name.find('(') != name.npos) {
      refuse(name, "for a call write " + call);
    }
    if (const std::string file = file_with_column(name, files, arguments.input); !file.empty()) {
      refuse(name, file + " has a column " + name + ": " + command(arguments, first) +
                       " --columns " + in_shell(name) + " " + in_shell(file));
    }
  }
}

}  // namespace onefold::cli
