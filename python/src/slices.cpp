#include "slices.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "fold.hpp"
#include "numpy.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// shape has 1 where the array was folded; states in C order.
struct Slices {
  std::vector<int64_t> shape;
  std::vector<State> states;
};

// The extents and strides of some of an array's dimensions.
ArrayRef part_of(const ArrayRef& x, uint32_t dimensions) {
  ArrayRef part(x.data, x.dtype, Dims());
  for (int d = 0; d < x.shape.rank(); ++d) {
    if ((dimensions >> d & 1) == 0) continue;
    part.shape.push_back(x.shape[d]);
    part.strides.push_back(x.strides[d]);
  }
  return part;
}

Slices gather_slices(const std::string& ops, nb::handle x, const std::vector<int>& axes,
                     nb::handle nan) {
  parse_ops(ops);
  Input in;
  if (!in.read(x.ptr(), ops.c_str())) {
    throw Error(ErrorCode::unsupported, ops + ": a chunk is a " + name_of_type(x.ptr()) +
                                            ", and not an ndarray of the machine's byte order");
  }
  const int rank = in.ref.shape.rank();
  uint32_t folded = 0;
  for (const int a : axes) folded |= uint32_t{1} << a;
  Slices s;
  Size count = 1;
  for (int d = 0; d < rank; ++d) {
    s.shape.push_back((folded >> d & 1) != 0 ? 1 : in.ref.shape[d]);
    count *= static_cast<Size>(s.shape.back());
  }
  // Chunks are folded side by side by Dask's own threads.
  Options o{.nan = read_nan(ops.c_str(), nan.ptr()), .threads = 1};
  ArrayRef slice = part_of(in.ref, folded);
  const ArrayRef kept = part_of(in.ref, ~folded);
  const auto* const begin = static_cast<const std::byte*>(in.ref.data);
  s.states.reserve(count);
  const WithoutGil released;
  for (Size k = 0; k < count; ++k) {
    int64_t offset = 0;
    auto rest = static_cast<int64_t>(k);
    for (int d = kept.shape.rank() - 1; d >= 0; --d) {
      offset += rest % kept.shape[d] * kept.strides[d];
      rest /= kept.shape[d];
    }
    slice.data = begin + offset;
    s.states.push_back(gather(ops, slice, o));
  }
  return s;
}

Slices merge_slices(const std::vector<const Slices*>& parts) {
  Slices all = *parts.at(0);
  const WithoutGil released;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i]->shape != all.shape) {
      throw Error(ErrorCode::bad_state, "merge: the states are of slices of different shapes");
    }
    for (Size k = 0; k < all.states.size(); ++k) all.states[k].merge(parts[i]->states[k]);
  }
  return all;
}

// An ndarray of the shape, of type `dtype`.
nb::object answer(const Slices& s, const std::string& op, nb::handle ddof, nb::handle dtype,
                  nb::handle nan) {
  Options o;
  o.ddof = read_correction(op.c_str(), ddof.is_none() ? nullptr : ddof.ptr(), nullptr);
  o.result = numpy::dtype_of_object(dtype.ptr(), op.c_str());
  Answer a;
  a.op = op;
  a.dtype = *o.result;
  a.shape = Dims(std::span<const int64_t>(s.shape));
  const unsigned bytes = bytes_of(a.dtype);
  a.data.resize(s.states.size() * bytes);
  for (Size k = 0; k < s.states.size(); ++k) {
    const Value v = s.states[k].answer(op, o);
    std::memcpy(a.data.data() + k * bytes, &v.bits, bytes);
    a.status.push_back(v.status);
  }
  Ref array = array_of(a, read_nan(op.c_str(), nan.ptr()));
  return nb::steal(array.release());
}

nb::object reduce(nb::handle self) {
  const auto& s = nb::cast<const Slices&>(self);
  nb::list bytes;
  for (const State& state : s.states) {
    const std::vector<std::byte> saved = state.save();
    bytes.append(nb::bytes(saved.data(), saved.size()));
  }
  return nb::make_tuple(nb::steal(attribute("onefold._fold", "load_slices")),
                        nb::make_tuple(s.shape, bytes));
}

Slices load(const std::vector<int64_t>& shape, const std::vector<nb::bytes>& saved) {
  Slices s{.shape = shape, .states = {}};
  for (const nb::bytes& b : saved) {
    s.states.push_back(State::load({reinterpret_cast<const std::byte*>(b.c_str()), b.size()}));
  }
  Size count = 1;
  for (const int64_t extent : shape) count *= static_cast<Size>(extent);
  if (count != s.states.size()) {
    throw Error(ErrorCode::bad_state, "load: the shape has " + std::to_string(count) +
                                          " slices and there are " +
                                          std::to_string(s.states.size()) + " states");
  }
  return s;
}

}  // namespace

void add_slices(nb::module_& m) {
  nb::class_<Slices>(m, "Slices", "States of all slices of a chunk.")
      .def_static("load", load)
      .def("answer", answer, nb::arg("op"), nb::arg("ddof").none(), nb::arg("dtype"),
           nb::arg("nan"))
      .def("__len__", [](const Slices& s) { return s.states.size(); })
      .def("__reduce__", reduce);
  m.def("gather_slices", gather_slices);
  m.def("merge_slices", merge_slices);
}

}  // namespace onefold::python
