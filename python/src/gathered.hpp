// What State and States share: merging, answers, bytes, pickles and copies.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include "answer.hpp"
#include "fold.hpp"
#include "onefold/fold.hpp"
#include "request.hpp"

namespace onefold::python {

// A value that Python's threads share: many may read it, or one may change it. A thread waits for
// its lock without the GIL, so it does not block others, and long work can run without the GIL.
template <class T>
class Shared {
 public:
  Shared() = default;
  explicit Shared(T value) : value_(std::move(value)) {}
  Shared(const Shared& o) : value_(o.read([](const T& value) { return value; })) {}
  Shared(Shared&& o) noexcept : value_(std::move(o.value_)) {}

  template <class F>
  auto read(const F& f) const {
    const WithoutGil released;
    const std::shared_lock lock(mutex_);
    return f(value_);
  }
  // Calls f(this one's value, the other one's value).
  template <class F>
  void change_by(const Shared& from, const F& f) {
    const WithoutGil released;
    if (this == &from) {
      const std::lock_guard lock(mutex_);
      f(value_, T(value_));
      return;
    }
    const std::scoped_lock lock(mutex_, from.mutex_);
    f(value_, from.value_);
  }
  void merge(const Shared& from) {
    change_by(from, [](T& a, const T& b) { a.merge(b); });
  }

 private:
  mutable std::shared_mutex mutex_;
  T value_;
};

// A part of a message (onefold/message.hpp), as bytes in this machine's order.
template <class Words>
nanobind::bytes bytes_of_words(const Words& words) {
  return nanobind::bytes(words.data(), words.size_bytes());
}
template <class Word>
std::vector<Word> words_of(const nanobind::bytes& bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word));
  if (!words.empty()) std::memcpy(words.data(), bytes.c_str(), words.size() * sizeof(Word));
  return words;
}
// Returns views of a list's bytes objects; the list keeps them alive.
std::vector<std::span<const std::byte>> spans_of(const nanobind::list& list);

// Returns the extents of states of slices.
inline nanobind::tuple tuple_of(const Dims& shape) {
  nanobind::list extents;
  for (const int64_t e : shape) extents.append(e);
  return nanobind::tuple(extents);
}

// The options of answer(); each may be missing.
struct AnswerKeywords {
  nanobind::handle ddof, correction, dtype, initial, empty_nan;
};
Options answer_options(const std::string& op, const AnswerKeywords& k);
// Returns the op that an attribute of `self` names.
//   throws  AttributeError
std::string op_of_attribute(nanobind::handle self, const std::string& name);

// Merging and removing: in place, or into a new value.
template <class T>
void add_merging(nanobind::class_<Shared<T>>& c, const char* name) {
  namespace nb = nanobind;
  using Self = Shared<T>;
  const auto other_of = [name](const char* what, nb::handle other) -> const Self& {
    if (!nb::isinstance<Self>(other)) {
      wrong_type(what, other.ptr(), ("a " + std::string(name)).c_str());
    }
    return nb::cast<const Self&>(other);
  };
  const auto merge = [other_of](Self& self, nb::handle other) {
    self.merge(other_of("merge: other", other));
  };
  const auto remove = [other_of](Self& self, nb::handle other) {
    self.change_by(other_of("remove: other", other), [](T& a, const T& b) { a.remove(b); });
  };
  c.def("merge", merge, nb::arg("other").none(),
        "Takes in what another one has gathered.\n\nraises StateError, or ShapeError where "
        "there are other slices: this one is then as it was")
      .def("remove", remove, nb::arg("other").none(),
           "Takes away another one that was merged: the exact inverse of merge().\n\nraises "
           "StateError where extremes are held (min, argmax), or what is left is not known: this "
           "one is then as it was")
      .def(
          "__ior__",
          [](nb::handle self, const Self& other) {
            nb::cast<Self&>(self).merge(other);
            return nb::borrow(self);
          },
          nb::arg("other"))
      .def(
          "__or__",
          [](const Self& a, const Self& b) {
            Self both = a;
            both.merge(b);
            return both;
          },
          nb::arg("other"), nb::is_operator());
}

