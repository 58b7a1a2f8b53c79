// The module onefold._core, on which the package is built. Users see onefold/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.hpp"
#include "builtins.hpp"
#include "device.hpp"
#include "expression.hpp"
#include "files.hpp"
#include "fit.hpp"
#include "fold.hpp"
#include "info.hpp"
#include "logsumexp.hpp"
#include "numpy.hpp"
#include "onefold/engine/plan/alias.hpp"
#include "quantiles.hpp"
#include "request.hpp"
#include "sequence.hpp"
#include "state.hpp"
#include "states.hpp"
#include "view.hpp"
#include "windows.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// nanobind calls this for exceptions of the bindings.
void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const nb::python_error&) {
    throw;
  } catch (const nb::builtin_exception&) {
    throw;
  } catch (...) {
    set_error();
  }
}

// The facts that onefold/_ops.py returns.
nb::list op_table() {
  nb::list table;
  for (const OpEntry& op : op_entries()) {
    const OpFacts& about = *op.about;
    nb::dict types, fits;
#define ONEFOLD_DTYPE(symbol, spelling, type, kind, bytes)   \
  types[spelling] = name_of(about.result.of(DType::symbol)); \
  fits[spelling] = elements_that_fit(about, DType::symbol);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
    const auto name_or_none = [](const char* name) -> nb::object {
      return name == nullptr ? nb::none() : nb::object(nb::str(name));
    };
    table.append(nb::make_tuple(op.name, about.idea, about.inputs, about.uses_index,
                                about.uses_ddof, about.estimates, types, about.takes_initial,
                                takes_weights(op), about.needs_element, about.result.same_integer,
                                name_or_none(about.merged_by), name_or_none(about.index_of), fits));
  }
  return table;
}

nb::list error_table() {
  nb::list table;
#define ONEFOLD_ERROR(code, status, meaning) table.append(nb::make_tuple(#code, status, meaning));
  ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
  return table;
}

nb::list targets() {
  nb::list list;
  for (const std::string_view t : cpu_targets()) list.append(nb::str(t.data(), t.size()));
  return list;
}

}  // namespace
}  // namespace onefold::python

NB_MODULE(_core, m) {
  using namespace onefold::python;
  nb::register_exception_translator(translate);
  m.attr("version") = ONEFOLD_VERSION;
  m.def("op_table", op_table);
  // Checks the names of ops, and returns them with aliases replaced.
  m.def("own_ops", [](const std::string& ops) {
    std::string own;
    for (const OpEntry* const op : parse_ops(ops)) {
      own += (own.empty() ? "" : ",") + std::string(op->name);
    }
    return own;
  });
  m.def("alias", [](const std::string& word) {
    const onefold::Alias* const alias = onefold::find_alias(word);
    return alias == nullptr ? nb::object(nb::none()) : nb::make_tuple(alias->op, alias->note);
  });
  m.def("error_table", error_table);
  m.def("cpu_targets", targets);
  // "f4", float, np.float32, "f32" -> "f32"
  m.def(
      "dtype_name",
      [](nb::handle dtype, const std::string& op, const std::string& keyword) {
        return onefold::name_of(numpy::dtype_of_object(dtype.ptr(), op.c_str(), keyword.c_str()));
      },
      nb::arg("dtype").none(), nb::arg("op") = "onefold", nb::arg("keyword") = "dtype");
  m.def("set_threads", [](int n) { default_threads = n; });
  m.def("get_threads", [] { return default_threads.load(); });
  try {
    add_ops(m.ptr());
    add_folds(m);
    add_files(m);
    add_contents(m);
    add_state(m);
    add_states(m);
    add_views(m);
    add_sequences(m);
    add_arrow(m);
    add_device(m);
    add_info(m);
    add_logsumexp(m);
    add_quantiles(m);
    add_fit(m);
    add_expressions(m);
    add_windows(m);
  } catch (const PythonError&) {
    throw nb::python_error();
  }
}
