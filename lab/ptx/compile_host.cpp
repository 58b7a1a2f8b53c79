// What clang is given of CUDA, and the host's part of a file, compiled into a loaded library.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "lab/ptx/cached_call.hpp"
#include "lab/ptx/clang_header.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/constants.hpp"
#include "lab/ptx/host_extras.hpp"
#include "lab/ptx/host_header.hpp"
#include "lab/ptx/host_streams.hpp"
#include "lab/ptx/host_values.hpp"
#include "lab/ptx/process.hpp"
#include "lab/ptx/vector_header.hpp"
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
         std::string(host_values) + std::string(host_header_last) + std::string(host_streams) +
         std::string(part == ClangPart::host ? window_functions : clang_assert);
}

}  // namespace

ClangCall::ClangCall(const Source& s, const std::string& text, ClangPart part,
                     const std::vector<std::string>& more)
    : source_(s),
      text_(text),
      part_(part),
      given_(header_of(part)),
      header_(given_, ".h"),
      code_("#line 1 \"" + s.file + "\"\n" + text + "\n", ".cu") {
  // These must not be searched for, since their declarations are already given.
  for (const char* name :
       {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "vector_types.h", "device_functions.h",
        "device_launch_parameters.h", "vector_functions.h", "cuda_profiler_api.h",
        "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_35_intrinsics.h",
        "sm_61_intrinsics.h", "sm_20_atomic_functions.h", "sm_32_atomic_functions.h",
        "sm_35_atomic_functions.h", "sm_60_atomic_functions.h", "device_atomic_functions.h",
        "device_double_functions.h"}) {
    put(name, "");
  }
  const bool host = part == ClangPart::host;
  for (const char* name : {"cassert", "assert.h"}) put(name, host ? "" : clang_assert);
  for (const NamedHeader& h : helper_headers) {
    put(h.name, part == ClangPart::kernels ? "" : h.text);
  }
  if (!has_helper_math(s.file)) put("helper_math.h", vector_header);
  if (host) {
    put("cooperative_groups.h", groups_header);
    for (const char* name : {"reduce", "scan", "memcpy_async"}) {
      put(fmt::format("cooperative_groups/{}.h", name), "#include <cooperative_groups.h>\n");
    }
    put("cub/cub.cuh", cub_header);
    put("none.ptx", "none");
  }
  const auto add = [&](const std::vector<std::string>& words) {
    words_.insert(words_.end(), words.begin(), words.end());
  };
  add({"clang++", "-x", "cuda", "-nocudainc", "-nocudalib", "-std=c++17",
       "-Wno-unknown-cuda-version", "-fno-finite-loops",  // so that an endless loop stays one
       host ? "--cuda-host-only" : "--cuda-device-only"});
  if (host) add({"-O1", "-fPIC", "-w"});
  if (part != ClangPart::kernels) {  // for the host's headers; our header undefines them
    add({"-D__host__=__attribute__((host))", "-D__device__=__attribute__((device))",
         "-D__forceinline__=__inline__ __attribute__((always_inline))"});
  }
  add({"-include", header_.path(), "-I" + headers_.path()});
  for (const std::string& f : include_folders(s.file)) words_.push_back("-I" + f);
  words_.push_back(code_.path());
  if (host) {
    add({"-shared", "-Wl,-z,defs",
         // clang registers kernels' names only with a device binary, which may be empty.
         "-Xclang", "-fcuda-include-gpubinary", "-Xclang", headers_.path() + "/none.ptx"});
    for (const char* f : {"exit", "write", "read", "fwrite", "fread"}) {
      words_.push_back(fmt::format("-Wl,--wrap={}", f));
    }
    // GNU's ld takes 0.1 s longer.
    if (!system::program_in_path("ld.gold").empty()) add({"-fuse-ld=gold"});
  }
  add(more);
}

void ClangCall::put(const std::string& name, std::string_view text) {
  headers_.put(name.c_str(), text);
  given_.append("\n" + name + "\n").append(text);
}

std::string ClangCall::told() const {
  std::string all = given_ + "\n" + text_;
  for (std::string word : words_) {
    for (const std::string& own : {header_.path(), code_.path(), headers_.path()}) {
      if (const auto at = word.find(own); at != word.npos) word.erase(at, own.size());
    }
    all += "\n" + word;
  }
  return all;
}

