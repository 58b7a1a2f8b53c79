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

std::vector<OutputRef> places_of(const std::vector<const OpEntry*>& entries, const ArrayRef& x,
                                 const Options& o, const Dims& shape,
                                 const std::vector<uintptr_t>& outs,
                                 const std::vector<uintptr_t>& status) {
  std::vector<OutputRef> places;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    places.emplace_back(reinterpret_cast<void*>(outs.at(i)),
                        o.result.value_or(entries[i]->about->result.of(x.dtype)), shape,
                        reinterpret_cast<Status*>(status.at(i)));
  }
  return places;
}

// Queues a fold on a stream.
//   outs, status  addresses in the device's memory, one for each op, of all answers in C order; the
//                 values' types are those of result_types
//   stream        as an integer; 0 is CUDA's default
//   axes          None: all of them, and one answer
//   where         None, or a mask on the device
void fold_device(const std::string& ops, nb::handle x, nb::handle y,
                 const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status,
                 uintptr_t stream, nb::handle nan, nb::handle ddof, nb::handle correction,
                 nb::handle result, const std::optional<std::vector<int64_t>>& axes,
                 int64_t answers, nb::handle where) {
  const char* const name = ops.c_str();
  const std::vector<const OpEntry*> entries = parse_ops(ops);
  const ArrayRef a = on_device(ops, x);
  Options o = options_there(name, a, stream, nan, ddof, correction, result);
  if (!where.is_none()) o.where = Mask(on_device(ops + ": where=", where));
  Dims shape;
  if (axes) {
    Dims list;
    for (const int64_t axis : *axes) list.push_back(axis);
    o.axes = Axes(list);
    shape.push_back(answers);
  }
  const std::vector<OutputRef> places = places_of(entries, a, o, shape, outs, status);
  if (y.is_none()) {
    const WithoutGil released;
    fold_into(places, ops, a, o);
    return;
  }
  const ArrayRef b = on_device(ops, y);
  const WithoutGil released;
  fold_into(places.at(0), ops, a, b, o);
}

// Folds groups by labels; outputs as of fold_device, of an answer for each group. Waits for them.
void fold_by_on_device(const std::string& ops, nb::handle labels, nb::handle x, Size groups,
                       const std::vector<uintptr_t>& outs, const std::vector<uintptr_t>& status,
                       uintptr_t stream, nb::handle nan, nb::handle ddof, nb::handle correction,
                       nb::handle result) {
  const std::vector<const OpEntry*> entries = parse_ops(ops);
  const ArrayRef a = on_device(ops, x), keys = on_device(ops + ": the labels", labels);
  const Labels how{.groups = groups,
                   .options = options_there(ops.c_str(), a, stream, nan, ddof, correction, result)};
  const std::vector<OutputRef> places =
      places_of(entries, a, how.options, Dims(groups), outs, status);
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

// The same for frameworks whose memory nobody else may write: Python's numbers, waited for.
nb::list fold_device_to_host(const std::string& ops, nb::handle x, nb::handle y, uintptr_t stream,
                             nb::handle nan, nb::handle ddof, nb::handle correction,
                             nb::handle result, nb::handle where) {
  const std::vector<const OpEntry*> entries = parse_ops(ops);
  std::vector<uint64_t> values(entries.size());
  std::vector<Status> status(entries.size());
  std::vector<uintptr_t> value_at, status_at;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    value_at.push_back(reinterpret_cast<uintptr_t>(&values[i]));
    status_at.push_back(reinterpret_cast<uintptr_t>(&status[i]));
  }
  fold_device(ops, x, y, value_at, status_at, stream, nan, ddof, correction, result, {}, 1, where);
  nb::list list;
  const DType input = on_device(ops, x).dtype;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const DType t = result.is_none() ? entries[i]->about->result.of(input)
                                     : numpy::dtype_of_object(result.ptr(), ops.c_str());
    const Value v{.dtype = t, .status = status[i], .bits = values[i]};
    if (v.status != Status::ok) {
      visit(t, [&]<class T>() { static_cast<void>(v.as<T>(entries[i]->name)); });
    }
    list.append(nb::steal(checked(numpy::make_python(t, v.bits))));
  }
  return list;
}

// What a bad status of an answer is in Python.
void raise_status(const std::string& op, int status) {
  if (status == 0) return;
  const Value v{.dtype = DType::f64, .status = static_cast<Status>(status)};
  static_cast<void>(v.as<double>(op.c_str()));
}

}  // namespace

void add_device(nb::module_& m) {
  m.def("fold_device", fold_device, nb::arg("ops"), nb::arg("x"), nb::arg("y").none(),
        nb::arg("outs"), nb::arg("status"), nb::arg("stream"), nb::arg("nan").none(),
        nb::arg("ddof").none(), nb::arg("correction").none(), nb::arg("result").none(),
        nb::arg("axes").none() = nb::none(), nb::arg("answers") = 1,
        nb::arg("where").none() = nb::none());
  m.def("fold_device_to_host", fold_device_to_host, nb::arg("ops"), nb::arg("x"),
        nb::arg("y").none(), nb::arg("stream"), nb::arg("nan").none(), nb::arg("ddof").none(),
        nb::arg("correction").none(), nb::arg("result").none(),
        nb::arg("where").none() = nb::none());
  m.def("fold_device_run", fold_device_run);
  m.def("fold_by_on_device", fold_by_on_device, nb::arg("ops"), nb::arg("labels"), nb::arg("x"),
        nb::arg("groups"), nb::arg("outs"), nb::arg("status"), nb::arg("stream"),
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
