#include "cli/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/output.hpp"
#include "cli/writer.hpp"
#include "lab/host_main.hpp"
#include "lab/kernel_page.hpp"
#include "lab/kernel_run.hpp"
#include "lab/kernel_verdict.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"
#include "system/terminal.hpp"

namespace onefold::cli {

const Option kernel_option{"kernel", "NAME", "the kernel; of a template with its arguments",
                           nullptr};
const Option args_option{
    "args", "LIST",
    "what it is given, as in 'in:i32[2^14]=iota, out:i32[64], n=16384'; a fill "
    "is iota, zeros, ones, rand, a number, [1, 2, 3] or @FILE of raw elements; a struct is "
    "s={in, i32:5}",
    nullptr};
const Option launch_option{"launch", "LIST",
                           "several launches: 'k<<<64, 256, 1024>>>(in, out, n); ...', instead of "
                           "--kernel, --grid, --block and --shared",
                           nullptr};
const Option launches_option{"launches", "FILE.json",
                             "the same from a file: [{\"kernel\": \"k\", \"grid\": 64, \"block\": "
                             "[16, 16], \"shared\": 0, \"args\": [\"in\", 5]}, ...]",
                             nullptr};
const Option as_written_option{"as-written", nullptr,
                               "compile without optimisation: every access is made", nullptr};
const Option shared_option{"shared", "BYTES", "shared memory of the launch", nullptr};
const Option print_option{"print", "NAME,...", "the arrays whose elements to show", nullptr};
const Option expect_option{"expect", "LIST",
                           "what must hold afterwards: 'out[0]==32640, sum(out)>0, "
                           "unwritten(out)==0'; also !=, <, <=, >=, and ~= for floats",
                           nullptr};
const Option cooperative_option{"cooperative", nullptr, "all blocks at once", nullptr};
const Option budget_option{"budget", "N", "steps of all threads, then it is given up (2^32)",
                           nullptr};
const Option compiler_option{"compiler", "NAME", "nvrtc or clang (default: the first found)",
                             nullptr};
const Option arch_option{"arch", "N", "compute capability to compile for (80)", nullptr};
const Option suppress_option{"suppress", "FILE",
                             "flaws that are allowed, a line each: 'race sum.cu:12 REASON'; or in "
                             "the source: // onefold allow race: REASON",
                             nullptr};
const Option sarif_option{"sarif", "FILE", "write what is found as SARIF 2.1.0 too", nullptr};
const Option junit_option{"junit", "FILE", "write it as JUnit XML too", nullptr};

namespace {

// If neither a kernel nor arguments are given, the file's own main() runs, with the words after the
// file as its arguments.
bool runs_main(const Arguments& a, const lab::KernelOptions& o) {
  for (const char* option : {"kernel", "args", "launch", "launches", "grid", "block", "shared",
                             "expect", "print", "page", "schedules"}) {
    if (!a.own.contains(option)) continue;
    if (a.words.size() == 2) return false;
    throw Error(ErrorCode::bad_option,
                fmt::format("lab run: {} is a word for main(), and --{} is not for it", a.words[2],
                            option));
  }
  if (o.file.ends_with(".cu") && lab::has_main(lab::text_of_file(o.file))) return true;
  if (a.words.size() == 2) return false;
  throw Error(ErrorCode::bad_option,
              fmt::format("lab run: {} has no main() that takes {}", o.file, a.words[2]));
}

// With --json, stdout has only the report, so output of main() goes to stderr.
lab::KernelResult run_own_main(const Arguments& a, const lab::KernelOptions& o) {
  std::optional<system::StdoutToStderr> aside;
  if (a.json) aside.emplace();
  return lab::run_main(o, {a.words.begin() + 2, a.words.end()});
}

// The report files for CI. They are opened before any work, since opening may fail.
class Reports {
 public:
  explicit Reports(const Arguments& a) {
    open(a, "sarif", sarif_);
    open(a, "junit", junit_);
  }
  void write(const lab::KernelResult& r) {
    if (sarif_) sarif_->write(lab::to_sarif(r));
    if (junit_) junit_->write(lab::to_junit(r));
  }

 private:
  static void open(const Arguments& a, const char* option, std::optional<OutputFile>& file) {
    const auto at = a.own.find(option);
    if (at != a.own.end()) file.emplace(at->second, fmt::format("--{}", option).c_str());
  }
  std::optional<OutputFile> sarif_, junit_;
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
                "lab run: one file is needed, as in: onefold lab run sum.cu --kernel sum");
  }
  static constexpr std::string_view known[] = {
      "kernel", "args",     "launch",     "shared", "print",    "expect", "cooperative",
      "budget", "compiler", "arch",       "grid",   "block",    "chip",   "schedules",
      "seed",   "launches", "as-written", "page",   "suppress", "sarif",  "junit"};
  for (const auto& [name, value] : a.own) {
    if (std::find(std::begin(known), std::end(known), name) == std::end(known)) {
      throw Error(ErrorCode::bad_option, "lab run: --" + name + " has no meaning here");
    }
  }
  lab::KernelOptions o = lab::kernel_options(a.words[1], a.own);
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
      throw Error(ErrorCode::bad_option, fmt::format("lab run: --output {} is for the array {}, "
                                                     "which is not there; name it with --print",
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
  if (page) page->write(lab::page_html(lab::kernel_page_data(r, *r.film)));
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
