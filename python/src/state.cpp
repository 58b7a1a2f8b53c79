#include "state.hpp"

#include <cstring>
#include <span>
#include <vector>

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "fold.hpp"
#include "numpy.hpp"
#include "onefold/message.hpp"
#include "request.hpp"
#include "states.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// A state, and the ops that it was made for: those are its attributes.
struct PyState {
  State state;
  std::vector<const OpEntry*> ops;
};

nb::object answer(const PyState& s, const std::string& op, nb::handle ddof, nb::handle correction,
                  nb::handle dtype, nb::handle initial, bool empty_nan) {
  Options o{.empty_nan = empty_nan};
  if (!initial.is_none()) o.initial = read_scalar(op.c_str(), initial.ptr());
  const auto given = [](nb::handle h) { return h.is_none() ? nullptr : h.ptr(); };
  o.ddof = read_correction(op.c_str(), given(ddof), given(correction));
  if (!dtype.is_none()) o.result = numpy::dtype_of_object(dtype.ptr(), op.c_str());
  const Value v = s.state.answer(op, o);
  if (v.status != Status::ok) {
    visit(v.dtype, [&]<class T>() { static_cast<void>(v.as<T>(op.c_str())); });
  }
  return nb::steal(checked(numpy::make_python(v.dtype, v.bits)));
}

nb::bytes save(const PyState& s) {
  const std::vector<std::byte> bytes = s.state.save();
  return nb::bytes(bytes.data(), bytes.size());
}

PyState load(const nb::bytes& bytes) {
  return {State::load({reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()}), {}};
}

// (kind, added, carried) of onefold/message.hpp; added are int64 of this machine.
nb::tuple message(const PyState& s) {
  const Message m(s.state);
  const auto bytes = [](auto words) { return nb::bytes(words.data(), words.size_bytes()); };
  return nb::make_tuple(m.kind(), bytes(m.added()), bytes(m.carried()));
}

PyState merged(const PyState& kind, const nb::bytes& sum, const nb::list& carried) {
  std::vector<int64_t> words(sum.size() / sizeof(int64_t));
  std::memcpy(words.data(), sum.c_str(), words.size() * sizeof(int64_t));
  std::vector<std::span<const std::byte>> parts;
  for (nb::handle h : carried) {
    const auto b = nb::cast<nb::bytes>(h);  // the list keeps it
    parts.emplace_back(reinterpret_cast<const std::byte*>(b.c_str()), b.size());
  }
  return {Message(kind.state).merged(words, parts), kind.ops};
}

// None: `x` or `y` is to be converted first.
nb::object gather_array(const std::string& ops, nb::handle x, nb::handle y, nb::handle nan,
                        nb::handle first, nb::handle threads, nb::handle where, nb::handle axis,
                        bool keepdims) {
  PyState s{State(), parse_ops(ops)};
  Options o;
  const char* const name = ops.c_str();
  if (!nan.is_none()) o.nan = read_nan(name, nan.ptr());
  o.threads = threads.is_none() ? default_threads : read_threads(name, threads.ptr());
  if (!first.is_none()) {
    const int64_t k = read_integer(name, "first", first.ptr());
    if (k < 0) {
      throw Error(ErrorCode::bad_option, ops + ": first=" + std::to_string(k) + " is negative");
    }
    o.first = static_cast<Size>(k);
  }
  Input a, b, mask;
  if (!a.read(x.ptr(), name)) return nb::none();
  if (!y.is_none() && !b.read(y.ptr(), name)) return nb::none();
  if (!read_mask(name, where.ptr(), mask, o)) return nb::none();
  if (!axis.is_none() || keepdims) {
    if (!axis.is_none()) o.axes = read_axes(name, axis.ptr());
    o.keepdims = keepdims;
    return states_of(ops, a.ref, y.is_none() ? nullptr : &b.ref, o);
  }
  {
    const WithoutGil released(a.bytes() >= long_fold_bytes);
    s.state = y.is_none() ? gather(ops, a.ref, o) : gather(ops, a.ref, b.ref, o);
  }
  return nb::cast(std::move(s));
}

void merge(PyState& into, const PyState& from) {
  into.state.merge(from.state);
  if (into.ops.empty()) into.ops = from.ops;
}

nb::object attribute_of(const PyState& s, const std::string& name) {
  for (const OpEntry& op : op_entries()) {
    if (name != op.name) continue;
    return answer(s, name, nb::none(), nb::none(), nb::none(), nb::none(), false);
  }
  throw nb::attribute_error(("a State has no attribute '" + name + "'").c_str());
}

nb::object reduce(nb::handle self) {
  return nb::make_tuple(nb::steal(attribute("onefold._fold", "load_state")),
                        nb::make_tuple(save(nb::cast<const PyState&>(self))));
}

}  // namespace

nb::object state_object(State state) { return nb::cast(PyState{std::move(state), {}}); }

void add_state(nb::module_& m) {
  nb::class_<PyState>(m, "State",
                      "What has been gathered from a part of the data: gather() makes it.\n\n"
                      "Merging is exact and has no order: any grouping of the same parts gives the "
                      "same bytes.")
      .def(nb::init<>())
      .def("merge", merge, nb::arg("other"),
           "Takes in what another state has gathered.\n\nraises StateError: this "
           "state is then as it was")
      .def(
          "__ior__",
          [](nb::handle self, const PyState& other) {
            merge(nb::cast<PyState&>(self), other);
            return nb::borrow(self);
          },
          nb::arg("other"))
      .def(
          "__or__",
          [](const PyState& a, const PyState& b) {
            PyState c = a;
            merge(c, b);
            return c;
          },
          nb::arg("other"), nb::is_operator())
      .def("answer", answer, nb::arg("op"), nb::kw_only(), nb::arg("ddof") = nb::none(),
           nb::arg("correction") = nb::none(), nb::arg("dtype") = nb::none(),
           nb::arg("initial") = nb::none(), nb::arg("empty_nan") = false,
           "The answer to an op whose parts this state holds, as a Python number.")
      .def("__bytes__", save)
      .def("save", save, "bytes(state): little-endian, with a CRC; equal states are equal bytes")
      .def_static("load", load, nb::arg("bytes"), "The state that save() wrote.")
      .def("_message", message)
      .def("_merged", merged, nb::arg("sum"), nb::arg("carried"))
      .def("__reduce__", reduce)
      .def("__copy__", [](const PyState& s) { return s; })
      .def("__deepcopy__", [](const PyState& s, nb::handle) { return s; })
      .def("__len__", [](const PyState& s) { return s.state.count(); })
      .def("__eq__",
           [](const PyState& a, nb::handle b) -> nb::object {
             if (!nb::isinstance<PyState>(b)) return nb::borrow(Py_NotImplemented);
             return nb::bool_(a.state == nb::cast<const PyState&>(b).state);
           })
      .def("__getattr__", attribute_of)
      .def_prop_ro("count", [](const PyState& s) { return s.state.count(); })
      .def_prop_ro("dtype", [](const PyState& s) { return name_of(s.state.dtype()); })
      .def("__repr__", [](const PyState& s) {
        std::string text = "<onefold.State of";
        for (const OpEntry* op : s.ops)
          text += (op == s.ops[0] ? " " : ",") + std::string(op->name);
        return text + " " + std::to_string(s.state.count()) + " elements>";
      });
  m.def("gather_array", gather_array, nb::arg("ops"), nb::arg("x"), nb::arg("y").none(),
        nb::arg("nan").none(), nb::arg("first").none(), nb::arg("threads").none(),
        nb::arg("where") = nb::none(), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false);
}

}  // namespace onefold::python
