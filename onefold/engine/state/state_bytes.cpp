// States as bytes.
//
//   layout   magic, dtype, policy, elements, whether indices are kept, ranges, accumulators by name
//            with their words, CRC of all bytes before
//   shares another magic, then the facts of their files: elements, bytes, hash

#include "onefold/engine/state/bytes.hpp"
#include "onefold/engine/state/sha256.hpp"

namespace onefold {
namespace {

constexpr std::string_view magic("1fold\r\n\2", 8), magic_of_shares("1fold\r\n\3", 8);

bool is_share(std::span<const std::byte> bytes) {
  return bytes.size() >= magic_of_shares.size() &&
         std::memcmp(bytes.data(), magic_of_shares.data(), magic_of_shares.size()) == 0;
}

void read_ranges(Reader& r, State::Impl& state) {
  const uint64_t n = r.number_of(16);
  for (uint64_t k = 0; k < n; ++k) {
    const Size begin = r.number(), end = r.number();
    if (!state.ranges.append(begin, end)) bad_bytes("ranges are not in order");
  }
  // Under a mask a range may have fewer elements than its length.
  const Size covered = state.ranges.elements();
  if (state.indexed ? covered < state.count : covered != 0) {
    bad_bytes("the ranges have a different number of elements than the state");
  }
}

// Accumulators stand in the order of their words in a state.
void read_words(Reader& r, State::Impl& state) {
  int last = -1;
  for (std::string name = r.text(); !name.empty(); name = r.text()) {
    const Accumulator a = accumulator_called(name);
    if (static_cast<int>(a) <= last) bad_bytes("accumulators are repeated or out of order");
    last = static_cast<int>(a);
    const std::size_t before = state.words.size();
    state.words.resize(before + static_cast<std::size_t>(row_of(a, state.dtype).words));
    r.raw(state.words.data() + before, (state.words.size() - before) * sizeof state.words[0]);
    state.holds = state.holds | a;
  }
  state.layout = layout_of(state.holds, state.dtype);
}

}  // namespace

Accumulator accumulator_called(const std::string& name) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (name == name_of(static_cast<Accumulator>(a))) return static_cast<Accumulator>(a);
  }
  bad_bytes("no accumulator is called \"" + name + "\"");
}

void write_kind(Writer& w, const State::Impl& state) {
  w.text(name_of(state.dtype));
  w.text(name_of(state.nan));
  w.number(state.count);
  w.number(state.indexed ? 1 : 0);
  w.number(state.ranges.size());
  for (const auto& [begin, end] : state.ranges) {
    w.number(begin);
    w.number(end);
  }
}

DType dtype_called(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t) {
    if (name == name_of(static_cast<DType>(t))) return static_cast<DType>(t);
  }
  bad_bytes("the state names an unknown element type, \"" + name +
            "\"; it is damaged, or a newer version wrote it");
}

NanPolicy policy_called(const std::string& name) {
  for (const NanPolicy p : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (name == name_of(p)) return p;
  }
  bad_bytes("the state names an unknown NaN policy, \"" + name +
            "\"; it is damaged, or a newer version wrote it");
}

void read_kind(Reader& r, State::Impl& state) {
  state.dtype = dtype_called(r.text());
  state.nan = policy_called(r.text());
  state.count = r.number();
  if (state.count > static_cast<Size>(int64_max)) bad_bytes("there are too many elements");
  const uint64_t indexed = r.number();
  if (indexed > 1) bad_bytes("the flag for indices is neither 0 nor 1");
  state.indexed = indexed == 1;
  read_ranges(r, state);
}

namespace {

// Writes all but the checksum.
//   share  also writes of which files it is a share
Writer written(const State::Impl& mine, bool share) {
  Writer w;
  w.bytes.reserve(256 + 16 * mine.ranges.size() + 8 * mine.words.size());
  w.raw((share ? magic_of_shares : magic).data(), magic.size());
  if (share) {
    w.number(mine.whole.elements);
    w.number(mine.whole.bytes);
    w.number(mine.whole.hash);
  }
  write_kind(w, mine);
  for (int a = 0; a < every_accumulator; ++a) {
    if (mine.layout.offset[a] < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), mine.dtype);
    w.text(row.name);
    w.raw(mine.at(static_cast<Accumulator>(a)), static_cast<std::size_t>(row.words) * 8);
  }
  w.text("");
  return w;
}

}  // namespace

std::vector<std::byte> State::save() const {
  return written(held(), held().whole.known()).finished();
}

std::string State::digest() const { return sha256_text(written(held(), false).finished()); }

State State::load(std::span<const std::byte> bytes) {
  const bool share = is_share(bytes);
  Reader r(bytes, share ? magic_of_shares : magic, "a state");
  auto impl = std::make_unique<Impl>();
  if (share) {
    impl->whole.elements = r.number();
    impl->whole.bytes = r.number();
    impl->whole.hash = r.number();
    if (!impl->whole.known()) bad_bytes("it does not name the files of which it is a share");
  }
  read_kind(r, *impl);
  read_words(r, *impl);
  if (!r.bytes.empty()) bad_bytes("there are extra bytes after the end");
  std::vector<int64_t> canonical = impl->words;
  canonicalise(canonical.data(), impl->layout, impl->dtype);
  if (canonical != impl->words) bad_bytes("the words are not in canonical form");
  if (const char* why = why_invalid(*impl)) {
    bad_bytes(std::string("no data have such a state: ") + why);
  }
  return State(std::move(impl));
}

}  // namespace onefold
