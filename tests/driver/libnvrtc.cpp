// An NVRTC whose "images" are the sources themselves, for the device of libcuda.cpp.
#include <cstring>
#include <string>

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new std::string(source);
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<std::string*>(*program);
  return 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) { return 0; }
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = 1;
  return 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  *log = '\0';
  return 0;
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  *bytes = static_cast<std::string*>(program)->size() + 1;
  return 0;
}
int nvrtcGetCUBIN(void* program, char* image) {
  const auto& source = *static_cast<std::string*>(program);
  std::memcpy(image, source.c_str(), source.size() + 1);
  return 0;
}
}
