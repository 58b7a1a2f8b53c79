#include "lab/kernel_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lab/kernel_judge.hpp"
#include "lab/report_text.hpp"

namespace onefold::lab {
namespace {

using Json = nlohmann::ordered_json;

// Returns the path relative to the working folder, as readers of SARIF expect.
std::string uri_of(const std::string& file) {
  std::error_code failed;
  const std::string here = std::filesystem::current_path(failed).string() + "/";
  return !failed && file.starts_with(here) ? file.substr(here.size()) : file;
}

Json location(const std::string& file, unsigned line) {
  Json place{{"artifactLocation", {{"uri", uri_of(file)}}}};
  if (line != 0) place["region"] = {{"startLine", line}};
  return {{"physicalLocation", place}};
}

Json result(const std::string& rule, const std::string& text, const std::string& file,
            unsigned line) {
  return {{"ruleId", rule},
          {"level", "error"},
          {"message", {{"text", text}}},
          {"locations", {location(file, line)}}};
}

Json flaw_result(const sim::Flaw& f, const std::string& text, const std::string& file) {
  const std::string at = f.at.line == 0 ? file : std::string(f.at.file);
  Json j = result(out_of_budget(f) ? "budget" : name_of(f.kind), text, at, f.at.line);
  if (f.other.line != 0) j["relatedLocations"] = {location(f.other.file, f.other.line)};
  return j;
}

}  // namespace

unsigned line_in(const std::string& message, const std::string& file) {
  const auto at = message.find(file.substr(file.rfind('/') + 1));
  if (at == message.npos) return 0;
  for (auto k = message.find_first_of("(:", at); k != message.npos;
       k = message.find_first_of("(:", k + 1)) {
    unsigned line = 0;
    const char* end = message.data() + message.size();
    if (std::from_chars(message.data() + k + 1, end, line).ec == std::errc{}) return line;
  }
  return 0;
}

std::string failure_sentence(const KernelResult& r) { return "given_up: " + r.failure; }

Verdict verdict_of(const KernelResult& r) {
  if (!r.does_not_compile.empty()) return Verdict::does_not_compile;
  if (!r.failure.empty() ||
      !std::all_of(r.report.flaws.begin(), r.report.flaws.end(), out_of_budget))
    return Verdict::flaw;
  if (!r.flaws.empty()) return Verdict::budget;
  if (r.clean()) return Verdict::clean;
  return std::all_of(r.expectations.begin(), r.expectations.end(),
                     [](const KernelExpectation& e) { return e.holds || !e.order.empty(); })
             ? Verdict::order
             : Verdict::expectation;
}

std::string found_text(const KernelExpectation& e) {
  const std::string found = e.steady.empty() ? "it is " + e.found : e.found;
  if (!e.inputs.empty()) return found + ": " + e.inputs;
  if (e.order.empty()) return found;
  return fmt::format("{} under another order of threads (--order {} runs it again)", found,
                     e.order);
}

std::string why(const KernelResult& r) {
  if (!r.does_not_compile.empty()) return r.does_not_compile;
  if (!r.failure.empty()) return r.failure;
  for (std::size_t k = 0; k < r.flaws.size(); ++k) {
    if (verdict_of(r) == Verdict::budget || !out_of_budget(r.report.flaws[k])) return r.flaws[k];
  }
  for (const KernelExpectation& e : r.expectations) {
    if (!e.holds) return fmt::format("{} does not hold: {}", e.text, found_text(e));
  }
  return "";
}

std::string to_sarif(const KernelResult& r) {
  Json results = Json::array();
  if (!r.does_not_compile.empty()) {
    results.push_back(result("does_not_compile", r.does_not_compile, r.file,
                             line_in(r.does_not_compile, r.file)));
  }
  if (!r.failure.empty()) {
    results.push_back(result("given_up", failure_sentence(r), r.file, line_in(r.failure, r.file)));
  }
  for (std::size_t k = 0; k < r.flaws.size(); ++k) {
    results.push_back(flaw_result(r.report.flaws[k], r.flaws[k], r.file));
  }
  for (const KernelSuppressed& s : r.suppressed) {
    Json one = flaw_result(s.flaw, s.text, r.file);
    one["suppressions"] = {
        {{"kind", s.in_source ? "inSource" : "external"}, {"justification", s.reason}}};
    results.push_back(one);
  }
  for (const KernelExpectation& e : r.expectations) {
    if (e.holds) continue;
    results.push_back(result(e.order.empty() ? "expectation" : "order",
                             fmt::format("{} does not hold: {}", e.text, found_text(e)), r.file,
                             0));
  }
  std::vector<std::string> ids;
  for (const Json& one : results) ids.push_back(one["ruleId"]);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Json rules = Json::array();
  for (const std::string& id : ids) rules.push_back({{"id", id}});
  const Json driver{{"name", "onefold lab run"}, {"rules", rules}};
  const Json j{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", {{{"tool", {{"driver", driver}}}, {"results", results}}}}};
  return text_of(j);
}

std::string to_junit(const KernelResult& r) {
  const std::string suite = escaped_markup(r.file);
  std::string cases;
  std::size_t tests = 0, failures = 0;
  const auto add = [&](const std::string& name, const std::string& inner) {
    ++tests;
    failures += inner.starts_with("<failure") ? 1 : 0;
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", suite,
                         escaped_markup(name), inner);
  };
  const auto failure = [](const std::string& text) {
    return fmt::format("<failure message=\"{}\"/>", escaped_markup(text));
  };
  add("compiles", r.does_not_compile.empty() ? "" : failure(r.does_not_compile));
  if (r.does_not_compile.empty()) {
    std::string all = r.failure;
    for (const std::string& f : r.flaws) all += (all.empty() ? "" : "\n") + f;
    add("has no flaw", all.empty() ? "" : failure(all));
    for (const KernelExpectation& e : r.expectations) {
      add(e.text, e.holds ? "" : failure(found_text(e)));
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" "
      "tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n",
      suite, tests, failures, cases);
}

}  // namespace onefold::lab
