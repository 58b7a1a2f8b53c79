// States of many slices: gathered elements that can be merged, saved, and answered later.
#include "onefold/engine/state/states.hpp"

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/copies.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/slice_answers.hpp"
#include "onefold/engine/state/bytes.hpp"
#include "onefold/engine/state/sha256.hpp"
#include "onefold/system/made_once.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {

namespace {

std::unique_ptr<States::Impl> nothing() {
  return std::make_unique<States::Impl>(
      States::Impl{.kind = {}, .shape = Dims(0), .slices = {DType::f64, Layout(), 0}});
}

// The number of elements that a mask selects in each slice.
std::vector<int64_t> taken_of(const ArrayRef& x, const Options& options) {
  Options o{.axes = options.axes, .device = options.device, .stream = options.stream};
  o.where = options.where;
  o.threads = options.threads;
  const Answers counts = fold("count", x, o);
  const auto values = counts["count"].values<int64_t>();
  return {values.begin(), values.end()};
}

// For parts of slices, indices are correct only if parts are whole rows of the first folded axis.
void check_first(const Plan& plan, const ArrayRef& x, const Options& options) {
  if (!plan.indexed || plan.elements == 0) return;
  const std::vector<bool> fold = folded_axes(options.axes, x.shape.rank(), "", "gather");
  const auto first = std::find(fold.begin(), fold.end(), true);
  if (first == fold.end()) return;
  const Size row =
      plan.elements / static_cast<Size>(x.shape[static_cast<int>(first - fold.begin())]);
  if (options.first % row == 0) return;
  throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": .first is " +
                                         std::to_string(options.first) +
                                         ", which is within a row of " + std::to_string(row) +
                                         " elements along the first folded axis; parts must be "
                                         "whole rows, so pass a multiple of that");
}

States gather_states(const Query& query, const ArrayRef& x, const ArrayRef* y) {
  const Options& options = query.options;
  check_gather(options);
  if (options.fweights) {
    throw Error(ErrorCode::bad_option,
                query.names() + ": .fweights cannot be gathered slice by slice; use fold");
  }
  const Plan plan = backend::checked(query.plan(x, y));
  check_first(plan, x, options);
  auto impl = std::make_unique<States::Impl>(
      States::Impl{.kind = kind_of(plan, options.first),
                   .shape = plan.output,
                   .slices = {plan.dtype, plan.layout, plan.answers}});
  std::vector<int64_t> taken;
  if (plan.where.selects()) taken = taken_of(x, options);
  const auto count = [&](Size i) {
    return taken.empty() ? plan.elements : static_cast<Size>(taken[i]);
  };
  StateTable& slices = impl->slices;
  const auto put = [&](Size first, Size n, const int64_t* states) {
    slices.put(first, n, states, plan.indexed, count);
  };
  const void* const other = second_of(y, options);
  if (const std::optional<Copies> copies = Copies::of(plan)) {
    backend::run(copies->plan, x.data, other, [&](Size first, Size n, const int64_t* states) {
      for (Size i = first; i < first + n; ++i, states += plan.layout.words) {
        copies->for_each(i, [&](Size each) { put(each, 1, states); });
      }
    });
  } else {
    backend::run(plan, x.data, other, put, plan.where.selects() ? nullptr : &slices);
  }
  slices.trim();
  impl->count_largest();
  return States(std::move(impl));
}

}  // namespace

void check_slices(const States::Impl& states, const RowShape& rows, Size first, Size n, Size most,
                  void (*bad)(const std::string&)) {
  const StateTable& slices = states.slices;
  std::vector<int64_t> state(static_cast<std::size_t>(states.kind.layout.words));
  for (Size i = first; i < first + n; ++i) {
    if (!states.kind.indexed && surely_valid(rows, slices.row(i), most)) continue;
    if (!slices.canonical(i, state.data())) bad("the words are not in canonical form");
    if (slices.count(i) > most) bad("there are too many elements");
    slices.get(i, state.data());
    if (const char* why = why_invalid(states.kind, slices.count(i), state.data())) {
      bad(std::string("no data have such a state: ") + why);
    }
  }
}

const States::Impl& States::held() const {
  static constinit MadeOnce<std::unique_ptr<const Impl>> none;
  return impl_ == nullptr ? *none.get(nothing) : *impl_;
}

