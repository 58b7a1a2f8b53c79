#include "lab/ptx/compile.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "lab/ptx/cached_call.hpp"
#include "lab/ptx/constants.hpp"
#include "lab/ptx/process.hpp"
#include "lab/ptx/types.hpp"
#include "lab/ptx/vector_header.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab::ptx {
namespace {

std::vector<std::string> words_of(const char* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Headers of the host's library that kernels often include without using them. Of CUB these are
// the parts that kernels call; other parts are host functions, which NVRTC rejects.
const std::vector<jit::Header>& no_headers() {
  static const std::vector<std::string> names = words_of(
      "stdio.h stdlib.h math.h assert.h string.h cstdio cstdlib cmath cassert iostream cuda.h "
      "cuda_runtime.h float.h climits limits.h cuda_runtime_api.h cstring algorithm "
      "device_functions.h device_launch_parameters.h device_atomic_functions.h "
      "device_double_functions.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h "
      "sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h "
      "sm_60_atomic_functions.h sm_61_intrinsics.h");
  static std::string cub;
  static const std::vector<jit::Header> headers = [] {
    for (const std::string& part :
         words_of("block/block_adjacent_difference block/block_discontinuity block/block_exchange "
                  "block/block_histogram block/block_load block/block_merge_sort "
                  "block/block_radix_sort block/block_reduce block/block_scan block/block_shuffle "
                  "block/block_store warp/warp_exchange warp/warp_load warp/warp_merge_sort "
                  "warp/warp_reduce warp/warp_scan warp/warp_store")) {
      cub += fmt::format("#include <cub/{}.cuh>\n", part);
    }
    std::vector<jit::Header> all{{"cub/cub.cuh", cub.c_str()}};
    for (const std::string& name : names) all.push_back({name.c_str(), ""});
    return all;
  }();
  return headers;
}

// The declarations of these headers that kernels use. Those headers of a toolkit that declare such
// types for NVRTC declare others than for a host; so these get other names.
std::string nvrtc_prelude(const std::string& text) {
  constexpr std::string_view integers = "cuda/std/cstdint", pipeline = "cuda_pipeline.h";
  constexpr std::pair<std::string_view, std::string_view> declared[] = {
      {"cub/", integers},
      {"cuda/", integers},
      {"cooperative_groups", integers},
      {"cuda_pipeline", pipeline},
      {"cuda_awbarrier", pipeline}};
  std::string headers, defined, undefined, used;
  bool in_std = false;
  for (const auto& [part, header] : declared) {
    for (const char quote : {'<', '"'}) {
      if (text.find("#include " + (quote + std::string(part))) == text.npos) continue;
      headers += fmt::format("#include <{}>\n", header);
      in_std = in_std || header == integers;
    }
  }
  if (headers.empty()) return ONEFOLD_LAB_TYPES;
  for (const char* name :
       {"int64_t", "int_least64_t", "int_fast16_t", "int_fast32_t", "int_fast64_t", "intptr_t",
        "intmax_t", "uint64_t", "uint_least64_t", "uint_fast16_t", "uint_fast32_t", "uint_fast64_t",
        "uintptr_t", "uintmax_t"}) {
    defined += fmt::format("#define {0} onefold_{0}\n", name);
    undefined += fmt::format("#undef {}\n", name);
    used += fmt::format("using ::{}; ", name);
  }
  // libcu++ opens its namespace, whose name has a version, by a macro, which has had two names.
  if (in_std) {
    used =
        "#ifndef _CCCL_BEGIN_NAMESPACE_CUDA_STD\n"
        "#define _CCCL_BEGIN_NAMESPACE_CUDA_STD _LIBCUDACXX_BEGIN_NAMESPACE_STD\n"
        "#define _CCCL_END_NAMESPACE_CUDA_STD _LIBCUDACXX_END_NAMESPACE_STD\n#endif\n"
        "_CCCL_BEGIN_NAMESPACE_CUDA_STD " +
        used + "_CCCL_END_NAMESPACE_CUDA_STD\n";
  }
  return defined + headers + undefined + ONEFOLD_LAB_TYPES + (in_std ? used : "");
}

// Returns a text in which files that lie beside it stand in place of their #include.
std::string with_files_pasted(const std::string& text, const std::string& file,
                              std::set<std::string>& seen) {
  const std::string folder = include_folders(file).front() + '/';
  std::string all;
  std::istringstream lines(text);
  unsigned number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    const auto from = line.find('"');
    const bool includes = from != line.npos && line.starts_with('#') && line.find("include") < from;
    const std::string path =
        includes ? folder + line.substr(from + 1, line.find('"', from + 1) - from - 1) : "";
    std::error_code ignored;
    if (!includes || !std::filesystem::is_regular_file(path, ignored)) {
      all += line + '\n';
    } else if (seen.insert(path).second) {
      std::ifstream in(path, std::ios::binary);
      const std::string inner{std::istreambuf_iterator<char>(in), {}};
      all += fmt::format("#line 1 \"{}\"\n{}#line {} \"{}\"\n", path,
                         with_files_pasted(inner, path, seen), number + 1, file);
    } else {
      all += '\n';
    }
  }
  return all;
}

constexpr std::string_view no_clang = "clang was not found";

struct Attempt {
  Compiled made;
  std::string error;  // empty: it compiled
};

// Returns the lines of a log that warn of the user's file.
std::string warnings_in(const std::string& log, const std::string& file) {
  std::string all;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(file + "(") && line.find("): warning #") != line.npos) all += line + "\n";
  }
  return all;
}

