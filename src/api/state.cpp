// States: what was gathered, kept, merged, saved and asked later.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "backend/run.hpp"
#include "onefold/onefold.hpp"
#include "plan/plan.hpp"

namespace onefold {
namespace {

// [begin, end) of element indices.
using Range = std::pair<Size, Size>;

bool indexed(Accumulators set, DType t) {
  for (int a = 0; a < accumulator_count; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (set.has(accumulator) && row_of(accumulator, t).indexed) return true;
  }
  return false;
}

// Sorted, disjoint, neighbours joined; throws where two share an element.
std::vector<Range> united(std::vector<Range> a, const std::vector<Range>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  std::vector<Range> out;
  for (const Range& r : a) {
    if (!out.empty() && r.first < out.back().second) {
      throw Error(ErrorCode::overlap,
                  "merge: both states cover the elements from " + std::to_string(r.first) + " to " +
                      std::to_string(std::min(r.second, out.back().second) - 1) +
                      "; gather each part with .first set to the index of its first element");
    }
    if (!out.empty() && r.first == out.back().second) {
      out.back().second = r.second;
    } else {
      out.push_back(r);
    }
  }
  return out;
}

// CRC-32 (ISO-HDLC, as in zlib and PNG).
uint32_t crc32(std::span<const std::byte> bytes) {
  uint32_t crc = ~0u;
  for (const std::byte b : bytes) {
    crc ^= static_cast<uint32_t>(b);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

constexpr char magic[8] = {'1', 'f', 'o', 'l', 'd', '\r', '\n', 1};

[[noreturn]] void bad(const std::string& why) { throw Error(ErrorCode::bad_state, "load: " + why); }

bool covers(const std::vector<Range>& ranges, Size index) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return r.first <= index && index < r.second; });
}

// The ranges of a loaded state hold just its elements.
void check_ranges(const std::vector<Range>& ranges, Size count) {
  Size covered = 0;
  for (const Range& r : ranges) covered += r.second - r.first;
  if (covered != count) bad("the ranges hold another number of elements");
}

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

}  // namespace

struct State::Impl {
  DType dtype = DType::f64;
  NanPolicy nan = NanPolicy::propagate;
  Accumulators holds;
  Layout layout;
  Size count = 0;
  std::vector<Range> ranges;  // only with an indexed accumulator
  std::vector<int64_t> words;

  friend bool operator==(const Impl&, const Impl&) = default;
};

// Null: nothing of no kind, as in a state that was moved from.
const State::Impl& State::held() const {
  static const Impl nothing;
  return impl_ == nullptr ? nothing : *impl_;
}

