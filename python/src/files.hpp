// Folds files through the same entry point as the command line: onefold/tables/asked.hpp.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "input.hpp"
#include "onefold/engine/quantile/select.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/load.hpp"

namespace onefold::python {

// Returns a keyword's value; null: it is missing or None.
PyObject* item(const nanobind::dict& d, const char* name);
Options options_of(const char* ops, const nanobind::dict& d);

// A request for files, with the memory of the mask that `asked.fold` refers to.
struct AskedFiles {
  std::vector<std::string> files;
  io::FileRequest asked;
  Input mask;
  io::FileArray loaded;
};

// Reads the keywords. Paths are bytes, since not every file name is UTF-8.
//   throws  bad_option, type_mismatch; what reading the mask throws
void read_asked(const std::string& ops, const std::vector<nanobind::bytes>& names,
                const nanobind::dict& d, AskedFiles& to);

// Returns an array of elements of another type, whose bytes an array has along its last axis.
nanobind::object joined_along_last(const nanobind::object& array, const std::string& type);

// Makes quantiles of decimals and a method's name.
//   throws  bad_option
std::vector<Quantile> quantiles_of(const std::vector<std::string>& words,
                                   const std::string& method);

void add_files(nanobind::module_& m);
void add_contents(nanobind::module_& m);  // contents.cpp

}  // namespace onefold::python
