// What clang is given of CUDA, and the host's part of a file, compiled into a loaded library.
#include <fmt/format.h>

#include "lab/ptx/clang_header.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/constants.hpp"
#include "lab/ptx/host_extras.hpp"
#include "lab/ptx/host_header.hpp"
#include "lab/ptx/process.hpp"
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
  for (const char* name : {"cassert", "assert.h"}) {
    headers_.put(name, part == ClangPart::host ? "" : clang_assert);
  }
  if (part != ClangPart::kernels) headers_.put("helper_cuda.h", helper_header);
  if (part == ClangPart::host) {
    headers_.put("cooperative_groups.h", groups_header);
    for (const char* name : {"reduce", "scan", "memcpy_async"}) {
      headers_.put(fmt::format("cooperative_groups/{}.h", name).c_str(),
                   "#include <cooperative_groups.h>\n");
    }
    headers_.put("cub/cub.cuh", cub_header);
  }
  words = {"clang++",
           "-x",
           "cuda",
           part == ClangPart::host ? "--cuda-host-only" : "--cuda-device-only",
           "-nocudainc",
           "-nocudalib",
           "-std=c++17",
           "-Wno-unknown-cuda-version",
           "-fno-finite-loops",  // so that an endless loop stays one
           "-include",
           header_.path(),
           "-I" + headers_.path()};
  for (const std::string& f : include_folders(s.file)) words.push_back("-I" + f);
  words.push_back(code_.path());
}

void compile_host(const Source& s, const std::string& library) {
  ClangCall call(s, s.text, ClangPart::host);
  const system::TemporaryFile nothing("none", ".ptx");
  call.add({"-O1", "-fPIC", "-shared", "-w",
            // clang registers kernels' names only with a device binary, which may be empty.
            "-Xclang", "-fcuda-include-gpubinary", "-Xclang", nothing.path(), "-Wl,--wrap=exit",
            "-Wl,-z,defs", "-o", library});
  std::string out, error;
  const int status = system::run_program(call.words, out, &error);
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
    throw DoesNotCompile(fmt::format("lab run: main() of {} does not compile; clang says: {}",
                                     s.file, first_error(error)));
  }
}

}  // namespace onefold::lab::ptx