State::State() = default;
State::State(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
State::~State() = default;
State::State(const State& o) : impl_(std::make_unique<Impl>(o.held())) {}
State::State(State&&) noexcept = default;
State& State::operator=(const State& o) {
  impl_ = std::make_unique<Impl>(o.held());
  return *this;
}
State& State::operator=(State&&) noexcept = default;
DType State::dtype() const { return held().dtype; }
Size State::count() const { return held().count; }
bool operator==(const State& a, const State& b) { return a.held() == b.held(); }

void State::merge(const State& other) {
  const Impl& o = other.held();
  if (o.holds.empty()) return;
  if (held().holds.empty()) {
    impl_ = std::make_unique<Impl>(o);
    return;
  }
  if (impl_->dtype != o.dtype || impl_->nan != o.nan || impl_->holds != o.holds) {
    throw Error(ErrorCode::bad_state, std::string("merge: the states differ in type (") +
                                          name_of(impl_->dtype) + ", " + name_of(o.dtype) +
                                          "), NaN policy (" + name_of(impl_->nan) + ", " +
                                          name_of(o.nan) + ") or ops; they must be gathered alike");
  }
  // Counts are int64, and the sums have room for as many elements.
  if (o.count > static_cast<Size>(int64_max) - impl_->count) {
    throw Error(ErrorCode::overflow, "merge: the states hold 2^63 elements or more together");
  }
  impl_->ranges = united(impl_->ranges, o.ranges);
  impl_->count += o.count;
  onefold::merge(impl_->words.data(), o.words.data(), impl_->layout, impl_->dtype);
}

Value State::answer(std::string_view op, const Options& options) const {
  const Impl& mine = held();
  Plan plan;
  plan.ops = parse_ops(op);
  if (plan.ops.size() != 1) throw Error(ErrorCode::bad_option, "answer takes one op");
  const OpRow& row = *plan.ops[0];
  if (!row.about->needs.within(mine.holds)) {
    throw Error(ErrorCode::bad_option, std::string(row.name) +
                                           ": this state was not gathered for it; name it, or an " +
                                           "op that needs the same, in gather");
  }
  plan.results = {result_type(row, mine.dtype, options)};
  plan.dtype = mine.dtype;
  plan.nan = mine.nan;
  plan.correction = options.ddof;
  plan.layout = mine.layout;
  const Rounded r = finish(plan, 0, mine.words.data());
  return {.dtype = plan.results[0], .status = r.status, .bits = r.bits};
}

// Layout: magic, dtype, policy, accumulators by name with their words, ranges, CRC of all before.
std::vector<std::byte> State::save() const {
  const Impl& mine = held();
  Writer w;
  w.raw(magic, sizeof magic);
  w.text(name_of(mine.dtype));
  w.text(name_of(mine.nan));
  w.number(mine.count);
  w.number(mine.ranges.size());
  for (const Range& r : mine.ranges) {
    w.number(r.first);
    w.number(r.second);
  }
  for (int a = 0; a < accumulator_count; ++a) {
    if (mine.layout.offset[a] < 0) continue;
    const AccumulatorRow& row = row_of(static_cast<Accumulator>(a), mine.dtype);
    w.text(row.name);
    w.raw(&mine.words[static_cast<std::size_t>(mine.layout.offset[a])],
          static_cast<std::size_t>(row.words) * 8);
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
  const std::string dtype = r.text(), nan = r.text();
  bool known = false;
  for (int t = 0; t < dtype_count; ++t) {
    if (dtype != name_of(static_cast<DType>(t))) continue;
    impl->dtype = static_cast<DType>(t);
    known = true;
  }
  if (!known) bad("no element type is called \"" + dtype + "\"");
  known = false;
  for (const NanPolicy p : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (nan != name_of(p)) continue;
    impl->nan = p;
    known = true;
  }
  if (!known) bad("no NaN policy is called \"" + nan + "\"");
  impl->count = r.number();
  const uint64_t ranges = r.number();
  if (ranges > body.size() / 16) bad("the bytes end early; a saved state must be whole");
  for (uint64_t k = 0; k < ranges; ++k) {
    const Size begin = r.number(), end = r.number();
    if (end <= begin || (k > 0 && begin <= impl->ranges.back().second))
      bad("ranges are not in order");
    impl->ranges.emplace_back(begin, end);
  }
  std::map<int, std::vector<int64_t>> found;
  for (std::string name = r.text(); !name.empty(); name = r.text()) {
    int a = 0;
    while (a < accumulator_count && name != name_of(static_cast<Accumulator>(a))) ++a;
    if (a == accumulator_count) bad("no accumulator is called \"" + name + "\"");
    const auto words =
        static_cast<std::size_t>(row_of(static_cast<Accumulator>(a), impl->dtype).words);
    std::vector<int64_t> state(words);
    r.raw(state.data(), words * 8);
    if (!found.emplace(a, std::move(state)).second) bad("an accumulator stands there twice");
    impl->holds = impl->holds | static_cast<Accumulator>(a);
  }
  if (!r.bytes.empty()) bad("there are bytes after the end");
  impl->layout = layout_of(impl->holds, impl->dtype);
  for (const auto& [a, state] : found) {
    impl->words.insert(impl->words.end(), state.begin(), state.end());
  }
  std::vector<int64_t> canonical = impl->words;
  canonicalise(canonical.data(), impl->layout, impl->dtype);
  if (canonical != impl->words) bad("the words are not in canonical form");
  if (impl->count > static_cast<Size>(int64_max)) bad("there are too many elements");
  for (const auto& [a, state] : found) {
    if (!row_of(static_cast<Accumulator>(a), impl->dtype).possible(state.data(), impl->count)) {
      bad("no data give these words");
    }
  }
  check_ranges(impl->ranges, indexed(impl->holds, impl->dtype) ? impl->count : 0);
  for (const auto& [a, state] : found) {
    if (!row_of(static_cast<Accumulator>(a), impl->dtype).indexed) continue;
    // Key, first index, index of the first NaN.
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
      const auto index = static_cast<Size>(state[k]);
      if (index != none && !covers(impl->ranges, index)) bad("an index lies outside the ranges");
    }
  }
  State state(std::move(impl));
  // Whatever is left: accumulators in another order, ranges of nothing.
  const std::vector<std::byte> again = state.save();
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) {
    bad("these bytes are not what would be saved");
  }
  return state;
}

namespace {

State gather(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  if (!options.axes.all()) {
    throw Error(ErrorCode::bad_axis, "gather: a state is of one slice; it folds all axes");
  }
  if (options.first > static_cast<Size>(int64_max)) {
    throw Error(ErrorCode::bad_option, "gather: .first is beyond 2^63");
  }
  std::vector<const OpRow*> rows = parse_ops(ops);
  // Where elements stand is part of the state, so the walk is in C order.
  const bool in_order = indexed(needs_of(rows), x.dtype);
  const Plan plan = make_plan(std::move(rows), x, y, options, in_order);
  auto impl = std::make_unique<State::Impl>();
  impl->dtype = plan.dtype;
  impl->nan = plan.nan;
  impl->holds = plan.needs;
  impl->layout = plan.layout;
  impl->count = plan.elements;
  if (in_order && plan.elements > 0) {
    impl->ranges = {{options.first, options.first + plan.elements}};
  }
  impl->words.resize(static_cast<std::size_t>(plan.layout.words));
  clear(impl->words.data(), plan.layout, plan.dtype);
  backend::gather(plan, x.data, y == nullptr ? nullptr : y->data, 0, 1, impl->words.data());
  return State(std::move(impl));
}

}  // namespace

State gather(std::string_view ops, const ArrayRef& part, const Options& options) {
  return gather(ops, part, nullptr, options);
}
State gather(std::string_view ops, const ArrayRef& x, const ArrayRef& y, const Options& options) {
  return gather(ops, x, &y, options);
}

}  // namespace onefold
