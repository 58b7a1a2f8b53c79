#include "cli/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cli/groups.hpp"
#include "cli/output.hpp"
#include "cli/part_numbers.hpp"
#include "cli/request.hpp"
#include "cli/writer.hpp"
#include "onefold/engine/crc32.hpp"
#include "onefold/engine/state/answers.hpp"
#include "onefold/engine/state/sha256.hpp"
#include "onefold/io/file.hpp"
#include "onefold/states.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::cli {
namespace {

constexpr std::string_view mark = "onefold-parts ";

std::string checksum_of(std::string_view list) {
  return fmt::format("{:08x}", crc32_of(list.data(), std::span(list).size_bytes()));
}

// Reads "1-3,7" or "1-3,7/8".
bool read_list(std::string_view text, StateFile& state) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  if (!read_part_numbers(text.substr(0, slash), state.parts)) return false;
  if (slash == text.size()) return true;
  return read_number(text.substr(slash + 1), state.shares) && state.parts.begin()->begin >= 1 &&
         state.parts.back().end <= state.shares + 1;
}

// Reads such a list, then a blank and the list's checksum, which old files lack.
bool read_line(std::string_view line, StateFile& state) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view list = line.substr(0, blank);
  if (blank != line.size() && line.substr(blank + 1) != checksum_of(list)) return false;
  return read_list(list, state);
}

std::string_view chars_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether a file of states that begins with these bytes has those of groups.
bool has_groups(const std::vector<std::byte>& bytes) {
  std::string_view text = chars_of(bytes);
  if (text.starts_with(mark)) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return io::GroupStates::begins(text);
}

// Returns all bytes of a file.
std::vector<std::byte> read_whole(io::File& file) {
  std::vector<std::byte> bytes;
  constexpr std::size_t piece = std::size_t{64} << 10, most = std::size_t{64} << 20;
  Size allowed = most;
  for (std::size_t had = 0, got = piece; got == piece; had += got) {
    bytes.resize(had + piece);
    got = file.read(bytes.data() + had, piece);
    bytes.resize(had + got);
    if (had == 0 && has_groups(bytes)) {
      allowed = std::max<Size>(most, system::available_memory() / 4);
    }
    if (bytes.size() > allowed)
      file.fail(
          ErrorCode::bad_state,
          "the file is too large to be a saved state; pass a file written by gather or merge");
  }
  return bytes;
}

StateFile state_in(io::File& file, const std::vector<std::byte>& bytes) {
  StateFile loaded;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t begin = 0;
  if (text.starts_with(mark)) {
    const std::size_t end = text.find('\n');
    if (end == text.npos || !read_line(text.substr(mark.size(), end - mark.size()), loaded)) {
      file.fail(ErrorCode::bad_state, "its list of parts is damaged; gather it again");
    }
    begin = end + 1;
  }
  try {
    const auto rest = std::span(bytes).subspan(begin);
    if (has_groups(bytes)) {
      loaded.groups = io::GroupStates::load(rest);
    } else {
      loaded.state = State::load(rest);
    }
  } catch (const Error& e) {
    file.fail(e.code(), e.what());
  }
  return loaded;
}

}  // namespace

StateFile load_state(const std::string& path) {
  io::File file(path);
  return state_in(file, read_whole(file));
}

std::string digest_of(const std::string& path) {
  io::File file(path);
  const std::vector<std::byte> bytes = read_whole(file);
  constexpr std::string_view many = "1folds";
  if (!std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
           .starts_with(many)) {
    const StateFile held = state_in(file, bytes);
    return held.groups ? sha256_text(held.groups->save()) : held.state.digest();
  }
  try {
    return States::load(bytes).digest();
  } catch (const Error& e) {
    file.fail(e.code(), e.what());
  }
}

void save_state(const std::string& path, const StateFile& state) {
  std::optional<OutputFile> file;
  if (path != "-") file.emplace(path, "--state");
  const std::vector<std::byte> bytes = state.groups ? state.groups->save() : state.state.save();
  std::string text;
  if (!state.parts.empty()) {
    std::string list = parts_text(state.parts);
    if (state.shares != 0) list += "/" + std::to_string(state.shares);
    text = std::string(mark) + list + " " + checksum_of(list) + "\n";
  }
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (file) return file->write(std::string_view(text));
  Writer out;
  out.write(text);
  out.flush();
}

