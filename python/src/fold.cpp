#include "fold.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>

#include "answer.hpp"
#include "column.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/engine/plan/alias.hpp"
#include "onefold/engine/request/weighted.hpp"
#include "onefold/onefold.hpp"
#include "onefold/planned.hpp"
#include "request.hpp"

namespace onefold::python {
namespace {

constexpr OpEntry entries[] = {
#define ONEFOLD_ENTRY(name) {#name, &op::name##_::about},
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
};

// Returns whether these axes name each axis once, so that all are folded.
bool names_all(const Axes& axes, int rank) {
  if (rank > max_rank) return false;
  uint32_t named = 0;
  for (const int64_t a : axes.list()) {
    if (-rank <= a && a < rank) named |= uint32_t{1} << (a < 0 ? a + rank : a);
  }
  return axes.list().rank() == rank && named == (uint32_t{1} << rank) - 1;
}

// Unless an answer is an index, elements may be read in any order.
ArrayRef shortest(const Input& x, const Input* y, std::span<const OpEntry* const> ops) {
  const bool placed = y != nullptr || std::any_of(ops.begin(), ops.end(), [](const OpEntry* op) {
                        return op->about->uses_index;
                      });
  return x.c_order || (x.any_order && !placed) ? x.flat() : x.ref;
}

// Returns whether each axis's step goes beyond what axes of smaller steps cover. All views that
// slicing, transposing and reshaping make are such.
bool elements_are_apart(const ArrayRef& a) {
  std::vector<std::pair<int64_t, int64_t>> steps;  // with the axes' extents
  for (int d = 0; d < a.shape.rank(); ++d) {
    if (a.shape[d] == 0) return true;
    if (a.shape[d] > 1) steps.emplace_back(std::abs(a.strides[d]), a.shape[d]);
  }
  std::sort(steps.begin(), steps.end());
  auto covered = static_cast<int64_t>(bytes_of(a.dtype));
  for (const auto& [step, extent] : steps) {
    if (step < covered) return false;
    covered += step * (extent - 1);
  }
  return true;
}

// Returns the type to which an answer of type `t` is rounded for `out`: that of `out`, if all
// numbers of that kind can be; nullopt: check_out reports the error.
std::optional<DType> type_for(const char* op, PyObject* out, DType t) {
  if (!numpy::is_array(out) || numpy::is_time(out) || t == DType::boolean) return {};
  const DType wanted = numpy::view(out, op).ref.dtype;
  const bool fits = is_floating(wanted) || (wanted != DType::boolean && !is_floating(t));
  return fits ? std::optional(wanted) : std::nullopt;
}

void check_out(const char* op, PyObject* out, DType t, const Dims& shape) {
  if (!numpy::is_array(out)) {
    throw Error(ErrorCode::type_mismatch,
                std::string(op) + ": out is a " + name_of_type(out) + "; it must be an ndarray");
  }
  const numpy::View view = numpy::view(out, op);
  if (view.ref.dtype != t || !view.native) {
    throw Error(ErrorCode::type_mismatch, std::string(op) + ": the answer is " + name_of(t) +
                                              " and out is " + (view.native ? "" : "big-endian ") +
                                              name_of(view.ref.dtype) +
                                              "; they must agree, or ask for dtype=");
  }
  if (view.ref.shape != shape) {
    throw Error(ErrorCode::shape_mismatch, std::string(op) + ": the answer has shape " +
                                               to_string(shape) + " and out " +
                                               to_string(view.ref.shape));
  }
  if (!view.writeable) {
    throw Error(ErrorCode::bad_option, std::string(op) + ": out is read-only");
  }
  if (!elements_are_apart(view.ref)) {
    throw Error(ErrorCode::bad_option, std::string(op) + ": elements of out overlap each other");
  }
}

std::string joined(std::span<const OpEntry* const> ops) {
  std::string text;
  for (const OpEntry* op : ops) text += (text.empty() ? "" : ",") + std::string(op->name);
  return text;
}

std::vector<Ref> fold_whole(std::span<const OpEntry* const> ops, const Input& x, const Input* y,
                            const Options& o, PyObject* progress) {
  std::vector<detail::TypedOp> requests;
  for (const OpEntry* op : ops) {
    requests.push_back({op->name, o.result.value_or(op->about->result.of(x.ref.dtype))});
    if (!o.result && o.wide && is_floating(requests.back().result) &&
        !op->about->result.same_integer) {
      requests.back().result = DType::f64;
    }
  }
  std::vector<Value> values(ops.size());
  const bool both = y == nullptr || y->c_order == x.c_order;
  const bool any_shape = both && !o.where && !o.weights && !o.fweights;
  const ArrayRef a = any_shape ? shortest(x, y, ops) : x.ref;
  const ArrayRef b = y == nullptr ? ArrayRef() : any_shape && y->c_order ? y->flat() : y->ref;
  if (y != nullptr && x.ref.shape != y->ref.shape) {  // the engine reports the error
    static_cast<void>(fold(joined(ops), x.ref, y->ref, o));
  }
  {
    const LongFold released(x.bytes(), progress);
    detail::fold_whole(requests, a, y == nullptr ? nullptr : &b, o, values.data());
  }
  std::vector<Ref> answers;
  for (std::size_t k = 0; k < ops.size(); ++k) {
    answers.emplace_back(value_of(ops[k]->name, values[k], x.source, o.nan, x.size() > 0));
  }
  return answers;
}

std::atomic<PyTypeObject*> tensor_type = nullptr;
std::atomic<PyObject*> tensor_fold = nullptr, tensor_call = nullptr;

// Folds all axes by one op without options, as most calls do; returns null if the call needs the
// general path.
PyObject* fold_run(const OpEntry& op, NanPolicy nan, const numpy::Run& run) {
  // Made only once, since an Options has memory for 16 axes.
  static const Options of_policy[] = {{}, {.nan = NanPolicy::omit}, {.nan = NanPolicy::raise}};
  const ArrayRef x(run.data, run.dtype, Dims(static_cast<int64_t>(run.n)));
  const detail::TypedOp query{op.name, op.about->result.of(run.dtype)};
  const Options& options = of_policy[static_cast<std::size_t>(nan)];
  Value v;
  if (default_threads != 0) {
    Options more = options;
    more.threads = default_threads;
    const LongFold released(run.n * bytes_of(run.dtype));
    detail::fold_whole({&query, 1}, x, nullptr, more, &v);
  } else {
    const LongFold released(run.n * bytes_of(run.dtype));
    detail::fold_whole({&query, 1}, x, nullptr, options, &v);
  }
  return value_of(op.name, v, Source::numpy, nan, run.n > 0);
}

// Does the same for contiguous elements; returns null if they are not contiguous.
PyObject* fold_row(const OpEntry& op, const Options& options, const Input& in) {
  if (!(in.c_order || (in.any_order && !op.about->uses_index))) return nullptr;
  const detail::TypedOp query{op.name, options.result.value_or(op.about->result.of(in.ref.dtype))};
  Value v;
  {
    const LongFold released(in.bytes());
    detail::fold_whole({&query, 1}, in.flat(), nullptr, options, &v);
  }
  return value_of(op.name, v, in.source, options.nan, in.size() > 0);
}

PyObject* fold_quickly(const OpEntry& op, NanPolicy nan, PyObject* x) {
  if (numpy::Run run; numpy::is_run(x, !op.about->uses_index, run)) return fold_run(op, nan, run);
  Input in;
  if (!in.read(x, op.name)) return nullptr;
  return fold_row(op, {.nan = nan, .threads = default_threads}, in);
}

// Does the same for a column of pandas, Polars or Arrow.
PyObject* fold_column(const OpEntry& op, Options options, PyObject* x) {
  Column column;
  return column.read(x, op.name, options) ? fold_row(op, options, column.in) : nullptr;
}

bool holds(PyObject* names, const char* name) {
  for (Py_ssize_t i = 0; i < (names == nullptr ? 0 : PyTuple_Size(names)); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, i), name) == 0) return true;
  }
  return false;
}

