#include "cli/name_list.hpp"

#include <algorithm>
#include <climits>
#include <string_view>

#include "onefold/io/file.hpp"

namespace onefold::cli {
namespace {

// Room for 2 million names of 128 bytes.
constexpr Size usual_memory = Size{256} << 20;

// Returns an error if the part that was read has bytes that no list of names has. Checks from `at`
// on, and moves `at` to the start of the last name.
void check_names(const io::File& file, std::string_view text, bool zeros, std::size_t& at) {
  using namespace std::string_view_literals;
  for (;;) {
    const std::string_view ends = zeros ? "\0"sv : "\n\0"sv;
    const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
    if (end - at > PATH_MAX) {
      file.fail(ErrorCode::bad_option,
                "a name in it has more than " + std::to_string(PATH_MAX) +
                    " bytes, but a file name cannot be that long; write one name on each line");
    }
    if (end == text.size()) return;
    if (text[end] == '\0' && end == at && (at == 0 || text[at - 1] == '\0')) {
      file.fail(ErrorCode::bad_option,
                "a name in it is empty, because two zero bytes follow each other; write one zero "
                "byte after each name, as find -print0 does");
    }
    at = end + 1;
  }
}

}  // namespace

std::vector<std::string> names_in(const std::string& path, Size memory, bool zeros) {
  io::File file(path);
  const Size most = std::max(memory, usual_memory);
  std::string text;
  constexpr std::size_t piece = std::size_t{1} << 16;
  std::size_t checked = 0;
  for (std::size_t got = piece; got == piece;) {
    const std::size_t had = text.size();
    text.resize(had + piece);
    got = file.read(text.data() + had, piece);
    text.resize(had + got);
    check_names(file, text, zeros, checked);
    if (text.size() > most) {
      file.fail(ErrorCode::out_of_memory,
                "its names take more than " + std::to_string(most >> 20) +
                    " MiB; allow more with --memory, or fold fewer files at once");
    }
  }
  const char end = zeros || text.find('\0') != text.npos ? '\0' : '\n';
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find(end, at), text.size());
    std::string name = text.substr(at, stop - at);
    if (end == '\n' && name.ends_with('\r')) name.pop_back();
    if (!name.empty()) names.push_back(std::move(name));
    at = stop + 1;
  }
  if (names.empty())
    file.fail(ErrorCode::bad_option, "it contains no file names; write one on each line");
  return names;
}

}  // namespace onefold::cli
