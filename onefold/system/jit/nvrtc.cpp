#include "onefold/system/jit/nvrtc.hpp"

#include <algorithm>

#include "onefold/system/environment.hpp"

namespace onefold::jit {
namespace {

// The functions that are called, as nvrtc.h declares them.
using Program = struct NvrtcProgram*;
using Status = int;  // 0: success

struct Functions {
  Status (*version)(int*, int*);
  Status (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  Status (*destroy)(Program*);
  Status (*compile)(Program, int, const char* const*);
  Status (*log_size)(Program, std::size_t*);
  Status (*log)(Program, char*);
  Status (*image_size)(Program, std::size_t*);
  Status (*image)(Program, char*);
  // Functions that only the lab needs; a library without them can still compile kernels.
  Status (*ptx_size)(Program, std::size_t*);
  Status (*ptx)(Program, char*);
  Status (*add_name)(Program, const char*);
  Status (*lowered)(Program, const char*, const char**);
};
Functions functions;

template <class F>
bool bind(const LibraryHandle& library, const char* name, F& f) {
  f = reinterpret_cast<F>(library.find(name));
  return f != nullptr;
}

std::string log_of(Program program) {
  std::size_t size = 0;
  std::string log;
  if (functions.log_size(program, &size) != 0) return log;
  log.resize(size);
  functions.log(program, log.data());
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

std::vector<std::string> candidates() {
  return toolkit_names("ONEFOLD_NVRTC", "libnvrtc", "cuda_nvrtc");
}

// -default-device: lambdas and constexpr functions need no __device__.
constexpr const char* fixed_options[] = {"-std=c++20", "--fmad=false", "-default-device",
                                         "-no-source-include", "--device-int128"};

}  // namespace

Nvrtc::Nvrtc() : library_(load(candidates())) {
  const bool bound = bind(library_, "nvrtcVersion", functions.version) &&
                     bind(library_, "nvrtcCreateProgram", functions.create) &&
                     bind(library_, "nvrtcDestroyProgram", functions.destroy) &&
                     bind(library_, "nvrtcCompileProgram", functions.compile) &&
                     bind(library_, "nvrtcGetProgramLogSize", functions.log_size) &&
                     bind(library_, "nvrtcGetProgramLog", functions.log) &&
                     bind(library_, "nvrtcGetCUBINSize", functions.image_size) &&
                     bind(library_, "nvrtcGetCUBIN", functions.image);
  bind(library_, "nvrtcGetPTXSize", functions.ptx_size);
  bind(library_, "nvrtcGetPTX", functions.ptx);
  bind(library_, "nvrtcAddNameExpression", functions.add_name);
  bind(library_, "nvrtcGetLoweredName", functions.lowered);
  usable_ = bound && functions.version(&major_, &minor_) == 0;
  if (library_ && !usable_)
    library_.why = library_.name + " lacks functions of NVRTC 11.1 or later";
}

const Nvrtc& Nvrtc::get() {
  static const Nvrtc nvrtc;
  return nvrtc;
}

std::string Nvrtc::key_of(const std::string& source, std::string_view chip) {
  std::string key = std::string(chip) + "\n";
  for (const char* option : fixed_options) key += std::string(option) + "\n";
  return key + source + "headers " + device_headers_digest() + "\n";
}

std::string Nvrtc::asked_for() {
  std::string text;
  for (const std::string& name : candidates()) text += name + "\n";
  return text;
}

Nvrtc::Result Nvrtc::compile(const std::string& source, std::string_view chip,
                             std::span<const Header> headers,
                             std::span<const std::string> more_options) const {
  if (!usable_) return {{}, "NVRTC is not usable: " + library_.why};
  std::vector<const char*> names, texts;
  for (const Header& h : headers) {
    names.push_back(h.name);
    texts.push_back(h.text);
  }
  Program program = nullptr;
  if (functions.create(&program, source.c_str(), "kernel.cu", static_cast<int>(headers.size()),
                       texts.data(), names.data()) != 0) {
    return {{}, "NVRTC cannot create a program"};
  }
  const std::string arch = "-arch=" + std::string(chip);
  std::vector<const char*> options(std::begin(fixed_options), std::end(fixed_options));
  options.push_back(arch.c_str());
  for (const std::string& o : more_options) options.push_back(o.c_str());
  const Status status =
      functions.compile(program, static_cast<int>(options.size()), options.data());
  Result result;
  result.log = log_of(program);
  std::size_t size = 0;
  if (status == 0 && functions.image_size(program, &size) == 0) {
    result.image.resize(size);
    functions.image(program, result.image.data());
  }
  functions.destroy(&program);
  return result;
}

Nvrtc::Text Nvrtc::to_ptx(const std::string& source, const std::string& file,
                          std::span<const std::string> more_options,
                          std::span<const Header> headers, const std::string& kernel) const {
  if (!usable_) return {"", "NVRTC is not usable: " + library_.why, ""};
  const bool bound = functions.ptx_size != nullptr && functions.ptx != nullptr &&
                     functions.add_name != nullptr && functions.lowered != nullptr;
  if (!bound) return {"", library_.name + " cannot write PTX", ""};
  std::vector<const char*> names, texts, options;
  for (const Header& h : headers) {
    names.push_back(h.name);
    texts.push_back(h.text);
  }
  for (const std::string& o : more_options) options.push_back(o.c_str());
  const auto attempt = [&](bool named) -> Text {
    Program program = nullptr;
    if (functions.create(&program, source.c_str(), file.c_str(), static_cast<int>(headers.size()),
                         texts.data(), names.data()) != 0) {
      return {"", "NVRTC cannot create a program", ""};
    }
    if (named) functions.add_name(program, kernel.c_str());
    const Status status =
        functions.compile(program, static_cast<int>(options.size()), options.data());
    Text t{"", log_of(program), ""};
    std::size_t size = 0;
    if (status == 0 && functions.ptx_size(program, &size) == 0) {
      t.ptx.resize(size);
      functions.ptx(program, t.ptx.data());
      while (!t.ptx.empty() && t.ptx.back() == '\0') t.ptx.pop_back();
      const char* lowered = nullptr;
      if (named && functions.lowered(program, kernel.c_str(), &lowered) == 0) t.kernel = lowered;
    }
    functions.destroy(&program);
    return t;
  };
  Text t = attempt(!kernel.empty());
  if (t.ptx.empty() && !kernel.empty()) {  // NVRTC accepts no name of an overloaded or static
                                           // function
    Text plain = attempt(false);
    if (!plain.ptx.empty()) return plain;
  }
  return t;
}

}  // namespace onefold::jit
