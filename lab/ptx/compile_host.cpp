// The host's part of a file, compiled by clang into a library that is loaded.
#include <fmt/format.h>

#include "lab/ptx/clang_header.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/constants.hpp"
#include "lab/ptx/host_header.hpp"
#include "lab/ptx/process.hpp"
#include "onefold/system/process.hpp"
#include "onefold/system/temporary.hpp"

namespace onefold::lab::ptx {

void compile_host(const Source& s, const std::string& library) {
  // Here memory functions (memcpy, ...) are the host's.
  std::string device(clang_header);
  constexpr std::string_view both = "__host__ D_ void*";
  for (auto at = device.find(both); at != device.npos; at = device.find(both)) {
    device.replace(at, both.size(), "D_ void*");
  }
  const system::TemporaryFile header(std::string(host_header_first) + device +
                                         std::string(constants) + std::string(host_header_last),
                                     ".h"),
      code("#line 1 \"" + s.file + "\"\n" + s.text + "\n", ".cu"), nothing("none", ".ptx");
  const system::TemporaryFolder headers;
  for (const char* name : {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "vector_types.h",
                           "device_functions.h", "device_launch_parameters.h", "vector_functions.h",
                           "helper_functions.h", "cuda_profiler_api.h", "assert.h", "cassert"}) {
    headers.put(name, "");
  }
  headers.put("helper_cuda.h", helper_header);
  headers.put("helper_timer.h", "");
  std::vector<std::string> words{
      "clang++", "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-O1",
      "-fno-finite-loops",  // so that an endless loop stays one
      "-fPIC", "-shared", "-Wno-unknown-cuda-version", "-w",
      // clang registers kernels' names only with a device binary, which may be empty.
      "-Xclang", "-fcuda-include-gpubinary", "-Xclang", nothing.path(), "-Wl,--wrap=exit",
      "-Wl,-z,defs", "-include", header.path(), "-I" + headers.path()};
  for (const std::string& f : include_folders(s.file)) words.push_back("-I" + f);
  for (const char* last : {"-o"}) words.emplace_back(last);
  words.push_back(library);
  words.push_back(code.path());
  std::string out, error;
  const int status = system::run_program(words, out, &error);
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
