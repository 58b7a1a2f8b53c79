// logsumexp, softmax and their kin.
#include "logsumexp.hpp"

#include <nanobind/stl/string.h>

#include "answer.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "onefold/logsumexp.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Returns None if an array must be converted first.
//   name  of the C++ function
nb::object exponential(const std::string& name, nb::handle x, const nb::dict& d) {
  Options options = options_of(name.c_str(), d);
  Input a, mask;
  if (!a.read(x.ptr(), name.c_str())) return nb::none();
  if (!read_mask(name.c_str(), item(d, "where"), mask, options)) return nb::none();
  const bool each = name == "softmax" || name == "log_softmax";
  const auto function = name == "softmax"       ? softmax
                        : name == "log_softmax" ? log_softmax
                        : name == "logmeanexp"  ? logmeanexp
                                                : logsumexp;
  const Answer answer = [&] {
    const LongFold released(a.bytes());
    return function(a.ref, options);
  }();
  if (each && answer.shape.rank() > 0) {
    return nb::steal(array_of(answer, a.source, options.nan).release());
  }
  return nb::steal(object_of(answer, a.source, options.nan, true).release());
}

}  // namespace

void add_logsumexp(nb::module_& m) {
  m.def("exponential", exponential, nb::arg("name"), nb::arg("x").none(), nb::arg("keywords"));
}

}  // namespace onefold::python
