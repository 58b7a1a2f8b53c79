#include "cli/lab/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/output.hpp"
#include "cli/writer.hpp"
#include "lab/kernel_page.hpp"
#include "lab/kernel_run.hpp"
#include "lab/kernel_verdict.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/source_files.hpp"
#include "onefold/system/terminal.hpp"

namespace onefold::cli {

namespace {

// Joins the program's further files, which follow its first one, to one text.
void join_files(Arguments& a, lab::KernelOptions& o) {
  const auto is_source = [](std::string_view word) {
    const auto dot = word.rfind('.');
    const std::string_view end = dot == word.npos ? "" : word.substr(dot);
    return end == ".cu" || end == ".cpp" || end == ".cc" || end == ".cxx" || end == ".c";
  };
  if (a.words.size() < 3 || !is_source(a.words[2])) return;
  std::vector<lab::SourceFile> files = {{a.words[1], lab::source_of(o)}};
  while (a.words.size() > 2 && is_source(a.words[2])) {
    files.push_back({a.words[2], lab::text_of_file(a.words[2])});
    a.words.erase(a.words.begin() + 2);
  }
  o.text = lab::joined(files);
}

// If neither a kernel nor arguments are given, the file's own main() runs, with the words after the
// file as its arguments.
bool runs_main(const Arguments& a, const lab::KernelOptions& o) {
  for (const char* option : {"kernel", "args", "launch", "grid", "block", "shared", "expect",
                             "print", "schedules", "preemptions", "actors"}) {
    if (!a.own.contains(option)) continue;
    if (a.words.size() == 2) return false;
    throw Error(ErrorCode::bad_option,
                fmt::format("lab run: {} is an argument for main(), but --{} launches a kernel "
                            "without main(); leave one of them out",
                            a.words[2], option));
  }
  if (o.file.ends_with(".cu") && lab::ptx::has_main(lab::source_of(o))) return true;
  if (a.words.size() == 2) return false;
  throw Error(ErrorCode::bad_option,
              fmt::format("lab run: {} has no main(), so {} cannot be passed to it; leave it out",
                          o.file, a.words[2]));
}

// With --json, stdout has only the report, so output of main() goes to stderr.
lab::KernelResult run_own_main(const Arguments& a, const lab::KernelOptions& o) {
  std::optional<system::StdoutTo> aside;
  if (a.json) aside.emplace();
  return lab::run_main(o, {a.words.begin() + 2, a.words.end()});
}

// The report files for CI. They are opened before any work, since opening may fail.
class Reports {
 public:
  explicit Reports(const Arguments& a) {
    open(a, "sarif", sarif_);
    open(a, "junit", junit_);
    open(a, "csv", csv_);
  }
  void write(const lab::KernelResult& r) {
    if (sarif_) sarif_->write(lab::to_sarif(r));
    if (junit_) junit_->write(lab::to_junit(r));
    if (csv_) csv_->write(lab::to_csv(r));
  }

 private:
  static void open(const Arguments& a, const char* option, std::optional<OutputFile>& file) {
    const auto at = a.own.find(option);
    if (at != a.own.end()) file.emplace(at->second, fmt::format("--{}", option).c_str());
  }
  std::optional<OutputFile> sarif_, junit_, csv_;
};

// Exits with the verdict's status, after a line that explains it.
void conclude(Arguments& a, Reports& reports, const lab::KernelResult& r) {
  reports.write(r);
  const lab::Verdict verdict = lab::verdict_of(r);
  if (verdict == lab::Verdict::clean) return;
  print_error("lab run: " + lab::why(r));
  a.silent_status = static_cast<int>(verdict);
}

Answer answer_of(const lab::KernelArgument& a) {
  return {.op = a.name,
          .dtype = a.dtype,
          .shape = Dims(a.n),
          .data = a.data,
          .status = std::vector<Status>(a.n, Status::ok)};
}

}  // namespace

void run_kernel_file(Arguments& a) {
  if (a.words.size() < 2) {
    throw Error(ErrorCode::bad_option,
                "lab run: a source file is missing; write onefold lab run sum.cu --kernel sum");
  }
  static constexpr std::string_view known[] = {
      "kernel",      "args",      "launch",   "shared",      "print",  "expect",
      "cooperative", "budget",    "compiler", "arch",        "grid",   "block",
      "chip",        "schedules", "order",    "preemptions", "actors", "seed",
      "as-written",  "page",      "suppress", "sarif",       "junit",  "csv"};
  for (const auto& [name, value] : a.own) {
    if (std::find(std::begin(known), std::end(known), name) == std::end(known)) {
      throw Error(ErrorCode::bad_option,
                  "lab run: --" + name + " does not apply to lab run; leave it out");
    }
  }
  const bool from_stdin = a.words[1] == "-";
  lab::KernelOptions o = lab::kernel_options(from_stdin ? lab::file_of_stdin : a.words[1], a.own);
  if (from_stdin) o.text = lab::text_of_file("/dev/stdin");
  join_files(a, o);
  std::optional<OutputFile> file;
  const lab::KernelArgument* saved = nullptr;
  if (!a.output.empty()) {
    // The array with the file's name, or the only array that is printed.
    std::string name = a.output.substr(a.output.rfind('/') + 1);
    name = o.print.size() == 1 ? o.print[0] : name.substr(0, name.rfind('.'));
    for (const lab::KernelArgument& each : o.arguments) {
      if (each.is_array && each.name == name) saved = &each;
    }
    if (saved == nullptr) {
      throw Error(ErrorCode::bad_option,
                  fmt::format("lab run: --output {} writes the array {}, but --print does not name "
                              "it; add it to --print",
                              a.output, name));
    }
    file.emplace(a.output);
  }
  const bool own_main = runs_main(a, o);
  std::optional<OutputFile> page;
  if (const auto at = a.own.find("page"); at != a.own.end() && !at->second.empty()) {
    const std::string& to = at->second;
    if (!to.ends_with(".html")) {
      throw Error(ErrorCode::bad_option, "lab run: --page " + to + ": its name must end in .html");
    }
    page.emplace(to, "--page");
    o.film = true;
  }
  Reports reports(a);
  lab::KernelResult r;
  try {
    r = own_main ? run_own_main(a, o) : lab::run_kernel(o);
  } catch (const lab::ptx::DoesNotCompile& e) {
    r.file = o.file;
    constexpr std::string_view prefix = "lab run: ";
    const std::string_view why(e.what());
    r.does_not_compile = why.substr(why.starts_with(prefix) ? prefix.size() : 0);
    return conclude(a, reports, r);
  }
  if (page && own_main && r.page.empty()) {
    throw Error(ErrorCode::unsupported, "lab run: --page: " + lab::why(r));
  }
  if (page) page->write(lab::page_html(own_main ? r.page : lab::kernel_page_data(r, *r.film)));
  if (file) {
    for (const lab::KernelArgument& each : r.arguments) {
      if (each.name == saved->name) file->write(answer_of(each));
    }
  }
  Writer out;
  out.write(a.json ? lab::to_json(r) : lab::to_table(r));
  out.flush();
  conclude(a, reports, r);
}

}  // namespace onefold::cli
