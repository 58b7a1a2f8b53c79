// logsumexp, softmax, rms_norm and their kin.
#include "logsumexp.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "device.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "onefold/engine/request/row_function.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

RowFunction function_of(const std::string& name) {
  for (const auto f : {RowFunction::logmeanexp, RowFunction::softmax, RowFunction::log_softmax}) {
    if (name == name_of(f)) return f;
  }
  return RowFunction::logsumexp;
}

// Returns None if an array must be converted first.
//   name  of the C++ function
nb::object exponential(const std::string& name, nb::handle x, const nb::dict& d) {
  Options options = options_of(name.c_str(), d);
  Input a, mask, weights;
  if (!a.read(x.ptr(), name.c_str())) return nb::none();
  if (!read_mask(name.c_str(), item(d, "where"), mask, options)) return nb::none();
  if (!read_optional(name, item(d, "weights"), weights, options.weights)) return nb::none();
  const RowFunction f = function_of(name);
  Answer answer = [&] {
    const LongFold released(a.bytes());
    return row_function(f, a.ref, options);
  }();
  if (is_elementwise(f) && answer.shape.rank() > 0) {
    return nb::steal(array_of(std::move(answer), a.source, options.nan).release());
  }
  return nb::steal(object_of(std::move(answer), a.source, options.nan, true).release());
}

// Queues a function of a tensor's slices along one axis.
//   shape   of the output at address `out`, in C order, beside whose answers are statuses at
//           `status`; 0: there are none
void exponential_on_device(const std::string& name, nb::handle x, int64_t axis,
                           const std::vector<int64_t>& shape, uintptr_t out, uintptr_t status,
                           uintptr_t stream, const nb::dict& keywords) {
  const ArrayRef& a = array_on_device(name, x);
  Options options = options_of(name.c_str(), keywords);
  options.axes = Axes(axis);
  options.device = a.device;
  options.stream = reinterpret_cast<void*>(stream);
  Dims dims;
  for (const int64_t extent : shape) dims.push_back(extent);
  const OutputRef to(reinterpret_cast<void*>(out), a.dtype, dims,
                     status == 0 ? nullptr : reinterpret_cast<Status*>(status));
  const WithoutGil released;
  row_function_into(function_of(name), to, a, options);
}

RowFunction norm_of(const std::string& name) {
  return name == name_of(RowFunction::rms_norm) ? RowFunction::rms_norm : RowFunction::layer_norm;
}

// Returns None if an array must be converted first.
//   weight, bias  arrays, or None
nb::object norm(const std::string& name, nb::handle x, nb::handle weight, nb::handle bias,
                double eps, const nb::dict& d) {
  const Options options = options_of(name.c_str(), d);
  Input a, w, b;
  if (!a.read(x.ptr(), name.c_str())) return nb::none();
  if (!weight.is_none() && !w.read(weight.ptr(), name.c_str())) return nb::none();
  if (!bias.is_none() && !b.read(bias.ptr(), name.c_str())) return nb::none();
  const NormScale scale{weight.is_none() ? nullptr : &w.ref, bias.is_none() ? nullptr : &b.ref,
                        eps};
  Answer answer = [&] {
    const LongFold released(a.bytes());
    return row_function(norm_of(name), a.ref, options, scale);
  }();
  if (answer.shape.rank() > 0) {
    return nb::steal(array_of(std::move(answer), a.source, options.nan).release());
  }
  return nb::steal(object_of(std::move(answer), a.source, options.nan, true).release());
}

// Queues a norm of a tensor's slices along axes; `out` has its shape in C order.
void norm_on_device(const std::string& name, nb::handle x, nb::handle weight, nb::handle bias,
                    double eps, const std::vector<int64_t>& axes, uintptr_t out, uintptr_t stream) {
  const ArrayRef& a = array_on_device(name, x);
  Options options;
  options.axes = Axes(axes);
  options.device = a.device;
  options.stream = reinterpret_cast<void*>(stream);
  const OutputRef to(reinterpret_cast<void*>(out), a.dtype, a.shape);
  const NormScale scale{weight.is_none() ? nullptr : &array_on_device(name, weight),
                        bias.is_none() ? nullptr : &array_on_device(name, bias), eps};
  const WithoutGil released;
  row_function_into(norm_of(name), to, a, options, scale);
}

}  // namespace

void add_logsumexp(nb::module_& m) {
  m.def("exponential", exponential, nb::arg("name"), nb::arg("x").none(), nb::arg("keywords"));
  m.def("exponential_on_device", exponential_on_device);
  m.def("norm", norm, nb::arg("name"), nb::arg("x").none(), nb::arg("weight").none(),
        nb::arg("bias").none(), nb::arg("eps"), nb::arg("keywords"));
  m.def("norm_on_device", norm_on_device, nb::arg("name"), nb::arg("x"), nb::arg("weight").none(),
        nb::arg("bias").none(), nb::arg("eps"), nb::arg("axes"), nb::arg("out"), nb::arg("stream"));
}

}  // namespace onefold::python
