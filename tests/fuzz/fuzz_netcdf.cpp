// Any bytes as a classic NetCDF file give the same answer for boxes of any size, or an error.
#include <filesystem>
#include <fstream>

#include "fuzz.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "onefold-XXXXXX.nc").string();
    ::close(::mkstemps(name.data(), 3));
    return name;
  }();
  fuzz::Choices c(data, size);
  constexpr const char* magic[] = {"CDF\1", "CDF\2", "CDF\5"};
  const Options options{.axes = fuzz::pick_axes(c), .threads = 1};
  const char* const begin = magic[c.pick(3)];
  const std::string item = c.pick(2) == 0 ? "" : ":a";
  std::ofstream(path, std::ios::binary) << begin << c.rest();
  const std::string known = fuzz::outcome([&] {
    const io::FilePlan plan = io::plan_files({"sum", {}}, {path + item}, {});
    if (plan.plan.elements > 1 << 16) throw Error(ErrorCode::unsupported, "too many to fuzz");
    return Answers();
  });
  if (!known.empty()) return 0;
  fuzz::outcome([&] { return io::fold_files({"sum,argmin", options}, {path + item}, {}); });
  return 0;
}
