// Folds windows of one axis.
#include "onefold/engine/request/windows.hpp"

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/request/borders.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/segments.hpp"

namespace onefold {
namespace {

void refuse_options(const std::string& where, const Options& given) {
  const char* const option =
      option_beside(given, {".axes", ".nan", ".result", ".wide", ".ddof", ".where", ".initial",
                            ".empty_nan", ".device", ".stream", ".threads", ".target"});
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option,
              where + ": " + option + " is not supported for windows; leave it out");
}

// Returns the one folded axis.
int axis_of(const ArrayRef& x, const Options& options, const std::string& where) {
  const int rank = x.shape.rank();
  const std::vector<bool> fold =
      folded_axes(options.axes, rank, "shape " + to_string(x.shape), where);
  int axis = -1, count = 0;
  for (int d = 0; d < rank; ++d) {
    if (fold[static_cast<std::size_t>(d)]) axis = d, ++count;
  }
  if (count != 1) {
    throw Error(ErrorCode::bad_axis, where + ": windows need one axis, but " +
                                         std::to_string(count) + " axes of shape " +
                                         to_string(x.shape) + " were given; pass one with .axes");
  }
  return axis;
}

void check_list(const ArrayRef& given, const char* name, const std::string& where) {
  check_array(given, where + ": " + name);
  if (given.dtype != DType::i32 && given.dtype != DType::i64) {
    throw Error(ErrorCode::type_mismatch, where + ": " + name + " is of type " +
                                              name_of(given.dtype) + "; it must be of i32 or i64");
  }
  if (given.shape.rank() != 1) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": " + name + " has shape " + to_string(given.shape) +
                    "; it must have one dimension, with one number per window");
  }
}

bool is_on_device(const ArrayRef& list) { return list.device.type == Device::Type::cuda; }

// Begins and ends on a device are checked by the fold itself; only the sum of lengths is found
// before.
void leave_there(const ArrayRef& begin, const ArrayRef& end, const ArrayRef& x,
                 const Options& options, Size n, const std::string& where, backend::Windows& w) {
  const Device folding = x.device.type == Device::Type::cuda ? x.device : options.device;
  if (begin.device != end.device || begin.device != folding) {
    throw Error(ErrorCode::bad_option, where +
                                           ": .begin or .end of windows is on another device; copy "
                                           "both to the device of the array");
  }
  for (const ArrayRef* list : {&begin, &end}) {
    if (list->strides[0] == bytes_of(list->dtype) || list->shape[0] < 2) continue;
    throw Error(ErrorCode::bad_option, where + ": begins or ends of windows are " +
                                           std::to_string(list->strides[0]) +
                                           " bytes apart; on a device they must be contiguous");
  }
  if (begin.dtype != end.dtype) {
    throw Error(ErrorCode::type_mismatch, where + ": begin is " + name_of(begin.dtype) +
                                              " and end is " + name_of(end.dtype) +
                                              "; on a device both must have the same type");
  }
  if (w.count == 0) return;
  w.begins_there = begin.data;
  w.ends_there = end.data;
  w.narrow = begin.dtype == DType::i32;
  const auto sum = [&](const ArrayRef& list) {
    return fold("sum", list,
                {.result = DType::f64, .device = list.device, .stream = options.stream})
        .get<double>("sum");
  };
  w.widths = static_cast<Size>(std::clamp(sum(end) - sum(begin), 0.0,
                                          static_cast<double>(w.count) * static_cast<double>(n)));
}

// Refuses a border that lies outside 0 .. most.
void check_border(const char* name, std::size_t i, int64_t value, int64_t most,
                  const std::string& where) {
  if (0 <= value && value <= most) return;
  throw Error(ErrorCode::bad_option,
              where + ": " + name + "[" + std::to_string(i) + "] is " + std::to_string(value) +
                  "; it must be 0.." + std::to_string(most) +
                  ", because a window must begin before its end and lie within its axis");
}

