// The three verbs: what a request asks for is found out here, and nowhere else.
#include "onefold/engine/request/folds.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace {

enum class By { axes, segments, keys, labels, windows };
constexpr const char* names[] = {".axes", ".segments", ".keys", ".labels", ".windows"};
const char* name_of(By by) { return names[static_cast<int>(by)]; }

[[noreturn]] void refuse(const Request& r, const std::string& why) {
  throw Error(ErrorCode::bad_option, std::string(r.ops) + ": " + why);
}

// Refuses members that contradict each other.
By by_of(const Request& r) {
  By by = By::axes;
  const auto take = [&](bool given, By k) {
    if (!given) return;
    if (by != By::axes) {
      refuse(r, std::string(name_of(by)) + " and " + name_of(k) +
                    " were both given; pass only one of them");
    }
    by = k;
  };
  take(r.segments && !r.windows, By::segments);  // those of a scan say where it begins anew
  take(r.keys.has_value(), By::keys);
  take(r.labels.has_value(), By::labels);
  take(r.windows.has_value(), By::windows);
  if (r.groups != 0 && by != By::labels) {
    refuse(r, ".groups is " + std::to_string(r.groups) +
                  ", but .labels were not given; pass them, or leave .groups out");
  }
  return by;
}

By by_of_fold(const Request& r) {
  if (!r.parts.empty())
    refuse(r, ".parts apply to gather only; call gather, then answer() of the State");
  return by_of(r);
}

void check_gather(const Request& r) {
  const By by = by_of(r);
  if (by != By::axes) refuse(r, std::string(name_of(by)) + " cannot be gathered; use fold");
}

void refuse_deferred(const Request& r) {
  if (r.deferred) {
    refuse(r, ".deferred needs labels on a device, and outputs; this call waits for its answers");
  }
}

const ArrayRef* second(const Request& r) { return r.y ? &*r.y : nullptr; }
const ArrayRef* segments_of(const Request& r) { return r.segments ? &*r.segments : nullptr; }

}  // namespace

Answers fold(const Request& r) {
  const By by = by_of_fold(r);
  refuse_deferred(r);
  switch (by) {
    case By::segments:
      return fold_segments(r.ops, r.x, second(r), *r.segments, r.options);
    case By::keys:
      return fold_keys({r.ops, r.options}, *r.keys, r.x, second(r));
    case By::labels:
      return fold_labels({r.ops, r.options}, *r.labels, r.x, second(r), r.groups);
    case By::windows:
      return fold_windows(r.ops, r.x, second(r), *r.windows, segments_of(r), r.options);
    case By::axes:
      break;
  }
  return fold_axes(r.ops, r.x, second(r), r.options);
}

void fold(const Request& r, std::span<const OutputRef> outs) {
  const By by = by_of_fold(r);
  if (by != By::labels) refuse_deferred(r);
  if (by == By::keys) {
    refuse(r,
           "outputs cannot be preallocated for .keys, because the number of groups is known only "
           "at the end; call fold without outputs, or pass .labels");
  }
  if (by == By::axes) return fold_axes(outs, r.ops, r.x, second(r), r.options);
  for (const OutputRef& out : outs) {
    if (out.strides.rank() == 0) continue;
    refuse(r,
           "outputs of segments, labels and windows must be in C order; leave their strides out");
  }
  if (by == By::segments) {
    return fold_segments(outs, r.ops, r.x, second(r), *r.segments, r.options);
  }
  if (by == By::windows) {
    return fold_windows(outs, r.ops, r.x, second(r), *r.windows, segments_of(r), r.options);
  }
  fold_labels(outs, {r.ops, r.options}, *r.labels, r.x, second(r), r.groups, r.deferred);
}

State gather(const Request& r) {
  check_gather(r);
  if (!r.parts.empty()) return gather(r.ops, r.parts, r.options);
  return r.y ? gather(r.ops, r.x, *r.y, r.options) : gather(r.ops, r.x, r.options);
}

States gather_states(const Request& r) {
  check_gather(r);
  if (!r.parts.empty()) return gather_states(r.ops, r.parts, r.options);
  return r.y ? gather_states(r.ops, r.x, *r.y, r.options) : gather_states(r.ops, r.x, r.options);
}

// Short forms. Those along axes make no Request, which would take longer than a small fold.

Answers fold(std::string_view ops, const ArrayRef& x, const Options& options) {
  return fold_axes(ops, x, nullptr, options);
}
Answers fold(std::string_view ops, const ArrayRef& x, const ArrayRef& y, const Options& options) {
  return fold_axes(ops, x, &y, options);
}
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x,
               const Options& options) {
  fold_axes({&out, 1}, op, x, nullptr, options);
}
void fold_into(const OutputRef& out, std::string_view op, const ArrayRef& x, const ArrayRef& y,
               const Options& options) {
  fold_axes({&out, 1}, op, x, &y, options);
}
void fold_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
               const Options& options) {
  fold_axes(outs, ops, x, nullptr, options);
}
Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                      const Options& options) {
  return fold({.ops = ops, .x = x, .options = options, .segments = offsets});
}
Answers fold_by(std::string_view ops, const ArrayRef& keys, const ArrayRef& x,
                const Options& options) {
  return fold({.ops = ops, .x = x, .options = options, .keys = keys});
}
Answers fold_by(std::string_view ops, const ArrayRef& labels, const ArrayRef& x,
                const Labels& how) {
  return fold({.ops = ops, .x = x, .options = how.options, .labels = labels, .groups = how.groups});
}

}  // namespace onefold
