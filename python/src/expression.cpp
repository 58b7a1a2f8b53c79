#include "expression.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "answer.hpp"
#include "fold.hpp"
#include "gathered.hpp"
#include "numpy.hpp"
#include "onefold/engine/fit/linear_combination.hpp"
#include "onefold/io/expression.hpp"
#include "request.hpp"
#include "states.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// Returns a tree: a number of Python, a str for a name, or a tuple of a function's name and its
// arguments.
nb::object tree_of(const io::Node& node) {
  switch (node.what) {
    case io::Node::What::column:
      return nb::str(node.name.c_str(), node.name.size());
    case io::Node::What::constant:
      if (node.kind == io::Kind::truth) return nb::bool_(node.value.numbers[0] != 0);
      if (node.kind == io::Kind::text) {
        throw Error(ErrorCode::bad_option, "expr: \"" + node.value.texts[0] +
                                               "\" is a text, and arrays have numbers; a name of "
                                               "other characters stands in `back quotes`");
      }
      return nb::float_(node.value.numbers[0]);
    case io::Node::What::call:
      break;
  }
  nb::list parts;
  parts.append(nb::str(node.name.c_str(), node.name.size()));
  for (const io::Node& part : node.parts) parts.append(tree_of(part));
  return nb::tuple(parts);
}

nb::object expression(const std::string& text) {
  std::vector<io::OpCall> calls;
  const std::vector<io::Item> items = io::parse_items("expr", text, {}, calls);
  if (items.size() != 1) {
    throw Error(ErrorCode::bad_option, "expr \"" + text + "\": commas part " +
                                           std::to_string(items.size()) +
                                           " expressions, and an expression is one");
  }
  return tree_of(items[0].node);
}

//   summands  pairs of States (None: the count) and a list of factors
//   counts    int64 in this machine's order, one for each slice
// Returns the answers, and for each slice 0, 1 or 2, as bytes: Sum.
nb::object combine(const nb::list& summands, const nb::bytes& counts,
                   const std::vector<int64_t>& shape, bool mean, const std::string& result,
                   nb::handle threads) {
  std::vector<Summand> list;
  for (nb::handle h : summands) {
    const auto pair = nb::cast<nb::tuple>(h);
    list.push_back({pair[0].is_none() ? States() : states_in(pair[0]),
                    nb::cast<std::vector<double>>(pair[1])});
  }
  const auto n = words_of<int64_t>(counts);
  Dims extents;
  for (const int64_t e : shape) extents.push_back(e);
  const int most = threads.is_none() ? default_threads.load() : read_threads("expr", threads.ptr());
  LinearCombination c = [&] {
    const WithoutGil released;
    return linear_combination(list, n, extents, mean, numpy::dtype_named(result), most);
  }();
  return nb::make_tuple(
      nb::steal(array_of(std::move(c.answer), Source::numpy, NanPolicy::propagate).release()),
      nb::bytes(c.kinds.data(), c.kinds.size()));
}

}  // namespace

void add_expressions(nb::module_& m) {
  m.def("expression", expression);
  m.def("combine", combine, nb::arg("summands"), nb::arg("counts"), nb::arg("shape"),
        nb::arg("mean"), nb::arg("result"), nb::arg("threads").none());
  m.def("set_expression_type", [](nb::handle type) {
    expression_type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type.ptr()));
  });
}

}  // namespace onefold::python
