// Matrices of columns, and least squares.
#include "fit.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "files.hpp"
#include "long_fold.hpp"
#include "onefold/fit.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

//   name  of the C++ function
nb::object column_matrix(const std::string& name, nb::handle x, const nb::dict& d) {
  const Options options = options_of(name.c_str(), d);
  Input a;
  if (!a.read(x.ptr(), name.c_str())) return nb::none();
  const auto function = name == "cov_matrix"    ? cov_matrix
                        : name == "corr_matrix" ? corr_matrix
                                                : gram;
  Answer answer = [&] {
    const LongFold released(a.bytes());
    return function(a.ref, options);
  }();
  return nb::steal(array_of(std::move(answer), a.source, options.nan).release());
}

// Returns coef, standard errors, r2, residual_std, n, dof, and the number of the dependent column
// or None.
nb::object fit(nb::handle x, nb::handle y, bool intercept, const nb::dict& d) {
  const Options options = options_of("linear_fit", d);
  Input a, b;
  if (!a.read(x.ptr(), "linear_fit") || !b.read(y.ptr(), "linear_fit")) return nb::none();
  const LinearFit f = [&] {
    const LongFold released(a.bytes());
    return linear_fit(a.ref, b.ref, intercept, options);
  }();
  const nb::object dependent =
      f.dependent == none ? nb::object(nb::none()) : nb::object(nb::int_(f.dependent));
  return nb::make_tuple(f.coef, f.standard_error, f.r2, f.residual_std, f.n, f.dof, dependent);
}

}  // namespace

void add_fit(nb::module_& m) {
  m.def("column_matrix", column_matrix);
  m.def("linear_fit", fit);
}

}  // namespace onefold::python
