// What files hold, and how they would be folded.
#include "onefold/tables/contents.hpp"

#include <algorithm>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "files.hpp"
#include "interruptible.hpp"
#include "numpy.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/said.hpp"
#include "request.hpp"
#include "table_keys.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

nb::dict explain_files(const std::string& ops, const std::vector<nb::bytes>& names,
                       const nb::dict& d) {
  parse_ops(ops);
  AskedFiles files;
  read_asked(ops, names, d, files);
  const io::FilePlan plan = io::plan_asked({ops, files.asked.fold}, files.files, files.asked);
  nb::dict facts;
  facts["format"] = plan.format;
  facts["dtype"] = name_of(plan.dtype);
  facts["shape"] = nb::none();  // a text's length is known only after it was read
  if (plan.shape_known) {
    nb::list shape;
    for (const int64_t extent : plan.shape) shape.append(extent);
    facts["shape"] = nb::tuple(shape);
  }
  facts["bytes"] = plan.bytes;
  facts["access"] = plan.access;
  facts["window_bytes"] = plan.window_bytes;
  facts["strips"] = plan.strips;
  return facts;
}

// Whether x or y is an array of complex numbers; files beyond the second continue one of these. No
// pipe is opened, since it is read once.
bool hold_complex(const std::vector<nb::bytes>& paths, const nb::dict& d) {
  AskedFiles files;
  read_asked("fold", paths, d, files);
  io::InputOptions input = files.asked.input;
  input.planes = io::Planes::both;
  for (std::size_t k = 0; k < std::min<std::size_t>(files.files.size(), 2); ++k) {
    const std::string& path = files.files[k];
    try {
      if (!io::is_stream(path) && io::header_of(path, input).is_complex) return true;
    } catch (const Error&) {  // it is no array, or another one
    }
  }
  return false;
}

// Returns the array in a file, in memory.
nb::object read_array(const std::string& name, const nb::bytes& path, const nb::dict& d) {
  AskedFiles files;
  read_asked(name, {path}, d, files);
  if (files.files.size() != 1) {
    throw Error(ErrorCode::bad_option, name + ": " + std::to_string(files.files.size()) +
                                           " files are named, and one is read at a time");
  }
  io::FileArray read;
  files.asked.input.planes = io::Planes::both;
  files.asked.input.labels = true;
  run_interruptibly([&](const auto& check) {
    read = io::load_array(files.files[0], files.asked.input, [&](Size, Size) { check(); });
  });
  const ArrayRef array(nullptr, read.dtype, read.shape, read.strides);
  const nb::object made = nb::steal(numpy::array_keeping(array, std::move(read.bytes)).release());
  return read.joined.empty() ? made : joined_along_last(made, read.joined);
}

// Returns the contents of files: a list of dicts for each file.
nb::list contents(const std::vector<nb::bytes>& names, const nb::dict& d) {
  AskedFiles files;
  read_asked("info", names, d, files);
  nb::list all;
  for (const std::string& path : files.files) {
    io::Contents found;
    run_interruptibly([&](const auto& check) {
      found = io::contents_of(path, files.asked.input, [&](Size, Size) { check(); });
    });
    nb::list list;
    for (const io::Content& c : found.list) {
      nb::dict one;
      one["name"] = name_of_column(c.name);
      one["type"] = c.type;
      one["shape"] = nb::none();
      if (c.shape) {
        nb::list shape;
        for (const int64_t extent : *c.shape) shape.append(extent);
        one["shape"] = nb::tuple(shape);
      }
      one["missing"] = nb::none();
      if (c.missing) one["missing"] = nb::int_(*c.missing);
      if (c.numbers) {
        one["numbers"] = nb::int_(*c.numbers);
        one["first_other"] = nb::make_tuple(c.other_line, name_of_column(c.other));
      }
      list.append(one);
    }
    nb::dict file;
    file["format"] = found.format;
    file["contents"] = list;
    all.append(file);
  }
  return all;
}

nb::list describe_rows() {
  nb::list rows;
  for (const io::DescribeRow& row : io::describe_rows) {
    rows.append(nb::make_tuple(row.name, row.op));
  }
  return rows;
}

}  // namespace

void add_contents(nb::module_& m) {
  m.def("explain_files", explain_files);
  m.def("contents", contents);
  m.def("hold_complex", hold_complex);
  m.def("read_array", read_array);
  m.def("describe_rows", describe_rows);
}

}  // namespace onefold::python