namespace {

std::string name_of(const std::string& path) { return path == "-" ? "stdin" : path; }

// Refuses a file that is given twice, by whatever names.
class GivenFiles {
 public:
  //   verb  begins the message
  explicit GivenFiles(const char* verb) : verb_(verb) {}
  void add(const std::string& path) {
    const bool is_stdin = path == "-";
    const system::FileFacts facts =
        is_stdin ? system::facts_of(system::standard_input) : system::facts_of(path);
    if (facts.kind != system::FileFacts::Kind::regular) return;
    if (files_.emplace(facts.device, facts.id).second) return;
    throw Error(
        ErrorCode::overlap,
        std::string(verb_) + " " + name_of(path) +
            ": this file was passed twice, perhaps under another name; pass each state once");
  }

 private:
  const char* verb_;
  std::set<std::pair<uint64_t, uint64_t>> files_;  // device and number
};

// Merges files one after another, and counts those with the bytes of one before.
class Merging {
 public:
  void add(const std::string& path) {
    given_.add(path);
    io::File file(path);
    const std::vector<std::byte> bytes = read_whole(file);
    StateFile next = state_in(file, bytes);
    const bool numbered = !next.parts.empty();  // a part that comes twice is refused
    merge(name_of(path), std::move(next));
    if (!numbered && !digests_.insert(sha256_text(bytes)).second && ++equal_ == 1) {
      first_equal_ = name_of(path);
    }
    first_ = false;
  }
  // Returns the merged states, and says how many files had equal bytes.
  StateFile finish() {
    if (equal_ > 0) {
      print_error("merge " + first_equal_ + ": an earlier state has the same bytes" +
                  (equal_ == 1 ? "" : ", " + std::to_string(equal_) + " such states in total") +
                  "; all were merged, because different files may have equal states; to detect "
                  "repeated parts, gather with --part");
    }
    return std::move(all_);
  }

 private:
  void merge(const std::string& path, StateFile next);

  GivenFiles given_{"merge"};
  StateFile all_;
  bool first_ = true;
  std::set<std::string> digests_;
  Size equal_ = 0;
  std::string first_equal_;
};

void Merging::merge(const std::string& path, StateFile next) {
  StateFile& all = all_;
  const bool first = first_;
  const auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, "merge " + path + ": " + what);
  };
  if (!first && next.parts.empty() != all.parts.empty()) {
    fail(ErrorCode::bad_state,
         next.parts.empty()
             ? "this state has no part number, but earlier states do; gather it again with --part"
             : "this state has a part number, but earlier states do not; gather them again with "
               "--part");
  }
  if (first) all.shares = next.shares;
  if (next.shares != all.shares) {
    const auto of = [](uint64_t n) {
      return n == 0 ? std::string("without --share") : "with --share K/" + std::to_string(n);
    };
    fail(ErrorCode::bad_state, "this state was gathered " + of(next.shares) +
                                   ", but the earlier states " + of(all.shares) +
                                   "; gather all with the same number of shares");
  }
  for (const auto& [begin, end] : next.parts) {
    try {
      all.parts.unite({begin, end});
    } catch (const Error&) {
      fail(ErrorCode::overlap, "part " + parts_text({begin, end}) +
                                   " is also in an earlier state; pass each part once");
    }
  }
  try {
    if (next.groups && first) {
      all.groups = std::move(next.groups);
    } else if (next.groups && all.groups) {
      all.groups->merge(*next.groups);
    } else if (next.groups || all.groups) {
      throw Error(ErrorCode::bad_state, next.groups
                                            ? "this state has groups, but earlier states do not; "
                                              "gather all of them with --by, or none"
                                            : "this state has no groups, but earlier states do; "
                                              "gather all of them with --by, or none");
    } else {
      all.state.merge(next.state);
    }
  } catch (const Error& e) {
    fail(e.code(), e.what());
  }
}

}  // namespace

