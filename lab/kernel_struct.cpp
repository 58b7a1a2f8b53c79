// Lays out a struct that a kernel takes by value, as C does.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lab/kernel_run.hpp"
#include "onefold/error.hpp"

namespace onefold::lab {

StructBytes struct_bytes(const std::string& name, const std::string& text,
                         const std::vector<KernelArgument>& all) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::bad_option, fmt::format("lab run: struct {}: {}", name, what));
  };
  StructBytes s;
  std::size_t most = 1;
  const auto place = [&](std::size_t bytes, std::size_t align) {
    most = std::max(most, align);
    const std::size_t at = (s.bytes.size() + align - 1) / align * align;
    s.bytes.resize(at + bytes);
    return at;
  };
  if (!text.ends_with('}')) refuse("it lacks its closing }");
  for (const std::string& part : split_list(text.substr(1, text.size() - 2))) {
    const auto array = std::find_if(all.begin(), all.end(), [&](const KernelArgument& a) {
      return a.is_array && a.name == part;
    });
    if (array != all.end()) {
      s.pointers.emplace_back(place(8, 8), static_cast<std::size_t>(array - all.begin()));
      continue;
    }
    // Reads a number or several: i32:5, f32:0.5, i32[3]:[1, 2, 3].
    const auto colon = part.find(':');
    if (colon == part.npos) {
      refuse(
          fmt::format("\"{}\" is not an array; write a number with its type, as in i32:5", part));
    }
    const std::string type = part.substr(0, colon), value = part.substr(colon + 1);
    const bool several = type.ends_with(']');
    const KernelArgument a =
        kernel_arguments("v:" + (several ? type : type + "[1]") + "=" + value, 1)[0];
    const std::size_t each = bytes_of(a.dtype), at = place(a.data.size(), each);
    std::memcpy(s.bytes.data() + at, a.data.data(), a.data.size());
  }
  place(0, most);
  return s;
}

}  // namespace onefold::lab
