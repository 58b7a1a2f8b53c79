#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/kernel.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/puzzle.hpp"
#include "comma_list.hpp"
#include "lab/experiment.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/page/experiments.hpp"
#include "lab/page/page.hpp"
#include "plan/nearest.hpp"
#include "system/terminal.hpp"

namespace onefold::cli {
namespace {

constexpr Option rung{"rung", "NAME,...", "only these rungs; path: the ten to begin with", nullptr};
constexpr Option n{
    "n", "N", "elements, such as 1000 or 2^20+3 (default 2^16 simulated, 2^24 on a GPU)", nullptr};
constexpr Option block{"block", "B", "threads a block (default 256)", nullptr};
constexpr Option grid{"grid", "G", "blocks, where a rung leaves their number open", nullptr};
constexpr Option sweep{"sweep", "block|grid|n", "a row for each of several values", nullptr};
constexpr Option type{"type", "T", "i32 (default), i64, f32 or f64", nullptr};
constexpr Option op{"op", "OP", "sum (default), min or max, where a rung has it", nullptr};
constexpr Option offset{"offset", "BYTES", "the input begins so far off a border of 256 bytes",
                        nullptr};
constexpr Option seed{"seed", "S",
                      "of the elements, integers 0..255 (0..7 above 2^24); rand: those of text 001",
                      nullptr};
constexpr Option machine{"machine", "gpu|sim", "where kernels run", nullptr};
constexpr Option chip{"chip", "CHIP", "memory rules of cc10, cc12, cc20 or sm_90 (default)",
                      nullptr};
constexpr Option schedules{"schedules", "N",
                           "orders tried: lock-step, to the next sync, then drawn ones (default 2)",
                           nullptr};

constexpr Option replays{"replays", "N",
                         "timed runs of which the median counts (default 9); 0: run once", nullptr};
constexpr Option counters{
    "counters", nullptr,
    "ncu's figures beside those predicted (of reduce with n = 2^20, else of simulated sizes)",
    nullptr};
constexpr Option page{
    "page", "FILE.html",
    "write a page that explains the run; FILE.md: a document, FILE.json: its data", nullptr};
constexpr Option results{"results", "FILE.json",
                         "on the page, times of an earlier run on a GPU (--json)", nullptr};

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || !text) {  // bad(): it is a folder
    throw Error(ErrorCode::cannot_open, "--results " + file + " cannot be read");
  }
  return text.str();
}

// Returns the format of a page by its file name: html, md or json.
std::string kind_of_page(const std::string& file) {
  for (const char* kind : {"html", "md", "json"}) {
    if (file.ends_with(std::string(".") + kind)) return kind;
  }
  throw Error(ErrorCode::bad_option,
              "--page " + file + ": its name must end in .html, .md or .json, for what to write");
}

void run_reduce(const Arguments& a) {
  lab::ReduceOptions o;
  const auto take = [&](const Option& option, std::string& into) {
    if (const auto at = a.own.find(option.name); at != a.own.end()) into = at->second;
  };
  std::string rungs;
  take(rung, rungs);
  if (!rungs.empty()) o.rungs = comma_list(rungs);
  std::vector<std::string_view> names;
  for (const lab::Entry* e : lab::reduce_ladder()) names.emplace_back(e->name);
  for (const std::string& name : o.rungs) {
    if (lab::find_rung(lab::reduce_ladder(), name) != nullptr) continue;
    if (const std::string meant = did_you_mean(name, names); !meant.empty()) {
      throw Error(ErrorCode::bad_option, "lab reduce: rung \"" + name + "\" is not there" + meant);
    }
  }
  take(n, o.n);
  take(block, o.block);
  take(grid, o.grid);
  take(sweep, o.sweep);
  take(type, o.type);
  take(op, o.op);
  take(offset, o.offset);
  take(seed, o.seed);
  take(machine, o.machine);
  take(chip, o.chip);
  take(schedules, o.schedules);
  take(replays, o.replays);
  o.counters = a.own.contains(counters.name);
  o.threads = a.fold.threads;
  std::string page_file, results_file;
  take(page, page_file);
  take(results, results_file);
  if (page_file.empty() && !results_file.empty()) {
    throw Error(
        ErrorCode::bad_option,
        "--results " + results_file + " has no meaning without --page FILE.html, which shows it");
  }
  std::optional<OutputFile> file;  // opened before any work, since opening may fail
  const std::string kind = page_file.empty() ? "" : kind_of_page(page_file);
  if (!page_file.empty()) file.emplace(page_file, "--page");
  const std::string times = results_file.empty() ? "" : text_of(results_file);
  if (!results_file.empty()) lab::check_results(times);
  const lab::ReduceResult result = lab::reduce(o);
  if (file) {
    const std::string data = lab::page_data(result, times);
    file->write(kind == "md"     ? lab::page_document(data)
                : kind == "json" ? data
                                 : lab::page_html(data));
  }
  Writer out;
  out.write(a.json ? to_json(result) : to_table(result, system::terminal_columns()));
  out.flush();
  if (a.json) {
    for (const std::string& note : result.notes) {
      std::fputs(("onefold: note: " + note + '\n').c_str(), stderr);
    }
  }
  if (!result.flawless) {
    throw Error(ErrorCode::internal, "lab reduce: a corrected rung is wrong or has a flaw");
  }
}

void list() {
  Writer out;
  for (const lab::Experiment* e : lab::experiments()) {
    out.write(fmt::format("{:<11}  {}{}\n", e->name, e->idea, e->only_time ? " (GPU only)" : ""));
  }
  out.flush();
}

lab::ExperimentOptions given(const Arguments& a) {
  lab::ExperimentOptions o(a.own.begin(), a.own.end());
  if (a.fold.threads != 0) o["threads"] = std::to_string(a.fold.threads);
  return o;
}