backend::Windows windows_of(const Windows& given, const ArrayRef& x, Size n, const Options& options,
                            const std::string& where) {
  backend::Windows w{.n = n, .least = given.least};
  if (given.begin || given.end) {
    if (!given.begin || !given.end) {
      throw Error(
          ErrorCode::bad_option,
          where + ": .begin and .end of windows must be given together, but one is missing");
    }
    if (given.width != 0 || given.ahead != 0 || given.step != 1) {
      throw Error(ErrorCode::bad_option, where +
                                             ": windows are given by .begin and .end or by .width, "
                                             ".ahead and .step; leave one kind out");
    }
    check_list(*given.begin, "begin", where);
    check_list(*given.end, "end", where);
    if (given.begin->shape != given.end->shape) {
      throw Error(ErrorCode::shape_mismatch,
                  where + ": begin has " + std::to_string(given.begin->shape[0]) +
                      " elements and end has " + std::to_string(given.end->shape[0]) +
                      "; each window needs both");
    }
    w.count = static_cast<Size>(given.end->shape[0]);
    if (is_on_device(*given.begin) || is_on_device(*given.end)) {
      leave_there(*given.begin, *given.end, x, options, n, where, w);
      return w;
    }
    w.begins = borders_of(*given.begin);
    w.ends = borders_of(*given.end);
    for (std::size_t i = 0; i < w.ends.size(); ++i) {
      check_border("end", i, w.ends[i], static_cast<int64_t>(n), where);
      check_border("begin", i, w.begins[i], w.ends[i], where);
    }
    return w;
  }
  constexpr Size most = Size{1} << 62;
  if (given.step == 0 || given.step > most) {
    throw Error(ErrorCode::bad_option,
                where + ": the .step between windows is 0; it must be at least 1");
  }
  if (given.width > most || given.ahead > static_cast<int64_t>(most) ||
      given.ahead < -static_cast<int64_t>(most)) {
    throw Error(ErrorCode::bad_option, where + ": the .width or .ahead of windows is beyond 2^62");
  }
  w.width = given.width;
  w.ahead = given.ahead;
  w.step = given.step;
  w.count = n / given.step + (n % given.step != 0 ? 1 : 0);
  return w;
}

}  // namespace

PlacedWindows place_windows(const Windows& given, const ArrayRef& x, const ArrayRef* y,
                            const Options& options, const std::string& where) {
  check_array(x, where);
  const int axis = axis_of(x, options, where);
  PlacedWindows p{windows_of(given, x, static_cast<Size>(x.shape[axis]), options, where), x.shape,
                  1};
  p.shape[axis] = static_cast<int64_t>(p.windows.count);
  p.windows.nest = {.bytes = bytes_of(x.dtype)};
  Dims mask = x.strides;
  if (options.where) {
    mask = mask_strides(x, *options.where, where);
    p.windows.nest.origin[2] = static_cast<int64_t>(options.where->first);
  }
  const ArrayRef& second = y != nullptr ? *y : x;
  std::vector<Axis> kept;
  for (int d = x.shape.rank(); d-- > 0;) {
    const Axis a{.extent = static_cast<Size>(x.shape[d]),
                 .stride = {x.strides[d], second.strides[d], options.where ? mask[d] : 0},
                 .step = d == axis ? 1 : static_cast<int64_t>(p.answers),
                 .folded = d == axis};
    if (d == axis) {
      p.windows.apart = p.answers;
      p.windows.nest.axes.push_back(a);
    } else {
      kept.insert(kept.begin(), a);
    }
    p.answers *= static_cast<Size>(p.shape[d]);
  }
  p.windows.nest.axes.insert(p.windows.nest.axes.end(), kept.begin(), kept.end());
  return p;
}

namespace {

// Lets a scan begin anew at offsets.
void begin_anew(backend::Windows& w, const Windows& given, const ArrayRef& offsets, bool on_device,
                const std::string& where) {
  if (!w.is_scan() || given.begin || w.step != 1 || (w.ahead != 0 && w.ahead != -1)) {
    throw Error(ErrorCode::bad_option,
                where +
                    ": .segments apply only to scans; for a scan pass .width 0, .step 1 and .ahead "
                    "0 or -1, and leave out .begin and .end");
  }
  check_offsets(offsets, where);
  std::vector<int64_t> numbers = numbers_of(offsets, w.n, where);
  if (numbers.front() != 0 || static_cast<Size>(numbers.back()) != w.n) {
    throw Error(ErrorCode::bad_option, where + ": the offsets of a scan's segments go from " +
                                           std::to_string(numbers.front()) + " to " +
                                           std::to_string(numbers.back()) +
                                           "; they must go from 0 to " + std::to_string(w.n) +
                                           ", because each element has an answer");
  }
  if (on_device) {
    w.anew = std::move(numbers);
    return;
  }
  w.begins.resize(w.n);
  w.ends.resize(w.n);
  for (std::size_t s = 1; s < numbers.size(); ++s) {
    for (int64_t i = numbers[s - 1]; i < numbers[s]; ++i) {
      w.begins[static_cast<Size>(i)] = numbers[s - 1];
      w.ends[static_cast<Size>(i)] = std::max(numbers[s - 1], i + 1 + w.ahead);
    }
  }
  w.ahead = 0;
}

}  // namespace

