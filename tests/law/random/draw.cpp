#include "law/random/draw.hpp"

#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold::law {
namespace {

constexpr const char* names_of_kinds[kinds] = {"whole", "axes",  "output", "segments", "labels",
                                               "keys",  "state", "states", "running"};

template <class T>
const T& pick_of(Random& r, const std::vector<T>& list) {
  return list[r() % list.size()];
}

// 0, 1, 2, and numbers at the borders of lanes, unrolled loops, tiles and blocks.
int64_t some_extent(Random& r, int64_t most) {
  static constexpr int64_t small[] = {1, 2, 3, 4, 5, 7, 8, 9},
                           borders[] = {15,  16,  17,  31,  32,  33,  63,   64,   65,  127,
                                        128, 129, 255, 256, 257, 511, 1023, 1024, 1025};
  if (r() % 40 == 0) return 0;
  const auto kind = r() % 4;
  const auto any =
      static_cast<int64_t>(test::pick_log(r, 1, static_cast<uint64_t>(std::max<int64_t>(most, 1))));
  const int64_t v = kind == 0   ? small[r() % std::size(small)]
                    : kind == 1 ? borders[r() % std::size(borders)]
                                : any;
  return v <= most ? v : any;
}

Dims some_shape(Random& r, int rank, int64_t most) {
  Dims shape;
  for (int d = 0; d < rank; ++d) {
    shape.push_back(some_extent(r, most));
    most /= std::max<int64_t>(shape[d], 1);
  }
  for (int d = rank; d > 1; --d) {
    std::swap(shape[d - 1], shape[static_cast<int>(r() % static_cast<uint64_t>(d))]);
  }
  return shape;
}

int some_rank(Random& r, Kind kind) {
  switch (kind) {
    case Kind::whole:
    case Kind::state:
      return r() % 3 != 0 ? 1 : static_cast<int>(r() % 5);
    case Kind::segments:
      return r() % 3 != 0 ? 1 : 2 + static_cast<int>(r() % 2);
    case Kind::labels:
    case Kind::keys:
    case Kind::running:
      return 1;
    default:
      return r() % 2 == 0 ? 2 : r() % 12 == 0 ? static_cast<int>(r() % 9) : 1 + int(r() % 4);
  }
}

bool takes(Kind kind, const OpRow& op) {
  constexpr auto sums = Accumulator::sum | Accumulator::sumsq;
  const Accumulators needs = op.about->needs;
  const bool adds = needs.within(sums | Accumulator::tally) && !(needs & sums).empty();
  if (kind == Kind::running && (!adds || op.about->inputs == 2)) return false;
  const bool by_groups = Draw{.kind = kind}.by_groups();
  return !by_groups || !op.about->uses_index;
}

// Other ops of as many arrays beside the first: none, a few or all.
void add_ops(Random& r, Draw& d, const Choice& choice) {
  const auto kind = r() % 6;
  if (kind < 3) return;
  for (const OpRow& op : op_rows()) {
    const bool there = std::find(d.ops.begin(), d.ops.end(), &op) != d.ops.end();
    const bool fits = op.about->inputs == d.ops[0]->about->inputs && takes(d.kind, op);
    if (there || !fits || !choice.ops.empty()) continue;
    if (kind == 5 ? r() % 8 != 0 : r() % 8 == 0) d.ops.push_back(&op);
  }
}

template <class F>
bool all_of(const Draw& d, F f) {
  return std::all_of(d.ops.begin(), d.ops.end(), f);
}

bool is_possible(const OpRow& op, DType t, DType result) {
  const DType own = op.about->result.of(t);
  return own == result || is_floating(result) || (is_integer(own) && is_integer(result));
}

bool takes_weights(const Draw& d) {
  if (d.kind == Kind::state || d.kind == Kind::states || d.kind == Kind::running) return false;
  const auto list = weighted_ops(d.two() ? 2 : 1);
  return all_of(d, [&](const OpRow* op) {
    return std::find(list.begin(), list.end(), std::string_view(op->name)) != list.end();
  });
}
bool takes_fweights(const Draw& d) {
  const bool of_state =
      d.kind == Kind::state && all_of(d, [](const OpRow* op) { return !op->about->uses_index; });
  const bool of_fold = d.kind == Kind::whole || d.kind == Kind::axes || d.kind == Kind::output ||
                       d.kind == Kind::segments || d.kind == Kind::labels || d.kind == Kind::keys;
  return !d.two() && (of_state || of_fold);
}

// Leaves only ops that take weights, if the first does.
void weigh(Random& r, Draw& d) {
  if (r() % 5 == 0 && takes_fweights(d)) {
    d.weighing = Weighing::fweights;
    return;
  }
  if (r() % 3 != 0) return;
  Draw some = d;
  some.ops.clear();
  for (const OpRow* op : d.ops) {
    Draw one = d;
    one.ops = {op};
    if (takes_weights(one)) some.ops.push_back(op);
  }
  if (some.ops.empty() || some.ops[0] != d.ops[0]) return;
  d = some;
  d.weighing = Weighing::weights;
}

void draw_options(Random& r, Draw& d) {
  const Size n = static_cast<Size>(std::max<int64_t>(d.shape.rank() > 0 ? d.shape[0] : 1, 0));
  Options o = test::some_options(r, n);
  if (o.result &&
      !all_of(d, [&](const OpRow* op) { return is_possible(*op, d.type, *o.result); })) {
    o.result.reset();
  }
  const auto estimates = [](const OpRow* op) { return op->about->estimates; };
  if (std::ranges::any_of(d.ops, estimates)) o.ddof = static_cast<int>(r() % 2);
  o.wide = !o.result && r() % 10 == 0;
  if (d.weighing == Weighing::weights) {
    o.ddof = {};
    if (o.result && !is_floating(*o.result)) o.result.reset();
  }
  if (d.kind != Kind::labels) o.empty_nan = r() % 3 == 0;
  o.threads = static_cast<int>(r() % 4);
  o.keepdims = d.along_axes() && r() % 4 == 0;
  if (d.kind != Kind::running && r() % 3 == 0) {
    d.selected = r() % 3 == 0 ? Selected::by_bits : Selected::by_bools;
  }
  if (!d.by_groups()) {
    const auto targets = cpu_targets();
    if (r() % 2 == 0) o.target = targets[r() % targets.size()];
    const bool takes_initial = all_of(d, [](const OpRow* op) { return op->about->takes_initial; });
    d.initial = takes_initial && d.weighing != Weighing::weights && r() % 3 == 0;
  }
  d.options = o;
}

void draw_axes(Random& r, Draw& d) {
  const auto rank = static_cast<std::size_t>(d.shape.rank());
  d.folded.assign(rank, true);
  if (!d.along_axes()) return;
  std::vector<int64_t> list;
  for (std::size_t k = 0; k < rank; ++k) {
    d.folded[k] = r() % 2 == 0;
    const auto axis = static_cast<int64_t>(k);
    if (d.folded[k]) list.push_back(r() % 2 == 0 ? axis : axis - static_cast<int64_t>(rank));
  }
  std::shuffle(list.begin(), list.end(), r);
  d.options.axes = Axes(std::span<const int64_t>(list));
}

}  // namespace

