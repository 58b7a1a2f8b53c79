#include "states.hpp"

#include "gathered.hpp"
#include "numpy.hpp"
#include "onefold/states.hpp"
#include "request.hpp"
#include "state.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

struct ManyStates {
  States states;

  struct Answered {
    Answers answers;
    NanPolicy nan;
    bool any_elements;
  };
  Answered answer(const std::string& op, const Options& o) const {
    return {states.answer(op, o), states.nan(), states.count() > 0};
  }
  // An ndarray of the shape of the states.
  static nb::object object_of(const Answered& a) {
    return nb::steal(array_of(a.answers.list.at(0), a.nan, a.any_elements).release());
  }
  void merge(const ManyStates& other) { states.merge(other.states); }
  std::vector<std::byte> save() const { return states.save(); }
  static ManyStates load(std::span<const std::byte> bytes) { return {States::load(bytes)}; }
  Size size() const { return states.size(); }
  DType dtype() const { return states.dtype(); }
  friend bool operator==(const ManyStates&, const ManyStates&) = default;
};
using PyStates = Shared<ManyStates>;

nb::object item(const PyStates& s, Py_ssize_t i) {
  State state;
  const auto n = s.read([&](const ManyStates& m) {
    const auto size = static_cast<Py_ssize_t>(m.size());
    if (-size <= i && i < size) state = m.states[static_cast<Size>(i < 0 ? i + size : i)];
    return size;
  });
  if (i < -n || i >= n) {
    throw nb::index_error(("state " + std::to_string(i) + " of " + std::to_string(n)).c_str());
  }
  return state_object(std::move(state));
}

nb::tuple shape_of(const PyStates& s) {
  nb::list extents;
  for (const int64_t e : s.read([](const ManyStates& m) { return m.states.shape(); })) {
    extents.append(e);
  }
  return nb::tuple(extents);
}

}  // namespace

nb::object states_of(const std::string& ops, const ArrayRef& x, const ArrayRef* y,
                     const Options& options) {
  States s = [&] {
    const WithoutGil released;
    return y == nullptr ? gather_states(ops, x, options) : gather_states(ops, x, *y, options);
  }();
  return nb::cast(PyStates({std::move(s)}));
}

void add_states(nb::module_& m) {
  add_gathered<ManyStates>(
      m, "States", "load_states",
      "What has been gathered from the slices of a part of the data: "
      "gather(ops, x, axis=...) makes it.\n\n"
      "An array of States, which merges element by element, exactly and in any order.",
      "The answers to an op whose parts these states hold, as an ndarray.")
      .def("__getitem__", item)
      .def_prop_ro("shape", shape_of)
      .def_prop_ro("nbytes",
                   [](const PyStates& s) {
                     return s.read([](const ManyStates& many) { return many.states.bytes(); });
                   })
      .def("__repr__", [](const PyStates& s) {
        const Size n = s.read([](const ManyStates& many) { return many.size(); });
        return "<onefold.States of " + std::to_string(n) + " slices>";
      });
}

}  // namespace onefold::python
