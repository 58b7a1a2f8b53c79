#include "lab/ncu.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "onefold/system/process.hpp"
#include "onefold/system/temporary.hpp"

namespace onefold::lab {
namespace {

// Splits a line in which every cell is quoted.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at < line.size() && line[at] == '"';) {
    const std::size_t end = std::min(line.find('"', at + 1), line.size());
    cells.emplace_back(line.substr(at + 1, end - at - 1));
    at = end + 2;  // after the quote and a comma
  }
  return cells;
}

// Reads "1,234.5", with the commas that ncu writes; returns false for "n/a" and words.
bool read_number(std::string text, double& value) {
  std::erase(text, ',');
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && !text.empty();
}

// Returns ncu's error message, or else its last line.
std::string message_of(std::string_view text) {
  std::string last = "it printed nothing";
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==ERROR==")) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::vector<Figures> read_ncu(std::string_view text) {
  std::vector<std::string> names;
  std::vector<Figures> launches;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (names.empty()) {
      if (!cells.empty() && cells[0] == "ID") names = cells;
      continue;
    }
    if (cells.size() != names.size() || cells[0].empty()) continue;  // the row of units has no ID
    Figures& figures = launches.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double value = 0;
      if (read_number(cells[c], value)) figures[names[c]] = value;
    }
  }
  if (names.empty()) throw std::runtime_error("ncu: " + message_of(text));
  return launches;
}

std::string find_ncu() {
  const std::string found = system::program_in_path("ncu"), usual = "/usr/local/cuda/bin/ncu";
  return found.empty() && system::is_program(usual) ? usual : found;
}

std::vector<Figures> run_ncu(const std::string& ncu, const std::string& kernel,
                             std::span<const std::string> metrics,
                             std::span<const std::string> command) {
  if (ncu.empty()) {
    throw std::runtime_error(
        "ncu was not found in $PATH or /usr/local/cuda/bin; install NVIDIA Nsight Compute");
  }
  const system::TemporaryFile table("", "");
  std::string list;
  for (const std::string& m : metrics) list += (list.empty() ? "" : ",") + m;
  std::vector<std::string> words{
      ncu,    "--clock-control", "none", "--csv",      "--page",     "raw",       "--print-units",
      "base", "--kernel-name",   kernel, "--log-file", table.path(), "--metrics", list};
  words.insert(words.end(), command.begin(), command.end());
  std::string rest;
  const int status = system::run_program(words, rest, nullptr);
  std::ifstream in(table.path());
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (status == -1) throw std::runtime_error(ncu + " cannot be started");
  if (status != 0) {
    const std::string said = message_of(text.find("==ERROR==") == text.npos ? rest : text);
    throw std::runtime_error(ncu + " ended with status " + std::to_string(status) + ": " + said);
  }
  return read_ncu(text);
}

}  // namespace onefold::lab