void run(Arguments& a) {
  if (a.words.empty()) {
    if (a.json || !a.own.empty()) {
      const std::string option = a.json ? "json" : a.own.begin()->first;
      throw Error(
          ErrorCode::bad_option,
          "lab: --" + option + " needs an experiment, as in: onefold lab reduce --" + option);
    }
    return list();
  }
  if (a.words[0] == "run") return run_kernel_file(a);
  if (a.words[0] == "puzzle") return run_puzzle(a);
  for (const Option* o :
       {&kernel_option, &args_option, &launch_option, &shared_option, &print_option, &expect_option,
        &cooperative_option, &budget_option, &compiler_option, &arch_option, &launches_option,
        &as_written_option, &suppress_option, &sarif_option, &junit_option}) {
    if (!a.own.contains(o->name)) continue;
    throw Error(ErrorCode::bad_option,
                fmt::format("lab {}: --{} is for lab run FILE.cu", a.words[0], o->name));
  }
  if (!a.output.empty()) {
    throw Error(ErrorCode::bad_option,
                "lab " + a.words[0] + ": --output is for lab run; a page is written by --page");
  }
  if (a.words.size() > 1) {
    throw Error(ErrorCode::bad_option,
                "lab: one experiment at a time; " + std::to_string(a.words.size()) + " were given");
  }
  const std::string& name = a.words[0];
  if (name == "reduce") return run_reduce(a);
  const lab::Experiment* e = lab::find_experiment(name);
  if (e == nullptr && name != "all") {
    std::string legal;
    std::vector<std::string_view> names{"all", "run", "puzzle"};
    for (const lab::Experiment* each : lab::experiments()) {
      legal += std::string(each->name) + ", ";
      names.emplace_back(each->name);
    }
    throw Error(ErrorCode::bad_option, "lab: experiment \"" + name +
                                           "\" is not there; choose one of " + legal + "all" +
                                           did_you_mean(name, names));
  }
  lab::ExperimentOptions options = given(a);
  std::optional<OutputFile> file;  // opened before any work, since opening may fail
  bool as_json = false;
  if (const auto at = options.find("page"); at != options.end()) {
    const std::string kind = kind_of_page(at->second);
    if (kind == "md") {
      throw Error(ErrorCode::bad_option,
                  "--page " + at->second + ": a document is for lab reduce; write FILE.html");
    }
    as_json = kind == "json";
    file.emplace(at->second, "--page");
    options.erase(at);
  }
  const lab::Shown shown = e != nullptr ? lab::run_experiment(*e, options)
                                        : lab::run_experiments(lab::experiments(), options);
  if (file) {
    std::string ladder;
    if (e == nullptr && !as_json) {
      lab::ReduceOptions o;
      if (const auto at = options.find("machine"); at != options.end()) o.machine = at->second;
      if (const auto at = options.find("chip"); at != options.end()) o.chip = at->second;
      ladder = lab::page_html(lab::page_data(lab::reduce(o), ""));
    }
    file->write(as_json ? shown.json : lab::experiments_html(shown.json, ladder));
  }
  Writer out;
  out.write(a.json ? shown.json : shown.table);
  out.flush();
  if (!shown.flawless) {
    throw Error(ErrorCode::internal, "lab " + name + ": a point is not as it should be");
  }
}

constexpr const Option* options[] = {&kernel_option,
                                     &args_option,
                                     &launch_option,
                                     &launches_option,
                                     &shared_option,
                                     &print_option,
                                     &expect_option,
                                     &cooperative_option,
                                     &budget_option,
                                     &compiler_option,
                                     &arch_option,
                                     &as_written_option,
                                     &suppress_option,
                                     &sarif_option,
                                     &junit_option,
                                     &hints_option,
                                     &rung,
                                     &n,
                                     &block,
                                     &grid,
                                     &sweep,
                                     &type,
                                     &op,
                                     &offset,
                                     &seed,
                                     &machine,
                                     &chip,
                                     &schedules,
                                     &replays,
                                     &counters,
                                     &page,
                                     &results,
                                     &option::threads,
                                     &option::output,
                                     &option::json,
                                     &option::help,
                                     &option::version};

}  // namespace

const Verb lab_verb{
    .name = "lab",
    .usage = "lab [EXPERIMENT | run FILE.cu [WORD...] | puzzle [NAME [FILE.cu]]]",
    .idea =
        "Experiments with GPU kernels, of the classic texts or yours, on a GPU or a simulated one.",
    .options = options,
    .examples =
        "onefold lab                            # the experiments, one line each\n"
        "onefold lab banks --chip cc12          # patterns of shared memory on an old chip\n"
        "onefold lab reduce --rung path         # the ten rungs to begin with, in order\n"
        "onefold lab reduce                     # every rung, corrected and as published\n"
        "onefold lab reduce --rung modulo,strided_index --chip cc12\n"
        "onefold lab reduce --rung reduction1_kernel --sweep grid --json\n"
        "onefold lab reduce --rung reduction1_kernel --offset 4   # the input 4 bytes off a "
        "border\n"
        "onefold lab reduce --rung modulo,sequential --counters   # with ncu, on a GPU\n"
        "onefold lab transpose --counters       # sectors and wavefronts, predicted and by ncu\n"
        "onefold lab all --page lab.html        # every experiment, on one page\n"
        "onefold lab run sum.cu --kernel sum --grid 4 --block 256 --args 'x:i32[1000]=iota, "
        "y:i32[4], n=1000'   # a kernel of yours\n"
        "onefold lab run homework.cu 1000       # its own main(), with its launches simulated\n"
        "onefold lab puzzle                     # ten kernels to mend, and what judges them",
    .run = run};

}  // namespace onefold::cli