// Bytes, pickles and digests.
//   loader  the function of onefold.state that pickles name
template <class T>
void add_saving(nanobind::class_<Shared<T>>& c, const char* loader) {
  namespace nb = nanobind;
  using Self = Shared<T>;
  const auto save = [](const Self& s) {
    const std::vector<std::byte> bytes = s.read([](const T& value) { return value.save(); });
    return nb::bytes(bytes.data(), bytes.size());
  };
  c.def("__bytes__", save)
      .def("save", save, "bytes(self): little-endian, with a CRC; equal ones are equal bytes")
      .def(
          "digest",
          [](const Self& s) { return s.read([](const T& value) { return value.digest(); }); },
          "SHA-256 of the bytes, as hexadecimal digits: equal data gathered alike have equal ones, "
          "in whatever parts and order")
      .def_static(
          "load",
          [](nb::handle given) {
            if (!nb::isinstance<nb::bytes>(given)) wrong_type("load: bytes", given.ptr(), "bytes");
            const auto bytes = nb::borrow<nb::bytes>(given);
            const std::span all(reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size());
            const WithoutGil released;
            return Self(T::load(all));
          },
          nb::arg("bytes").none(), "What save() wrote.")
      .def("__reduce__", [save, loader](const Self& s) {
        return nb::make_tuple(nb::steal(attribute("onefold.state", loader)),
                              nb::make_tuple(save(s)));
      });
}

// Makes the Python class `name` for Shared<T>, with all that State and States share.
//   T       has merge, remove, digest, save, load, ==, size(), dtype(), and answer(op, options) as
//           Python calls it
//   loader  the function of onefold.state that pickles name
//   about, answered   describe the class and its answer(), for help()
template <class T>
nanobind::class_<Shared<T>> add_gathered(nanobind::module_& m, const char* name, const char* loader,
                                         const char* about, const char* answered) {
  namespace nb = nanobind;
  using Self = Shared<T>;
  const auto answer = [](const Self& s, nb::handle name_of_op, nb::handle ddof,
                         nb::handle correction, nb::handle dtype, nb::handle initial,
                         nb::handle empty_nan) {
    if (!nb::isinstance<nb::str>(name_of_op)) wrong_type("answer: op", name_of_op.ptr(), "a str");
    const std::string op = text_of(name_of_op.ptr());
    const Options o = answer_options(op, {ddof, correction, dtype, initial, empty_nan});
    return T::object_of(s.read([&](const T& value) { return value.answer(op, o); }));
  };
  nb::class_<Self> c(m, name, about);
  add_merging<T>(c, name);
  add_saving<T>(c, loader);
  c.def(nb::init<>())
      .def("answer", answer, nb::arg("op").none(), nb::kw_only(), nb::arg("ddof") = nb::none(),
           nb::arg("correction") = nb::none(), nb::arg("dtype") = nb::none(),
           nb::arg("initial") = nb::none(), nb::arg("empty_nan").none() = false, answered)
      .def("__copy__", [](const Self& s) { return s; })
      .def("__deepcopy__", [](const Self& s, nb::handle) { return s; })
      .def("__len__", [](const Self& s) { return s.read([](const T& v) { return v.size(); }); })
      .def("__eq__",
           [](const Self& a, nb::handle other) -> nb::object {
             if (!nb::isinstance<Self>(other)) return nb::borrow(Py_NotImplemented);
             const T b = nb::cast<const Self&>(other).read([](const T& value) { return value; });
             return nb::bool_(a.read([&](const T& value) { return value == b; }));
           })
      .def(
          "__getattr__",
          [](nb::handle self, const std::string& op) {
            if constexpr (requires { T::names_no_ops; }) {
              throw nb::attribute_error(("'" + nb::cast<std::string>(self.type().attr("__name__")) +
                                         "' object has no attribute '" + op + "'")
                                            .c_str());
            }
            const std::string name = op_of_attribute(self, op);
            const Options o;
            return T::object_of(nb::cast<const Self&>(self).read(
                [&](const T& value) { return value.answer(name, o); }));
          })
      .def_prop_ro("dtype", [](const Self& s) {
        return std::string(name_of(s.read([](const T& value) { return value.dtype(); })));
      });
  c.attr("__hash__") = nb::none();  // states change when they merge, so they cannot be hashed
  return c;
}

}  // namespace onefold::python
