// Any bytes, with checksums that fit, are refused as states of groups, or are what would be saved;
// those that load merge with themselves and answer.
#include <algorithm>
#include <cstring>

#include "fuzz.hpp"
#include "onefold/engine/crc32.hpp"
#include "onefold/tables/group_states.hpp"

using namespace onefold;

namespace {

void sign(std::string& bytes, std::size_t begin, std::size_t end) {
  if (end < begin + 4) return;
  const uint32_t crc = crc32_of(bytes.data() + begin, end - begin - 4);
  std::memcpy(bytes.data() + end - 4, &crc, 4);
}

// Bytes of states of two groups, of which fuzzing changes some.
std::string start() {
  static const fuzz::MemoryFile table("k,j,x\na,1,0.1\nb,1,2\na,1,-7e20\n");
  io::InputOptions input{.format = "text", .guess = true, .by = "k,j"};
  io::Notes notes;
  const auto bytes =
      io::gather_groups({"mean,var,min", {.threads = 1}}, {table.path()}, input, {}, {}, notes)
          .save();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::string whole = start();
  fuzz::Choices c(data, size);
  std::string bytes = whole;
  if (c.pick(4) == 0) {
    bytes = std::string(io::GroupStates::magic) + std::string(c.rest());
  } else {
    for (std::size_t n = 1 + c.pick(4); n-- > 0;) {
      bytes[c.pick(200) * 8 % (bytes.size() - 8) + c.pick(8)] = static_cast<char>(c.pick(256));
    }
  }
  if (const std::size_t inner = bytes.find("1folds"); inner != bytes.npos && bytes.size() > 4) {
    sign(bytes, inner, bytes.size() - 4);
  }
  sign(bytes, 0, bytes.size());
  const std::span<const std::byte> given(reinterpret_cast<const std::byte*>(bytes.data()),
                                         bytes.size());
  try {
    io::GroupStates loaded = io::GroupStates::load(given);
    const std::vector<std::byte> saved = loaded.save();
    if (!std::ranges::equal(saved, given)) std::abort();
    const io::GroupStates same = loaded;
    loaded.merge(same);
    static_cast<void>(loaded.answer("mean,var,min", {}));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_state && e.code() != ErrorCode::overflow &&
        e.code() != ErrorCode::bad_option) {
      std::abort();
    }
  }
  return 0;
}
