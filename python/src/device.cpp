#include "device.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "files.hpp"
#include "fold.hpp"
#include "numpy.hpp"
#include "onefold/fold.hpp"
#include "onefold/matmul.hpp"
#include "onefold/numbered_keys.hpp"
#include "onefold/planned.hpp"
#include "request.hpp"
#include "view.hpp"
#include "windows.hpp"

namespace nb = nanobind;

namespace onefold::python {

const ArrayRef& array_on_device(const std::string& ops, nb::handle x) {
  const ArrayRef* const ref = array_of_view(x.ptr());
  if (ref == nullptr || ref->device.type != Device::Type::cuda) {
    throw Error(ErrorCode::type_mismatch,
                ops + ": a " + name_of_type(x.ptr()) + " is not in the memory of a device");
  }
  return *ref;
}

Options options_there(const std::string& ops, const ArrayRef& x, uintptr_t stream,
                      const nb::dict& keywords) {
  Options o = options_of(ops.c_str(), keywords);
  const auto given = [&](const char* name) -> std::optional<ArrayRef> {
    PyObject* const array = item(keywords, name);
    if (array == nullptr) return {};
    return array_on_device(ops + ": " + name + "=", array);
  };
  if (const auto where = given("where")) o.where = Mask(*where);
  o.weights = given("weights");
  o.fweights = given("fweights");
  o.device = x.device;
  o.stream = reinterpret_cast<void*>(stream);
  return o;
}

namespace {

// Plans a fold on a stream; Python then allocates the outputs.
//   stream  as an integer; 0 is CUDA's default
PlannedFold plan_fold(const std::string& ops, nb::handle x, nb::handle y, uintptr_t stream,
                      const nb::dict& keywords) {
  const ArrayRef& a = array_on_device(ops, x);
  return {ops, a, y.is_none() ? nullptr : &array_on_device(ops, y),
          options_there(ops, a, stream, keywords)};
}

// Returns the outputs at these addresses in the device's memory, one for each op, in C order.
//   status  addresses, or empty
std::vector<OutputRef> places_of(std::span<const PlannedFold::Op> ops, const Dims& shape,
                                 const std::vector<uintptr_t>& outs,
                                 const std::vector<uintptr_t>& status) {
  std::vector<OutputRef> places;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    places.emplace_back(reinterpret_cast<void*>(outs.at(i)), ops[i].dtype, shape,
                        status.empty() ? nullptr : reinterpret_cast<Status*>(status.at(i)));
  }
  return places;
}

void run(const PlannedFold& fold, const std::vector<uintptr_t>& outs,
         const std::vector<uintptr_t>& status) {
  const std::vector<OutputRef> places = places_of(fold.ops(), fold.shape(), outs, status);
  const WithoutGil released;
  fold.into(places);
}

// Runs the plan for tensors with the planned layout; no answer may fail. `y` is 0 for ops of one
// array. Without statuses the driver is asked about fewer addresses.
void run_at(const PlannedFold& fold, uintptr_t x, uintptr_t y, const std::vector<uintptr_t>& outs) {
  const std::vector<OutputRef> places = places_of(fold.ops(), fold.shape(), outs, {});
  const WithoutGil released;
  fold.into(places, reinterpret_cast<const void*>(x), reinterpret_cast<const void*>(y));
}

// Does the same with a mask or weights, whose address is 0 if there are none.
void run_beside(const PlannedFold& fold, uintptr_t x, uintptr_t y, uintptr_t mask,
                uintptr_t weights, const std::vector<uintptr_t>& outs) {
  const std::vector<OutputRef> places = places_of(fold.ops(), fold.shape(), outs, {});
  const auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const WithoutGil released;
  fold.into(places, {at(x), at(y), at(mask), at(weights)});
}

// Returns the outputs for the answers of segments or groups, which are their first axis.
//   one  the plan of a single segment or group
std::vector<OutputRef> places_of(const PlannedFold& one, Size count,
                                 const std::vector<uintptr_t>& outs,
                                 const std::vector<uintptr_t>& status) {
  Dims shape(static_cast<int64_t>(count));
  for (const int64_t extent : one.shape()) shape.push_back(extent);
  return places_of(one.ops(), shape, outs, status);
}

ArrayRef moved(ArrayRef array, uintptr_t to) {
  array.data = reinterpret_cast<const void*>(to);
  return array;
}

// A fold of segments. The keywords have the second array, too.
class PlannedSegments {
 public:
  PlannedSegments(std::string ops, nb::handle x, nb::handle offsets, Size count, PlannedFold one,
                  uintptr_t stream, const nb::dict& keywords)
      : ops_(std::move(ops)),
        x_(array_on_device(ops_, x)),
        offsets_(array_on_device(ops_ + ": the offsets", offsets)),
        options_(options_there(ops_, x_, stream, keywords)),
        one_(std::move(one)),
        count_(count) {
    PyObject* const y = item(keywords, "y");
    if (y != nullptr) y_ = array_on_device(ops_ + ": y", y);
  }
  // Queues the fold; outputs as for `run`, with an answer for each segment.
  void run(const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status) const {
    queue(x_, y_, offsets_, outs, status);
  }
  // Does the same for tensors with the layouts of the planned ones.
  void run_at(uintptr_t x, uintptr_t y, uintptr_t offsets, const std::vector<uintptr_t>& outs,
              const std::vector<uintptr_t>& status) const {
    queue(moved(x_, x), y_ ? std::optional(moved(*y_, y)) : y_, moved(offsets_, offsets), outs,
          status);
  }

