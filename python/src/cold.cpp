// Folds by name. Each function takes its keywords as one dict, which onefold/_keywords.py makes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/fold.hpp"
#include "request.hpp"
#include "state.hpp"

namespace nb = nanobind;

namespace onefold::python {

PyObject* call_after_error(const char* op, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* names) noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      PyObject* const x = nargs > 0 ? args[0] : nullptr;
      const bool rows = x != nullptr && (PyList_Check(x) != 0 || PyTuple_Check(x) != 0);
      const bool objects = x != nullptr && numpy::is_array(x) && numpy::is_object(x);
      if (error.code() != ErrorCode::unsupported || !(rows || objects)) throw;
      return convert_and_call(op, args, nargs, names);
    }
  } catch (...) {
    set_error();
    return nullptr;
  }
}

PyObject* item(const nb::dict& d, const char* name) {
  PyObject* p = PyDict_GetItemString(d.ptr(), name);  // borrowed
  return p == Py_None ? nullptr : p;
}

Options options_of(const char* ops, const nb::dict& d) {
  Keywords k;
  k.axis = item(d, "axis");
  k.dtype = item(d, "result");
  k.dtype_is = "result";
  k.keepdims = item(d, "keepdims");
  k.nan = item(d, "nan");
  k.ddof = item(d, "ddof");
  k.correction = item(d, "correction");
  k.threads = item(d, "threads");
  k.initial = item(d, "initial");
  Options o = make_options(ops, k);
  o.empty_nan = read_flag(ops, "empty_nan", item(d, "empty_nan"));
  o.wide = item(d, "wide") == Py_True;
  return o;
}

namespace {

nb::list list_of(std::vector<Ref> answers) {
  nb::list list;
  for (Ref& a : answers) list.append(nb::steal(a.release()));
  return list;
}

// Whether the array has a mask of its own. If that mask leaves out a whole slice, the other slices
// must still get answers.
bool has_own_mask(const nb::dict& d) { return item(d, "own_mask") == Py_True; }

// What segments and groups have for each element of x: the second array, a mask and weights.
struct RowArrays {
  std::optional<ArrayRef> y;

  // Returns false if an array must be converted first.
  bool read(const std::string& ops, const nb::dict& d, Options& o) {
    return read_optional(ops, item(d, "y"), second, y) &&
           read_optional(ops, item(d, "weights"), weights, o.weights) &&
           read_optional(ops, item(d, "fweights"), fweights, o.fweights) &&
           read_mask(ops.c_str(), item(d, "where"), mask, o);
  }

 private:
  Input second, mask, weights, fweights;
};

// Returns None if `x` must be converted first. `d` also has the second array and the weights.
nb::object fold_segments_of(const std::string& ops, nb::handle x, nb::handle offsets,
                            const nb::dict& d) {
  parse_ops(ops);
  Options o = options_of(ops.c_str(), d);
  o.empty_nan = o.empty_nan || has_own_mask(d);
  Input a, b;
  RowArrays beside;
  if (!a.read(x.ptr(), ops.c_str()) || !b.read(offsets.ptr(), ops.c_str()) ||
      !beside.read(ops, d, o)) {
    return nb::none();
  }
  const Request request{.ops = ops, .x = a.ref, .y = beside.y, .options = o, .segments = b.ref};
  Answers answers = [&] {
    const LongFold released(a.bytes());
    return fold(request);
  }();
  nb::list arrays;
  for (Answer& answer : answers.list) {
    arrays.append(nb::steal(array_of(std::move(answer), a.source, o.nan).release()));
  }
  return arrays;
}

// Returns the arrays of keys and of answers; with `groups`, only those of answers. Returns None if
// `x` must be converted first.
nb::object fold_by_of(const std::string& ops, nb::handle keys, nb::handle x, nb::handle groups,
                      const nb::dict& d) {
  parse_ops(ops);
  Options o = options_of(ops.c_str(), d);
  Input a, b;
  RowArrays beside;
  if (!a.read(x.ptr(), ops.c_str()) || !b.read(keys.ptr(), ops.c_str()) ||
      !beside.read(ops, d, o)) {
    return nb::none();
  }
  Request request{.ops = ops, .x = a.ref, .y = beside.y, .options = o};
  (groups.is_none() ? request.keys : request.labels) = b.ref;
  if (!groups.is_none()) request.groups = nb::cast<Size>(groups);
  Answers answers = [&] {
    const LongFold released(a.bytes());
    return fold(request);
  }();
  nb::list arrays;
  if (groups.is_none()) {
    const Size count = answers.key_count();
    Answer names{.op = "keys",
                 .dtype = answers.key_type,
                 .shape = Dims(count),
                 .data = std::move(answers.keys),
                 .status = std::vector<Status>(count)};
    arrays.append(nb::steal(array_of(std::move(names), b.source, o.nan).release()));
  }
  for (Answer& answer : answers.list) {
    arrays.append(nb::steal(array_of(std::move(answer), a.source, o.nan).release()));
  }
  return arrays;
}

// Returns None if `x` or `y` must be converted first.
nb::object fold_array(const std::string& ops, nb::handle x, nb::handle y, const nb::dict& d) {
  const std::vector<const OpEntry*> entries = parse_ops(ops);
  Options o = options_of(ops.c_str(), d);
  Input a, b, mask, weights, fweights;
  if (!a.read(x.ptr(), ops.c_str())) return nb::none();
  if (!y.is_none() && (!b.read(y.ptr(), ops.c_str()) || !are_alike(a, b))) return nb::none();
  if (!read_mask(ops.c_str(), item(d, "where"), mask, o)) return nb::none();
  o.empty_nan = o.empty_nan || (has_own_mask(d) && a.size() > 0);
  if (!read_optional(ops, item(d, "weights"), weights, o.weights)) return nb::none();
  if (!read_optional(ops, item(d, "fweights"), fweights, o.fweights)) return nb::none();
  Input absent;  // an ndarray of bools in C order, as onefold.operands.masks makes it
  if (PyObject* const given = item(d, "absent")) absent.read(given, ops.c_str());
  PyObject* const progress = item(d, "progress");
  nb::list answers = list_of(fold_arrays(entries, a, y.is_none() ? nullptr : &b, o, item(d, "out"),
                                         static_cast<const bool*>(absent.ref.data), progress));
  tell_end(a.bytes(), progress);
  return answers;
}

}  // namespace

bool read_optional(const std::string& ops, PyObject* given, Input& in,
                   std::optional<ArrayRef>& to) {
  if (given == nullptr) return true;
  if (!in.read(given, ops.c_str())) return false;
  to = in.ref;
  return true;
}

void add_folds(nb::module_& m) {
  m.def("fold_array", fold_array, nb::arg("ops"), nb::arg("x").none(), nb::arg("y").none(),
        nb::arg("keywords"));
  m.def("fold_segments", fold_segments_of, nb::arg("ops"), nb::arg("x").none(), nb::arg("offsets"),
        nb::arg("keywords"));
  m.def("fold_by", fold_by_of, nb::arg("ops"), nb::arg("keys").none(), nb::arg("x").none(),
        nb::arg("groups").none(), nb::arg("keywords"));
}

}  // namespace onefold::python
