// Folds of windows along one axis.
#include "windows.hpp"

#include <nanobind/stl/string.h>

#include "answer.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "request.hpp"
#include "state.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Takes the status too_few off an answer, and returns an array of the answers that had it; None: no
// answer had it.
nb::object too_few_of(Answer& answer) {
  std::vector<std::byte> found(answer.size());
  bool any = false;
  for (Size i = 0; i < answer.size(); ++i) {
    if (answer.status[i] != Status::too_few) continue;
    found[i] = std::byte{1};
    answer.status[i] = Status::ok;
    any = true;
  }
  if (!any) return nb::none();
  return nb::steal(numpy::make_array(DType::boolean, answer.shape, found.data()).release());
}

// Returns a pair for each op: the answers, and which of them had too few elements. Returns None if
// an array must be converted first.
//   width, ahead, step, least  see onefold/request.hpp
//   begin, end                 arrays; None: the rule above
nb::object fold_windows_of(const std::string& ops, nb::handle x, nb::handle y, Size width,
                           int64_t ahead, Size step, Size least, nb::handle begin, nb::handle end,
                           const nb::dict& d) {
  parse_ops(ops);
  Options o = options_of(ops.c_str(), d);
  Windows windows{.width = width, .ahead = ahead, .step = step, .least = least};
  Input a, b, from, to, mask;
  if (!a.read(x.ptr(), ops.c_str())) return nb::none();
  if (!y.is_none() && (!b.read(y.ptr(), ops.c_str()) || !are_alike(a, b))) return nb::none();
  if (!read_mask(ops.c_str(), item(d, "where"), mask, o)) return nb::none();
  if (!begin.is_none()) {
    if (!from.read(begin.ptr(), ops.c_str()) || !to.read(end.ptr(), ops.c_str())) return nb::none();
    windows.begin = from.ref;
    windows.end = to.ref;
  }
  Request request{.ops = ops, .x = a.ref, .options = o, .windows = windows};
  if (!y.is_none()) request.y = b.ref;
  Answers answers = [&] {
    const LongFold released(a.bytes());
    return fold(request);
  }();
  nb::list pairs;
  for (Answer& answer : answers.list) {
    nb::object too_few = too_few_of(answer);
    pairs.append(nb::make_tuple(nb::steal(array_of(answer, a.source, o.nan).release()), too_few));
  }
  return pairs;
}

}  // namespace

void add_windows(nb::module_& m) {
  m.def("fold_windows", fold_windows_of, nb::arg("ops"), nb::arg("x").none(), nb::arg("y").none(),
        nb::arg("width"), nb::arg("ahead"), nb::arg("step"), nb::arg("least"),
        nb::arg("begin").none(), nb::arg("end").none(), nb::arg("keywords"));
}

}  // namespace onefold::python
