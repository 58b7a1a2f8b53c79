#include "cli/kernel.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/output.hpp"
#include "cli/writer.hpp"
#include "lab/host_main.hpp"
#include "lab/kernel_page.hpp"
#include "lab/kernel_run.hpp"
#include "lab/kernel_verdict.hpp"
#include "lab/page/page.hpp"
#include "lab/ptx/compile.hpp"

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
                           "what must hold afterwards: 'out[0]==32640, sum(out)>0'; also !=, <, "
                           "<=, >=, and ~= for floats",
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

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    std::string part = list.substr(at, end - at);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

uint64_t whole(const char* option, const std::string& text, uint64_t least, uint64_t most) {
  uint64_t v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (r.ec != std::errc{} || r.ptr != text.data() + text.size() || v < least || v > most) {
    throw Error(ErrorCode::bad_option, fmt::format("lab run: --{} {} is not a whole number from {} "
                                                   "to {}",
                                                   option, text, least, most));
  }
  return v;
}

// Without a kernel or arguments a file's own main() runs, and words after the file are its.
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

// With --json stdout is for the report, and what main() prints goes to stderr.
lab::KernelResult run_own_main(const Arguments& a, const lab::KernelOptions& o) {
  const int out = a.json ? dup(STDOUT_FILENO) : -1;
  if (out >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  const auto put_back = [&] {
    if (out < 0) return;
    dup2(out, STDOUT_FILENO);
    close(out);
  };
  try {
    lab::KernelResult r = lab::run_main(o, {a.words.begin() + 2, a.words.end()});
    put_back();
    return r;
  } catch (...) {
    put_back();
    throw;
  }
}

// The files for CI. They are opened before any work, since they may be refused.
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

// Ends with the status of the verdict, after one line that says why.
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
  const auto given = [&](const char* name, const char* otherwise) {
    const auto at = a.own.find(name);
    return at == a.own.end() ? std::string(otherwise) : at->second;
  };
  lab::KernelOptions o;
  o.file = a.words[1];
  o.compiler = given("compiler", "");
  if (!o.compiler.empty() && o.compiler != "nvrtc" && o.compiler != "clang") {
    throw Error(ErrorCode::bad_option,
                "lab run: --compiler " + o.compiler + " is not known; choose one of nvrtc, clang");
  }
  o.arch = std::to_string(whole("arch", given("arch", "80"), 50, 200));
  o.arguments =
      lab::kernel_arguments(given("args", ""), whole("seed", given("seed", "1"), 0, ~0ull));
  o.as_written = a.own.contains("as-written");
  for (const char* whole_launch : {"launch", "launches"}) {
    if (!a.own.contains(whole_launch)) continue;
    for (const char* other : {"kernel", "grid", "block", "shared", "launch"}) {
      if (a.own.contains(other) && std::string_view(other) != whole_launch) {
        throw Error(ErrorCode::bad_option,
                    fmt::format("lab run: --{} stands in --{} already", other, whole_launch));
      }
    }
  }
  if (a.own.contains("launch")) {
    o.launches = lab::kernel_launches(given("launch", ""));
  } else if (a.own.contains("launches")) {
    o.launches = lab::kernel_launches_of_file(given("launches", ""));
  } else {
    o.launches = {{.kernel = given("kernel", ""),
                   .grid = lab::extent_of("--grid", given("grid", "1")),
                   .block = lab::extent_of("--block", given("block", "256")),
                   .shared = whole("shared", given("shared", "0"), 0, 1 << 20),
                   .arguments = {}}};
  }
  const std::string chip = given("chip", "sm_90");
  const auto at = std::find_if(sim::chips.begin(), sim::chips.end(),
                               [&](const sim::Chip& c) { return c.name == chip; });
  if (at == sim::chips.end()) {
    throw Error(ErrorCode::bad_option,
                "lab run: --chip " + chip + " is not known; choose one of cc10, cc12, cc20, sm_90");
  }
  o.chip = *at;
  o.schedules = static_cast<unsigned>(whole("schedules", given("schedules", "2"), 1, 4096));
  o.cooperative = a.own.contains("cooperative");
  o.budget = whole("budget", given("budget", "4294967296"), 1, uint64_t{1} << 48);
  o.expect = words_of(given("expect", ""));
  o.print = words_of(given("print", ""));
  if (a.own.contains("suppress")) o.allowed = lab::suppressions_of_file(given("suppress", ""));
  std::optional<OutputFile> file;
  const lab::KernelArgument* saved = nullptr;
  if (!a.output.empty()) {
    // The array that has the file's name, or the only one that is printed.
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
  if (const std::string to = given("page", ""); !to.empty()) {
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
    r.does_not_compile = std::string(e.what()).substr(std::string_view("lab run: ").size());
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
