// States as bytes.
//
//   layout   magic, dtype, policy, elements, whether places are kept, ranges, accumulators by name
//            with their words, CRC of all before
//   numbers  little-endian, of 64 bits; names with their length before them
#include <algorithm>
#include <cstring>
#include <map>

#include "api/crc32.hpp"
#include "api/state.hpp"

namespace onefold {
namespace {

constexpr char magic[8] = {'1', 'f', 'o', 'l', 'd', '\r', '\n', 2};

[[noreturn]] void bad(const std::string& why) { throw Error(ErrorCode::bad_state, "load: " + why); }

struct Writer {
  std::vector<std::byte> bytes;
  void raw(const void* p, std::size_t n) {
    const auto* b = static_cast<const std::byte*>(p);
    bytes.insert(bytes.end(), b, b + n);
  }
  void number(uint64_t v) { raw(&v, sizeof v); }
  void text(std::string_view s) {
    number(s.size());
    raw(s.data(), s.size());
  }
};

struct Reader {
  std::span<const std::byte> bytes;
  void raw(void* p, std::size_t n) {
    if (n > bytes.size()) bad("the bytes end early; a saved state must be whole");
    std::memcpy(p, bytes.data(), n);
    bytes = bytes.subspan(n);
  }
  uint64_t number() {
    uint64_t v = 0;
    raw(&v, sizeof v);
    return v;
  }
  std::string text() {
    const uint64_t n = number();
    if (n > 64) bad("a name is too long");
    std::string s(n, ' ');
    raw(s.data(), n);
    return s;
  }
};

DType dtype_called(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t) {
    if (name == name_of(static_cast<DType>(t))) return static_cast<DType>(t);
  }
  bad("no element type is called \"" + name + "\"");
}

NanPolicy policy_called(const std::string& name) {
  for (const NanPolicy p : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (name == name_of(p)) return p;
  }
  bad("no NaN policy is called \"" + name + "\"");
}

Accumulator accumulator_called(const std::string& name) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (name == name_of(static_cast<Accumulator>(a))) return static_cast<Accumulator>(a);
  }
  bad("no accumulator is called \"" + name + "\"");
}

void read_ranges(Reader& r, State::Impl& state) {
  const uint64_t n = r.number();
  if (n > r.bytes.size() / 16) bad("the bytes end early; a saved state must be whole");
  Size covered = 0;
  for (uint64_t k = 0; k < n; ++k) {
    const Size begin = r.number(), end = r.number();
    if (end <= begin || (k > 0 && begin <= state.ranges.back().second)) {
      bad("ranges are not in order");
    }
    covered += end - begin;
    state.ranges.emplace_back(begin, end);
  }
  // A mask leaves out some of a range.
  if (state.indexed ? covered < state.count : covered != 0) {
    bad("the ranges hold another number of elements");
  }
}

void read_words(Reader& r, State::Impl& state) {
  std::map<Accumulator, std::vector<int64_t>> found;
  for (std::string name = r.text(); !name.empty(); name = r.text()) {
    const Accumulator a = accumulator_called(name);
    std::vector<int64_t> words(static_cast<std::size_t>(row_of(a, state.dtype).words));
    r.raw(words.data(), words.size() * sizeof words[0]);
    if (!found.emplace(a, std::move(words)).second) bad("an accumulator stands there twice");
    state.holds = state.holds | a;
  }
  state.layout = layout_of(state.holds, state.dtype);
  for (const auto& [a, words] : found) {
    state.words.insert(state.words.end(), words.begin(), words.end());
  }
}

}  // namespace

std::vector<std::byte> State::save() const {
  const Impl& mine = held();
  Writer w;
  w.bytes.reserve(256 + 16 * mine.ranges.size() + 8 * mine.words.size());
  w.raw(magic, sizeof magic);
  w.text(name_of(mine.dtype));
  w.text(name_of(mine.nan));
  w.number(mine.count);
  w.number(mine.indexed ? 1 : 0);
  w.number(mine.ranges.size());
  for (const Range& r : mine.ranges) {
    w.number(r.first);
    w.number(r.second);
  }
  for (int a = 0; a < every_accumulator; ++a) {
    if (mine.layout.offset[a] < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), mine.dtype);
    w.text(row.name);
    w.raw(mine.at(static_cast<Accumulator>(a)), static_cast<std::size_t>(row.words) * 8);
  }
  w.text("");
  const uint32_t crc = crc32(w.bytes);
  w.raw(&crc, sizeof crc);
  return std::move(w.bytes);
}

State State::load(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof magic + 4 || std::memcmp(bytes.data(), magic, sizeof magic) != 0) {
    bad("these bytes are not a state saved by this version");
  }
  uint32_t crc = 0;
  std::memcpy(&crc, bytes.data() + bytes.size() - 4, 4);
  const auto body = bytes.first(bytes.size() - 4);
  if (crc32(body) != crc) bad("the checksum is wrong; the bytes are damaged");

  Reader r{body.subspan(sizeof magic)};
  auto impl = std::make_unique<Impl>();
  impl->dtype = dtype_called(r.text());
  impl->nan = policy_called(r.text());
  impl->count = r.number();
  if (impl->count > static_cast<Size>(int64_max)) bad("there are too many elements");
  const uint64_t indexed = r.number();
  if (indexed > 1) bad("whether places are kept is neither yes nor no");
  impl->indexed = indexed == 1;
  read_ranges(r, *impl);
  read_words(r, *impl);
  if (!r.bytes.empty()) bad("there are bytes after the end");
  std::vector<int64_t> canonical = impl->words;
  canonicalise(canonical.data(), impl->layout, impl->dtype);
  if (canonical != impl->words) bad("the words are not in canonical form");
  if (const char* why = contradiction(*impl)) bad(std::string("no data give these words: ") + why);

  State state(std::move(impl));
  // Whatever is left: accumulators in another order.
  const std::vector<std::byte> again = state.save();
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) {
    bad("these bytes are not what would be saved");
  }
  return state;
}

}  // namespace onefold
