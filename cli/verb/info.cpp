#include <dlfcn.h>
#include <unistd.h>

#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "io/format.hpp"
#include "parallel.hpp"

namespace onefold::cli {
namespace {

bool can_load(const char* library) {
  void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return false;
  ::dlclose(handle);
  return true;
}

// What a GPU would need, and whether it is here.
std::string cuda_text() {
  constexpr const char* nvrtc[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                   "libnvrtc.so"};
  const bool device = ::access("/dev/nvidia0", F_OK) == 0;
  const bool driver = can_load("libcuda.so.1");
  bool compiler = false;
  for (const char* library : nvrtc) compiler = compiler || can_load(library);
  const auto found = [](bool yes) { return yes ? "found" : "not found"; };
  return std::string("cannot be used: this version folds on the CPU only (device /dev/nvidia0 ") +
         found(device) + ", driver libcuda.so.1 " + found(driver) + ", compiler libnvrtc.so " +
         found(compiler) + ")";
}

void run(Arguments& arguments) {
  if (!arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "info takes no file: \"" + arguments.words[0] + "\"");
  }
  std::vector<std::string> targets, types, ops, formats;
  std::string target_text;
  for (const std::string_view t : cpu_targets()) {
    targets.emplace_back(t);
    target_text += target_text.empty() ? std::string(t) + " (used)" : ", " + std::string(t);
  }
  for (const std::string_view op : op_names()) ops.emplace_back(op);
  for (const io::Format* format : io::formats()) formats.emplace_back(format->name);
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) types.emplace_back(spelling);
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
  const auto join = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& s : list) text += (text.empty() ? "" : ", ") + s;
    return text;
  };
  const auto memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const int threads = default_threads();
  const Fact facts[] = {
      {"version", ONEFOLD_VERSION, {}},
      {"instruction_sets", target_text, quote_list(targets)},
      {"threads", std::to_string(threads) + ", by " + thread_library(), std::to_string(threads)},
      {"memory", bytes_text(memory), std::to_string(static_cast<Size>(memory))},
      {"devices", "cpu", "[\"cpu\"]"},
      {"cuda", cuda_text(), {}},
      {"ops", join(ops), quote_list(ops)},
      {"dtypes", join(types), quote_list(types)},
      {"formats", join(formats), quote_list(formats)},
      {"compiler", __VERSION__, {}},
  };
  Writer out;
  print_facts(out, facts, style_of_stdout(arguments.json));
  out.flush();
}

constexpr const Option* options[] = {&option::json, &option::help, &option::version};

}  // namespace

const Verb info_verb{.name = "info",
                     .usage = "info",
                     .idea = "Version, devices, what can be used, and why something cannot.",
                     .options = options,
                     .examples = "onefold info\nonefold info --json",
                     .run = run};

}  // namespace onefold::cli