int ClangCall::run_words(std::vector<std::string> words, std::string& made, std::string& error,
                         std::vector<std::string>& files) const {
  const std::string output = headers_.path() + "/onefold.made",
                    read = headers_.path() + "/onefold.d";
  words.insert(words.end(), {"-o", output, "-MD", "-MF", read});
  std::string printed;
  error.clear();
  const int status = system::run_program(words, printed, &error);
  if (status != 0) return status;
  std::ifstream in(output, std::ios::binary);
  made.assign(std::istreambuf_iterator<char>(in), {});
  files.push_back(system::program_in_path(words[0]));
  // As make reads it: "made: a.h b\ c.h \", and the next line.
  std::ifstream list(read);
  std::string name;
  const auto add = [&] {
    const bool own = name.empty() || name.ends_with(':') || name == "/dev/null" ||
                     name.starts_with(header_.path()) || name.starts_with(code_.path()) ||
                     name.starts_with(headers_.path()) || (compiled_ && name == compiled_->path());
    if (!own) files.push_back(name);
    name.clear();
  };
  for (char c = 0; list.get(c);) {
    if (c == '\\' && (list.peek() == ' ' || list.peek() == '#')) {
      name += static_cast<char>(list.get());
    } else if (c == '$' && list.peek() == '$') {
      name += static_cast<char>(list.get());
    } else if (c == ' ' || c == '\n') {
      add();
    } else if (c != '\\' || list.peek() != '\n') {
      name += c;
    }
  }
  add();
  return status;
}

void ClangCall::use_compiled_headers() {
  const auto at = std::find(words_.begin(), words_.end(), "-include");
  std::vector<std::string> make(words_.begin(), at);
  constexpr std::string_view text = host_header_first, include = "#include <";
  for (auto from = text.find(include); from != text.npos; from = text.find(include, from + 1)) {
    const auto name = text.substr(from + include.size());
    if (name.starts_with("cassert>")) continue;  // ours is another one
    make.insert(make.end(), {"-include", std::string(name.substr(0, name.find('>')))});
  }
  make.insert(make.end(),
              {"-fpch-instantiate-templates", "-Xclang", "-emit-pch", "-c", "/dev/null"});
  const CachedCall call("headers of main()", fmt::format("{}", fmt::join(make, "\n")));
  std::string made = call.found().value_or(""), error;
  if (made.empty()) {
    std::vector<std::string> files;
    if (!call.keeps() || run_words(make, made, error, files) != 0) return;
    call.keep(made, files);
  }
  compiled_.emplace(made, ".pch");
  words_.insert(at, {"-Xclang", "-include-pch", "-Xclang", compiled_->path()});
}

int ClangCall::run(std::string& made, std::string& error) {
  const CachedCall call(source_, fmt::format("clang {}", static_cast<int>(part_)), told());
  if (call.found()) {
    made = *call.found();
    return 0;
  }
  if (part_ == ClangPart::host) use_compiled_headers();
  std::vector<std::string> files;
  const int status = run_words(words_, made, error, files);
  if (status == 0 && add_includes(text_, include_folders(source_.file), files)) {
    call.keep(made, files);
  }
  return status;
}

void compile_host(const Source& source, const std::string& library) {
  std::string made, error;
  Source s = source;
  s.text = with_joined_launches(s.text);
  const std::string shorter = without_device_code(s.text);
  int status = ClangCall(s, shorter, ClangPart::host, {}).run(made, error);
  if (status > 0 && shorter != s.text) {
    status = ClangCall(s, s.text, ClangPart::host, {}).run(made, error);
  }
  std::ofstream(library, std::ios::binary) << made;
  if (status == -1) {
    throw Error(ErrorCode::unsupported,
                "lab run: a file's own main() is compiled by clang++, which was not found; install "
                "clang, or pass --kernel and --args");
  }
  // The linker names missing functions in lines before clang's own error.
  constexpr std::string_view missing = "undefined reference to ";
  if (const auto at = error.find(missing); at != error.npos) {
    const auto from = at + missing.size() + 1;
    throw DoesNotCompile(fmt::format(
        "lab run: main() of {} needs {}, which is defined neither there nor in an included file",
        s.file, error.substr(from, error.find('\'', from) - from)));
  }
  if (status != 0) {
    const bool cccl = error.find("/cccl/") != error.npos;
    throw DoesNotCompile(fmt::format(
        "lab run: main() of {} does not compile; clang says: {}{}", s.file, first_error(error),
        cccl ? "; Thrust and libcu++ are not supported in main()" : ""));
  }
}

}  // namespace onefold::lab::ptx
