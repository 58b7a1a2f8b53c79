#include "law/random/trial.hpp"

#include <algorithm>
#include <stdexcept>

#include "law/random/judge.hpp"
#include "law/random/run.hpp"

namespace onefold::law {
namespace {

constexpr Size most_judged = 8;  // answers of one fold; an answer costs the oracle up to 1 ms

// The first, the last, and some between.
std::vector<Size> some_answers(Random& r, Size n) {
  std::vector<Size> list;
  for (Size i = 0; i < n && n <= most_judged; ++i) list.push_back(i);
  if (n <= most_judged) return list;
  list = {0, n - 1};
  while (list.size() < most_judged) list.push_back(r() % n);
  return list;
}

void count(Tally& tally, const Draw& d, Size answers) {
  const auto add = [&](const char* of, const std::string& name, Size n) {
    Judged& j = tally[of][name];
    ++j.folds;
    j.answers += n;
  };
  const Size all = answers * d.ops.size();
  add("kind", name_of(d.kind), all);
  add("type", onefold::name_of(d.type), all);
  for (const OpRow* op : d.ops) add("op", op->name, answers);
  if (d.strided) add("with", "strides", all);
  if (d.selected != Selected::all) add("with", "mask", all);
  if (d.weighing == Weighing::weights) add("with", "weights", all);
  if (d.weighing == Weighing::fweights) add("with", "fweights", all);
  if (d.initial) add("with", "initial", all);
  if (d.options.nan == NanPolicy::omit) add("with", "omit", all);
  if (d.options.nan == NanPolicy::raise) add("with", "raise", all);
  if (d.options.ddof != Correction()) add("with", "ddof", all);
  if (d.options.result) add("with", "result", all);
  if (d.options.threads != 1) add("with", "threads", all);
}

// Another number of threads, another instruction set, copies without holes.
Way other_way(const Draw& d) {
  Random r(d.seed + 10);
  Way way{.threads = d.options.threads == 1 ? 3 : 1, .target = d.options.target};
  const auto targets = cpu_targets();
  if (!d.by_groups()) way.target = targets[r() % targets.size()];
  way.in_order = d.strided && r() % 2 == 0;
  return way;
}

std::string differences(const Problem& p, const Values& a, const Values& b) {
  for (Size k = 0; k < a.size(); ++k) {
    for (Size i = 0; i < a[k].size(); ++i) {
      const bool same = a[k][i].status == b[k][i].status &&
                        (a[k][i].status != Status::ok || a[k][i].bits == b[k][i].bits);
      if (same) continue;
      Judge judge(p, i);
      std::string s = judge.wrong(*p.draw.ops[k], a[k][i]);
      if (s.empty()) s = "in another way " + judge.wrong(*p.draw.ops[k], b[k][i]);
      return "answer " + std::to_string(i) + ": " + s + "; " + judge.elements();
    }
  }
  return "";
}

std::string judged(const Draw& d, Tally* tally) {
  const Problem p(d);
  const Values got = run(p, {.threads = d.options.threads, .target = d.options.target});
  const std::string other = differences(p, got, run(p, other_way(d)));
  if (!other.empty()) return other;
  Random r(d.seed + 11);
  const std::vector<Size> some = some_answers(r, p.answers());
  for (const Size i : some) {
    Judge judge(p, i);
    for (Size k = 0; k < d.ops.size(); ++k) {
      const std::string s = judge.wrong(*d.ops[k], got[k][i]);
      if (!s.empty()) return "answer " + std::to_string(i) + ": " + s + "; " + judge.elements();
    }
  }
  if (tally != nullptr) count(*tally, d, some.size());
  return "";
}

// Returns a smaller draw that is still wrong, if `change` leads to one. Other data are tried, too.
template <class F>
bool try_change(Draw& d, F change) {
  Draw next = d;
  if (!change(next)) return false;
  for (uint64_t k = 0; k < 8; ++k) {
    if (wrong(next)) {
      d = next;
      return true;
    }
    next.seed += 0x9e3779b97f4a7c15u;
  }
  return false;
}

bool shrink_ops(Draw& d) {
  bool any = false;
  for (Size k = 0; d.ops.size() > 1 && k < d.ops.size();) {
    const bool smaller = try_change(d, [k](Draw& next) {
      next.ops.erase(next.ops.begin() + static_cast<std::ptrdiff_t>(k));
      return true;
    });
    any |= smaller;
    k += smaller ? 0 : 1;
  }
  return any;
}

bool shrink_shape(Draw& d) {
  bool any = false;
  for (int axis = 0; axis < d.shape.rank(); ++axis) {
    for (const int64_t by : {2, 1}) {
      while (try_change(d, [&](Draw& next) {
        int64_t& extent = next.shape[axis];
        const int64_t less = by == 2 ? extent / 2 : extent - 1;
        if (extent < 1 || less == extent) return false;
        extent = less;
        return true;
      })) {
        any = true;
      }
    }
  }
  return any;
}

bool shrink_options(Draw& d) {
  bool any = false;
  const auto drop = [&](auto change) {
    any |= try_change(d, [&](Draw& next) { return change(next); });
  };
  const auto reset = [](auto& value, auto to) {
    const bool other = value != to;
    value = to;
    return other;
  };
  drop([&](Draw& n) { return reset(n.strided, false); });
  drop([&](Draw& n) { return reset(n.selected, Selected::all); });
  drop([&](Draw& n) { return reset(n.weighing, Weighing::none); });
  drop([&](Draw& n) { return reset(n.initial, false); });
  drop([&](Draw& n) { return reset(n.specials, false); });
  drop([&](Draw& n) { return reset(n.options.result, std::optional<DType>()); });
  drop([&](Draw& n) { return reset(n.options.wide, false); });
  drop([&](Draw& n) { return reset(n.options.empty_nan, false); });
  drop([&](Draw& n) { return reset(n.options.keepdims, false); });
  drop([&](Draw& n) { return reset(n.options.nan, NanPolicy::propagate); });
  drop([&](Draw& n) { return reset(n.options.ddof, Correction()); });
  drop([&](Draw& n) { return reset(n.options.threads, 1); });
  drop([&](Draw& n) { return reset(n.options.target, std::string_view()); });
  return any;
}

}  // namespace

std::optional<std::string> wrong(const Draw& d, Tally* tally) {
  std::string s;
  try {
    s = judged(d, tally);
  } catch (const std::exception& e) {
    s = std::string("throws: ") + e.what();
  }
  return s.empty() ? std::nullopt : std::optional(s);
}

Draw shrunk(const Draw& d) {
  Draw small = d;
  for (int round = 0; round < 4; ++round) {
    const bool ops = shrink_ops(small), options = shrink_options(small),
               shape = shrink_shape(small);
    if (!ops && !options && !shape) break;
  }
  return small;
}

}  // namespace onefold::law