// Returns whether these keywords go with a column as they are: one answer of all its rows.
bool is_plain(const Keywords& k) {
  const bool all =
      k.axis == nullptr || (PyLong_CheckExact(k.axis) != 0 && PyLong_AsLong(k.axis) == 0);
  PyErr_Clear();  // an axis beyond 64 bits
  return all && k.errors == nullptr && k.dim == nullptr && k.out == nullptr && k.where == nullptr &&
         k.keepdims == nullptr && k.dtype == nullptr;  // which may be complex
}

}  // namespace

std::span<const OpEntry> op_entries() { return entries; }

bool takes_weights(const OpEntry& op) {
  static const auto flags = [] {
    std::array<bool, std::size(entries)> takes{};
    for (std::size_t k = 0; k < takes.size(); ++k) {
      const auto names = weighted_ops(entries[k].about->inputs);
      takes[k] = entries[k].about->takes_weights ||
                 std::find(names.begin(), names.end(), entries[k].name) != names.end();
    }
    return takes;
  }();
  return flags[static_cast<std::size_t>(&op - entries)];
}

bool read_mask(const char* op, PyObject* where, Input& mask, Options& o) {
  if (where == nullptr || where == Py_True || where == Py_None) return true;
  if (const Mask* bits = mask_of_chunk(where)) {
    o.where = *bits;
    return true;
  }
  if (!mask.read(where, op)) return false;
  if (mask.ref.dtype != DType::boolean) {
    throw Error(ErrorCode::type_mismatch,
                std::string(op) + ": where= is " + name_of(mask.ref.dtype) + ", and must be bool");
  }
  o.where = Mask(mask.ref);
  return true;
}

