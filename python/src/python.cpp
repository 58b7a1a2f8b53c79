#include "python.hpp"

#include <algorithm>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string_view>

#include "onefold/error.hpp"

namespace onefold::python {
namespace {

// How a Python keyword is written in messages of the engine and of the file reader, and the value
// that replaces a flag.
struct Keyword {
  std::string_view member, option, keyword, flag = "";
};
constexpr Keyword keywords[] = {{".first", "--first", "first"},
                                {".first, --first", "", "first"},
                                {".fweights", "--fweights", "fweights"},
                                {".groups", "", "groups"},
                                {".initial", "--initial", "initial"},
                                {".weights", "--weights", "weights"},
                                {"", "--axis", "axis"},
                                {"", "--bad-lines", "bad_lines"},
                                {"", "--by", "by"},
                                {"", "--columns", "columns"},
                                {"", "--date-format", "date_format"},
                                {"", "--decimal", "decimal"},
                                {"", "--delimiter", "delimiter"},
                                {"", "--comment", "comment"},
                                {"", "--dtype", "dtype"},
                                {"", "--empty-nan", "empty_nan", "True"},
                                {"", "--format", "format"},
                                {"", "--header", "header"},
                                {"", "--keepdims", "keepdims", "True"},
                                {"", "--let", "let"},
                                {"", "--memory", "memory"},
                                {"", "--method", "method"},
                                {"", "--missing", "missing"},
                                {"", "--nan", "nan"},
                                {"", "--non-numbers", "non_numbers"},
                                {"", "--numbers", "numbers"},
                                {"", "--offset", "offset"},
                                {"", "--q", "q"},
                                {"", "--result", "result"},
                                {"", "--shape", "shape"},
                                {"", "--skip", "skip"},
                                {"", "--thousands", "thousands"},
                                {"", "--union", "union", "True"},
                                {"", "--units", "units", "True"},
                                {"", "--where", "where"}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// Returns the length of the value that follows `--thousands ` in a message: quoted, a mark, a type
// or numbers. If a word of the sentence follows, as in `--columns chooses one`, returns 0.
std::size_t value_bytes(std::string_view text) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    return end == text.npos ? 0 : end + 1;
  }
  if (text.starts_with('(')) return text.find(')') + 1;  // npos + 1 is 0
  const std::string_view word = text.substr(0, text.find_first_of(" ;)"));
  const bool number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  const bool known = is_one_of(
      word, {",", ".", "f64", "i64", "x,y", "raise", "skip", "yes", "no", "loose", "missing"});
  return number || known ? word.size() : 0;
}

}  // namespace

// The engine writes `.weights`, the file reader `--weights`; in Python it is weights=.
std::string with_keywords(std::string_view text) {
  std::string said;
  while (!text.empty()) {
    const bool begins = said.empty() || said.back() == ' ' || said.back() == '(';
    const Keyword* found = nullptr;
    std::size_t n = 0;
    for (const Keyword& k : keywords) {
      for (const std::string_view word : {k.member, k.option}) {
        if (!begins || word.empty() || !text.starts_with(word)) continue;
        const char next = text.size() == word.size() ? ' ' : text[word.size()];
        if (std::string_view(" ,;)").find(next) == std::string_view::npos) continue;
        found = &k;
        n = word.size();
      }
    }
    if (found == nullptr) {
      said += text.front();
      text.remove_prefix(1);
      continue;
    }
    const bool option = text.starts_with("--");
    text.remove_prefix(n);
    said += std::string(found->keyword) + "=" + std::string(found->flag);
    if (!option || !text.starts_with(' ')) continue;
    const std::string_view value = text.substr(1, value_bytes(text.substr(1)));
    if (value.empty()) continue;
    const bool plain = value.front() == '"' || value.front() == '(' || is_digit(value.front());
    said += plain ? std::string(value) : '"' + std::string(value) + '"';
    text.remove_prefix(1 + value.size());
  }
  return said;
}

namespace {

void raise(const char* code, const std::string& what) {
  try {
    const std::string message = with_keywords(what);
    const Ref make(attribute("onefold.errors", "make"));
    // A damaged file or state may have brought any bytes into the message.
    const auto n = static_cast<Py_ssize_t>(message.size());
    const Ref text(checked(PyUnicode_DecodeUTF8(message.data(), n, "backslashreplace")));
    const Ref error(checked(PyObject_CallFunction(make.get(), "sO", code, text.get())));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  } catch (const PythonError&) {
  }
}

}  // namespace

void set_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const Error& e) {
    raise(name_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    raise(name_of(ErrorCode::out_of_memory), "memory ran out");
  } catch (const std::length_error&) {
    raise(name_of(ErrorCode::out_of_memory), "memory ran out: no memory holds as many answers");
  } catch (const std::exception& e) {
    raise(name_of(ErrorCode::internal), e.what());
  }
}

std::string text_of(PyObject* str) {
  Py_ssize_t n = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(str, &n)) {
    return {text, static_cast<std::size_t>(n)};
  }
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw PythonError();
  PyErr_Clear();
  const Ref bytes(checked(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace")));
  return PyBytes_AsString(bytes.get());
}

std::string name_of_type(PyObject* x) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(x));
  const Ref module(PyObject_GetAttrString(type, "__module__"));
  const Ref name(PyObject_GetAttrString(type, "__qualname__"));
  PyErr_Clear();
  std::string text;
  if (module && PyUnicode_Check(module.get())) text = text_of(module.get()) + ".";
  return text + (name && PyUnicode_Check(name.get()) ? text_of(name.get()) : "?");
}

PyObject* attribute(const char* module, const char* name) {
  const Ref m(checked(PyImport_ImportModule(module)));
  return checked(PyObject_GetAttrString(m.get(), name));
}

}  // namespace onefold::python
