#include "builtins.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fold.hpp"

namespace onefold::python {
namespace {

template <int k>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return call_op(op_entries()[k], op_entries()[k].name, NanPolicy::propagate, args, nargs, names);
}

// NumPy's ops that omit NaN: nansum and similar.
constexpr std::string_view with_nan[] = {"sum", "mean", "var",    "std",
                                         "min", "max",  "argmin", "argmax"};
std::string nan_name(const char* op) { return std::string("nan") + op; }

template <int k>
PyObject* call_nan(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  static const std::string name = nan_name(op_entries()[k].name);
  return call_op(op_entries()[k], name.c_str(), NanPolicy::omit, args, nargs, names);
}

using Call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

constexpr int op_count = 0
#define ONEFOLD_ENTRY(name) +1
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    ;

struct Calls {
  Call plain, nan;
};
template <std::size_t... k>
constexpr std::array<Calls, sizeof...(k)> all_calls(std::index_sequence<k...>) {
  return {Calls{call<static_cast<int>(k)>, call_nan<static_cast<int>(k)>}...};
}
constexpr auto calls = all_calls(std::make_index_sequence<op_count>());

// The facts at the top of onefold/core/op/NAME.hpp, one line each.
constexpr const char* facts[] = {
#define ONEFOLD_OP_FACTS(name, text) text,
#include "generated/op_facts.inl"
#undef ONEFOLD_OP_FACTS
};
static_assert(std::size(facts) == op_count);

// Returns the facts of nansum and similar functions, which omit NaN.
std::string facts_without_nan(const OpEntry& op, std::string_view fact) {
  const std::size_t at = fact.find("NaN      "), end = std::min(fact.find('\n', at), fact.size());
  if (at == std::string_view::npos) return std::string(fact);
  const char* const alone = op.about->uses_index            ? "error empty_input"
                            : op.about->result.same_integer ? "NaN"
                                                            : "as empty";
  return std::string(fact.substr(0, at)) + "NaN      left out; of nothing but NaN: " + alone +
         std::string(fact.substr(end));
}

// The text for Python's help(); inspect.signature reads its first line.
std::string documentation(const OpEntry& op, const char* fact, bool omit) {
  const bool two = op.about->inputs == 2;
  std::string text = (omit ? nan_name(op.name) : op.name) + "($module, x, " + (two ? "y, " : "") +
                     "/, axis=None, *, dtype=None, out=None, keepdims=False, " +
                     (omit ? "" : "nan='propagate', ") + "where=None, threads=None" +
                     (op.about->uses_ddof ? ", ddof=None, correction=None" : "") +
                     (op.about->estimates ? ", bias=None" : "") +
                     (op.name == std::string_view("kurtosis") ? ", fisher=None" : "") +
                     (op.about->takes_initial ? ", initial=None" : "") +
                     ", errors=None, dim=None)\n--\n\n";
  text += op.about->idea + std::string(omit ? ", without the NaNs" : "");
  text += is_floating(op.about->result.of(DType::f64)) ? ", exact and rounded once.\n\n"
                                                       : ", exact.\n\n";
  text += (omit ? facts_without_nan(op, fact) : fact) + "\n";
  text +=
      two ? "x, y     arrays of one type and shape; or x alone, a table of two columns; read once\n"
          : "x        array, buffer, sequence of numbers, or the path of a file; read once\n";
  if (takes_weights(op)) {
    text += std::string("weights  ") + (op.about->takes_weights ? "instead of y, " : "") +
            "by name, with the axes and result types of numpy.average" +
            (op.about->uses_ddof ? "; not beside ddof\n" : "\n");
  }
  text +=
      "axis     None (all), an int or a tuple of ints\n"
      "dim      of an array of xarray the names of axes, instead\n"
      "dtype    rounds the exact value once to that type instead\n"
      "out      an ndarray of the answer's shape; the exact value is rounded once to its type\n";
  if (!omit) text += "nan      'propagate', 'omit' or 'raise'\n";
  text += "where    bools that broadcast to x: the elements that are there\n";
  if (op.about->takes_initial) text += "initial  one more element, so that nothing is empty\n";
  text += "threads  None or 0: one per core, or what set_threads says\n";
  if (op.about->uses_ddof) {
    const bool error = op.name == std::string_view("sem"),
               fisher = op.name == std::string_view("kurtosis");
    text += std::string("ddof     ") + (error ? "1" : "0") + "; `correction` is the same thing" +
            (op.about->estimates ? "; bias=False is ddof=1" : "") +
            (fisher ? "; fisher=False is kurtosis_pearson\n" : "\n");
  }
  return text +
         "errors   of arrays on a device: 'defer' gives (value, status) and waits for nothing\n"
         "returns  a scalar of NumPy for an ndarray; Python's bool, int or float for buffers,\n"
         "         sequences, columns and files; along axes an ndarray; a tensor for a tensor; a\n"
         "         DataArray for one; a Series of a DataFrame's rows or columns\n"
         "raises   AxisError, ShapeError, DTypeError, OptionError, UnsupportedError before any\n"
         "         work; OverflowError, EmptyError, NanError where the data have no answer\n"
         "cost     one pass; the GIL is released from 64 KiB on\n";
}

}  // namespace

void add_ops(PyObject* module) {
  static std::vector<std::string> texts;  // the method definitions point to these texts
  static std::vector<PyMethodDef> methods;
  texts.reserve(4 * op_count);
  const auto add = [](std::string name, Call call, std::string text) {
    texts.push_back(std::move(name));
    const char* const at = texts.back().c_str();
    texts.push_back(std::move(text));
    methods.push_back({at, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
                       METH_FASTCALL | METH_KEYWORDS, texts.back().c_str()});
  };
  for (std::size_t k = 0; k < op_count; ++k) {
    const OpEntry& op = op_entries()[k];
    add(op.name, calls[k].plain, documentation(op, facts[k], false));
    if (std::find(std::begin(with_nan), std::end(with_nan), op.name) != std::end(with_nan)) {
      add(nan_name(op.name), calls[k].nan, documentation(op, facts[k], true));
    }
  }
  methods.push_back({});
  checked(PyModule_AddFunctions(module, methods.data()));
}

}  // namespace onefold::python