const char* name_of(Kind k) { return names_of_kinds[static_cast<int>(k)]; }

bool Draw::along_axes() const {
  return kind == Kind::axes || kind == Kind::output || kind == Kind::states;
}

bool Draw::by_groups() const {
  return kind == Kind::labels || kind == Kind::keys || kind == Kind::running;
}

std::string Draw::names() const {
  std::string s;
  for (const OpRow* op : ops) s += (s.empty() ? "" : ",") + std::string(op->name);
  return s;
}

Choice choice_of(std::string_view words) {
  Choice c;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(','), words.size());
    const std::string_view word = words.substr(0, end);
    const std::size_t before = c.ops.size() + c.types.size() + c.kinds.size();
    for (const OpRow& op : op_rows()) {
      if (op.name == word) c.ops.push_back(&op);
    }
    for (int t = 0; t < dtype_count; ++t) {
      if (onefold::name_of(static_cast<DType>(t)) == word) c.types.push_back(DType(t));
    }
    for (int k = 0; k < kinds; ++k) {
      if (names_of_kinds[k] == word) c.kinds.push_back(static_cast<Kind>(k));
    }
    if (c.ops.size() + c.types.size() + c.kinds.size() == before) {
      throw std::invalid_argument(std::string(word) + " is not an op, type or kind of fold");
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return c;
}

