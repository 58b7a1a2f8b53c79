// The sums are fixed-point numbers (exact/limbs.hpp) of up to three factors, so nothing is rounded
// before the quotient of an answer. On the host only; no states.
//
//   cost  8 to 25 ns an element: each product is added as digits of 32 bits
#include "api/weighted.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "api/weighted_sums.hpp"
#include "parallel.hpp"
#include "plan/check.hpp"
#include "plan/plan.hpp"

namespace onefold {
namespace {

using namespace weighted;

struct Row {
  std::string_view op;
  int inputs;
  Name name;
  unsigned terms;  // beside the sum of the weights
};
constexpr unsigned squares = bit(xx) | bit(yy) | bit(xy),
                   line = bit(x) | bit(y) | bit(xx) | bit(xy);
constexpr Row rows[] = {
    {"var", 1, Name::var, bit(x) | bit(xx)}, {"std", 1, Name::std, bit(x) | bit(xx)},
    {"mse", 2, Name::mse, squares},          {"rmse", 2, Name::rmse, squares},
    {"mae", 2, Name::mae, bit(distance)},    {"cov", 2, Name::cov, bit(x) | bit(y) | bit(xy)},
    {"corr", 2, Name::corr, line | bit(yy)}, {"slope", 2, Name::slope, line},
    {"intercept", 2, Name::intercept, line}};

const Row* find_row(std::string_view op, int inputs) {
  const auto* const found =
      std::ranges::find_if(rows, [&](const Row& r) { return r.op == op && r.inputs == inputs; });
  return found == std::end(rows) ? nullptr : found;
}

// The mean is that of `average`, whose second array the weights are.
bool is_mean(std::string_view op) { return op == "mean" || op == "average"; }

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::bad_option, message);
}

// An array of the request: bytes from its first element to the next one along each axis.
struct Reader {
  const std::byte* data = nullptr;
  Dims strides = {};
};

struct Weighted {
  const Plan& plan;
  std::vector<const Row*> rows;
  unsigned terms = bit(one);  // all sums that are needed
  Reader x = {}, y = {}, w = {};
  const Mask* mask = nullptr;
  Dims mask_strides = {};
  std::vector<int> kept = {}, folded = {};  // axes
  Dims shape = {};
  Size elements = 1;
};

// Visits elements begin..end of an answer, in C order of the folded axes.
template <class T>
void gather(const Weighted& g, Size answer, Size begin, Size end, Moments<T>& m) {
  if (begin == end) return;
  int64_t at_x = 0, at_y = 0, at_w = 0;
  int64_t at_mask = g.mask != nullptr ? static_cast<int64_t>(g.mask->first) : 0;
  std::array<int64_t, max_rank> index{};
  const auto step = [&](int axis, int64_t steps) {
    at_x += g.x.strides[axis] * steps;
    at_w += g.w.strides[axis] * steps;
    if (g.y.data != nullptr) at_y += g.y.strides[axis] * steps;
    if (g.mask != nullptr) at_mask += g.mask_strides[axis] * steps;
  };
  const auto go_to = [&](const std::vector<int>& axes, Size i) {
    for (std::size_t k = axes.size(); k-- > 0;) {
      const auto extent = static_cast<Size>(g.shape[axes[k]]);
      index[static_cast<std::size_t>(axes[k])] = static_cast<int64_t>(i % extent);
      step(axes[k], static_cast<int64_t>(i % extent));
      i /= extent;
    }
  };
  go_to(g.kept, answer);
  go_to(g.folded, begin);
  const auto element = [](const Reader& from, int64_t at) {
    T v{};
    if (from.data != nullptr) std::memcpy(&v, from.data + at, sizeof v);
    return v;
  };
  const auto counts = [&] {
    if (g.mask == nullptr) return true;
    const auto* const flags = static_cast<const std::byte*>(g.mask->array.data);
    if (!g.mask->bits) return flags[at_mask] != std::byte{0};
    return (std::to_integer<int>(flags[at_mask >> 3]) >> (at_mask & 7) & 1) != 0;
  };
  const bool omits = g.plan.nan == NanPolicy::omit, two = g.y.data != nullptr;
  for (Size i = begin; i < end; ++i) {
    if (counts()) {
      m.take(g.terms, two, element(g.x, at_x), element(g.y, at_y), element(g.w, at_w), omits);
    }
    for (std::size_t k = g.folded.size(); k-- > 0;) {
      const int axis = g.folded[k];
      int64_t& place = index[static_cast<std::size_t>(axis)];
      step(axis, 1);
      if (++place < g.shape[axis]) break;
      step(axis, -g.shape[axis]);
      place = 0;
    }
  }
  m.carry_all(g.terms);
}

template <class T>
void put(const Weighted& g, Size answer, const Moments<T>& m, Answers& to) {
  for (std::size_t k = 0; k < g.rows.size(); ++k) {
    Answer& a = to.list[k];
    const bool found = g.plan.nan == NanPolicy::raise && m.nan != 0;
    const Rounded r =
        found ? Rounded{0, Status::nan_found} : round(m.answer(g.rows[k]->name), a.dtype);
    std::memcpy(a.data.data() + answer * bytes_of(a.dtype), &r.bits, bytes_of(a.dtype));
    a.status[answer] = r.status;
  }
}

