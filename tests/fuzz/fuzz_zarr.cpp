// Any bytes as a Zarr array's metadata and first chunk give an answer or an error.
#include <filesystem>
#include <fstream>

#include "fuzz.hpp"

using namespace onefold;

namespace {

std::string folder() {
  static const std::string path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "onefold-XXXXXX").string();
    return std::string(::mkdtemp(name.data()));
  }();
  return path;
}

void write(const std::string& name, std::string_view bytes) {
  std::ofstream(folder() + "/" + name, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const bool third = c.pick(2) == 0;
  const Options options{.axes = fuzz::pick_axes(c), .threads = 1};
  // The chunk is short, and the metadata follow it.
  const std::string_view rest = c.rest();
  const std::size_t chunk =
      rest.empty() ? 0 : std::min<std::size_t>(static_cast<unsigned char>(rest[0]), rest.size());
  std::filesystem::create_directories(folder() + "/c");
  std::filesystem::remove(folder() + (third ? "/.zarray" : "/zarr.json"));
  write(third ? "zarr.json" : ".zarray", rest.substr(chunk));
  for (const char* name : {"0", "0.0", "c/0"}) write(name, rest.substr(0, chunk));
  const std::string known = fuzz::outcome([&] {
    const io::FilePlan plan = io::plan_files({"sum", {}}, {folder()}, {.most_chunk_bytes = 4096});
    if (plan.plan.elements > 1 << 16) throw Error(ErrorCode::unsupported, "too many to fuzz");
    return Answers();
  });
  if (!known.empty()) return 0;
  fuzz::outcome([&] {
    return io::fold_files({"sum,argmin", options}, {folder()}, {.most_chunk_bytes = 4096});
  });
  return 0;
}
