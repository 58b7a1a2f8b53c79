#include <fmt/format.h>

#include <filesystem>

#include "cli/contents.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "onefold/io/readable.hpp"
#include "onefold/system/jit/cache.hpp"
#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cli {
namespace {

// Lists the CUDA libraries that were searched for, those that were found, and why CUDA cannot be
// used.
std::string cuda_text() {
  const jit::Driver& driver = jit::Driver::get();
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  std::string text = driver.usable() && nvrtc.usable() ? "" : "cannot be used: ";
  if (driver.usable()) {
    text += fmt::format("driver {}.{}, {} device{}", driver.version() / 1000,
                        driver.version() % 1000 / 10, driver.devices(),
                        driver.devices() == 1 ? "" : "s");
  } else {
    text += driver.why();
  }
  if (nvrtc.usable()) return text + fmt::format("; NVRTC {}.{}", nvrtc.major(), nvrtc.minor());
  text += "; NVRTC was not found (tried";
  for (const std::string& name : nvrtc.library().tried) text += " " + name;
  return text + "); install the CUDA toolkit's libnvrtc";
}

std::vector<std::string> devices() {
  std::vector<std::string> names{"cpu"};
  for (int i = 0; i < jit::Driver::get().devices(); ++i)
    names.push_back("cuda:" + std::to_string(i));
  return names;
}
Fact fact_of_kernels(const char* name, const jit::Cache& cache) {
  const std::string& folder = cache.folder();
  if (folder.empty()) return {name, "none", "null"};
  const std::size_t n = cache.count();
  std::error_code unknown;
  const bool used = cache.trusted() || !(std::filesystem::exists(folder, unknown) || unknown);
  return {name,
          fmt::format("{}: {} file{}{}", folder, n, n == 1 ? "" : "s",
                      used ? "" : "; not used, because other users may write to it"),
          fmt::format("{{\"folder\": {}, \"files\": {}, \"used\": {}}}", quote(folder), n, used)};
}

// Adds a line for each, or one JSON object.
void add_lacks(std::vector<Fact>& facts, const std::vector<io::Lack>& lacks, bool json) {
  std::string object;
  for (const io::Lack& lack : lacks) {
    if (!json) facts.push_back({"unreadable", lack.what + ": " + lack.why, {}});
    object += (object.empty() ? "" : ", ") + quote(lack.what) + ": " + quote(lack.why);
  }
  if (json) facts.push_back({"unreadable", {}, "{" + object + "}"});
}

void run_info(Arguments& arguments) {
  if (!arguments.words.empty()) return print_contents(arguments);
  std::vector<std::string> targets, types, ops;
  std::string target_text;
  for (const std::string_view t : cpu_targets()) {
    targets.emplace_back(t);
    target_text += target_text.empty() ? std::string(t) + " (used)" : ", " + std::string(t);
  }
  for (const std::string_view op : op_names()) ops.emplace_back(op);
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) types.emplace_back(spelling);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  const auto join = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& s : list) text += (text.empty() ? "" : ", ") + s;
    return text;
  };
  const auto memory = static_cast<double>(system::physical_memory());
  const int threads = default_threads();
  const io::Readable readable = io::readable_here();
  std::vector<Fact> facts = {
      {"version", ONEFOLD_VERSION, {}},
      {"instruction_sets", target_text, quote_list(targets)},
      {"threads", std::to_string(threads) + ", by " + thread_library(), std::to_string(threads)},
      {"memory", bytes_text(memory), std::to_string(static_cast<Size>(memory))},
      {"devices", join(devices()), quote_list(devices())},
      {"cuda", cuda_text(), {}},
      fact_of_kernels("kernel_cache", jit::Cache::from_environment()),
      fact_of_kernels("shipped_kernels", jit::Cache::shipped()),
      {"ops", join(ops), quote_list(ops)},
      {"dtypes", join(types), quote_list(types)},
      {"formats", join(readable.formats), quote_list(readable.formats)},
      {"codecs", join(readable.codecs), quote_list(readable.codecs)},
      {"compiler", __VERSION__, {}},
  };
  add_lacks(facts, readable.lacks, arguments.json);
  Writer out;
  print_facts(out, facts, style_of_stdout(arguments.json));
  out.flush();
}

constexpr const Option* info_options[] = {
    &option::dtype,       &option::shape,     &option::offset,    &option::format,
    &option::header,      &option::columns,   &option::missing,   &option::delimiter,
    &option::decimal,     &option::thousands, &option::numbers,   &option::non_numbers,
    &option::date_format, &option::skip,      &option::comment,   &option::units,
    &option::json,        &option::progress,  &option::bad_lines, &option::help,
    &option::version};

}  // namespace

const Verb info_verb{.name = "info",
                     .usage = "info [FILE...]",
                     .idea = "List what files contain, or what this machine can do.",
                     .options = info_options,
                     .examples =
                         "onefold info data.npz      # arrays: name, type, shape\n"
                         "onefold info sales.csv     # columns: name, type, rows, missing\n"
                         "onefold info yesterday.of  # what a state can answer\n"
                         "onefold info               # version, devices, instruction sets\n"
                         "onefold info --json",
                     .run = run_info};

}  // namespace onefold::cli