 private:
  void queue(const ArrayRef& x, const std::optional<ArrayRef>& y, const ArrayRef& offsets,
             const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status) const {
    const std::vector<OutputRef> places = places_of(one_, count_, outs, status);
    const WithoutGil released;
    fold({.ops = ops_, .x = x, .y = y, .options = options_, .segments = offsets}, places);
  }

  std::string ops_;
  ArrayRef x_, offsets_;
  std::optional<ArrayRef> y_;
  Options options_;
  PlannedFold one_;
  Size count_;
};
PlannedSegments plan_segments(const std::string& ops, nb::handle x, nb::handle offsets, Size count,
                              const PlannedFold& one, uintptr_t stream, const nb::dict& keywords) {
  return {ops, x, offsets, count, one, stream, keywords};
}

// Folds groups by labels; outputs are as for `run`, with one answer for each group. Waits, unless
// the fold is deferred.
void fold_by_on_device(const std::string& ops, nb::handle labels, nb::handle x, Size groups,
                       const PlannedFold& one, const std::vector<uintptr_t>& outs,
                       const std::vector<uintptr_t>& status, uintptr_t stream,
                       const nb::dict& keywords, bool deferred) {
  const ArrayRef &a = array_on_device(ops, x),
                 &keys = array_on_device(ops + ": the labels", labels);
  const Request request{.ops = ops,
                        .x = a,
                        .options = options_there(ops, a, stream, keywords),
                        .labels = keys,
                        .groups = groups,
                        .deferred = deferred};
  const std::vector<OutputRef> places = places_of(one, groups, outs, status);
  const WithoutGil released;
  fold(request, places);
}

// A fold of windows.
class PlannedWindows {
 public:
  //   rule   as fold_windows takes it
  //   one    the plan of a fold along their axis, which has the types
  //   shape  of the outputs
  PlannedWindows(std::string ops, nb::handle x, nb::handle y, const nb::tuple& rule,
                 PlannedFold one, const std::vector<int64_t>& shape, uintptr_t stream,
                 const nb::dict& keywords)
      : ops_(std::move(ops)),
        x_(array_on_device(ops_, x)),
        rule_(std::make_unique<ReadWindows>()),
        options_(options_there(ops_, x_, stream, keywords)),
        one_(std::move(one)) {
    if (!y.is_none()) y_ = array_on_device(ops_, y);
    rule_->read(ops_, rule);  // a Rule has ndarrays, which need no conversion
    for (const int64_t extent : shape) shape_.push_back(extent);
  }
  // Queues the fold; outputs as for `run`.
  void run(const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status) const {
    queue(x_, y_, outs, status);
  }
  // Does the same for tensors with the layouts of the planned ones; no answer may fail.
  void run_at(uintptr_t x, uintptr_t y, const std::vector<uintptr_t>& outs) const {
    queue(moved(x_, x), y_ ? std::optional(moved(*y_, y)) : y_, outs, {});
  }

 private:
  void queue(const ArrayRef& x, const std::optional<ArrayRef>& y,
             const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status) const {
    const std::vector<OutputRef> places = places_of(one_.ops(), shape_, outs, status);
    const WithoutGil released;
    fold({.ops = ops_,
          .x = x,
          .y = y,
          .options = options_,
          .segments = rule_->segments,
          .windows = rule_->windows},
         places);
  }