StateFile merge_states(const std::vector<std::string>& paths) {
  Merging all;
  for (const std::string& path : paths) {
    std::error_code none;
    if (path == "-" || !std::filesystem::is_directory(path, none)) {
      all.add(path);
      continue;
    }
    bool empty = true;
    try {
      for (const auto& file : std::filesystem::directory_iterator(path)) {
        if (file.path().extension() != ".of") continue;
        all.add(file.path().string());
        empty = false;
      }
    } catch (const std::filesystem::filesystem_error& e) {
      throw Error(ErrorCode::cannot_open, path + ": " + e.code().message());
    }
    if (empty) {
      throw Error(ErrorCode::cannot_open,
                  path + ": this folder has no states, which are named *.of");
    }
  }
  return all.finish();
}

StateFile remove_states(const std::vector<std::string>& paths) {
  StateFile all = load_state(paths[0]);
  GivenFiles removed("remove");
  for (std::size_t k = 1; k < paths.size(); ++k) removed.add(paths[k]);
  for (std::size_t k = 1; k < paths.size(); ++k) {
    const StateFile part = load_state(paths[k]);
    const auto fail = [&](ErrorCode code, const std::string& what) {
      throw Error(code, "remove " + paths[k] + ": " + what);
    };
    if (part.parts.empty() != all.parts.empty() || part.shares != all.shares) {
      fail(ErrorCode::bad_state, "the parts of this state and of " + paths[0] +
                                     " are numbered differently; pass a state that was merged "
                                     "into " +
                                     paths[0]);
    }
    if (const Ranges missing = without(part.parts, all.parts); !missing.empty()) {
      fail(ErrorCode::bad_state, "part " + parts_text(missing) + " is not in " + paths[0]);
    }
    if (part.groups || all.groups) {
      fail(ErrorCode::bad_state,
           "states of groups cannot be removed; gather the remaining data again");
    }
    try {
      all.state.remove(part.state);
    } catch (const Error& e) {
      fail(e.code(), e.what());
    }
    all.parts = without(all.parts, part.parts);
  }
  return all;
}

void check_parts(const StateFile& state, const Arguments& arguments) {
  const auto given = arguments.own.find("parts");
  if (given == arguments.own.end()) return;
  const Ranges wanted = parse_parts("parts", given->second);
  if (state.parts.empty()) {
    throw Error(ErrorCode::bad_state,
                "--parts: the states have no part numbers; gather them again with --part");
  }
  if (const Ranges missing = without(wanted, state.parts); !missing.empty()) {
    throw Error(ErrorCode::bad_state, "--parts: missing parts: " + parts_text(missing));
  }
  if (const Ranges more = without(state.parts, wanted); !more.empty()) {
    throw Error(ErrorCode::bad_state, "--parts: unexpected parts: " + parts_text(more));
  }
}

void check_all(const StateFile& state, const Arguments& arguments) {
  check_parts(state, arguments);
  if (state.shares == 0 || arguments.own.contains("parts")) return;
  if (const Ranges missing = without({1, state.shares + 1}, state.parts); !missing.empty()) {
    throw Error(ErrorCode::bad_state,
                "of " + std::to_string(state.shares) +
                    " shares, some are missing: " + parts_text(missing) +
                    "; to continue without them, list the other shares with --parts");
  }
}

void print_answers_of(const StateFile& all, const std::vector<const OpRow*>& ops,
                      const Arguments& arguments) {
  const Options& options = arguments.fold;
  std::unique_ptr<OutputFile> file = output_of(arguments);
  if (all.groups) {
    io::Grouped grouped = all.groups->answer(Query(ops, {}).names(), options);
    check_statuses(grouped.answers, options, io::group_text(grouped));
    io::sort_groups(grouped, arguments.order);
    return give_groups(grouped, arguments, file);
  }
  if (arguments.order.asked()) {
    throw Error(ErrorCode::bad_option,
                "--sort and --top apply to groups, but this state has none; leave them out");
  }
  const Answers answers = answers_of(all.state, ops, options);
  check_statuses(answers, options);
  give_answers(answers, {}, arguments, file);
}

}  // namespace onefold::cli
