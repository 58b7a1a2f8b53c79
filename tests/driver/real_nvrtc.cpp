// An NVRTC whose "images" are the PTX that the real one makes, for the device of ptx_kernels.cpp.
#include <dlfcn.h>

#include <string>
#include <vector>

namespace {

void* library() {
  static void* const l = dlopen(ONEFOLD_REAL_NVRTC, RTLD_NOW | RTLD_LOCAL);
  return l;
}
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
  const auto f = reinterpret_cast<int (*)(Arguments...)>(dlsym(library(), name));
  return f == nullptr ? 1 : f(arguments...);
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return call("nvrtcVersion", major, minor); }
int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  return call("nvrtcCreateProgram", program, source, name, headers, texts, names);
}
int nvrtcDestroyProgram(void** program) { return call("nvrtcDestroyProgram", program); }
int nvrtcCompileProgram(void* program, int n, const char* const* options) {
  std::vector<std::string> mine(options, options + n);
  std::vector<const char*> all;
  for (std::string& o : mine) {
    if (const auto at = o.find("=sm_"); at != o.npos) o.replace(at, 4, "=compute_");
    if (o.find("ptxas") == o.npos) all.push_back(o.c_str());
  }
  return call("nvrtcCompileProgram", program, static_cast<int>(all.size()), all.data());
}
int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  return call("nvrtcGetProgramLogSize", program, bytes);
}
int nvrtcGetProgramLog(void* program, char* log) {
  return call("nvrtcGetProgramLog", program, log);
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return call("nvrtcGetPTXSize", program, bytes);
}
int nvrtcGetCUBIN(void* program, char* image) { return call("nvrtcGetPTX", program, image); }
}
