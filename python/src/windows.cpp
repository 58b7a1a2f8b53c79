// Folds of windows along one axis.
#include "windows.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "files.hpp"
#include "fold.hpp"
#include "long_fold.hpp"
#include "numpy.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "request.hpp"
#include "state.hpp"
#include "view.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Takes the status too_few off an answer, and returns an array of the answers that had it; None: no
// answer had it.
nb::object too_few_of(Answer& answer) {
  if (is_floating(answer.dtype)) return nb::none();  // NaN says it
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

// What windows are of, with the memory of all arrays.
struct WindowsRead {
  Input x, mask;
  ReadWindows rule;
  Options options;

  // Returns false if an array must be converted first.
  bool read(const std::string& ops, nb::handle from, const nb::tuple& parts, const nb::dict& d) {
    options = options_of(ops.c_str(), d);
    return x.read(from.ptr(), ops.c_str()) &&
           read_mask(ops.c_str(), item(d, "where"), mask, options) && rule.read(ops, parts);
  }
};

// Returns a pair for each op: the answers, and which of them had too few elements. Returns None if
// an array must be converted first.
nb::object fold_windows_of(const std::string& ops, nb::handle x, nb::handle y,
                           const nb::tuple& rule, const nb::dict& d) {
  parse_ops(ops);
  WindowsRead read;
  Input second;
  if (!read.read(ops, x, rule, d)) return nb::none();
  if (!y.is_none() && (!second.read(y.ptr(), ops.c_str()) || !are_alike(read.x, second))) {
    return nb::none();
  }
  Request request{.ops = ops,
                  .x = read.x.ref,
                  .options = read.options,
                  .segments = read.rule.segments,
                  .windows = read.rule.windows};
  if (!y.is_none()) request.y = second.ref;
  Answers answers = [&] {
    const LongFold released(read.x.bytes());
    return fold(request);
  }();
  nb::list pairs;
  for (Answer& answer : answers.list) {
    nb::object too_few = too_few_of(answer);
    pairs.append(nb::make_tuple(
        nb::steal(array_of(std::move(answer), read.x.source, read.options.nan).release()),
        too_few));
  }
  return pairs;
}

// Returns the scan of a line of numbers without options. Returns None if x, or an error, takes a
// closer look.
nb::object scan_line(const std::string& op, nb::handle x) {
  numpy::Run run;
  if (!numpy::is_line_of_numbers(x.ptr()) || !numpy::is_run(x.ptr(), false, run) ||
      run.dtype == DType::bf16) {
    return nb::none();
  }
  try {
    Answers answers = [&] {
      const LongFold released(run.n * bytes_of(run.dtype));
      return fold({.ops = op,
                   .x = ArrayRef(run.data, run.dtype, Dims(run.n)),
                   .options = {.empty_nan = true},
                   .windows = Windows{}});
    }();
    return nb::steal(
        array_of(std::move(answers.list[0]), Source::numpy, NanPolicy::propagate).release());
  } catch (const Error&) {
    return nb::none();
  }
}

// Returns an array for each quantile, or None if an array must be converted first.
nb::object quantile_windows(const std::string& op, const std::vector<std::string>& words,
                            const std::string& method, nb::handle x, const nb::tuple& rule,
                            const nb::dict& d) {
  const std::vector<Quantile> quantiles = quantiles_of(words, method);
  WindowsRead read;
  if (!read.read(op, x, rule, d)) return nb::none();
  Answers answers = [&] {
    const LongFold released(read.x.bytes());
    return quantiles_of_windows(op, read.x.ref, read.rule.windows, quantiles, read.options);
  }();
  nb::list values;
  for (Answer& answer : answers.list) {
    values.append(
        nb::steal(array_of(std::move(answer), read.x.source, read.options.nan).release()));
  }
  return values;
}

}  // namespace

bool ReadWindows::read(const std::string& ops, const nb::tuple& rule) {
  if (rule.size() != 7) throw Error(ErrorCode::internal, ops + ": a Rule has seven parts");
  windows = {.width = nb::cast<Size>(rule[0]),
             .ahead = nb::cast<int64_t>(rule[1]),
             .step = nb::cast<Size>(rule[2]),
             .least = nb::cast<Size>(rule[3])};
  const nb::object first = rule[4], last = rule[5], offsets = rule[6];
  if (!offsets.is_none()) {
    if (!anew.read(offsets.ptr(), ops.c_str())) return false;
    segments = anew.ref;
  }
  if (first.is_none()) return true;
  const ArrayRef *first_there = array_of_view(first.ptr()), *last_there = array_of_view(last.ptr());
  if (first_there != nullptr && last_there != nullptr) {
    windows.begin = *first_there;
    windows.end = *last_there;
    return true;
  }
  if (!begin.read(first.ptr(), ops.c_str()) || !end.read(last.ptr(), ops.c_str())) return false;
  windows.begin = begin.ref;
  windows.end = end.ref;
  return true;
}

void add_windows(nb::module_& m) {
  m.def("fold_windows", fold_windows_of, nb::arg("ops"), nb::arg("x").none(), nb::arg("y").none(),
        nb::arg("rule"), nb::arg("keywords"));
  m.def("scan_line", scan_line, nb::arg("op"), nb::arg("x").none());
  m.def("quantile_windows", quantile_windows, nb::arg("op"), nb::arg("words"), nb::arg("method"),
        nb::arg("x").none(), nb::arg("rule"), nb::arg("keywords"));
}

}  // namespace onefold::python