// all: the text with files pasted, which says what headers it needs.
Attempt by_nvrtc(const Source& s, const std::string& text, bool functions_of_host,
                 const std::string& all) {
  const jit::Nvrtc& nvrtc = jit::Nvrtc::get();
  Attempt a;
  std::vector<std::string> options{"-std=c++17", "-arch=compute_" + s.arch,
                                   s.as_written ? "-G" : "-lineinfo", "-device-int128"};
  if (functions_of_host) options.emplace_back("-default-device");
  for (const std::string& f : include_folders(s.file)) options.push_back("-I" + f);
  const std::string whole = nvrtc_prelude(all) +
                            (all.find("std::") == all.npos ? "" : ONEFOLD_LAB_STD) +
                            std::string(constants) + "#line 1 \"" + s.file + "\"\n" + text;
  std::vector<jit::Header> headers = no_headers();
  if (!has_helper_math(s.file)) headers.push_back({"helper_math.h", vector_header});
  std::string told = nvrtc.file();
  for (const std::string& o : options) told += "\n" + o;
  for (const jit::Header& h : headers) told.append("\n").append(h.name).append(h.text);
  const CachedCall call(s,
                        fmt::format("NVRTC, warnings {} {} {}", text == s.text,
                                    text.size() > s.text.size(), functions_of_host),
                        told + "\n" + whole);
  a.made.compiler = fmt::format("NVRTC {}.{}", nvrtc.major(), nvrtc.minor());
  // What is kept is the kernel's name, warnings, an empty line and the PTX; or an error.
  std::string kept = call.found().value_or("");
  if (kept.empty()) {
    const auto r = nvrtc.to_ptx(whole, s.file, options, headers, s.kernel);
    kept = r.ptx.empty() ? "error\n" + first_error(r.log)
                         : r.kernel + "\n" + warnings_in(r.log, s.file) + "\n" + r.ptx;
    std::vector<std::string> files{nvrtc.file()};
    // Other errors may be the machine's.
    const bool sure = !r.ptx.empty() || kept.find("): error: ") != kept.npos;
    if (sure && call.keeps() && add_includes(text, include_folders(s.file), files)) {
      call.keep(kept, files);
    }
  }
  const auto line = kept.find('\n');
  if (kept.starts_with("error\n")) {
    a.error = kept.substr(line + 1);
  } else {
    a.made.kernel = kept.substr(0, line);
    const auto end = kept.find("\n\n", line);
    a.made.warnings = kept.substr(line + 1, end - line);
    a.made.ptx = kept.substr(end + 2);
  }
  return a;
}