  std::string ops_;
  ArrayRef x_;
  std::optional<ArrayRef> y_;
  std::unique_ptr<ReadWindows> rule_;
  Options options_;
  PlannedFold one_;
  Dims shape_;
};
PlannedWindows plan_windows(const std::string& ops, nb::handle x, nb::handle y,
                            const nb::tuple& rule, const PlannedFold& one,
                            const std::vector<int64_t>& shape, uintptr_t stream,
                            const nb::dict& keywords) {
  return {ops, x, y, rule, one, shape, stream, keywords};
}

// Numbers the distinct keys of a tensor. The labels go to this address as i32; 0: to memory that
// the result keeps.
NumberedKeys number_keys(const std::string& ops, nb::handle keys, uintptr_t labels,
                         uintptr_t stream) {
  const ArrayRef& a = array_on_device(ops + ": the keys", keys);
  const Options o{.device = a.device, .stream = reinterpret_cast<void*>(stream)};
  const WithoutGil released;
  return {ops, a, o, reinterpret_cast<int32_t*>(labels)};
}

// Folds contiguous elements by one op, without options, like most calls. `op` is a row of op_table,
// `dtype` a number of View's types; no answer may fail. nanobind passes 8 arguments quickly.
void fold_device_run(int op, uintptr_t address, int dtype, Size n, int device, uintptr_t out,
                     uintptr_t stream) {
  const OpEntry& entry = op_entries()[static_cast<std::size_t>(op)];
  const auto t = static_cast<DType>(dtype);
  ArrayRef x(reinterpret_cast<const void*>(address), t, Dims(static_cast<int64_t>(n)));
  x.device = cuda(device);
  const Options o{.device = x.device, .stream = reinterpret_cast<void*>(stream)};
  const OutputRef place(reinterpret_cast<void*>(out), entry.about->result.of(t), Dims());
  const WithoutGil released;
  fold_into(place, entry.name, x, o);
}

// Raises the Python exception of a bad status.
void raise_status(const std::string& op, int status) {
  if (status == 0) return;
  const Value v{.dtype = DType::f64, .status = static_cast<Status>(status)};
  static_cast<void>(v.as<double>(op.c_str()));
}

}  // namespace

void add_device(nb::module_& m) {
  nb::class_<PlannedFold>(m, "PlannedFold", "A fold on a device that is planned and not yet done.")
      .def_prop_ro("shape",
                   [](const PlannedFold& fold) {
                     nb::list shape;
                     for (const int64_t extent : fold.shape()) shape.append(extent);
                     return nb::tuple(shape);
                   })
      // For each op: name, type, whether an answer may fail, and whether an answer without elements
      // is NaN.
      .def_prop_ro("ops",
                   [](const PlannedFold& fold) {
                     nb::list ops;
                     for (const PlannedFold::Op& op : fold.ops()) {
                       ops.append(nb::make_tuple(op.name, name_of(op.dtype), op.may_fail,
                                                 op.nan_when_empty));
                     }
                     return ops;
                   })
      .def("run", run, nb::arg("outs"), nb::arg("status"))
      .def("run_at", run_at)
      .def("run_beside", run_beside);
  m.def("plan_fold", plan_fold, nb::arg("ops"), nb::arg("x"), nb::arg("y").none(),
        nb::arg("stream"), nb::arg("keywords"));
  m.def("fold_device_run", fold_device_run);
  nb::class_<MatmulWorkspace>(m, "MatmulWorkspace", "Device memory that products use.")
      .def("__init__", [](MatmulWorkspace* made, int device, uintptr_t address, std::size_t bytes) {
        new (made) MatmulWorkspace(device, reinterpret_cast<void*>(address), bytes);
      });
  nb::class_<PlannedSegments>(m, "PlannedSegments", "A fold of segments that is not yet done.")
      .def("run", &PlannedSegments::run, nb::arg("outs"), nb::arg("status"))
      .def("run_at", &PlannedSegments::run_at);
  m.def("plan_segments", plan_segments);
  m.def("fold_by_on_device", fold_by_on_device);
  nb::class_<PlannedWindows>(m, "PlannedWindows", "A fold of windows that is not yet done.")
      .def("run", &PlannedWindows::run, nb::arg("outs"), nb::arg("status"))
      .def("run_at", &PlannedWindows::run_at);
  m.def("plan_windows", plan_windows, nb::arg("ops"), nb::arg("x"), nb::arg("y").none(),
        nb::arg("rule"), nb::arg("one"), nb::arg("shape"), nb::arg("stream"), nb::arg("keywords"));
  nb::class_<NumberedKeys>(m, "NumberedKeys", "The distinct keys of a tensor, numbered.")
      .def_prop_ro("size", &NumberedKeys::size)
      .def_prop_ro("has_nan", &NumberedKeys::has_nan)
      .def("write_keys", [](const NumberedKeys& keys,
                            uintptr_t to) { keys.write_keys(reinterpret_cast<void*>(to)); })
      .def("copy_labels", [](const NumberedKeys& keys, uintptr_t to) {
        keys.copy_labels(reinterpret_cast<int32_t*>(to));
      });
  m.def("number_keys", number_keys);
  m.def("set_tensor_type", [](nb::handle type, nb::handle fold, nb::handle call) {
    set_tensor_type(type.ptr(), fold.ptr(), call.ptr());
  });
  m.def("raise_status", raise_status);
  nb::list names;
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) names.append(spelling);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  m.attr("dtypes") = names;  // in the order of DType's numbers
}

}  // namespace onefold::python