template <class T>
void run(const Weighted& g, Answers& to) {
  constexpr Size part = Size{1} << 14;  // elements, some 0.3 ms
  const Size answers = g.plan.answers, chunks = std::clamp<Size>(g.elements / part, 1, 64);
  if (answers >= chunks) {  // answers are divided among threads
    const Size block = std::max<Size>(1, part / std::max<Size>(g.elements, 1));
    parallel((answers + block - 1) / block, g.plan.threads, [&](Size task) {
      const auto m = std::make_unique<Moments<T>>(g.terms);
      for (Size a = task * block; a < std::min(answers, (task + 1) * block); ++a) {
        m->clear(g.terms);
        gather(g, a, 0, g.elements, *m);
        put(g, a, *m, to);
      }
    });
    return;
  }
  for (Size a = 0; a < answers; ++a) {
    std::vector<std::unique_ptr<Moments<T>>> parts(chunks);
    parallel(chunks, g.plan.threads, [&](Size c) {
      parts[c] = std::make_unique<Moments<T>>(g.terms);
      gather(g, a, g.elements * c / chunks, g.elements * (c + 1) / chunks, *parts[c]);
    });
    for (Size c = 1; c < chunks; ++c) parts[0]->merge(*parts[c], g.terms);
    put(g, a, *parts[0], to);
  }
}

std::string list_of(int inputs) {
  std::string text;
  for (const std::string_view op : weighted_ops(inputs))
    text += (text.empty() ? "" : ", ") + std::string(op);
  return text;
}

// Refuses what weights do not go with.
void check(const std::vector<const OpRow*>& ops, const ArrayRef& x, const ArrayRef* y,
           const Options& options) {
  const std::string where = names_of(ops);
  if (options.fweights) refuse(where + ": .weights and .fweights were given; give one of them");
  for (const OpRow* op : ops) {
    if (find_row(op->name, y == nullptr ? 1 : 2) != nullptr || (y == nullptr && is_mean(op->name)))
      continue;
    refuse(std::string(op->name) + ": .weights has no meaning for it, only for " + list_of(1) +
           ", and for " + list_of(2) + " of two arrays; .fweights repeat elements of any op");
  }
  if (options.ddof != Correction()) {
    refuse(where + ": ddof is a number of elements, and .weights do not count any; .fweights do");
  }
  if (options.initial) refuse(where + ": .initial has no weight");
  check_array(*options.weights, where + ": the weights");
  if (options.weights->dtype != x.dtype) {
    throw Error(ErrorCode::type_mismatch,
                where + ": the array is " + name_of(x.dtype) + " and the weights " +
                    name_of(options.weights->dtype) + "; they must be of one type");
  }
}

}  // namespace

std::vector<std::string_view> weighted_ops(int inputs) {
  std::vector<std::string_view> ops;
  if (inputs == 1) ops = {"average", "mean"};
  for (const Row& r : rows) {
    if (r.inputs == inputs) ops.push_back(r.op);
  }
  return ops;
}

bool is_weighted(std::string_view ops, const ArrayRef* y, const Options& options) {
  return options.weights.has_value() && (y != nullptr || ops != "average");
}

Answers fold_weighted(std::string_view names, const ArrayRef& x, const ArrayRef* y,
                      const Options& options) {
  const std::vector<const OpRow*> ops = parse_ops(names);
  check(ops, x, y, options);
  const std::string where(names);
  Options own = options;
  own.weights.reset();
  std::string others;  // the ops that this file computes
  for (const OpRow* op : ops) {
    if (!is_mean(op->name)) others += (others.empty() ? "" : ",") + std::string(op->name);
  }
  Answers found;
  if (!others.empty()) {
    const Plan plan = make_plan(others, x, y, own);
    if (plan.device.type == Device::Type::cuda) {
      refuse(where + ": .weights of arrays on a device are for average only");
    }
    Weighted g{.plan = plan, .rows = {}};
    g.shape = x.shape;
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      g.rows.push_back(find_row(plan.ops[k]->name, plan.inputs));
      g.terms |= g.rows.back()->terms;
      Answer a;
      a.op = plan.ops[k]->name;
      a.dtype = plan.results[k];
      a.shape = plan.output;
      a.data.resize(plan.answers * bytes_of(a.dtype));
      a.status.resize(plan.answers);
      found.list.push_back(std::move(a));
    }
    g.x = {static_cast<const std::byte*>(x.data), x.strides};
    if (y != nullptr) g.y = {static_cast<const std::byte*>(y->data), y->strides};
    g.w = {static_cast<const std::byte*>(options.weights->data),
           broadcast_strides(x, *options.weights, "the weights", where)};
    if (options.where) {
      g.mask = &*options.where;
      g.mask_strides = mask_strides(x, *options.where, where);
    }
    const std::vector<bool> fold = folded_axes(options.axes, x.shape.rank(), {}, where);
    for (int d = 0; d < x.shape.rank(); ++d) {
      (fold[static_cast<std::size_t>(d)] ? g.folded : g.kept).push_back(d);
    }
    for (const int d : g.folded) g.elements *= static_cast<Size>(x.shape[d]);
    visit(x.dtype, [&]<class T>() { run<T>(g, found); });
  }
  Answers all;
  std::size_t next = 0;
  for (const OpRow* op : ops) {
    if (!is_mean(op->name)) {
      all.list.push_back(std::move(found.list[next++]));
      continue;
    }
    own.weights = options.weights;
    all.list.push_back(fold("average", x, own).list[0]);
    all.list.back().op = op->name;
  }
  return all;
}

}  // namespace onefold
