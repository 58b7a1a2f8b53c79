// The structs of DLPack 1.x (dmlc/dlpack, include/dlpack/dlpack.h), which all producers share.
#pragma once

#include <cstdint>

namespace onefold::python::dlpack {

enum DeviceType : int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : uint8_t {
  signed_code = 0,
  unsigned_code = 1,
  float_code = 2,
  bfloat_code = 4,
  bool_code = 6
};

struct Tensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;  // elements; null: C order
  uint64_t byte_offset;
};

struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct Versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  uint64_t flags;
  Tensor tensor;
};

}  // namespace onefold::python::dlpack
