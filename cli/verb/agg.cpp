// onefold agg LIST FILE...: columns of a table, each by ops of its own.
#include "onefold/tables/aggregate.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "cli/alias.hpp"
#include "cli/calls.hpp"
#include "cli/option.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/temporary.hpp"
#include "onefold/tables/aggregate_ops.hpp"

namespace onefold::cli {
namespace {

constexpr Option having_option{
    "having", "EXPR", "keep only groups for which this is true: 'sum(price) > 100 and n >= 3'",
    nullptr};

// Returns the descriptor of a pipe: that of stdin, or of the shell's <(command). Nothing: it has
// none yet.
std::optional<int> descriptor_of(const std::string& path) {
  constexpr std::string_view folder = "/dev/fd/";
  if (path == "-") return system::standard_input;
  int descriptor = 0;
  if (!path.starts_with(folder)) return {};
  const char *const begin = path.data() + folder.size(), *const end = path.data() + path.size();
  const auto read = std::from_chars(begin, end, descriptor);
  return read.ptr == end && read.ec == std::errc() ? std::optional(descriptor) : std::nullopt;
}

// Refuses a file in the place of the calls; says how stddev differs from other programs'.
void check_calls(const std::string& list) {
  if (list.find('(') == list.npos && system::exists(list)) {
    throw Error(ErrorCode::bad_option,
                "agg: the calls must come before the files; write onefold agg 'sum(x)' " + list +
                    ", where x is a column");
  }
  for (const Alias* const alias : io::aliases_of_calls(list)) {
    if (*alias->note != 0) say_alias(*alias);
  }
}

void run_agg(Arguments& arguments) {
  if (!arguments.words.empty()) check_calls(arguments.words[0]);
  run_calls(arguments, "agg needs a list of calls: onefold agg 'sum(price), max(date)' FILE",
            [&](const auto& files, const auto& progress, io::Notes& notes) {
              const std::string& list = arguments.words[0];
              const auto found = arguments.own.find("having");
              const std::string having = found == arguments.own.end() ? "" : found->second;
              // A pipe that is read several times is kept.
              if (io::passes_of_aggregate(list, having, files, arguments) > 1) {
                for (const std::string& path : files) {
                  if (!io::is_stream(path)) continue;
                  if (const auto pipe = descriptor_of(path)) {
                    system::keep_pipe(*pipe, path == "-" ? "stdin" : path);
                  }
                }
              }
              return io::aggregate(list, having, files, arguments, progress, notes);
            });
}

constexpr const Option* agg_options[] = {
    &option::by,          &having_option,      &option::sort,    &option::top,
    &option::where,       &option::let,        &option::nan,     &option::ddof,
    &option::correction,  &option::empty_nan,  &option::dtype,   &option::format,
    &option::header,      &option::delimiter,  &option::missing, &option::bad_lines,
    &option::decimal,     &option::thousands,  &option::numbers, &option::non_numbers,
    &option::date_format, &option::skip,       &option::comment, &option::units,
    &option::unite,       &option::files_from, &option::null,    &option::memory,
    &option::json,        &option::precision,  &option::output,  &option::progress,
    &option::threads,     &option::help,       &option::version};

}  // namespace

const Verb agg_verb{.name = "agg",
                    .usage = "agg 'OP(COLUMN), ...' FILE...",
                    .idea = "Compute statistics of columns: 'sum(price), max(date)'.",
                    .options = agg_options,
                    .examples =
                        "onefold agg 'sum(price), median(price), nunique(user)' sales.csv\n"
                        "onefold agg 'n = count(), max(date)' --by 'city, month(date)' sales.csv\n"
                        "onefold agg 'mean(price)' --by city --having 'count() > 9' sales.csv\n"
                        "onefold agg 'sum(price * qty)' --by city --top 5 sales.csv",
                    .run = run_agg};

}  // namespace onefold::cli