Attempt by_clang(const Source& s, const std::string& body, bool whole_program,
                 const std::string& all) {
  Attempt a;
  std::string text = body;
  if (s.kernel.find('<') != s.kernel.npos) {  // naming a template instantiates it
    text += "\n#line 1 \"onefold\"\nvoid onefold_makes_it() { (void)&" + s.kernel + "; }\n";
  }
  std::vector<std::string> more{"--cuda-gpu-arch=sm_" + s.arch,
                                s.as_written ? "-O0" : "-O2",
                                "-gline-tables-only",
                                "-S",
                                "-Xclang",
                                "-target-feature",
                                "-Xclang",
                                "+ptx70"};
  if (all.find("int128") != all.npos) more.push_back("-DONEFOLD_INT128_");
  ClangCall call(s, text, whole_program ? ClangPart::device : ClangPart::kernels, more);
  std::string error;
  const int status = call.run(a.made.ptx, error);
  a.made.compiler = "clang";
  if (status == -1) {
    a.error = std::string(no_clang);
  } else if (status != 0 || a.made.ptx.empty()) {
    a.error = first_error(error);
    if (a.error.find("/cccl/") != std::string::npos) {
      a.error +=
          "; clang cannot compile CUDA's C++ headers (cooperative groups, cuda::atomic, CUB): use "
          "NVRTC (pip install nvidia-cuda-nvrtc)";
    }
  }
  return a;
}

}  // namespace

Compiled compile(const Source& source) {
  Source s = source;
  s.text = with_joined_launches(s.text);
  const bool nvrtc = jit::Nvrtc::get().usable();
  if (s.compiler == "nvrtc" && !nvrtc) {
    throw Error(ErrorCode::unsupported,
                "lab run: NVRTC cannot be used: " + jit::Nvrtc::get().library().why +
                    "; run pip install nvidia-cuda-nvrtc in a virtual environment, or set "
                    "ONEFOLD_NVRTC to a libnvrtc.so, or pass --compiler clang");
  }
  std::set<std::string> seen;
  const std::string all = with_files_pasted(s.text, s.file, seen);
  const std::string alone = device_part(s.text);
  struct Way {
    Attempt (*by)(const Source& s, const std::string& text, bool host_too, const std::string& all);
    const std::string* text;  // null: the device's part of `all`
    bool host_too;
  };
  std::vector<Way> ways;
  if (s.compiler != "clang" && nvrtc) {
    ways.push_back({&by_nvrtc, &s.text, false});
    if (alone != s.text) ways.push_back({&by_nvrtc, &alone, false});
    // The user's headers may declare host functions, which count as device functions.
    ways.push_back({&by_nvrtc, &alone, true});
    if (s.program && !seen.empty()) ways.push_back({&by_nvrtc, nullptr, true});
  }
  if (s.compiler != "nvrtc") {
    ways.push_back({&by_clang, &s.text, s.program});
    if (!s.program && alone != s.text) ways.push_back({&by_clang, &alone, false});
  }
  std::string first;
  for (const Way& w : ways) {
    const Attempt a = w.by(s, w.text == nullptr ? device_part(all) : *w.text, w.host_too, all);
    if (a.error.empty()) return a.made;
    // Errors count, unless they come from the file's host part.
    if (first.empty() || (w.text != &s.text && w.by == ways.front().by)) {
      first = fmt::format("{} says: {}", a.made.compiler, a.error);
    } else if (w.by == &by_clang && s.program) {
      first += fmt::format("; clang says: {}", a.error);
    }
  }
  if (!nvrtc && first.ends_with(no_clang)) {
    throw Error(ErrorCode::unsupported,
                "lab run: no compiler for kernels was found; run pip install nvidia-cuda-nvrtc in "
                "a virtual environment, or install clang");
  }
  throw DoesNotCompile(fmt::format("lab run: {} does not compile; {}", s.file, first));
}

}  // namespace onefold::lab::ptx