Draw draw(uint64_t seed, uint64_t number, const Choice& choice) {
  Random r(seed * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xbf58476d1ce4e5b9u);
  Draw d;
  d.seed = r();
  const auto rows = op_rows();
  const OpRow* const op = choice.ops.empty() ? &rows[r() % rows.size()] : pick_of(r, choice.ops);
  d.ops = {op};
  do {
    d.kind = choice.kinds.empty() ? static_cast<Kind>(r() % kinds) : pick_of(r, choice.kinds);
    // A choice of groups and of an op that they refuse leaves nothing but whole arrays.
    if (!choice.kinds.empty() && !takes(d.kind, *op)) d.kind = Kind::whole;
  } while (!takes(d.kind, *op));
  // Half of the draws are of floats.
  const auto floats = static_cast<uint64_t>(DType::f16) + r() % 4, any = r() % dtype_count;
  d.type = choice.types.empty() ? static_cast<DType>(r() % 2 == 0 ? any : floats)
                                : pick_of(r, choice.types);
  if (d.kind == Kind::running) {
    constexpr DType added[] = {DType::f64, DType::f32, DType::i64};
    if (choice.types.empty()) d.type = added[r() % 3];
    if (std::find(added, added + 3, d.type) == added + 3) d.kind = Kind::labels;
  }
  add_ops(r, d, choice);
  const auto size = r() % 500;
  const int64_t most = size == 0   ? (3 << 19) / static_cast<int64_t>(bytes_of(d.type))
                       : size < 8  ? 30000
                       : size < 60 ? 4000
                                   : 300;
  d.shape = some_shape(r, some_rank(r, d.kind), most);
  d.strided = r() % 2 == 0;
  const auto names = test::generators(d.type);
  static constexpr std::string_view partners[] = {"itself", "turned", "near", "ones"};
  d.x_data = r() % 8 == 0 ? std::string_view("far") : names[r() % names.size()];
  d.y_data = r() % 2 == 0 ? partners[r() % 4] : names[r() % names.size()];
  d.specials = is_floating(d.type) && r() % 6 == 0;
  weigh(r, d);
  draw_options(r, d);
  draw_axes(r, d);
  return d;
}

std::string describe(const Draw& d) {
  std::string s = d.names() + " of " + onefold::name_of(d.type) + " " + to_string(d.shape) + ", " +
                  name_of(d.kind);
  if (d.along_axes()) {
    s += " (";
    for (const bool f : d.folded) s += f ? "folded " : "kept ";
    s.back() = ')';
  }
  s += ", " + std::string(d.x_data) + (d.specials ? " with specials" : "");
  if (d.two()) s += " and " + std::string(d.y_data);
  if (d.strided) s += ", strided";
  if (d.selected != Selected::all) s += d.selected == Selected::by_bits ? ", bits" : ", bools";
  if (d.weighing == Weighing::weights) s += ", weights";
  if (d.weighing == Weighing::fweights) s += ", fweights";
  if (d.initial) s += ", initial";
  s += "," + test::describe(d.options);
  if (d.options.wide) s += " wide";
  if (d.options.empty_nan) s += " empty_nan";
  if (d.options.keepdims) s += " keepdims";
  return s;
}

}  // namespace onefold::law
