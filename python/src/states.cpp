#include "states.hpp"

#include "gathered.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/message.hpp"
#include "request.hpp"
#include "state.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

struct ManyStates {
  States states;

  struct StatesAnswers {
    Answers answers;
    NanPolicy nan;
    bool any_elements;
  };
  StatesAnswers answer(const std::string& op, const Options& o) const {
    return {states.answer(op, o), states.nan(), states.count() > 0};
  }
  // Returns an ndarray with the shape of the states.
  static nb::object object_of(const StatesAnswers& a) {
    return nb::steal(
        array_of(a.answers.list.at(0), Source::numpy, a.nan, a.any_elements).release());
  }
  void merge(const ManyStates& other) { states.merge(other.states); }
  void remove(const ManyStates& other) { states.remove(other.states); }
  std::string digest() const { return states.digest(); }
  std::vector<std::byte> save() const { return states.save(); }
  static ManyStates load(std::span<const std::byte> bytes) { return {States::load(bytes)}; }
  Size size() const { return states.size(); }
  DType dtype() const { return states.dtype(); }
  friend bool operator==(const ManyStates&, const ManyStates&) = default;
};
using PyStates = Shared<ManyStates>;

nb::object item_of_states(const PyStates& s, Py_ssize_t i) {
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

// Returns the message of the states (onefold/message.hpp); its carried bytes have two parts.
nb::tuple message_of_states(const PyStates& s) {
  StatesMessage m(s.read([](const ManyStates& many) { return many.states; }));
  return nb::make_tuple(m.kind(), bytes_of_words(m.held()),
                        nb::make_tuple(bytes_of_words(m.carried()), bytes_of_words(m.ranges())));
}
nb::bytes added_states(const PyStates& s, const nb::bytes& held) {
  StatesMessage m(s.read([](const ManyStates& many) { return many.states; }));
  m.hold(words_of<uint64_t>(held));
  return bytes_of_words(m.added());
}
PyStates merged_states(const PyStates& kind, const nb::bytes& held, const nb::bytes& sum,
                       const nb::list& carried) {
  StatesMessage m(kind.read([](const ManyStates& many) { return many.states; }));
  m.hold(words_of<uint64_t>(held));
  nb::list words, ranges;
  for (nb::handle h : carried) {
    const auto both = nb::cast<nb::tuple>(h);
    words.append(both[0]);
    ranges.append(both[1]);
  }
  return PyStates({m.merged(0, words_of<int64_t>(sum), spans_of(words), spans_of(ranges))});
}

nb::tuple shape_of(const PyStates& s) {
  return tuple_of(s.read([](const ManyStates& m) { return m.states.shape(); }));
}

}  // namespace

nb::object states_of(const std::string& ops, const ArrayRef& x, const ArrayRef* y,
                     const Options& options, Size bytes) {
  States s = [&] {
    const LongFold released(bytes);
    return y == nullptr ? gather_states(ops, x, options) : gather_states(ops, x, *y, options);
  }();
  return nb::cast(PyStates({std::move(s)}));
}

States states_in(nb::handle states) {
  return nb::cast<const PyStates&>(states).read([](const ManyStates& m) { return m.states; });
}

void add_states(nb::module_& m) {
  add_gathered<ManyStates>(
      m, "States", "load_states",
      "What has been gathered from the slices of a part of the data: "
      "gather(ops, x, axis=...) makes it.\n\n"
      "An array of States, which merges element by element, exactly and in any order.",
      "The answers to an op whose parts these states hold, as an ndarray.")
      .def("__getitem__", item_of_states)
      .def("_message", message_of_states)
      .def("_added", added_states)
      .def("_merged", merged_states)
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
