// Reads the keywords for folds of files.
#include <nanobind/stl/string.h>

#include "files.hpp"
#include "fold.hpp"
#include "numpy.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/tables/input_words.hpp"
#include "onefold/tables/path_columns.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

std::vector<std::string> paths_of(const std::vector<nb::bytes>& names) {
  std::vector<std::string> paths;
  for (const nb::bytes& name : names) {
    paths.emplace_back(name.c_str(), name.size());
    if (paths.back().find('\0') == std::string::npos) continue;
    throw Error(ErrorCode::cannot_open,
                "open " + std::string(name.c_str()) + ": a byte 0 follows, and no path has one");
  }
  return paths;
}

std::vector<std::string> list_of_words(const char* name, PyObject* given) {
  const std::string wanted = "a str or a list of them";
  if (PyList_Check(given) == 0 && PyTuple_Check(given) == 0) {
    wrong_type((std::string(name) + "=").c_str(), given, wanted.c_str());
  }
  std::vector<std::string> words;
  for (Py_ssize_t k = 0; k < PySequence_Size(given); ++k) {
    const Ref word(checked(PySequence_GetItem(given, k)));
    if (PyUnicode_Check(word.get()) == 0) {
      wrong_type((std::string(name) + "[" + std::to_string(k) + "]").c_str(), word.get(),
                 "the str of a name");
    }
    words.push_back(text_of(word.get()));
  }
  return words;
}

// Reads columns=, by= or sort=: a list as on the command line, or a list of names. Empty: not
// given.
std::string words_of_list(const char* name, const nb::dict& d) {
  PyObject* const given = item(d, name);
  if (given == nullptr) return {};
  if (PyUnicode_Check(given) != 0) return text_of(given);
  const std::vector<std::string> names = list_of_words(name, given);
  if (names.empty()) {
    throw Error(ErrorCode::bad_option, std::string(name) + "=" + "[] names no column");
  }
  return io::list_of_names(names);
}

// Reads an option of the same meaning as on the command line.
void read_word(io::InputOptions& input, const char* name, const char* option, const nb::dict& d) {
  PyObject* const given = item(d, name);
  if (given == nullptr) return;
  if (PyUnicode_Check(given) == 0) wrong_type((std::string(name) + "=").c_str(), given, "a str");
  io::set_input(input, option, text_of(given));
}

void read_header(io::InputOptions& input, const nb::dict& d) {
  PyObject* const given = item(d, "header");
  if (given != nullptr && PyBool_Check(given) != 0) {
    io::set_input(input, "header", given == Py_True ? "yes" : "no");
  } else if (given != nullptr && PyUnicode_Check(given) == 0) {
    wrong_type("header=", given, "True, False or \"auto\"");
  } else {
    read_word(input, "header", "header", d);
  }
}

Size read_memory(io::InputOptions& input, const nb::dict& d) {
  PyObject* const given = item(d, "memory");
  if (given == nullptr) return 0;
  const std::string text = PyUnicode_Check(given) != 0
                               ? text_of(given)
                               : std::to_string(read_integer("fold", "memory", given));
  return io::set_memory(input, text);
}

io::InputOptions input_of(const std::string& ops, const nb::dict& d) {
  io::InputOptions input;
  input.guess = true;
  read_word(input, "format", "format", d);
  if (PyObject* p = item(d, "dtype")) {
    input.dtype = numpy::dtype_of_object(p, ops.c_str());
    input.big_endian = numpy::is_big_endian(p);
  }
  if (PyObject* p = item(d, "shape")) {
    const Axes shape = read_axes(ops.c_str(), p);
    input.shape = shape.list();
  }
  if (PyObject* p = item(d, "offset")) {
    const int64_t offset = read_integer(ops.c_str(), "offset", p);
    if (offset < 0) {
      throw Error(ErrorCode::bad_option, "offset=" + std::to_string(offset) + " is negative");
    }
    input.offset = static_cast<uint64_t>(offset);
  }
  read_header(input, d);
  input.columns = words_of_list("columns", d);
  input.by = words_of_list("by", d);
  read_word(input, "let", "let", d);
  read_word(input, "delimiter", "delimiter", d);
  read_word(input, "bad_lines", "bad-lines", d);
  read_word(input, "decimal", "decimal", d);
  read_word(input, "thousands", "thousands", d);
  read_word(input, "numbers", "numbers", d);
  read_word(input, "non_numbers", "non-numbers", d);
  read_word(input, "date_format", "date-format", d);
  read_word(input, "comment", "comment", d);
  if (PyObject* p = item(d, "skip")) {
    io::set_input(input, "skip", std::to_string(read_integer(ops.c_str(), "skip", p)));
  }
  if (PyObject* p = item(d, "units")) {
    if (PyBool_Check(p) == 0) wrong_type("units=", p, "True or False");
    input.units = p == Py_True;
  }
  if (PyObject* p = item(d, "union")) {
    if (PyBool_Check(p) == 0) wrong_type("union=", p, "True or False");
    input.unite = p == Py_True;
  }
  if (PyObject* p = item(d, "missing")) {
    input.missing = PyUnicode_Check(p) != 0 ? std::vector<std::string>{text_of(p)}
                                            : list_of_words("missing", p);
  }
  input.missing_is_nan = item(d, "nan") != nullptr;
  io::check_marks(input);
  return input;
}

std::string file_of(const char* name, const nb::dict& d) {
  PyObject* const given = item(d, name);
  if (given == nullptr) return {};
  return paths_of({nb::cast<nb::bytes>(nb::handle(given))})[0];
}

}  // namespace

void read_asked(const std::string& ops, const std::vector<nb::bytes>& names, const nb::dict& d,
                AskedFiles& to) {
  to.files = io::files_in_folders(paths_of(names));
  io::FileRequest& asked = to.asked;
  asked.input = input_of(ops, d);
  asked.fold = options_of(ops.c_str(), d);
  asked.weights = file_of("weights", d);
  asked.fweights = file_of("fweights", d);
  asked.memory = read_memory(asked.input, d);
  asked.order.sort = words_of_list("sort", d);
  if (PyObject* p = item(d, "top")) {
    asked.order.top = io::read_top(std::to_string(read_integer(ops.c_str(), "top", p)));
  }
  PyObject* const where = item(d, "where");
  if (where == nullptr) return;
  if (PyBytes_Check(where) == 0) {
    read_mask(ops.c_str(), where, to.mask, asked.fold);
    return;
  }
  const std::string given = file_of("where", d);
  if (!io::names_mask(given)) return io::set_input(asked.input, "where", given);
  to.loaded = io::load_array(given);
  asked.fold.where = to.loaded.ref();
}

}  // namespace onefold::python
