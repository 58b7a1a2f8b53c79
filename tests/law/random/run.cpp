#include "law/random/run.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "onefold/fold.hpp"
#include "onefold/message.hpp"
#include "onefold/planned.hpp"
#include "onefold/running.hpp"
#include "onefold/states.hpp"

namespace onefold::law {
namespace {

// The arrays and options of one call.
struct Call {
  std::string ops;
  ArrayRef x, y;
  Options options;
};

// Rows `begin` up to `end` of the axis `d` of x, and what broadcasts to it.
Call part_of(const Call& all, int d, int64_t begin, int64_t end) {
  Call part = all;
  const auto cut = [&](ArrayRef& a, Mask* mask = nullptr) {
    const int own = d - (all.x.shape.rank() - a.shape.rank());
    const bool broadcast = own < 0 || (a.shape[own] == 1 && all.x.shape[d] != 1);
    if (broadcast) return;
    a.shape[own] = end - begin;
    if (begin == end || elements_of(all.x.shape) == 0) return;  // nothing is read
    if (mask != nullptr && mask->bits) {
      mask->first += static_cast<Size>(begin * a.strides[own]);
    } else {
      a.data = static_cast<const std::byte*>(a.data) + begin * a.strides[own];
    }
  };
  cut(part.x);
  cut(part.y);
  if (part.options.where) cut(part.options.where->array, &*part.options.where);
  if (part.options.weights) cut(*part.options.weights);
  if (part.options.fweights) cut(*part.options.fweights);
  return part;
}

void expect_shape(const Dims& got, const Problem& p) {
  if (got == p.output()) return;
  throw std::logic_error("answers have shape " + to_string(got) + ", should have " +
                         to_string(p.output()));
}

Values values_of(const Answers& answers, const Problem& p) {
  Values all;
  for (const Answer& a : answers.list) {
    expect_shape(a.shape, p);
    all.emplace_back();
    for (Size i = 0; i < a.size(); ++i) all.back().push_back(a[i]);
  }
  return all;
}

// Writes to outputs with holes, in any order of axes; or plans first, and then folds.
Values run_output(const Problem& p, const Call& c) {
  Random r(p.draw.seed + 6);
  const PlannedFold plan(c.ops, c.x, p.two() ? &c.y : nullptr, c.options);
  expect_shape(plan.shape(), p);
  Values all;
  for (const PlannedFold::Op& op : plan.ops()) {
    const bool strided = r() % 3 != 0;
    const auto bytes = static_cast<int64_t>(bytes_of(op.dtype));
    Dims strides = plan.shape();
    int64_t step = bytes * (strided ? 1 + static_cast<int64_t>(r() % 3) : 1);
    const bool turned = strided && r() % 2 == 0;
    for (int k = 0; k < strides.rank(); ++k) {
      const int d = turned ? k : strides.rank() - 1 - k;
      strides[d] = step;
      step *= std::max<int64_t>(plan.shape()[d], 1);
    }
    std::vector<std::byte> room(static_cast<Size>(std::max<int64_t>(step, 64)) + 8);
    std::vector<Status> status(room.size(), Status::mismatch);
    std::byte* const data = room.data();
    if (strided) {
      const OutputRef to(data, op.dtype, plan.shape(), strides, status.data());
      p.two() ? fold_into(to, op.name, c.x, c.y, c.options)
              : fold_into(to, op.name, c.x, c.options);
    } else {
      const OutputRef to(data, op.dtype, plan.shape(), status.data());
      const PlannedFold one(op.name, c.x, p.two() ? &c.y : nullptr, c.options);
      one.into(std::span(&to, 1));
    }
    all.emplace_back();
    const Size n = elements_of(plan.shape());
    for (Size i = 0; i < n; ++i) {
      int64_t at = 0;
      Size rest = i;
      for (int d = strides.rank() - 1; d >= 0; --d) {
        const auto extent = static_cast<Size>(plan.shape()[d]);
        at += static_cast<int64_t>(rest % extent) * strides[d];
        rest /= extent;
      }
      Value v{.dtype = op.dtype, .status = status[static_cast<Size>(at / bytes)]};
      std::memcpy(&v.bits, data + at, static_cast<Size>(bytes));
      all.back().push_back(v);
    }
  }
  return all;
}

// Cuts n rows into parts, some of them empty.
std::vector<int64_t> some_cuts(Random& r, int64_t n) {
  std::vector<int64_t> cuts{0, n};
  for (Size k = r() % 5; k > 0; --k) {
    cuts.push_back(static_cast<int64_t>(r() % (static_cast<Size>(n) + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// Removing is the inverse of merging, where it is allowed. Only whether all that is left is -0 may
// be lost, where no answer depends on it: merging gives it back.
//   answers  gives the answers of a state
template <class S, class F>
void expect_inverse(const S& into, const S& other, const F& answers) {
  S all = into;
  all.merge(other);
  S rest = all;
  try {
    rest.remove(other);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_state) throw;
    return;
  }
  if (rest == into) return;
  if (answers(rest) != answers(into)) {
    throw std::logic_error("what is left after remove has other answers");
  }
  rest.merge(other);
  if (!(rest == all)) throw std::logic_error("what is left after remove is another state");
}

// Merges as engines do that add whole numbers, and gather bytes.
State merged_by_messages(const std::vector<State>& states) {
  std::vector<Message> messages;
  for (const State& s : states) messages.emplace_back(s);
  std::vector<int64_t> sum(messages[0].added().size());
  std::vector<std::span<const std::byte>> carried;
  for (const Message& m : messages) {
    if (m.kind() != messages[0].kind()) throw std::logic_error("parts have different kinds");
    for (Size k = 0; k < sum.size(); ++k) sum[k] += m.added()[k];
    carried.push_back(m.carried());
  }
  return messages.back().merged(sum, carried);
}

// Merges in random order; any of the states may be saved and loaded.
//   answers  as expect_inverse() has them
template <class S, class F>
S merged(Random& r, std::vector<S> states, const F& answers) {
  while (states.size() > 1) {
    std::swap(states[r() % states.size()], states.back());
    const S last = std::move(states.back());
    states.pop_back();
    S& into = states[r() % states.size()];
    if (r() % 4 == 0) expect_inverse(into, last, answers);
    into.merge(r() % 3 == 0 ? S::load(last.save()) : last);
    if (r() % 4 == 0) into = S::load(into.save());
  }
  return states[0];
}

// The options that belong to the answer are taken away from those of gathering.
Options take_answer_options(Options& o) {
  Options answer{.result = o.result, .wide = o.wide, .ddof = o.ddof, .initial = o.initial};
  answer.empty_nan = o.empty_nan;
  o.result = {};
  o.wide = o.empty_nan = false;
  o.ddof = {};
  o.initial = {};
  return answer;
}

// The parts are rows of the first folded axis, so that indices count on from part to part.
std::vector<Call> parts_of(Random& r, const Problem& p, const Call& c) {
  const auto& folded = p.draw.folded;
  const auto d = std::find(folded.begin(), folded.end(), true) - folded.begin();
  if (d == static_cast<std::ptrdiff_t>(folded.size())) return {c};
  const auto axis = static_cast<int>(d);
  Size row = 1;  // elements of an answer in one row
  for (int k = axis + 1; k < c.x.shape.rank(); ++k) {
    if (folded[static_cast<std::size_t>(k)]) row *= static_cast<Size>(c.x.shape[k]);
  }
  std::vector<Call> parts;
  const std::vector<int64_t> cuts = some_cuts(r, c.x.shape[axis]);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    parts.push_back(part_of(c, axis, cuts[k], cuts[k + 1]));
    parts.back().options.first = static_cast<Size>(cuts[k]) * row;
  }
  return parts;
}

Values run_state(const Problem& p, Call c) {
  Random r(p.draw.seed + 7);
  const Options answer = take_answer_options(c.options);
  std::vector<State> states;
  for (const Call& part : parts_of(r, p, c)) {
    states.push_back(p.two() ? gather(part.ops, part.x, part.y, part.options)
                             : gather(part.ops, part.x, part.options));
  }
  const auto answers = [&](const State& s) {
    Values values;
    for (const OpRow* op : p.draw.ops) values.push_back({s.answer(op->name, answer)});
    return values;
  };
  const bool by_messages = r() % 4 == 0;
  const State all =
      by_messages ? merged_by_messages(states) : merged(r, std::move(states), answers);
  const State whole = p.two() ? gather(c.ops, c.x, c.y, c.options) : gather(c.ops, c.x, c.options);
  if (!(all == whole)) throw std::logic_error("the parts merge to another state than the whole");
  return answers(all);
}

Values run_states(const Problem& p, Call c) {
  Random r(p.draw.seed + 8);
  const Options answer = take_answer_options(c.options);
  std::vector<States> states;
  for (const Call& part : parts_of(r, p, c)) {
    states.push_back(p.two() ? gather_states(part.ops, part.x, part.y, part.options)
                             : gather_states(part.ops, part.x, part.options));
  }
  const auto answers = [&](const States& s) { return values_of(s.answer(c.ops, answer), p); };
  const States all = merged(r, std::move(states), answers);
  const States whole =
      p.two() ? gather_states(c.ops, c.x, c.y, c.options) : gather_states(c.ops, c.x, c.options);
  if (!(all == whole)) throw std::logic_error("the parts merge to other states than the whole");
  return answers(all);
}

Values run_keys(const Problem& p, const Call& c) {
  const Answers groups =
      p.two()
          ? fold({.ops = c.ops, .x = c.x, .y = c.y, .options = c.options, .keys = p.label_array})
          : fold_by(c.ops, p.label_array, c.x, c.options);
  std::vector<int64_t> keys;
  const Size bytes = bytes_of(groups.key_type);
  for (Size i = 0; i < groups.key_count(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, groups.keys.data() + i * bytes, bytes);
    keys.push_back(number_of(groups.key_type, bits));
  }
  if (keys != p.keys) throw std::logic_error("the keys are other ones");
  return values_of(groups, p);
}

// The runs of all groups, each behind a few bytes of an engine's own.
struct Runs {
  static constexpr Size before = 16;
  std::vector<std::vector<int64_t>> memory;
  std::vector<std::vector<Size>> left;  // elements that were not added

  Runs(const RunningKind& kind, const Problem& p, Size begin, Size end) : left(p.groups) {
    for (Size g = 0; g < p.groups; ++g) memory.emplace_back((before + kind.bytes()) / 8);
    for (Size g = 0; g < p.groups; ++g) kind.clear(run(g));
    std::vector<void*> blocks;
    std::vector<uint32_t> numbers(end - begin);
    for (Size i = begin; i < end; ++i) blocks.push_back(memory[p.labels.bits(i)].data());
    const Size n = kind.add(blocks.data(), before, p.xs.at(begin), end - begin, numbers.data());
    for (Size k = 0; k < n; ++k) {
      const Size i = begin + numbers[k];
      left[p.labels.bits(i)].push_back(i);
    }
  }
  void* run(Size group) { return reinterpret_cast<std::byte*>(memory[group].data()) + before; }
  // The state of a run, with the elements that it left out.
  State state(const RunningKind& kind, const Problem& p, const Call& c, Size group) {
    State all = kind.state(run(group));
    Data rest(p.draw.type, left[group].size());
    for (Size k = 0; k < rest.size(); ++k) rest.set(k, p.xs.bits(left[group][k]));
    const auto n = static_cast<int64_t>(rest.size());
    if (n > 0) all.merge(gather(c.ops, ArrayRef(rest.data(), p.draw.type, {n}), c.options));
    return all;
  }
};

// Two runs of each group are merged, or their states are.
Values run_running(const Problem& p, Call c) {
  Random r(p.draw.seed + 10);
  const Options answer = take_answer_options(c.options);
  const RunningKind kind(c.ops, p.draw.type, c.options.nan);
  Values values(p.draw.ops.size());
  if (!kind.sums()) throw std::logic_error("the ops have no running sums");
  const Size n = p.xs.size(), cut = r() % (n + 1);
  Runs first(kind, p, 0, cut), second(kind, p, cut, n);
  for (Size g = 0; g < p.groups; ++g) {
    State s = first.state(kind, p, c, g);
    if (r() % 2 == 0 && kind.merge(first.run(g), second.run(g))) {
      s = first.state(kind, p, c, g);
      kind.clear(second.run(g));
    }
    s.merge(second.state(kind, p, c, g));
    for (Size k = 0; k < values.size(); ++k) {
      values[k].push_back(s.answer(p.draw.ops[k]->name, answer));
    }
    Value quick;
    const DType result = values[0].back().dtype;
    const bool alone = p.draw.ops.size() == 1 && first.left[g].empty() && cut == n;
    if (alone && kind.answer(first.run(g), result, answer.ddof, &quick)) values[0].back() = quick;
  }
  return values;
}

}  // namespace

Values run(const Problem& p, const Way& way) {
  Call c{.ops = p.draw.names(), .x = p.x, .y = p.y, .options = p.options};
  if (way.in_order) {
    c.x = p.in_order(p.xs);
    c.y = p.in_order(p.ys);
    if (p.y_is_weights) c.options.weights = c.y;
  }
  c.options.threads = way.threads;
  c.options.target = way.target;
  switch (p.draw.kind) {
    case Kind::output:
      return run_output(p, c);
    case Kind::segments: {
      Random r(p.draw.seed + 9);
      const ArrayRef wide(p.offsets.data(), DType::i64,
                          Dims(static_cast<int64_t>(p.offsets.size())));
      const std::vector<int32_t> narrow(p.offsets.begin(), p.offsets.end());
      const ArrayRef offsets = r() % 2 == 0 ? wide : ArrayRef(narrow);
      return values_of(
          p.two()
              ? fold({.ops = c.ops, .x = c.x, .y = c.y, .options = c.options, .segments = offsets})
              : fold_segments(c.ops, c.x, offsets, c.options),
          p);
    }
    case Kind::labels: {
      const Labels how{p.groups, c.options};
      return values_of(p.two() ? fold({.ops = c.ops,
                                       .x = c.x,
                                       .y = c.y,
                                       .options = how.options,
                                       .labels = p.label_array,
                                       .groups = how.groups})
                               : fold_by(c.ops, p.label_array, c.x, how),
                       p);
    }
    case Kind::keys:
      return run_keys(p, c);
    case Kind::state:
      return run_state(p, c);
    case Kind::states:
      return run_states(p, c);
    case Kind::running:
      return run_running(p, c);
    default:
      return values_of(p.two() ? fold(c.ops, c.x, c.y, c.options) : fold(c.ops, c.x, c.options), p);
  }
}

}  // namespace onefold::law