bool are_alike(const Input& x, const Input& y) {
  return x.ref.dtype == y.ref.dtype && x.ref.shape == y.ref.shape;
}

void set_tensor_type(PyObject* type, PyObject* fold, PyObject* call) {
  tensor_fold = Py_NewRef(fold);
  tensor_call = Py_NewRef(call);
  tensor_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
}

namespace {

// Returns the answer of a call with more arguments than one tensor, or None.
Ref call_on_tensors(const char* name, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  const Ref all(checked(PyTuple_New(nargs + named)));
  for (Py_ssize_t i = 0; i < nargs + named; ++i) {
    checked(PyTuple_SetItem(all.get(), i, Py_NewRef(args[i])));
  }
  const Ref empty(names == nullptr ? checked(PyTuple_New(0)) : nullptr);
  return Ref(checked(PyObject_CallFunction(tensor_call.load(), "sOO", name, all.get(),
                                           names == nullptr ? empty.get() : names)));
}

}  // namespace

PyObject* convert_and_call(const char* op, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* names) {
  const Ref positional(checked(PyTuple_New(nargs))), named(checked(PyDict_New()));
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    checked(PyTuple_SetItem(positional.get(), i, Py_NewRef(args[i])));
  }
  for (Py_ssize_t i = 0; i < (names == nullptr ? 0 : PyTuple_Size(names)); ++i) {
    checked(PyDict_SetItem(named.get(), PyTuple_GetItem(names, i), args[nargs + i]));
  }
  const Ref call(attribute("onefold.reduce.convert", "call"));
  return checked(PyObject_CallFunction(call.get(), "sOO", op, positional.get(), named.get()));
}

std::vector<const OpEntry*> parse_ops(std::string_view text) {
  std::vector<const OpEntry*> ops;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view name = rest.substr(0, comma);
    rest = more ? rest.substr(comma + 1) : std::string_view();
    const auto entry = [](auto op) { return std::ranges::find(entries, op, &OpEntry::name); };
    const auto* found = entry(name);
    const Alias* const alias = found == std::end(entries) ? find_alias(name) : nullptr;
    if (alias != nullptr) found = entry(std::string_view(alias->op));
    if (found == std::end(entries) || std::find(ops.begin(), ops.end(), found) != ops.end()) {
      static_cast<void>(gather(text, ArrayRef(nullptr, DType::f64, {0})));  // reports the error
      throw Error(ErrorCode::unknown_op,
                  "\"" + std::string(name) + "\" is not an op of this package");
    }
    ops.push_back(found);
  }
  return ops;
}