States::States() = default;
States::States(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
States::~States() = default;
States::States(const States& o) : impl_(std::make_unique<Impl>(o.held())) {}
States::States(States&&) noexcept = default;
States& States::operator=(const States& o) {
  impl_ = std::make_unique<Impl>(o.held());
  return *this;
}
States& States::operator=(States&&) noexcept = default;

DType States::dtype() const { return held().kind.dtype; }
NanPolicy States::nan() const { return held().kind.nan; }
const Dims& States::shape() const { return held().shape; }
Size States::size() const { return held().slices.size(); }
Size States::count() const { return held().kind.count; }
Size States::bytes() const { return held().slices.bytes(); }

bool operator==(const States& a, const States& b) {
  const States::Impl &mine = a.held(), &theirs = b.held();
  return mine.kind == theirs.kind && mine.shape == theirs.shape && mine.slices == theirs.slices;
}

State States::operator[](Size slice) const {
  if (slice >= size()) {
    throw Error(ErrorCode::bad_option, "state " + std::to_string(slice) +
                                           " is out of range; the number of states is " +
                                           std::to_string(size()));
  }
  return State(held()[slice]);
}

void check_same_shape(const States::Impl& a, const States::Impl& b, const char* verb) {
  if (a.shape == b.shape) return;
  throw Error(ErrorCode::shape_mismatch, std::string(verb) + ": the states have slices of shapes " +
                                             to_string(a.shape) + " and " + to_string(b.shape) +
                                             "; they must be equal");
}

void States::merge(const States& other) {
  const Impl& o = other.held();
  if (o.kind.holds.empty()) return;
  if (held().kind.holds.empty()) {
    impl_ = std::make_unique<Impl>(o);
    return;
  }
  check_alike(impl_->kind, o.kind, "merge");
  check_same_shape(*impl_, o, "merge");
  const bool many = o.kind.count > static_cast<Size>(int64_max) - impl_->kind.count;
  for (Size i = 0; many && i < size(); ++i) {
    if (o.slices.count(i) > static_cast<Size>(int64_max) - impl_->slices.count(i)) {
      throw Error(ErrorCode::overflow, "merge: the states hold 2^63 elements or more together");
    }
  }
  impl_->kind.ranges.unite(o.kind.ranges);
  impl_->slices.merge(o.slices);
  impl_->slices.trim();
  impl_->count_largest();
}

Answers States::answer(std::string_view ops, const Options& options) const {
  const Impl& mine = held();
  Plan plan = plan_of_answers(mine.kind, ops, options);
  plan.answers = size();
  Output output(plan);
  const SliceAnswers quick(plan, mine.slices);
  const std::vector<backend::Output> places = output.all_places();
  parallel((size() + slices_a_task - 1) / slices_a_task, 0, [&](std::size_t task) {
    std::vector<int64_t> words(static_cast<std::size_t>(plan.layout.words));
    const Size first = task * slices_a_task, last = std::min(size(), first + slices_a_task);
    for (Size i = first; i < last; i += SliceAnswers::block) {
      uint8_t done[SliceAnswers::block];
      const Size n = std::min(SliceAnswers::block, last - i);
      quick.round(i, n, places, done);
      for (Size k = 0; k < n; ++k) {
        if (done[k] != 0) continue;
        mine.slices.get(i + k, words.data());
        output.put(plan, i + k, words.data());
      }
    }
  });
  return output.take(mine.shape);
}

namespace {
constexpr std::string_view magic_of_states("1folds\r\n", 8);
}

// Writes the format of a state with a shape; then which words are held, and each slice's words.
std::vector<std::byte> States::save() const {
  const Impl& mine = held();
  const StateTable& slices = mine.slices;
  Writer w;
  w.bytes.reserve(512 + slices.bytes());
  w.raw(magic_of_states.data(), magic_of_states.size());
  write_kind(w, mine.kind);
  w.shape(mine.shape);
  for (int a = 0; a < every_accumulator; ++a) {
    if (mine.kind.layout.offset[a] >= 0) w.text(name_of(static_cast<Accumulator>(a)));
  }
  w.text("");
  w.number(slices.used().size());
  for (const int word : slices.used()) w.number(static_cast<uint64_t>(word));
  w.raw(slices.words().data(), slices.words().size() * sizeof(int64_t));
  return w.finished();
}

std::string States::digest() const { return sha256_text(save()); }

States States::load(std::span<const std::byte> bytes) {
  Reader r(bytes, magic_of_states, "states of many slices");
  State::Impl kind;
  read_kind(r, kind);
  Size slices = 1;
  const Dims shape = r.shape(slices);
  for (std::string name = r.text(); !name.empty(); name = r.text()) {
    kind.holds = kind.holds | accumulator_called(name);
  }
  kind.layout = layout_of(kind.holds, kind.dtype);
  const uint64_t words_each = r.number_of(8);
  std::vector<int> used;
  for (uint64_t k = 0; k < words_each; ++k) {
    const uint64_t word = r.number();
    if (word > static_cast<uint64_t>(kind.layout.words) ||
        (k > 0 && word <= static_cast<uint64_t>(used.back()))) {
      bad_bytes("the numbers of the stored words are not in order");
    }
    used.push_back(static_cast<int>(word));
  }
  if (words_each == 0 || r.bytes.size() % (8 * words_each) != 0 ||
      r.bytes.size() / (8 * words_each) != slices) {
    bad_bytes("the number of bytes does not fit " + std::to_string(slices) + " slices");
  }
  std::vector<int64_t> words(slices * words_each);
  r.raw(words.data(), r.bytes.size());
  auto impl = std::make_unique<Impl>(
      Impl{.kind = kind, .shape = shape, .slices = {kind.dtype, kind.layout, slices}});
  if (!impl->slices.assign(used, std::move(words))) bad_bytes("words are missing");
  if (!impl->slices.is_trim()) bad_bytes("words are stored that no slice uses");
  const RowShape rows = impl->slices.shape();
  parallel((slices + slices_a_task - 1) / slices_a_task, 0, [&](std::size_t task) {
    const Size first = task * slices_a_task;
    check_slices(*impl, rows, first, std::min(slices - first, slices_a_task), kind.count,
                 bad_bytes);
  });
  impl->count_largest();
  if (impl->kind.count != kind.count) bad_bytes("no slice has so many elements");
  return States(std::move(impl));
}

States gather_states(std::string_view ops, const ArrayRef& part, const Options& options) {
  return gather_states({ops, options}, part, nullptr);
}
States gather_states(std::string_view ops, const ArrayRef& x, const ArrayRef& y,
                     const Options& options) {
  return gather_states({ops, options}, x, &y);
}

}  // namespace onefold
