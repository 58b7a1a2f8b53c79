#include "builtins.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "examples.hpp"
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

// Facts, each a word and its text, as a list.
std::string list_of(std::string_view facts) {
  std::string list;
  for (std::size_t at = 0; at < facts.size();) {
    const std::size_t end = std::min(facts.find('\n', at), facts.size());
    const std::string_view line = facts.substr(at, end - at);
    const std::size_t word = line.find(' ');
    list += "- " + std::string(line.substr(0, word)) + ": ";
    list += std::string(line.substr(line.find_first_not_of(' ', word))) + "\n";
    at = end + 1;
  }
  return list;
}

std::string heading(std::string_view title) {
  return "\n" + std::string(title) + "\n" + std::string(title.size(), '-') + "\n";
}

std::string signature(const OpEntry& op, bool omit) {
  const OpFacts& about = *op.about;
  return (omit ? nan_name(op.name) : op.name) + std::string("($module, x, ") +
         (about.inputs == 2 ? "y, " : "") +
         "/, axis=None, *, dtype=None, out=None, keepdims=False, " +
         (omit ? "" : "nan='propagate', ") + "where=None, " +
         (takes_weights(op) ? "weights=None, " : "") + "threads=None" +
         (about.uses_ddof ? ", ddof=None, correction=None" : "") +
         (about.estimates ? ", bias=None" : "") +
         (op.name == std::string_view("kurtosis") ? ", fisher=None" : "") +
         (about.takes_initial ? ", initial=None" : "") + ", errors=None, dim=None)\n--\n\n";
}

std::string parameters(const OpEntry& op, bool omit) {
  const OpFacts& about = *op.about;
  std::string text = heading("Parameters");
  text += about.inputs == 2
              ? "x, y : array_like\n"
                "    Arrays of one type and shape, or x alone, a table of two columns.\n"
              : "x : array_like or path\n"
                "    An array of any library, a buffer, a sequence of numbers, or the path\n"
                "    of a file.\n";
  text +=
      "axis : int or tuple of ints, optional\n"
      "    The axes to fold; None folds all of them.\n"
      "dtype : dtype, optional\n"
      "    The exact value is rounded once to this type.\n"
      "out : ndarray, optional\n"
      "    Takes the answer, and has its shape.\n"
      "keepdims : bool\n"
      "    Whether folded axes stay, with length 1.\n";
  if (!omit) {
    text +=
        "nan : {'propagate', 'omit', 'raise'}\n"
        "    What NaN does.\n";
  }
  text +=
      "where : array_like of bool, optional\n"
      "    The elements that count. It broadcasts to x.\n";
  if (takes_weights(op)) {
    text += std::string("weights : array_like, optional\n    ") +
            (about.takes_weights ? "Instead of y, with" : "With") +
            " the axes and result types of numpy.average" +
            (about.uses_ddof ? "; not together with ddof.\n" : ".\n");
  }
  text +=
      "threads : int, optional\n"
      "    None and 0 use one thread for each core, or what set_threads says.\n";
  if (about.uses_ddof) {
    text += std::string("ddof, correction : float, optional\n    ") +
            (op.name == std::string_view("sem") ? "1" : "0") +
            " by default. Both names mean the same.\n";
  }
  if (about.estimates) text += "bias : bool, optional\n    False is the same as ddof=1.\n";
  if (op.name == std::string_view("kurtosis")) {
    text += "fisher : bool, optional\n    False gives kurtosis_pearson.\n";
  }
  if (about.takes_initial) {
    text += "initial : scalar, optional\n    One more element, so that nothing is empty.\n";
  }
  return text +
         "errors : {'raise', 'defer'}, optional\n"
         "    For arrays on a device: 'defer' returns (value, status) without waiting.\n"
         "dim : str or sequence of str, optional\n"
         "    Names of axes of an xarray object, instead of axis.\n";
}

std::string examples_of(std::string_view function) {
  std::string text;
  for (const Example& e : examples) {
    if (e.function != function) continue;
    text += heading("Examples") + ">>> import onefold\n>>> onefold." + e.function + "(" +
            e.arguments + ")\n" + e.answer + "\n";
  }
  return text;
}

// The text for Python's help(), by the rules of numpydoc; inspect.signature reads its first line.
std::string documentation(const OpEntry& op, const char* fact, bool omit) {
  std::string text = signature(op, omit);
  text += op.about->idea + std::string(omit ? ", without the NaNs" : "");
  text +=
      is_floating(op.about->result.of(DType::f64)) ? ", exact and rounded once.\n" : ", exact.\n";
  text += parameters(op, omit);
  text += heading("Returns") +
          "scalar or array\n"
          "    A scalar of NumPy for an ndarray; Python's bool, int or float for buffers,\n"
          "    sequences, columns and files. Along axes an ndarray. A tensor for a tensor, a\n"
          "    DataArray for a DataArray, a Series for the rows or columns of a DataFrame.\n";
  text += heading("Raises") +
          "AxisError, ShapeError, DTypeError, OptionError, UnsupportedError\n"
          "    The arguments are wrong. Nothing has been computed.\n"
          "OverflowError, EmptyError, NanError\n"
          "    The data have no answer.\n";
  text += heading("Notes") + list_of(omit ? facts_without_nan(op, fact) : fact) +
          "- cost: one pass; the GIL is released from 64 KiB on\n";
  return text + examples_of(omit ? nan_name(op.name) : op.name);
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
