#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/lab.hpp"
#include "cli/lab/kernel.hpp"
#include "cli/lab/puzzle.hpp"
#include "cli/lab/serve.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "lab/experiment.hpp"
#include "lab/experiment/reduce.hpp"
#include "lab/ladder.hpp"
#include "lab/page/experiments.hpp"
#include "lab/page/page.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/plan/nearest.hpp"
#include "onefold/system/terminal.hpp"

namespace onefold::cli {
namespace {

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
              "--page " + file + ": the name must end in .html, .md or .json");
}

void run_reduce(const Arguments& a) {
  lab::ReduceOptions o;
  const auto take = [&](const char* option, std::string& into) {
    if (const auto at = a.own.find(option); at != a.own.end()) into = at->second;
  };
  std::string rungs;
  take("rung", rungs);
  if (!rungs.empty()) o.rungs = comma_list(rungs);
  std::vector<std::string_view> names;
  for (const lab::Entry* e : lab::reduce_ladder()) names.emplace_back(e->name);
  for (const std::string& name : o.rungs) {
    if (lab::find_rung(lab::reduce_ladder(), name) != nullptr) continue;
    if (const std::string meant = did_you_mean(name, names); !meant.empty()) {
      throw Error(ErrorCode::bad_option, "lab reduce: no rung is called \"" + name + "\"" + meant);
    }
  }
  take("n", o.n);
  take("block", o.block);
  take("grid", o.grid);
  take("sweep", o.sweep);
  take("type", o.type);
  take("op", o.op);
  take("offset", o.offset);
  take("seed", o.seed);
  take("machine", o.machine);
  take("chip", o.chip);
  take("schedules", o.schedules);
  take("replays", o.replays);
  o.counters = a.own.contains("counters");
  o.threads = a.fold.threads;
  std::string page_file, results_file;
  take("page", page_file);
  take("results", results_file);
  if (page_file.empty() && !results_file.empty()) {
    throw Error(ErrorCode::bad_option,
                "--results " + results_file + " needs --page FILE.html, which shows it");
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
    throw Error(ErrorCode::internal,
                "lab reduce: a corrected kernel gives a wrong result or has a flaw");
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

constexpr std::string_view not_of_experiments[] = {
    "kernel",   "args", "launch",     "shared",   "print", "expect", "cooperative", "budget",
    "compiler", "arch", "as-written", "suppress", "sarif", "junit",  "port"};

// Returns the words after `onefold lab` of a command that has this option.
std::string taker_of(std::string_view option) {
  if (option == "port") return "serve";
  if (option == "hints") return "puzzle map";
  return std::ranges::count(not_of_experiments, option) > 0 ? "run FILE.cu" : "reduce";
}

[[noreturn]] void refuse_without_words(const Arguments& a) {
  const std::string option = a.json ? "json" : a.own.begin()->first;
  const std::string value = a.json ? "" : a.own.begin()->second, taker = taker_of(option);
  throw Error(ErrorCode::bad_option,
              fmt::format("lab: --{0} needs {1}; write onefold lab {2} --{0}{3}{4}", option,
                          taker == "reduce" ? "an experiment" : "a command", taker,
                          value.empty() ? "" : " ", value));
}

}  // namespace

void run_lab(Arguments& a) {
  if (a.words.empty()) {
    if (a.json || !a.own.empty()) {
      refuse_without_words(a);
    }
    return list();
  }
  if (a.words[0] == "run") return run_kernel_file(a);
  if (a.words[0] == "puzzle") return run_puzzle(a);
  if (a.words[0] == "serve") return serve_lab(a);
  for (const std::string_view option : not_of_experiments) {
    if (!a.own.contains(option)) continue;
    throw Error(ErrorCode::bad_option,
                fmt::format("lab {}: --{} applies only to lab {}; leave it out", a.words[0], option,
                            taker_of(option)));
  }
  if (!a.output.empty()) {
    throw Error(
        ErrorCode::bad_option,
        "lab " + a.words[0] + ": --output applies only to lab run; to write a page, pass --page");
  }
  if (a.words.size() > 1) {
    throw Error(ErrorCode::bad_option, "lab runs one experiment at a time, but " +
                                           std::to_string(a.words.size()) +
                                           " were given; to run all, write onefold lab all");
  }
  const std::string& name = a.words[0];
  if (name == "reduce") return run_reduce(a);
  const lab::Experiment* e = lab::find_experiment(name);
  if (e == nullptr && name != "all") {
    std::string legal;
    std::vector<std::string_view> names{"all", "run", "puzzle", "serve"};
    for (const lab::Experiment* each : lab::experiments()) {
      legal += std::string(each->name) + ", ";
      names.emplace_back(each->name);
    }
    throw Error(ErrorCode::bad_option, "lab: no experiment is called \"" + name +
                                           "\"; choose one of " + legal + "all" +
                                           did_you_mean(name, names));
  }
  lab::ExperimentOptions options = given(a);
  std::optional<OutputFile> file;  // opened before any work, since opening may fail
  bool as_json = false;
  if (const auto at = options.find("page"); at != options.end()) {
    const std::string kind = kind_of_page(at->second);
    if (kind == "md") {
      throw Error(ErrorCode::bad_option,
                  "--page " + at->second +
                      ": only lab reduce can write .md and .json; pass a name that ends in .html");
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
    throw Error(ErrorCode::internal,
                "lab " + name + ": a measured value differs from the expected one");
  }
}

}  // namespace onefold::cli
