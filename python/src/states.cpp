#include "states.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "fold.hpp"
#include "numpy.hpp"
#include "onefold/states.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// An ndarray of the shape of the states.
nb::object answer(const States& s, const std::string& op, nb::handle ddof, nb::handle correction,
                  nb::handle dtype, nb::handle initial, bool empty_nan) {
  Options o{.empty_nan = empty_nan};
  const auto given = [](nb::handle h) { return h.is_none() ? nullptr : h.ptr(); };
  if (!initial.is_none()) o.initial = read_scalar(op.c_str(), initial.ptr());
  o.ddof = read_correction(op.c_str(), given(ddof), given(correction));
  if (!dtype.is_none()) o.result = numpy::dtype_of_object(dtype.ptr(), op.c_str());
  const Answers answers = [&] {
    const WithoutGil released;
    return s.answer(op, o);
  }();
  return nb::steal(array_of(answers.list.at(0), s.nan(), s.count() > 0).release());
}

void merge(States& into, const States& from) {
  const WithoutGil released;
  into.merge(from);
}

nb::bytes save(const States& s) {
  const std::vector<std::byte> bytes = [&] {
    const WithoutGil released;
    return s.save();
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

States load(const nb::bytes& bytes) {
  const std::span all(reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size());
  const WithoutGil released;
  return States::load(all);
}

nb::object reduce(nb::handle self) {
  return nb::make_tuple(nb::steal(attribute("onefold._fold", "load_states")),
                        nb::make_tuple(save(nb::cast<const States&>(self))));
}

nb::object item(const States& s, Py_ssize_t i) {
  const auto n = static_cast<Py_ssize_t>(s.size());
  if (i < -n || i >= n) {
    throw nb::index_error(("state " + std::to_string(i) + " of " + std::to_string(n)).c_str());
  }
  return state_object(s[static_cast<Size>(i < 0 ? i + n : i)]);
}

nb::object attribute_of(const States& s, const std::string& name) {
  for (const OpEntry& op : op_entries()) {
    if (name == op.name) {
      return answer(s, name, nb::none(), nb::none(), nb::none(), nb::none(), false);
    }
  }
  throw nb::attribute_error(("States have no attribute '" + name + "'").c_str());
}

}  // namespace

nb::object states_of(const std::string& ops, const ArrayRef& x, const ArrayRef* y,
                     const Options& options) {
  States s = [&] {
    const WithoutGil released;
    return y == nullptr ? gather_states(ops, x, options) : gather_states(ops, x, *y, options);
  }();
  return nb::cast(std::move(s));
}

void add_states(nb::module_& m) {
  nb::class_<States>(m, "States",
                     "What has been gathered from the slices of a part of the data: "
                     "gather(ops, x, axis=...) makes it.\n\n"
                     "An array of States, which merges element by element, exactly and in any "
                     "order.")
      .def(nb::init<>())
      .def("merge", merge, nb::arg("other"),
           "Takes in what others have gathered, slice by slice.\n\nraises StateError, ShapeError: "
           "these are then as they were")
      .def(
          "__ior__",
          [](nb::handle self, const States& other) {
            merge(nb::cast<States&>(self), other);
            return nb::borrow(self);
          },
          nb::arg("other"))
      .def(
          "__or__",
          [](const States& a, const States& b) {
            States c = a;
            merge(c, b);
            return c;
          },
          nb::arg("other"), nb::is_operator())
      .def("answer", answer, nb::arg("op"), nb::kw_only(), nb::arg("ddof") = nb::none(),
           nb::arg("correction") = nb::none(), nb::arg("dtype") = nb::none(),
           nb::arg("initial") = nb::none(), nb::arg("empty_nan") = false,
           "The answers to an op whose parts these states hold, as an ndarray.")
      .def("__bytes__", save)
      .def("save", save, "bytes(states): little-endian, with a CRC; equal states are equal bytes")
      .def_static("load", load, nb::arg("bytes"), "The states that save() wrote.")
      .def("__reduce__", reduce)
      .def("__copy__", [](const States& s) { return s; })
      .def("__deepcopy__", [](const States& s, nb::handle) { return s; })
      .def("__len__", &States::size)
      .def("__getitem__", item)
      .def("__eq__",
           [](const States& a, nb::handle b) -> nb::object {
             if (!nb::isinstance<States>(b)) return nb::borrow(Py_NotImplemented);
             return nb::bool_(a == nb::cast<const States&>(b));
           })
      .def("__getattr__", attribute_of)
      .def_prop_ro("shape",
                   [](const States& s) {
                     nb::list extents;
                     for (const int64_t e : s.shape()) extents.append(e);
                     return nb::tuple(extents);
                   })
      .def_prop_ro("nbytes", &States::bytes)
      .def_prop_ro("dtype", [](const States& s) { return name_of(s.dtype()); })
      .def("__repr__", [](const States& s) {
        return "<onefold.States of " + std::to_string(s.size()) + " slices>";
      });
}

}  // namespace onefold::python
