#include "state.hpp"

#include <cstring>

#include "gathered.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/message.hpp"
#include "request.hpp"
#include "states.hpp"
#include "view.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// A state, and the ops for which it was gathered; its repr shows them.
struct OneState {
  State state;
  std::vector<const OpEntry*> ops;

  struct StateAnswer {
    std::string op;
    Value value;
    NanPolicy nan;
    bool any_elements;
  };
  StateAnswer answer(const std::string& op, const Options& o) const {
    return {op, state.answer(op, o), state.nan(), state.count() > 0};
  }
  static nb::object object_of(const StateAnswer& a) {
    return nb::steal(number_of(a.op.c_str(), a.value, a.nan, a.any_elements).release());
  }
  void merge(const OneState& other) {
    state.merge(other.state);
    if (ops.empty()) ops = other.ops;
  }
  void remove(const OneState& other) { state.remove(other.state); }
  std::string digest() const { return state.digest(); }
  std::vector<std::byte> save() const { return state.save(); }
  static OneState load(std::span<const std::byte> bytes) { return {State::load(bytes), {}}; }
  Size size() const { return state.count(); }
  DType dtype() const { return state.dtype(); }
  friend bool operator==(const OneState& a, const OneState& b) { return a.state == b.state; }
};
using PyState = Shared<OneState>;

OneState copy_of(const PyState& s) {
  return s.read([](const OneState& one) { return one; });
}

// Returns the message of a state (onefold/message.hpp); a state always holds all of its words.
nb::tuple message(const PyState& s) {
  const Message m(copy_of(s).state);
  return nb::make_tuple(m.kind(), nb::bytes(""), bytes_of_words(m.carried()));
}
nb::bytes added(const PyState& s, const nb::bytes&) {
  return bytes_of_words(Message(copy_of(s).state).added());
}
PyState merged(const PyState& kind, const nb::bytes&, const nb::bytes& sum,
               const nb::list& carried) {
  OneState one = copy_of(kind);
  one.state = Message(one.state).merged(words_of<int64_t>(sum), spans_of(carried));
  return PyState(std::move(one));
}

//   bytes  of the array on the host; of one on a device many, since other threads run meanwhile
nb::object gather_refs(const std::string& ops, const ArrayRef& x, const ArrayRef* y, Options& o,
                       nb::handle axis, bool keepdims, Size bytes) {
  if (!axis.is_none() || keepdims) {
    if (!axis.is_none()) o.axes = read_axes(ops.c_str(), axis.ptr());
    o.keepdims = keepdims;
    return states_of(ops, x, y, o, bytes);
  }
  OneState s{State(), parse_ops(ops)};
  {
    const LongFold released(bytes);
    s.state = y == nullptr ? gather(ops, x, o) : gather(ops, x, *y, o);
  }
  return nb::cast(PyState(std::move(s)));
}

// Returns None if `x` or `y` must be converted first.
//   stream  for a device: the arrays and the mask are Views of its memory
nb::object gather_array(const std::string& ops, nb::handle x, nb::handle y, nb::handle nan,
                        nb::handle first, nb::handle threads, nb::handle where, nb::handle axis,
                        nb::handle keep, nb::handle stream) {
  parse_ops(ops);
  Options o;
  const char* const name = ops.c_str();
  const bool keepdims = read_flag(name, "keepdims", keep.ptr());
  if (!nan.is_none()) o.nan = read_nan(name, nan.ptr());
  o.threads = threads.is_none() ? default_threads.load() : read_threads(name, threads.ptr());
  if (!first.is_none()) {
    const int64_t k = read_integer(name, "first", first.ptr());
    if (k < 0) {
      throw Error(ErrorCode::bad_option, ops + ": first=" + std::to_string(k) + " is negative");
    }
    o.first = static_cast<Size>(k);
  }
  if (!stream.is_none()) {
    const ArrayRef* const view = array_of_view(x.ptr());
    if (!where.is_none()) o.where = Mask(*array_of_view(where.ptr()));
    o.device = view->device;
    o.stream = reinterpret_cast<void*>(nb::cast<uintptr_t>(stream));
    return gather_refs(ops, *view, y.is_none() ? nullptr : array_of_view(y.ptr()), o, axis,
                       keepdims, long_fold_bytes);
  }
  Input a, b, mask;
  if (!a.read(x.ptr(), name)) return nb::none();
  if (!y.is_none() && !b.read(y.ptr(), name)) return nb::none();
  if (!read_mask(name, where.ptr(), mask, o)) return nb::none();
  return gather_refs(ops, a.ref, y.is_none() ? nullptr : &b.ref, o, axis, keepdims, a.bytes());
}

}  // namespace

std::vector<std::span<const std::byte>> spans_of(const nb::list& list) {
  std::vector<std::span<const std::byte>> parts;
  for (nb::handle h : list) {
    const auto b = nb::cast<nb::bytes>(h);
    parts.emplace_back(reinterpret_cast<const std::byte*>(b.c_str()), b.size());
  }
  return parts;
}

Options answer_options(const std::string& op, const AnswerKeywords& k) {
  const auto given = [](nb::handle h) { return h.is_none() ? nullptr : h.ptr(); };
  Options o{.empty_nan = read_flag(op.c_str(), "empty_nan", k.empty_nan.ptr())};
  if (!k.initial.is_none()) o.initial = read_scalar(op.c_str(), k.initial.ptr());
  o.ddof = read_correction(op.c_str(), given(k.ddof), given(k.correction));
  if (!k.dtype.is_none()) o.result = numpy::dtype_of_object(k.dtype.ptr(), op.c_str());
  return o;
}

std::string op_of_attribute(nb::handle self, const std::string& name) {
  for (const OpEntry& op : op_entries()) {
    if (name == op.name) return name;
  }
  const std::string type = nb::cast<std::string>(self.type().attr("__name__"));
  throw nb::attribute_error(("'" + type + "' object has no attribute '" + name + "'").c_str());
}

nb::object state_object(State state) { return nb::cast(PyState({std::move(state), {}})); }

void add_state(nb::module_& m) {
  add_gathered<OneState>(
      m, "State", "load_state",
      "What has been gathered from a part of the data: gather() makes it.\n\n"
      "Merging is exact and has no order: any grouping of the same parts gives the same bytes.",
      "The answer to an op whose parts this state holds, as a Python number.")
      .def("_message", message)
      .def("_added", added)
      .def("_merged", merged)
      .def_prop_ro("count", [](const PyState& s) { return copy_of(s).size(); })
      .def("__repr__", [](const PyState& s) {
        const OneState one = copy_of(s);
        std::string text = "<onefold.State of";
        for (const OpEntry* op : one.ops) {
          text += (op == one.ops[0] ? " " : ",") + std::string(op->name);
        }
        return text + " " + std::to_string(one.size()) + " elements>";
      });
  m.def("gather_array", gather_array, nb::arg("ops"), nb::arg("x").none(), nb::arg("y").none(),
        nb::arg("nan").none(), nb::arg("first").none(), nb::arg("threads").none(),
        nb::arg("where") = nb::none(), nb::arg("axis") = nb::none(),
        nb::arg("keepdims").none() = false, nb::arg("stream") = nb::none());
}

}  // namespace onefold::python
