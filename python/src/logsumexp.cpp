// logsumexp, softmax, rms_norm and their kin.
#include "logsumexp.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "device.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "gathered.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/engine/request/row_function.hpp"
#include "onefold/engine/state/sha256.hpp"
#include "onefold/logsumexp.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

Dims dims_of(const std::vector<int64_t>& shape) {
  Dims dims;
  for (const int64_t extent : shape) dims.push_back(extent);
  return dims;
}

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

struct ManyLogsumexp {
  static constexpr bool names_no_ops = true;  // its answers are attributes of their own
  LogsumexpStates states;

  struct LogsumexpAnswer {
    Answer answer;
    NanPolicy nan;
  };
  LogsumexpAnswer answer(const std::string& op, const Options& options) const {
    if (options.result || options.initial || options.empty_nan || options.ddof != Options{}.ddof) {
      throw Error(ErrorCode::bad_option, op + ": an answer of these states takes no options");
    }
    if (states == LogsumexpStates()) {
      throw Error(ErrorCode::empty_input, op + ": nothing has been gathered; merge states first");
    }
    const bool mean = op == "logmeanexp";
    if (!mean && op != "logsumexp") {
      throw Error(ErrorCode::bad_option, op + ": these states answer logsumexp and logmeanexp");
    }
    return {mean ? states.logmeanexp() : states.logsumexp(), states.nan()};
  }
  static nb::object object_of(LogsumexpAnswer a) {
    return nb::steal(python::object_of(std::move(a.answer), Source::numpy, a.nan, true).release());
  }
  void merge(const ManyLogsumexp& other) { states.merge(other.states); }
  void remove(const ManyLogsumexp&) {
    throw Error(
        ErrorCode::bad_state,
        "remove: the greatest elements are held, and what is left without one is not known");
  }
  std::string digest() const { return sha256_text(states.save()); }
  std::vector<std::byte> save() const { return states.save(); }
  static ManyLogsumexp load(std::span<const std::byte> bytes) {
    return {LogsumexpStates::load(bytes)};
  }
  Size size() const { return states.size(); }
  DType dtype() const { return states.dtype(); }
  friend bool operator==(const ManyLogsumexp&, const ManyLogsumexp&) = default;
};
using PyLogsumexp = Shared<ManyLogsumexp>;

