// Any bytes as a compressed file or a zip archive give an answer or an error, in bounded memory.
#include "fuzz.hpp"
#include "onefold/io/zip.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace std::string_literals;
  fuzz::Choices c(data, size);
  const std::string magics[] = {"\x1f\x8b\x08"s, "\x28\xb5\x2f\xfd"s, "\xfd\x37zXZ\0"s, "BZh9"s,
                                ""s};
  const std::string magic = magics[c.pick(5)];
  const fuzz::MemoryFile file(magic + std::string(c.rest()));
  fuzz::outcome([&] { return io::fold_files({"sum,count", {.threads = 1}}, {file.path()}, {}); });
  if (!magic.empty()) return 0;
  fuzz::outcome([&] {
    const io::File zip(file.path());
    for (const io::ZipMember& m : io::read_zip(zip)) {
      io::File member(file.path());
      io::open_member(member, m);
      std::vector<std::byte> bytes(std::size_t{1} << 16);
      for (int k = 0; k < 64 && member.read(bytes.data(), bytes.size()) == bytes.size(); ++k) {
      }
    }
    return Answers();
  });
  return 0;
}
