// What clang is given of CUDA, and the host's part of a file, compiled into a loaded library.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "lab/ptx/clang_header.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/constants.hpp"
#include "lab/ptx/host_extras.hpp"
#include "lab/ptx/host_header.hpp"
#include "lab/ptx/process.hpp"
#include "onefold/system/jit/cache.hpp"
#include "onefold/system/process.hpp"

namespace onefold::lab::ptx {
namespace {

std::string header_of(ClangPart part) {
  std::string device(clang_header);
  if (part == ClangPart::kernels) return device + std::string(constants);
  // Here memory functions (memcpy, ...) are the host's.
  constexpr std::string_view both = "__host__ D_ void*";
  for (auto at = device.find(both); at != device.npos; at = device.find(both)) {
    device.replace(at, both.size(), "D_ void*");
  }
  return std::string(host_header_first) + device + std::string(constants) +
         std::string(host_header_last) + std::string(part == ClangPart::host ? "" : clang_assert);
}

}  // namespace

ClangCall::ClangCall(const Source& s, const std::string& text, ClangPart part)
    : header_(header_of(part), ".h"), code_("#line 1 \"" + s.file + "\"\n" + text + "\n", ".cu") {
  // These must not be searched for, since their declarations are already given.
  for (const char* name : {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "vector_types.h",
                           "device_functions.h", "device_launch_parameters.h", "vector_functions.h",
                           "helper_functions.h", "cuda_profiler_api.h", "helper_timer.h"}) {
    headers_.put(name, "");
  }
  const std::string_view checks = part == ClangPart::host ? "" : clang_assert;
  for (const char* name : {"cassert", "assert.h"}) headers_.put(name, checks);
  if (part != ClangPart::kernels) headers_.put("helper_cuda.h", helper_header);
  if (part == ClangPart::host) {
    headers_.put("cooperative_groups.h", groups_header);
    for (const char* name : {"reduce", "scan", "memcpy_async"}) {
      headers_.put(fmt::format("cooperative_groups/{}.h", name).c_str(),
                   "#include <cooperative_groups.h>\n");
    }
    headers_.put("cub/cub.cuh", cub_header);
  }
  add({"clang++", "-x", "cuda", "-nocudainc", "-nocudalib", "-std=c++17",
       "-Wno-unknown-cuda-version", "-fno-finite-loops",  // so that an endless loop stays one
       part == ClangPart::host ? "--cuda-host-only" : "--cuda-device-only"});
  if (part != ClangPart::kernels) {  // for the host's headers; our header undefines them
    add({"-D__host__=__attribute__((host))", "-D__device__=__attribute__((device))",
         "-D__forceinline__=__inline__ __attribute__((always_inline))"});
  }
  add({"-include", header_.path(), "-I" + headers_.path()});
  for (const std::string& f : include_folders(s.file)) words.push_back("-I" + f);
  words.push_back(code_.path());
}

void ClangCall::use_compiled_headers(const std::vector<std::string>& options, bool again) {
  const jit::Cache cache = jit::Cache::from_environment(".header");
  const std::string clang = system::program_in_path(words[0]);
  if (cache.folder().empty() || clang.empty()) return;
  const auto at = std::find(words.begin(), words.end(), "-include");
  std::vector<std::string> make(words.begin(), at);
  make.insert(make.end(), options.begin(), options.end());
  constexpr std::string_view text = host_header_first, include = "#include <";
  for (auto from = text.find(include); from != text.npos; from = text.find(include, from + 1)) {
    const auto name = text.substr(from + include.size());
    if (name.starts_with("cassert>")) continue;  // ours is another one
    make.insert(make.end(), {"-include", std::string(name.substr(0, name.find('>')))});
  }
  // One file for all versions of the list: it begins with what it was made of.
  const std::string key = "headers of main()", made_of = fmt::format("{}", fmt::join(make, "\n"));
  std::vector<char> image = cache.find(key).value_or(std::vector<char>());
  if (again || !std::string_view(image.data(), image.size()).starts_with(made_of)) {
    const system::TemporaryFile made("", ".pch");
    make.insert(make.end(), {"-fpch-instantiate-templates", "-Xclang", "-emit-pch", "-c",
                             "/dev/null", "-o", made.path()});
    std::string out, error;
    if (system::run_program(make, out, &error) != 0) return;
    std::ifstream in(made.path(), std::ios::binary);
    image.assign(made_of.begin(), made_of.end());
    image.insert(image.end(), std::istreambuf_iterator<char>(in), {});
    cache.keep(key, image, clang);
  }
  compiled_.emplace(std::string_view(image.data(), image.size()).substr(made_of.size()), ".pch");
  words.insert(at, {"-Xclang", "-include-pch", "-Xclang", compiled_->path()});
}

void compile_host(const Source& s, const std::string& library) {
  const system::TemporaryFile nothing("none", ".ptx");
  const std::vector<std::string> options{"-O1", "-fPIC", "-w"};
  std::string out, error;
  int status = 0;
  for (const bool again : {false, true}) {
    ClangCall call(s, s.text, ClangPart::host);
    call.use_compiled_headers(options, again);
    call.add(options);
    call.add({"-shared",
              // clang registers kernels' names only with a device binary, which may be empty.
              "-Xclang", "-fcuda-include-gpubinary", "-Xclang", nothing.path(), "-Wl,--wrap=exit",
              "-Wl,-z,defs", "-o", library});
    error.clear();
    status = system::run_program(call.words, out, &error);
    // So clang names a compiled header of which a file has changed.
    if (status == 0 || error.find(".pch'") == error.npos) break;
  }
  if (status == -1) {
    throw Error(ErrorCode::unsupported,
                "lab run: a file's own main() is compiled by clang++, which was not found; install "
                "clang, or give --kernel and --args");
  }
  // The linker names missing functions in lines before clang's own error.
  constexpr std::string_view missing = "undefined reference to `";
  if (const auto at = error.find(missing); at != error.npos) {
    const auto from = at + missing.size();
    throw DoesNotCompile(
        fmt::format("lab run: main() of {} needs {}, which neither it nor a file "
                    "that it includes defines",
                    s.file, error.substr(from, error.find('\'', from) - from)));
  }
  if (status != 0) {
    const bool cccl = error.find("/cccl/") != error.npos;
    throw DoesNotCompile(fmt::format("lab run: main() of {} does not compile; clang says: {}{}",
                                     s.file, first_error(error),
                                     cccl ? "; Thrust and libcu++ are missing in main()" : ""));
  }
}

}  // namespace onefold::lab::ptx
