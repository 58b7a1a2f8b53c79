// Maps types of HDF5 to Onefold's.
#include "onefold/io/hdf5/array.hpp"

namespace onefold::io::hdf5 {
namespace {

enum class Class : int {
  integer,
  floating,
  time,
  string,
  bits,
  opaque,
  compound,
  reference,
  enumeration,
  variable_length,
  array
};
constexpr const char* class_names[] = {"integer",     "float",           "time",     "string",
                                       "bit field",   "opaque",          "compound", "reference",
                                       "enumeration", "variable-length", "array"};

constexpr int little_endian = 0, big_endian = 1, twos_complement = 1;

// The bit positions of a float's parts.
struct Layout {
  DType dtype;
  std::size_t sign, exponent, exponent_bits, mantissa_bits, bias;
};
constexpr Layout layouts[] = {{DType::f16, 15, 10, 5, 10, 15},
                              {DType::bf16, 15, 7, 8, 7, 127},
                              {DType::f32, 31, 23, 8, 23, 127},
                              {DType::f64, 63, 52, 11, 52, 1023}};

void set_float(Id type, ElementType& e) {
  const Library& l = library();
  Layout is{};
  std::size_t mantissa = 1;
  const int order = l.H5Tget_order(type);
  e.why = "floats other than IEEE 754 floats of 2, 4 or 8 bytes cannot be folded";
  if (order != little_endian && order != big_endian) return;
  if (l.H5Tget_fields(type, &is.sign, &is.exponent, &is.exponent_bits, &mantissa,
                      &is.mantissa_bits) < 0) {
    return;
  }
  constexpr int implied = 0;  // the leading 1 of a mantissa is not stored
  if (mantissa != 0 || l.H5Tget_norm(type) != implied) return;
  for (const Layout& known : layouts) {
    const bool same =
        is.sign == known.sign && is.exponent == known.exponent &&
        is.exponent_bits == known.exponent_bits && is.mantissa_bits == known.mantissa_bits &&
        l.H5Tget_ebias(type) == known.bias && l.H5Tget_size(type) == bytes_of(known.dtype);
    if (!same) continue;
    e.dtype = known.dtype;
    e.plain = true;
    e.swapped = order == big_endian;
    e.memory = Handle(l.H5Tcopy(type), l.H5Tclose);
    if (e.memory && l.H5Tset_order(e.memory.id(), little_endian) >= 0) e.why.clear();
    return;
  }
}

void set_integer(Id type, ElementType& e) {
  const Library& l = library();
  const std::size_t bytes = l.H5Tget_size(type);
  if (bytes == 0 || bytes > 8) {
    e.why = "integers of " + std::to_string(bytes) + " bytes cannot be folded";
    return;
  }
  const int k = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes <= 4 ? 2 : 3;
  const bool is_signed = l.H5Tget_sign(type) == twos_complement;
  constexpr DType types[2][4] = {{DType::u8, DType::u16, DType::u32, DType::u64},
                                 {DType::i8, DType::i16, DType::i32, DType::i64}};
  e.dtype = types[is_signed ? 1 : 0][k];
  const int order = l.H5Tget_order(type);
  e.plain = (order == little_endian || order == big_endian) && bytes == bytes_of(e.dtype) &&
            l.H5Tget_precision(type) == 8 * bytes;
  e.swapped = order == big_endian && bytes > 1;
  e.memory = Handle(l.H5Tcopy(is_signed ? l.signed_integer[k] : l.unsigned_integer[k]), l.H5Tclose);
}

std::string member_name(Id type, unsigned k) {
  char* const name = library().H5Tget_member_name(type, k);
  std::string text = name == nullptr ? "" : name;
  library().H5free_memory(name);
  return text;
}

// h5py's complex numbers: r and i, floats of one type, without holes.
bool set_complex(Id type, ElementType& e) {
  const Library& l = library();
  if (l.H5Tget_nmembers(type) != 2) return false;
  ElementType parts[2];
  for (unsigned k = 0; k < 2; ++k) {
    const Handle member(l.H5Tget_member_type(type, k), l.H5Tclose);
    if (!member || l.H5Tget_class(member.id()) != static_cast<int>(Class::floating)) return false;
    set_float(member.id(), parts[k]);
    const bool here = member_name(type, k) == (k == 0 ? "r" : "i") && parts[k].why.empty() &&
                      l.H5Tget_member_offset(type, k) == k * bytes_of(parts[0].dtype);
    if (!here) return false;
  }
  const DType dtype = parts[0].dtype;
  const bool alike = parts[1].dtype == dtype && parts[1].swapped == parts[0].swapped;
  if (!alike || (dtype != DType::f32 && dtype != DType::f64)) return false;
  e.dtype = dtype;
  e.is_complex = e.plain = true;
  e.swapped = parts[0].swapped;
  e.memory = Handle(l.H5Tcopy(type), l.H5Tclose);
  return l.H5Tget_size(type) == e.bytes() && e.memory &&
         l.H5Tset_order(e.memory.id(), little_endian) >= 0;
}

// Returns whether it is h5py's boolean: FALSE and TRUE, of one byte.
bool is_boolean(Id type) {
  const Library& l = library();
  if (l.H5Tget_size(type) != 1 || l.H5Tget_nmembers(type) != 2) return false;
  for (unsigned k = 0; k < 2; ++k) {
    if (member_name(type, k) != (k == 0 ? "FALSE" : "TRUE")) return false;
  }
  return true;
}

}  // namespace

ElementType element_type(Id type) {
  const Library& l = library();
  ElementType e;
  const int kind = l.H5Tget_class(type);
  if (kind == static_cast<int>(Class::integer)) {
    set_integer(type, e);
  } else if (kind == static_cast<int>(Class::floating)) {
    set_float(type, e);
  } else if (kind == static_cast<int>(Class::enumeration)) {
    const Handle base(l.H5Tget_super(type), l.H5Tclose);
    set_integer(base.id(), e);
    if (!e.why.empty()) return e;
    if (is_boolean(type)) e.dtype = DType::boolean;
  } else if (kind == static_cast<int>(Class::compound) && set_complex(type, e)) {
    return e;
  } else {
    const bool known = kind >= 0 && kind <= static_cast<int>(Class::array);
    e.why = std::string("elements of ") + (known ? class_names[kind] : "unknown") +
            " type cannot be folded";
    if (kind == static_cast<int>(Class::compound)) {
      e.why +=
          "; only complex numbers with two float members r and i, as h5py writes them, are "
          "supported";
    }
  }
  return e;
}

}  // namespace onefold::io::hdf5
