// onefold._core: what the package is made of. Its users see onefold/__init__.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.hpp"
#include "builtins.hpp"
#include "device.hpp"
#include "fold.hpp"
#include "info.hpp"
#include "numpy.hpp"
#include "request.hpp"
#include "state.hpp"
#include "states.hpp"
#include "view.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// nanobind calls this for what bindings throw.
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

nb::list op_table() {
  nb::list table;
  for (const OpEntry& op : op_entries()) {
    nb::dict types;
#define ONEFOLD_DTYPE(symbol, spelling, type, kind, bytes) \
  types[spelling] = name_of(op.about->result.of(DType::symbol));
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
    table.append(nb::make_tuple(op.name, op.about->idea, op.about->inputs, op.about->uses_index,
                                takes_ddof(op), types));
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
  m.def("check_ops", [](const std::string& ops) { parse_ops(ops); });
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
    add_state(m);
    add_states(m);
    add_views(m);
    add_arrow(m);
    add_device(m);
    add_info(m);
  } catch (const PythonError&) {
    throw nb::python_error();
  }
}
