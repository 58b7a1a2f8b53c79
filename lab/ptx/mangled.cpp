#include "lab/ptx/mangled.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace onefold::lab::ptx {

std::string demangled(const std::string& mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string s = text == nullptr ? "" : text;
  std::free(text);
  return s;
}

std::string source_name(const std::string& mangled) {
  const std::string s = mangled.starts_with("_Z") ? demangled(mangled) : mangled;
  if (!s.starts_with("_INTERNAL_")) return s.empty() ? mangled : s;
  return s.substr(std::min(s.find("::"), s.size() - 2) + 2);  // NVRTC's namespace of statics
}

// A plain name may look like a mangled type: s means short. clang appends a number to the parts of
// an array that it splits: s_$_0.
std::string variable_name(const std::string& whole) {
  if (!whole.starts_with("_Z")) return whole;
  const std::string mangled = whole.substr(0, whole.find("_$_")), s = demangled(mangled);
  if (s.empty()) return mangled;
  const auto colon = s.rfind("::");
  return colon == s.npos ? s : s.substr(colon + 2);
}

std::string written_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  std::string s = demangled(mangled);
  if (s.empty()) return mangled;
  // Removes the parameters and the result type.
  int depth = 0;
  std::size_t end = s.size();
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (s[k] == '<') ++depth;
    if (s[k] == '>') --depth;
    if (s[k] == '(' && depth == 0 && s.substr(k, 11) != "(anonymous ") {
      end = k;
      break;
    }
  }
  s.resize(end);
  if (s.starts_with("void ")) s.erase(0, 5);
  return s;
}

}  // namespace onefold::lab::ptx
