#include "device.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>

#include "fold.hpp"
#include "numpy.hpp"
#include "onefold/fold_by.hpp"
#include "onefold/planned.hpp"
#include "request.hpp"
#include "view.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

const ArrayRef& on_device(const std::string& ops, nb::handle x) {
  const ArrayRef* const ref = array_of_view(x.ptr());
  if (ref == nullptr || ref->device.type != Device::Type::cuda) {
    throw Error(ErrorCode::type_mismatch,
                ops + ": a " + name_of_type(x.ptr()) + " is not in the memory of a device");
  }
  return *ref;
}

Options options_there(const char* name, const ArrayRef& x, uintptr_t stream, nb::handle nan,
                      nb::handle ddof, nb::handle correction, nb::handle result) {
  const auto given = [](nb::handle h) { return h.is_none() ? nullptr : h.ptr(); };
  Keywords k;
  k.nan = given(nan);
  k.ddof = given(ddof);
  k.correction = given(correction);
  k.dtype = given(result);
  Options o = make_options(name, k);
  o.device = x.device;
  o.stream = reinterpret_cast<void*>(stream);
  return o;
}

// Plans a fold on a stream, whose outputs Python then makes.
//   stream  as an integer; 0 is CUDA's default
//   where   None, or a mask on the device
PlannedFold plan_fold(const std::string& ops, nb::handle x, nb::handle y, uintptr_t stream,
                      nb::handle nan, nb::handle ddof, nb::handle correction, nb::handle result,
                      nb::handle axis, nb::handle keepdims, nb::handle where) {
  const ArrayRef& a = on_device(ops, x);
  Options o = options_there(ops.c_str(), a, stream, nan, ddof, correction, result);
  if (!axis.is_none()) o.axes = read_axes(ops.c_str(), axis.ptr());
  o.keepdims = read_flag(ops.c_str(), "keepdims", keepdims.ptr());
  if (!where.is_none()) o.where = Mask(on_device(ops + ": where=", where));
  return {ops, a, y.is_none() ? nullptr : &on_device(ops, y), o};
}

// Addresses in the device's memory, one for each op, of all answers in C order.
std::vector<OutputRef> places_of(std::span<const PlannedFold::Op> ops, const Dims& shape,
                                 const std::vector<uintptr_t>& outs,
                                 const std::vector<uintptr_t>& status) {
  std::vector<OutputRef> places;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    places.emplace_back(reinterpret_cast<void*>(outs.at(i)), ops[i].dtype, shape,
                        reinterpret_cast<Status*>(status.at(i)));
  }
  return places;
}

void run(const PlannedFold& fold, const std::vector<uintptr_t>& outs,
         const std::vector<uintptr_t>& status) {
  const std::vector<OutputRef> places = places_of(fold.ops(), fold.shape(), outs, status);
  const WithoutGil released;
  fold.into(places);
}

// The answers to a whole array as Python's numbers, waited for: of frameworks whose memory nobody
// else may write.
nb::list values_of(const PlannedFold& fold) {
  const std::span<const PlannedFold::Op> ops = fold.ops();
  std::vector<uint64_t> values(ops.size());
  std::vector<Status> status(ops.size());
  std::vector<OutputRef> places;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    places.emplace_back(&values[i], ops[i].dtype, Dims(), &status[i]);
  }
  {
    const WithoutGil released;
    fold.into(places);
  }
  nb::list list;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Value v{.dtype = ops[i].dtype, .status = status[i], .bits = values[i]};
    if (v.status != Status::ok) {
      visit(v.dtype, [&]<class T>() { static_cast<void>(v.as<T>(ops[i].name)); });
    }
    list.append(nb::steal(checked(numpy::make_python(v.dtype, v.bits))));
  }
  return list;
}

// Folds groups by labels; outputs as of `run`, of an answer for each group. Waits for them.
void fold_by_on_device(const std::string& ops, nb::handle labels, nb::handle x, Size groups,
                       const PlannedFold& whole, const std::vector<uintptr_t>& outs,
                       const std::vector<uintptr_t>& status, uintptr_t stream, nb::handle nan,
                       nb::handle ddof, nb::handle correction, nb::handle result) {
  const ArrayRef a = on_device(ops, x), keys = on_device(ops + ": the labels", labels);
  const Labels how{.groups = groups,
                   .options = options_there(ops.c_str(), a, stream, nan, ddof, correction, result)};
  const std::vector<OutputRef> places = places_of(whole.ops(), Dims(groups), outs, status);
  const WithoutGil released;
  fold_by_into(places, ops, keys, a, how);
}

// One op of neighbours, without options: most calls. `dtype` is that of View; 8 arguments are what
// nanobind passes quickly.
void fold_device_run(const char* op, uintptr_t address, int dtype, Size n, int device,
                     uintptr_t out, uintptr_t status, uintptr_t stream) {
  for (const OpEntry& entry : op_entries()) {
    if (std::strcmp(entry.name, op) != 0) continue;
    const auto t = static_cast<DType>(dtype);
    ArrayRef x(reinterpret_cast<const void*>(address), t, Dims(static_cast<int64_t>(n)));
    x.device = cuda(device);
    const Options o{.device = x.device, .stream = reinterpret_cast<void*>(stream)};
    const OutputRef place(reinterpret_cast<void*>(out), entry.about->result.of(t), Dims(),
                          reinterpret_cast<Status*>(status));
    const WithoutGil released;
    return fold_into(place, entry.name, x, o);
  }
  throw Error(ErrorCode::unknown_op, std::string("\"") + op + "\" is no op");
}

// What a bad status of an answer is in Python.
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
      // By op: name, type, whether an answer may fail, whether NaN stands for one to nothing.
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
      .def("values", values_of);
  m.def("plan_fold", plan_fold, nb::arg("ops"), nb::arg("x"), nb::arg("y").none(),
        nb::arg("stream"), nb::arg("nan").none(), nb::arg("ddof").none(),
        nb::arg("correction").none(), nb::arg("result").none(), nb::arg("axis").none() = nb::none(),
        nb::arg("keepdims") = false, nb::arg("where").none() = nb::none());
  m.def("fold_device_run", fold_device_run);
  m.def("fold_by_on_device", fold_by_on_device, nb::arg("ops"), nb::arg("labels"), nb::arg("x"),
        nb::arg("groups"), nb::arg("whole"), nb::arg("outs"), nb::arg("status"), nb::arg("stream"),
        nb::arg("nan").none(), nb::arg("ddof").none(), nb::arg("correction").none(),
        nb::arg("result").none());
  m.def("set_tensor_type",
        [](nb::handle type, nb::handle fold) { set_tensor_type(type.ptr(), fold.ptr()); });
  m.def("raise_status", raise_status);
  nb::list names;
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) names.append(spelling);
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
  m.attr("dtypes") = names;  // in the order of their numbers
}

}  // namespace onefold::python
