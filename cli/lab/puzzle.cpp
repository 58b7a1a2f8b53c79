#include "cli/lab/puzzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>

#include "cli/writer.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/puzzle.hpp"

namespace onefold::cli {

namespace {

uint64_t seed_of(const std::string& text) {
  uint64_t seed = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (r.ec != std::errc{} || r.ptr != text.data() + text.size()) {
    throw Error(ErrorCode::bad_option,
                "lab puzzle: --seed " + text + " is not a whole number from 0 to 2^64-1");
  }
  return seed;
}

std::string first_lines(const std::string& text) {
  constexpr int most = 20;
  std::size_t at = 0;
  for (int k = 0; k < most && at < text.size(); ++k)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return text.substr(0, at) + (at < text.size() ? "...\n" : text.ends_with('\n') ? "" : "\n");
}

void print_verdict(Arguments& a, const lab::Puzzle& p, const lab::PuzzleVerdict& verdict) {
  Writer out;
  std::string wrong, fix, printed, warnings;
  std::vector<std::pair<std::string, std::string>> found;  // what was found, and at which lengths
  for (const lab::PuzzleTry& t : verdict.tries) {
    const std::string text = t.wrong.empty() ? "right" : t.wrong;
    const auto at = std::find_if(found.begin(), found.end(),
                                 [&](const auto& each) { return each.first == text; });
    if (at == found.end()) {
      found.emplace_back(text, fmt::format("n = {}", t.n));
    } else {
      at->second += fmt::format(", {}", t.n);
    }
    if (t.wrong.empty() || !wrong.empty()) continue;
    fix = t.fix, printed = t.printed, warnings = t.warnings;
    wrong = fmt::format("n = {}: {}", t.n, t.wrong);
    a.silent_status = static_cast<int>(t.verdict);
  }
  if (a.json) {
    out.write(lab::to_json(p, verdict));
  } else {
    for (const auto& [text, at] : found) out.write(fmt::format("{:<9} {}\n", at, text));
    if (!printed.empty()) out.write("printed by the first failing case:\n" + first_lines(printed));
    if (!fix.empty()) out.write("fix: " + fix + "\n");
    out.write(warnings);
    const auto next = lab::puzzles().begin() + (&p - lab::puzzles().data()) + 1;
    const std::string more =
        !wrong.empty() ? fmt::format("; onefold lab puzzle {} --hints 1 helps", p.name)
        : next == lab::puzzles().end() ? ""
                                       : fmt::format("; next: onefold lab puzzle {}", next->name);
    out.write(fmt::format("{}; the cases were made with --seed {}{}\n",
                          wrong.empty() ? "solved" : "not solved", verdict.seed, more));
  }
  out.flush();
  if (!wrong.empty()) print_error(fmt::format("lab puzzle {}: {}", p.name, wrong));
}

}  // namespace

void run_puzzle(Arguments& a) {
  for (const auto& [name, value] : a.own) {
    if (name == "hints" || name == "seed") continue;
    throw Error(ErrorCode::bad_option,
                "lab puzzle: --" + name + " does not apply to puzzles; leave it out");
  }
  if (!a.output.empty()) {
    throw Error(
        ErrorCode::bad_option,
        "lab puzzle: --output does not apply to puzzles; write onefold lab puzzle map > map.cu");
  }
  if (a.words.size() > 3) {
    throw Error(ErrorCode::bad_option, "lab puzzle takes one puzzle and at most one file");
  }
  const auto hints = a.own.find("hints");
  if (hints != a.own.end() && a.words.size() != 2) {
    throw Error(
        ErrorCode::bad_option,
        "lab puzzle: --hints needs a puzzle and no file; write onefold lab puzzle map --hints 1");
  }
  const auto seed = a.own.find("seed");
  if (seed != a.own.end() && a.words.size() != 3) {
    throw Error(
        ErrorCode::bad_option,
        "lab puzzle: --seed needs a file to judge; write onefold lab puzzle map map.cu --seed 1");
  }
  Writer out;
  if (a.words.size() == 1 && a.json) {
    out.write(lab::puzzles_json());
    return out.flush();
  }
  if (a.words.size() == 1) {
    for (const lab::Puzzle& p : lab::puzzles()) {
      out.write(fmt::format("{:<11} {}\n", p.name, p.goal));
    }
    out.write(
        "\nTo begin, write onefold lab puzzle map > map.cu; to have it judged, onefold lab puzzle "
        "map map.cu.\n");
    return out.flush();
  }
  const lab::Puzzle& p = lab::find_puzzle(a.words[1]);
  if (hints != a.own.end()) {
    if (hints->second.size() != 1 || hints->second < "1" || hints->second > "3") {
      throw Error(ErrorCode::bad_option,
                  "lab puzzle: --hints " + hints->second + " is not between 1 and 3");
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(hints->second[0] - '0'); ++k)
      out.write(fmt::format("{}. {}\n", k + 1, p.hints[k]));
    return out.flush();
  }
  if (a.words.size() == 2) {
    out.write(a.json ? lab::to_json(p) : p.text);
    return out.flush();
  }
  lab::PuzzleVerdict verdict;
  try {
    const bool from_stdin = a.words[2] == "-";
    verdict = lab::check_puzzle(
        p, from_stdin ? lab::file_of_stdin : a.words[2],
        seed != a.own.end() ? seed_of(seed->second) : std::random_device{}(),
        from_stdin ? std::optional(lab::text_of_file("/dev/stdin")) : std::nullopt);
  } catch (const lab::ptx::DoesNotCompile& e) {
    std::string why = e.what();
    if (why.starts_with("lab run")) why.replace(0, 7, "lab puzzle");
    print_error(why);
    a.silent_status = static_cast<int>(lab::Verdict::does_not_compile);
    return;
  }
  print_verdict(a, p, verdict);
}

}  // namespace onefold::cli