std::vector<Ref> fold_arrays(std::span<const OpEntry* const> ops, const Input& x, const Input* y,
                             Options o, PyObject* out, const bool* absent, PyObject* progress) {
  if (out == Py_None) out = nullptr;
  if (names_all(o.axes, x.ref.shape.rank())) o.axes = {};
  if (o.axes.all() && !o.keepdims && out == nullptr) return fold_whole(ops, x, y, o, progress);

  if (out != nullptr && !o.result) {
    o.result = type_for(ops[0]->name, out, ops[0]->about->result.of(x.ref.dtype));
  }
  const PlannedFold plan(joined(ops), x.ref, y == nullptr ? nullptr : &y->ref, o);
  const Dims& shape = plan.shape();
  const std::span<const PlannedFold::Op> of = plan.ops();
  Size size = 1;
  for (const int64_t extent : shape) size *= static_cast<Size>(extent);
  std::vector<Ref> arrays;
  std::vector<OutputRef> places;
  const bool may_fail =
      std::any_of(of.begin(), of.end(), [](const PlannedFold::Op& op) { return op.may_fail; });
  std::vector<Status> status(may_fail ? size * ops.size() : 0);
  for (std::size_t k = 0; k < ops.size(); ++k) {
    const DType t = of[k].dtype;
    if (out != nullptr) check_out(ops[k]->name, out, t, shape);
    arrays.push_back(numpy::make_array(out != nullptr ? t : array_type(t, x.source), shape));
    places.emplace_back(numpy::data_of(arrays[k].get()), t, shape,
                        may_fail ? status.data() + size * k : nullptr);
  }
  {
    const LongFold released(x.bytes(), progress);
    plan.into(places);
  }
  for (std::size_t k = 0; k < ops.size(); ++k) {
    if (may_fail) {
      apply_statuses(ops[k]->name, of[k].dtype, shape, static_cast<std::byte*>(places[k].data),
                     std::span(status).subspan(size * k, size), o.nan, x.size() > 0, absent);
    }
    if (out != nullptr) {
      numpy::copy_into(out, arrays[k].get());
      arrays[k] = Ref::borrow(out);
    } else if (shape.rank() == 0) {
      Value v{.dtype = of[k].dtype, .status = Status::ok, .bits = 0};
      std::memcpy(&v.bits, places[k].data, bytes_of(v.dtype));
      arrays[k] = Ref(value_of(ops[k]->name, v, x.source, o.nan, true));
    }
  }
  return arrays;
}

PyObject* call_op(const OpEntry& op, const char* name, NanPolicy nan, PyObject* const* args,
                  Py_ssize_t nargs, PyObject* names) {
  try {
    const int inputs = op.about->inputs;
    const bool alone = inputs == 1 && nargs == 1 && names == nullptr,
               tensor = nargs >= 1 && Py_TYPE(args[0]) == tensor_type;
    if (tensor && !(alone && nan == NanPolicy::propagate)) {
      Ref answer = call_on_tensors(name, args, nargs, names);
      if (answer.get() != Py_None) return answer.release();
    }
    if (alone) {
      if (tensor && nan == NanPolicy::propagate) {
        Ref answer(checked(PyObject_CallFunction(tensor_fold.load(), "sO", name, args[0])));
        if (answer.get() != Py_None) return answer.release();
      }
      if (PyObject* answer = fold_quickly(op, nan, args[0])) return answer;
      if (PyObject* answer = fold_column(op, {.nan = nan, .threads = default_threads}, args[0]))
        return answer;
    }
    if ((nargs >= 1 && Py_TYPE(args[0]) == expression_type) ||
        (op.about->takes_weights && nargs == 1) ||
        (names != nullptr && takes_weights(op) && holds(names, "weights"))) {
      return convert_and_call(name, args, nargs, names);
    }
    Keywords k;
    read_keywords(name, args, nargs, names, inputs,
                  {.ddof = op.about->uses_ddof,
                   .nan = nan == NanPolicy::propagate,
                   .initial = op.about->takes_initial,
                   .bias = op.about->estimates,
                   .fisher = op.name == std::string_view("kurtosis")},
                  k);
    const bool pearson = k.fisher != nullptr && !read_flag(name, "fisher", k.fisher);
    const OpEntry& used = pearson ? *parse_ops("kurtosis_pearson")[0] : op;
    Input x, y, mask;
    Options options;
    if (k.errors != nullptr || k.dim != nullptr || nargs < inputs || !x.read(args[0], op.name) ||
        (inputs == 2 && !y.read(args[1], op.name))) {
      if (inputs == 1 && !numpy::is_array(args[0]) && is_plain(k)) {
        options = make_options(op.name, k);
        if (k.nan == nullptr) options.nan = nan;
        options.axes = {};
        if (PyObject* answer = fold_column(used, options, args[0])) return answer;
      }
      return convert_and_call(name, args, nargs, names);
    }
    const bool product =
        k.axis == nullptr && x.ref.shape.rank() > 1 && name == std::string_view("dot");
    if (inputs == 2 && (product || !are_alike(x, y))) {
      return convert_and_call(name, args, nargs, names);  // refuses products of matrices
    }
    options = make_options(op.name, k);
    if (!read_mask(op.name, k.where, mask, options)) {
      return convert_and_call(name, args, nargs, names);
    }
    if (k.nan == nullptr) options.nan = nan;
    const OpEntry* const ops[] = {&used};
    auto answers = fold_arrays(ops, x, inputs == 2 ? &y : nullptr, options, k.out);
    return answers[0].release();
  } catch (...) {
    return call_after_error(name, args, nargs, names);
  }
}

}  // namespace onefold::python