// As exponential().
nb::object gather_logsumexp_of(const std::string& name, nb::handle x, const nb::dict& d) {
  Options options = options_of(name.c_str(), d);
  Input a, mask;
  if (!a.read(x.ptr(), name.c_str())) return nb::none();
  if (!read_mask(name.c_str(), item(d, "where"), mask, options)) return nb::none();
  LogsumexpStates states = [&] {
    const LongFold released(a.bytes());
    return gather_logsumexp(a.ref, options);
  }();
  return nb::cast(PyLogsumexp({std::move(states)}));
}
// Makes them of words, as bytes in this machine's order.
PyLogsumexp logsumexp_states_of(const std::string& name, const nb::bytes& words,
                                const std::string& type, const std::vector<int64_t>& shape,
                                const nb::dict& keywords) {
  const Options options = options_of(name.c_str(), keywords);
  const std::span there(static_cast<const uint64_t*>(words.data()),
                        words.size() / sizeof(uint64_t));
  return PyLogsumexp(
      {LogsumexpStates::of(there, numpy::dtype_named(type), options.nan, dims_of(shape))});
}
// Queues writing words of a tensor's slices along one axis to the address `out` of such a shape.
void gather_logsumexp_on_device(const std::string& name, nb::handle x, int64_t axis,
                                const std::vector<int64_t>& shape, uintptr_t out,
                                uintptr_t stream) {
  const ArrayRef& a = array_on_device(name, x);
  Options options;
  options.axes = Axes(axis);
  options.device = a.device;
  options.stream = reinterpret_cast<void*>(stream);
  const OutputRef to(reinterpret_cast<void*>(out), DType::u64, dims_of(shape));
  const WithoutGil released;
  gather_logsumexp_into(to, a, options);
}
// Queues the answers of such words, with an axis for the parts before the others, to floats of this
// type and shape at address `out`.
void logsumexp_of_states_on_device(nb::handle words, const std::string& type,
                                   const std::vector<int64_t>& shape, uintptr_t out,
                                   uintptr_t stream) {
  ArrayRef w = array_on_device(name_of(RowFunction::logsumexp_of_states), words);
  w.dtype = DType::u64;  // frameworks lack it, and give i64
  Options options;
  options.device = w.device;
  options.stream = reinterpret_cast<void*>(stream);
  const OutputRef to(reinterpret_cast<void*>(out), numpy::dtype_named(type), dims_of(shape));
  const WithoutGil released;
  logsumexp_of_states_into(to, w, options);
}
// As States have it (onefold/message.hpp): all of it is gathered, and nothing added.
nb::tuple message_of_logsumexp(const PyLogsumexp& s) {
  const LogsumexpStates states = s.read([](const ManyLogsumexp& m) { return m.states; });
  const bool empty = states == LogsumexpStates();
  const std::string kind = empty ? ""
                                 : std::string(name_of(states.dtype())) + " " +
                                       name_of(states.nan()) + " " + to_string(states.shape());
  const std::vector<std::byte> bytes = states.save();
  return nb::make_tuple(nb::bytes(kind.data(), kind.size()), nb::bytes("", 0),
                        nb::bytes(bytes.data(), bytes.size()));
}
PyLogsumexp merged_logsumexp(const PyLogsumexp&, const nb::bytes&, const nb::bytes&,
                             const nb::list& carried) {
  LogsumexpStates all;
  for (const auto& one : spans_of(carried)) all.merge(LogsumexpStates::load(one));
  return PyLogsumexp({std::move(all)});
}
nb::tuple shape_of_logsumexp(const PyLogsumexp& s) {
  return tuple_of(s.read([](const ManyLogsumexp& m) { return m.states.shape(); }));
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
  const OutputRef to(reinterpret_cast<void*>(out), a.dtype, dims_of(shape),
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
  add_gathered<ManyLogsumexp>(
      m, "LogsumexpStates", "load_logsumexp",
      "What is known of slices of which each is given in parts: gather_logsumexp() makes it.\n\n"
      "It merges exactly and in any order: equal elements have equal bytes, however they were cut.",
      "The answers to logsumexp or logmeanexp: an ndarray or, of one slice, a number. raises "
      "StateError where the states do not decide how one is rounded.")
      .def_ro_static("words_each", &LogsumexpStates::words_each)
      .def("_message", message_of_logsumexp)
      .def("_merged", merged_logsumexp)
      .def_prop_ro("shape", shape_of_logsumexp)
      .def_prop_ro("logsumexp",
                   [](const PyLogsumexp& s) {
                     return ManyLogsumexp::object_of(
                         s.read([](const ManyLogsumexp& m) { return m.answer("logsumexp", {}); }));
                   })
      .def_prop_ro("logmeanexp",
                   [](const PyLogsumexp& s) {
                     return ManyLogsumexp::object_of(
                         s.read([](const ManyLogsumexp& m) { return m.answer("logmeanexp", {}); }));
                   })
      .def("__repr__", [](const PyLogsumexp& s) {
        const Size n = s.read([](const ManyLogsumexp& many) { return many.size(); });
        return "<onefold.LogsumexpStates of " + std::to_string(n) + " slices>";
      });
  m.def("logsumexp_states", logsumexp_states_of);
  m.def("gather_logsumexp_on_device", gather_logsumexp_on_device);
  m.def("logsumexp_of_states_on_device", logsumexp_of_states_on_device);
  m.def("gather_logsumexp", gather_logsumexp_of, nb::arg("name"), nb::arg("x").none(),
        nb::arg("keywords"));
  m.def("exponential", exponential, nb::arg("name"), nb::arg("x").none(), nb::arg("keywords"));
  m.def("exponential_on_device", exponential_on_device);
  m.def("norm", norm, nb::arg("name"), nb::arg("x").none(), nb::arg("weight").none(),
        nb::arg("bias").none(), nb::arg("eps"), nb::arg("keywords"));
  m.def("norm_on_device", norm_on_device, nb::arg("name"), nb::arg("x"), nb::arg("weight").none(),
        nb::arg("bias").none(), nb::arg("eps"), nb::arg("axes"), nb::arg("out"), nb::arg("stream"));
}

}  // namespace onefold::python