void refuse_bad_windows(const Plan& plan, const backend::Windows& windows, const Status* found) {
  for (Size a = 0; a < plan.answers && windows.are_there(); ++a) {
    if (found[a] != Status::bad_offsets) continue;
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) + ": window " +
                    std::to_string(a / windows.apart % windows.count) +
                    " ends before it begins, or lies outside its axis, which has " +
                    std::to_string(windows.n) + " elements");
  }
}

namespace {

struct WindowsFold {
  Plan plan;
  backend::Windows windows;
};

WindowsFold windowed(const Query& query, const ArrayRef& x, const ArrayRef* y, const Windows& given,
                     const ArrayRef* offsets = nullptr) {
  const Options& options = query.options;
  const std::string where = query.names();
  refuse_options(where, options);
  check_array(x, where);
  axis_of(x, options, where);
  WindowsFold f{.plan = backend::checked(query.plan(x, y)), .windows = {}};
  PlacedWindows placed = place_windows(given, x, y, options, where);
  f.windows = std::move(placed.windows);
  if (offsets != nullptr) {
    begin_anew(f.windows, given, *offsets, f.plan.device.type == Device::Type::cuda, where);
  }
  f.plan.output = placed.shape;
  f.plan.answers = placed.answers;
  if (given.least != 0) {
    f.plan.needs = f.plan.needs | (y == nullptr ? Accumulator::tally : Accumulator::pairs);
    f.plan.layout = layout_of(f.plan.needs, f.plan.dtype);
  }
  return f;
}

void run(const WindowsFold& f, const ArrayRef& x, const ArrayRef* y,
         std::span<const backend::Output> places) {
  if (f.plan.answers == 0) return;
  backend::fold({.plan = f.plan,
                 .x = x.data,
                 .y = y != nullptr ? y->data : nullptr,
                 .outputs = places,
                 .windows = &f.windows});
}

Answers fold_all(const WindowsFold& f, const ArrayRef& x, const ArrayRef* y) {
  Output output(f.plan);
  const std::vector<backend::Output> places = output.all_places();
  run(f, x, y, places);
  refuse_bad_windows(f.plan, f.windows, places[0].status);
  return output.take(f.plan.output);
}

}  // namespace

Answers fold_windows(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                     const Windows& windows, const ArrayRef* offsets, const Options& options) {
  return fold_all(windowed(Query(ops, options), x, y, windows, offsets), x, y);
}

Answers fold_windows(const Query& query, const ArrayRef& x, const ArrayRef* y,
                     const Windows& windows, std::span<const DecimalTerm> terms,
                     std::span<const ScanSegment> segments) {
  if (!segments.empty() && query.options.device.type == Device::Type::cuda) {
    throw Error(
        ErrorCode::bad_option,
        query.names() + ": scans of tables are computed on the CPU only; choose the device cpu");
  }
  WindowsFold f = windowed(query, x, y, windows);
  f.windows.terms = terms;
  f.windows.segments = segments;
  return fold_all(f, x, y);
}

namespace {

// Whether some window has no element of its line.
bool some_are_empty(const backend::Windows& w) {
  if (w.are_there()) return true;
  if (!w.ends.empty()) return !std::ranges::equal(w.begins, w.ends, std::less());
  return w.count != 0 && (w.end(0) == 0 || w.begin(w.count - 1) >= w.n);
}
// Whether an answer of an op may have another status than ok.
bool may_fail_of(const WindowsFold& f, std::size_t op) {
  if (f.windows.are_there()) return true;
  const bool too_few = f.windows.least != 0 && !is_floating(f.plan.results[op]),
             nan = f.plan.empty_nan && nan_when_empty(f.plan, op),
             empty = f.plan.ops[op]->about->needs_element && !f.plan.initial && !nan &&
                     some_are_empty(f.windows);
  return too_few || empty || may_fail(f.plan, op);
}

}  // namespace

void fold_windows(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                  const ArrayRef* y, const Windows& windows, const ArrayRef* offsets,
                  const Options& options) {
  const WindowsFold f = windowed(Query(ops, options), x, y, windows, offsets);
  const std::vector<backend::Output> places = check_outputs(f.plan, outs);
  if (f.plan.device.type == Device::Type::cuda) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k].status != nullptr || !may_fail_of(f, k)) continue;
      throw Error(ErrorCode::bad_option, names_of(f.plan.ops) +
                                             ": an output on a device needs statuses, because an "
                                             "answer may be an error; pass them");
    }
    return run(f, x, y, places);
  }
  write_answers(f.plan, places, fold_all(f, x, y));
}

}  // namespace onefold
