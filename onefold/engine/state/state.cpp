// States: gathered elements that can be merged, saved, and answered later.
#include "onefold/engine/state/state.hpp"

#include <algorithm>
#include <tuple>

#include "onefold/cpu/gather.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/system/made_once.hpp"

namespace onefold {
namespace {

std::string names_of(const State::Impl& state) {
  std::string s;
  for (int a = 0; a < every_accumulator; ++a) {
    if (state.layout.offset[a] < 0) continue;
    s += (s.empty() ? "" : ",") + std::string(name_of(static_cast<Accumulator>(a)));
  }
  return s + (state.indexed ? " with indices" : "");
}

// Refuses options that say how to fold, since the elements are already folded.
void refuse_options_of_folds(const OpRow& op, NanPolicy nan, const Options& o) {
  const char* const option =
      option_beside(o, {".nan", ".result", ".wide", ".ddof", ".initial", ".empty_nan"});
  std::string what = option == nullptr ? "" : option;
  if (o.nan != NanPolicy::propagate && o.nan != nan) {
    what = std::string(".nan that differs from the state's (") + name_of(nan) + ")";
  }
  if (what.empty()) return;
  throw Error(ErrorCode::bad_option, std::string(op.name) + ": " + what +
                                         " does not apply to the answer of a state; pass it " +
                                         "to gather, or leave it out");
}

std::string text_of(const ShareOf& whole) {
  return whole.elements > 0 ? std::to_string(whole.elements) + " elements"
                            : std::to_string(whole.bytes) + " bytes";
}

// A share may be merged with a share of the same files, or with a state that is no share.
void check_wholes(const ShareOf& a, const ShareOf& b) {
  if (a == b || !a.known() || !b.known()) return;
  const std::string here = text_of(a), there = text_of(b);
  throw Error(
      ErrorCode::bad_state,
      "merge: the states are shares of different files (" +
          (here == there ? "both of " + here + ", but with different types, shapes or columns"
                         : "one of " + here + ", the other of " + there) +
          "); gather all shares of the same files");
}

}  // namespace

void forget_places(int64_t* words, const Layout& layout, DType t) {
  change_indices(words, layout, t, [](Size) { return Size{0}; });
}

void check_alike(const State::Impl& a, const State::Impl& b, const char* verb) {
  const auto kind = [](const State::Impl& s) {
    return std::tie(s.dtype, s.nan, s.holds, s.indexed);
  };
  if (kind(a) == kind(b)) return;
  std::string differ;
  const auto say = [&](const char* what, const std::string& mine, const std::string& theirs) {
    if (mine == theirs) return;
    differ +=
        std::string(differ.empty() ? "" : " and ") + what + " (" + mine + " and " + theirs + ")";
  };
  say("element type", name_of(a.dtype), name_of(b.dtype));
  say("NaN policy", name_of(a.nan), name_of(b.nan));
  say("the accumulators of their ops", names_of(a), names_of(b));
  if (a.holds.has(Accumulator::decimal) != b.holds.has(Accumulator::decimal)) {
    differ +=
        "; one was gathered from text, as decimals, and the other as f64: --dtype f64 "
        "gathers text as f64";
  }
  throw Error(ErrorCode::bad_state, std::string(verb) + ": the states differ in " + differ +
                                        "; gather both with the same options");
}

// Null: empty and without a kind, for example after it was moved from.
const State::Impl& State::held() const {
  static constinit MadeOnce<Impl> nothing;
  return impl_ == nullptr ? nothing.get([] { return Impl(); }) : *impl_;
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
NanPolicy State::nan() const { return held().nan; }
Size State::count() const { return held().count; }
bool operator==(const State& a, const State& b) { return a.held() == b.held(); }

void State::merge(const State& other) {
  const Impl& o = other.held();
  if (o.holds.empty()) return;
  if (held().holds.empty()) {
    impl_ = std::make_unique<Impl>(o);
    return;
  }
  check_alike(*impl_, o, "merge");
  check_wholes(impl_->whole, o.whole);
  // Counts are int64, and the sums hold that many elements without overflow.
  if (o.count > static_cast<Size>(int64_max) - impl_->count) {
    throw Error(ErrorCode::overflow, "merge: the states hold 2^63 elements or more together");
  }
  impl_->ranges.unite(o.ranges);
  impl_->count += o.count;
  if (!impl_->whole.known()) impl_->whole = o.whole;
  onefold::merge(impl_->words.data(), o.words.data(), impl_->layout, impl_->dtype);
}

void check_gather(const Options& options) {
  if (options.first > static_cast<Size>(int64_max)) {
    throw Error(ErrorCode::bad_option, "gather: .first is beyond 2^63");
  }
  // The options for answers without elements, and `initial`, belong to `answer`, not to `gather`.
  const char* const option = options.initial     ? ".initial"
                             : options.empty_nan ? ".empty_nan"
                                                 : nullptr;
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option,
              std::string("gather: ") + option + " does not apply to gather; pass it to answer");
}

State::Impl kind_of(const Plan& plan, Size first) {
  State::Impl kind;
  kind.dtype = plan.dtype;
  kind.nan = plan.nan;
  kind.holds = plan.needs;
  kind.layout = plan.layout;
  kind.indexed = plan.indexed;
  if (plan.indexed && plan.elements > 0) kind.ranges = {first, first + plan.elements};
  return kind;
}

Plan plan_of_answers(const State::Impl& kind, std::string_view ops, const Options& options) {
  std::vector<const OpRow*> rows = parse_ops(ops);
  for (const OpRow* op : rows) {
    const OpRow& row = *op;
    const bool text = kind.holds.has(Accumulator::decimal);
    if (!(text ? needs_of_text(row) : row.about->needs).within(kind.holds)) {
      throw Error(ErrorCode::bad_option,
                  std::string(row.name) +
                      ": this state was not gathered for this op; pass it, or " +
                      "an op with the same accumulators, to gather");
    }
    if (row.about->uses_index && !kind.indexed) {
      throw Error(ErrorCode::bad_option,
                  std::string(row.name) +
                      ": this state has no indices, because none of the ops passed to " +
                      "gather returns an index; pass " + row.name + " to gather");
    }
    refuse_options_of_folds(row, kind.nan, options);
  }
  Plan plan;
  static_cast<AnswerOptions&>(plan) = answering_of(std::move(rows), kind.dtype, options);
  plan.nan = kind.nan;
  plan.layout = kind.layout;
  return plan;
}

Value State::answer(std::string_view op, const Options& options) const {
  const Plan plan = plan_of_answers(held(), op, options);
  if (plan.ops.size() != 1) throw Error(ErrorCode::bad_option, "answer takes one op");
  const Rounded r = finish(plan, 0, held().words.data());
  return {.dtype = plan.results[0], .status = r.status, .bits = r.bits};
}

namespace {

// How many elements a mask selects; on a device the fold counts them itself.
Size count_taken(const Plan& plan, const ArrayRef& x, const Options& options) {
  if (plan.device.type != Device::Type::cuda) return cpu_backend::count_taken(plan);
  Options o{.device = options.device, .stream = options.stream};
  o.where = options.where;
  return static_cast<Size>(fold("count", x, o).list[0].only().as<int64_t>());
}

State gather(const Query& query, const ArrayRef& x, const ArrayRef* y, const ShareOf& whole = {},
             std::span<const DecimalTerm> terms = {}) {
  const Options& options = query.options;
  if (!options.axes.all()) {
    throw Error(ErrorCode::bad_axis,
                "gather: a state holds one result, so all axes must be reduced; leave .axes out");
  }
  check_gather(options);
  const Plan plan = backend::checked(query.plan(x, y));
  auto impl = std::make_unique<State::Impl>(kind_of(plan, options.first));
  impl->whole = whole;
  impl->words.resize(static_cast<std::size_t>(plan.layout.words));
  clear(impl->words.data(), plan.layout, plan.dtype);
  if (options.fweights) {
    if (plan.indexed) {
      throw Error(ErrorCode::bad_option,
                  "gather: .fweights repeat elements, and repeated elements have no index; leave "
                  "argmin and argmax out");
    }
    impl->count = count_repeated(plan, x, options);
    gather_repeated(plan, x, options, impl->words.data());
    forget_places(impl->words.data(), impl->layout, impl->dtype);
    return State(std::move(impl));
  }
  backend::gather(plan, plan.nest, x.data, second_of(y, options), impl->words.data(),
                  {terms, 0, elements_of(x.shape), {}});
  if (!plan.indexed) forget_places(impl->words.data(), impl->layout, impl->dtype);
  impl->count = plan.where.selects() ? count_taken(plan, x, options) : plan.elements;
  return State(std::move(impl));
}

}  // namespace

State gather(const Query& query, const ArrayRef& part, const ShareOf& whole,
             std::span<const DecimalTerm> terms) {
  return gather(query, part, nullptr, whole, terms);
}
State gather(std::string_view ops, const ArrayRef& part, const Options& options) {
  return gather({ops, options}, part, nullptr);
}
State gather(std::string_view ops, const ArrayRef& x, const ArrayRef& y, const Options& options) {
  return gather({ops, options}, x, &y);
}

}  // namespace onefold
