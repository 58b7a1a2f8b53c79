#include "view.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "answer.hpp"
#include "dlpack.hpp"
#include "numpy.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

[[noreturn]] void unsupported(const std::string& text) {
  throw Error(ErrorCode::unsupported, "DLPack: " + text);
}

std::optional<DType> dtype_of(const dlpack::Tensor& t) {
  if (t.lanes != 1) return {};
  const auto of = [&](DType a, DType b, DType c, DType d) -> std::optional<DType> {
    return t.bits == 8    ? std::optional(a)
           : t.bits == 16 ? std::optional(b)
           : t.bits == 32 ? std::optional(c)
           : t.bits == 64 ? std::optional(d)
                          : std::nullopt;
  };
  switch (t.code) {
    case dlpack::signed_code:
      return of(DType::i8, DType::i16, DType::i32, DType::i64);
    case dlpack::unsigned_code:
      return of(DType::u8, DType::u16, DType::u32, DType::u64);
    case dlpack::float_code:
      if (t.bits == 8) return {};
      return of(DType::f16, DType::f16, DType::f32, DType::f64);
    case dlpack::bfloat_code:
      if (t.bits == 16) return DType::bf16;
      return {};
    case dlpack::bool_code:
      if (t.bits == 8) return DType::boolean;
      return {};
    default:
      return {};
  }
}

ArrayRef array_of(const dlpack::Tensor& t) {
  const std::optional<DType> dtype = dtype_of(t);
  if (!dtype) {
    unsupported("elements of type code " + std::to_string(t.code) + " with " +
                std::to_string(t.bits) + " bits and " + std::to_string(t.lanes) +
                " lanes cannot be folded");
  }
  ArrayRef ref;
  ref.dtype = *dtype;
  for (int d = 0; d < t.rank; ++d) ref.shape.push_back(t.shape[d]);
  ref.strides = row_major(ref.shape, *dtype);
  if (t.strides != nullptr) {
    for (int d = 0; d < std::min(t.rank, max_rank); ++d) {
      ref.strides[d] = t.strides[d] * static_cast<int64_t>(bytes_of(*dtype));
    }
  }
  ref.data = static_cast<const std::byte*>(t.data) + t.byte_offset;
  switch (t.device_type) {
    case dlpack::cpu:
    case dlpack::cuda_host:
      break;
    case dlpack::cuda:
    case dlpack::cuda_managed:
      ref.device = cuda(t.device_id);
      break;
    default:
      unsupported("memory of device type " + std::to_string(t.device_type) +
                  " cannot be folded; that of the CPU and of CUDA can");
  }
  return ref;
}

// Python's error indicator survives a producer's deleter.
template <class M>
void release(M* managed) {
  if (managed->deleter == nullptr) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  managed->deleter(managed);
  PyErr_Restore(type, value, trace);
}

template <class M>
View take(PyObject* capsule, const char* name, const char* used) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) throw PythonError();
  checked(PyCapsule_SetName(capsule, used));
  View v;
  v.release = [managed] { release(managed); };
  if constexpr (std::is_same_v<M, dlpack::Versioned>) {
    // In a struct of another version only the position of its deleter is known.
    if (managed->major != 1) {
      unsupported("version " + std::to_string(managed->major) + "." +
                  std::to_string(managed->minor) + " is not known here; 1.x is");
    }
  }
  v.ref = array_of(managed->tensor);
  return v;
}

int device_of(const View& v) {
  return v.ref.device.type == Device::Type::cuda ? v.ref.device.index : -1;
}

// Memory at an address, which `owner` keeps; strides in bytes. device: -1 for the host's.
View view_at(uintptr_t address, const std::string& dtype, const std::vector<int64_t>& shape,
             std::optional<std::vector<int64_t>> strides, int device, nb::object owner) {
  View v;
  v.ref.data = reinterpret_cast<const void*>(address);
  v.ref.dtype = numpy::dtype_named(dtype);
  v.ref.shape = Dims(std::span<const int64_t>(shape));
  v.ref.strides =
      strides ? Dims(std::span<const int64_t>(*strides)) : row_major(v.ref.shape, v.ref.dtype);
  if (v.ref.strides.rank() != v.ref.shape.rank()) {
    throw Error(ErrorCode::bad_option, "View: shape and strides have different lengths");
  }
  if (device >= 0) v.ref.device = cuda(device);
  PyObject* const kept = owner.release().ptr();
  v.release = [kept] { Py_XDECREF(kept); };
  return v;
}

}  // namespace

View view_of_dlpack(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned") != 0) {
    return take<dlpack::Versioned>(capsule, "dltensor_versioned", "used_dltensor_versioned");
  }
  if (PyCapsule_IsValid(capsule, "dltensor") != 0) {
    return take<dlpack::Managed>(capsule, "dltensor", "used_dltensor");
  }
  unsupported("__dlpack__ gave a " + name_of_type(capsule) +
              " that is not an unused capsule of a tensor");
}

const ArrayRef* array_of_view(PyObject* x) {
  View* view = nullptr;
  if (!nb::try_cast(nb::handle(x), view) || view == nullptr) return nullptr;
  return &view->ref;
}

void add_views(nb::module_& m) {
  nb::class_<View>(m, "View", "An array that _convert has found; it keeps the memory.")
      .def_static(
          "from_dlpack", [](nb::handle capsule) { return view_of_dlpack(capsule.ptr()); },
          nb::arg("capsule").none())
      .def_static("at", view_at, nb::arg("address"), nb::arg("dtype"), nb::arg("shape"),
                  nb::arg("strides").none(), nb::arg("device"), nb::arg("owner").none())
      // The same memory of the CPU as an ndarray; elements of bfloat16 as their bits.
      .def("ndarray",
           [](nb::handle self) {
             const ArrayRef& a = nb::cast<const View&>(self).ref;
             const DType t = array_type(a.dtype, Source::view);
             return nb::steal(numpy::array_over(a, t, self.ptr()).release());
           })
      .def_prop_ro("device", device_of)
      .def_prop_ro("dtype", [](const View& v) { return name_of(v.ref.dtype); })
      .def_prop_ro("shape", [](const View& v) {
        nb::list shape;
        for (const int64_t extent : v.ref.shape) shape.append(extent);
        return nb::tuple(shape);
      });
}

}  // namespace onefold::python
