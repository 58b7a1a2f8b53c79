// Compiles kernels for devices, which need not be present, into a folder that users only read from.
// In one process NVRTC compiles one kernel at a time, so there are as many processes as cores.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>

#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "onefold/core/dtype.hpp"
#include "onefold/cuda/shipped.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/system/file.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/system/workers.hpp"

namespace onefold::cli {
namespace {

using cuda_backend::Chip;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Returns an option's list, or the default.
std::vector<std::string> own_list(const Arguments& arguments, const char* option,
                                  const std::string& otherwise) {
  const auto own = arguments.own.find(option);
  return comma_list(own == arguments.own.end() ? otherwise : own->second);
}

[[noreturn]] void refuse(const char* option, const std::string& value, const std::string& right) {
  throw Error(ErrorCode::bad_option,
              "--" + std::string(option) + " \"" + value + "\" is not valid; " + right);
}

DType type_of(const std::string& name) {
  std::string all;
  for (int k = 0; k < dtype_count; ++k) {
    const auto t = static_cast<DType>(k);
    if (name == name_of(t)) return t;
    all += (k == 0 ? "" : ", ") + std::string(name_of(t));
  }
  refuse("dtype", name, "choose one or more of " + all);
}

const Chip& chip_of(const std::string& name) {
  std::string all;
  for (const Chip& chip : cuda_backend::known_chips()) {
    if (name == chip.name) return chip;
    all += (all.empty() ? "" : ", ") + std::string(chip.name);
  }
  refuse("chip", name, "choose one or more of " + all);
}

// Asks the driver in a separate process, since this process will fork to compile.
std::string chip_of_this_machine() {
  std::string chip;
  system::in_processes(
      1, 1,
      [](std::size_t) {
        const jit::Driver& driver = jit::Driver::get();
        if (driver.usable()) return jit::chip_of(0);
        throw Error(ErrorCode::no_backend,
                    "--chip is missing, and no GPU was found whose chip could be used: " +
                        driver.why() + "; pass one, such as --chip sm_90");
      },
      [&](std::size_t, const std::string& answer) { chip = answer; });
  return chip;
}

// A module that must be compiled.
struct Job {
  std::string source, chip;
};

// Returns the jobs of all requests, each once; the largest come first, so that small ones end last.
std::vector<Job> jobs_of(const std::vector<std::string>& requests,
                         const std::vector<std::string>& types,
                         const std::vector<std::string>& chips,
                         const cuda_backend::ShippedFolds& folds) {
  struct SizedJob {
    int size;
    Job job;
  };
  std::vector<SizedJob> sized;
  std::set<std::string> seen;
  for (const std::string& name : chips) {
    const Chip& chip = chip_of(name);
    for (const std::string& type : types) {
      for (const std::string& request : requests) {
        const std::string ops = request == "describe" ? describe_ops() : request;
        for (const auto& module : cuda_backend::modules_of(ops, type_of(type), chip, folds)) {
          Job job{cuda_backend::source_of(module), chip.name};
          int size = 0;
          for (const auto& [key, shape] : module) {
            size += std::popcount(key.set.bits) + std::popcount(key.ops);
          }
          if (seen.insert(job.chip + job.source).second) sized.push_back({size, std::move(job)});
        }
      }
    }
  }
  std::stable_sort(sized.begin(), sized.end(),
                   [](const SizedJob& a, const SizedJob& b) { return a.size > b.size; });
  std::vector<Job> jobs;
  for (SizedJob& s : sized) jobs.push_back(std::move(s.job));
  return jobs;
}

// Compiles a module; returns seconds and bytes as text.
std::string compile(const Job& job, const jit::Cache& folder) {
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  if (!nvrtc.usable()) {
    throw Error(ErrorCode::no_backend,
                "NVRTC, which compiles kernels, cannot be used: " + nvrtc.library().why +
                    "; install the CUDA toolkit's libnvrtc");
  }
  const auto start = Clock::now();
  const jit::Nvrtc::Result made = nvrtc.compile(job.source, job.chip);
  if (made.image.empty()) {
    throw Error(ErrorCode::internal, "NVRTC could not compile a kernel for " + job.chip + ": " +
                                         made.log.substr(0, 300));
  }
  if (!folder.keep(cuda_backend::image_key(job.source, job.chip), made.image)) {
    const std::string why = std::strerror(errno);
    throw Error(ErrorCode::cannot_write,
                "cannot write to " + folder.folder() +
                    (folder.trusted()
                         ? ": " + why
                         : "; the folder must belong to you, and nobody else may write to it"));
  }
  return fmt::format("{} {}", seconds_since(start), made.image.size());
}

void show(When when, std::size_t done, std::size_t all) {
  const bool terminal = stderr_is_terminal();
  if (when == When::never || (when == When::automatic && !terminal)) return;
  const std::string line = fmt::format("{}{} of {} files{}", terminal ? "\r\033[K" : "", done, all,
                                       terminal && done < all ? "" : "\n");
  system::write_all(system::standard_error, line.data(), line.size());
}

void run_kernels(Arguments& arguments) {
  const auto into = arguments.own.find("into");
  if (into == arguments.own.end()) {
    throw Error(ErrorCode::bad_option,
                "kernels needs a folder: onefold kernels --into DIR, such as share/onefold/kernels "
                "next to the program");
  }
  const jit::Cache folder(into->second, true);
  const std::vector<std::string> common = {"sum",    "mean",  "var", "min",     "max",
                                           "argmax", "norm2", "dot", "describe"};
  const auto& requests = arguments.words.empty() ? common : arguments.words;
  const auto types = own_list(arguments, "dtype", "f32,f64,f16,bf16,i32,i64");
  const auto chips = own_list(
      arguments, "chip", arguments.own.contains("chip") ? std::string() : chip_of_this_machine());
  std::vector<Job> jobs = jobs_of(requests, types, chips,
                                  {.axes = arguments.own.contains("axes"),
                                   .segments = arguments.own.contains("segments"),
                                   .masks = arguments.own.contains("masks")});
  const std::size_t wanted = jobs.size();
  std::erase_if(jobs, [&](const Job& job) {
    return folder.find(cuda_backend::image_key(job.source, job.chip)).has_value();
  });

  const auto start = Clock::now();
  const int threads = arguments.fold.threads > 0 ? arguments.fold.threads : default_threads();
  const int processes = static_cast<int>(std::min(jobs.size(), static_cast<std::size_t>(threads)));
  double bytes = 0, compiling = 0, longest = 0;
  std::size_t done = 0;
  system::in_processes(
      jobs.size(), processes, [&](std::size_t k) { return compile(jobs[k], folder); },
      [&](std::size_t, const std::string& text) {
        double seconds = 0, size = 0;
        std::sscanf(text.c_str(), "%lf %lf", &seconds, &size);
        compiling += seconds;
        longest = std::max(longest, seconds);
        bytes += size;
        show(arguments.progress, ++done, jobs.size());
      });

  const double took = seconds_since(start);
  const auto fact = [](const char* name, std::size_t n, const std::string& text) {
    return Fact{name, text, std::to_string(n)};
  };
  const auto time = [](const char* name, double seconds, const std::string& text) {
    return Fact{name, fmt::format("{:.1f} s{}", seconds, text), fmt::format("{:.3f}", seconds)};
  };
  const Fact facts[] = {
      {"folder", folder.folder(), {}},
      fact("made", jobs.size(), fmt::format("{} files of kernels", jobs.size())),
      fact("there", wanted - jobs.size(), fmt::format("{} already existed", wanted - jobs.size())),
      fact("bytes", static_cast<std::size_t>(bytes), bytes_text(bytes)),
      time("seconds", took, fmt::format(" in {} process{}", processes, processes == 1 ? "" : "es")),
      time("compiling", compiling, fmt::format(", the longest {:.1f} s", longest)),
  };
  Writer out;
  print_facts(out, facts, style_of_stdout(arguments.json));
  out.flush();
}

const Option into_option{"into", "DIR", "the folder to write the kernels to", nullptr};
const Option chip_option{
    "chip", "CHIP,...", "chips to compile for, such as sm_90 (default: that of this machine's GPU)",
    nullptr};
const Option kernel_dtype_option{
    "dtype", "TYPE,...", "types of elements (default: f32, f64, f16, bf16, i32 and i64)", nullptr};
const Option axes_option{"axes", nullptr, "also kernels for reductions along axes", nullptr};
const Option segments_option{"segments", nullptr, "also kernels for segments", nullptr};
const Option masks_option{"masks", nullptr, "also kernels for masks and for --nan omit", nullptr};
constexpr const Option* kernels_options[] = {
    &into_option,      &kernel_dtype_option, &chip_option,     &axes_option,
    &segments_option,  &masks_option,        &option::threads, &option::json,
    &option::progress, &option::help,        &option::version};

}  // namespace

const Verb kernels_verb{
    .name = "kernels",
    .usage = "kernels [OP,...]... --into DIR",
    .idea = "Compile GPU kernels in advance, also for GPUs in other machines.",
    .options = kernels_options,
    .examples =
        "onefold kernels --into share/onefold/kernels   # of common ops and types\n"
        "onefold kernels sum mean,var --dtype f32 --chip sm_80,sm_90 --into DIR\n"
        "onefold kernels mse cosine sum --axes --segments --masks --into DIR\n"
        "ONEFOLD_KERNELS=DIR onefold sum --device cuda x.npy",
    .run = run_kernels};

}  // namespace onefold::cli
