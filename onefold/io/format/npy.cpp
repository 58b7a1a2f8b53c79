// NumPy's .npy, versions 1 to 3: magic, version, length of the header, the header, the elements.
//
//   types    bool, signed and unsigned integers of 1 to 8 bytes, floats of 2, 4 and 8; complex
//            numbers of 8 and 16 as InputOptions::planes says
//   order    C and Fortran, little- and big-endian
//   refused  structured, object, text, time and long double types
//   source   numpy/lib/format.py
#include <charconv>
#include <cstring>
#include <limits>

#include "onefold/io/format.hpp"
#include "onefold/io/python_literal.hpp"

namespace onefold::io {
namespace {

// NumPy's own headers of plain types have 128 bytes, and its reader refuses more than 10000.
constexpr std::size_t longest_header = std::size_t{1} << 20;

std::optional<DType> find_type(char kind, char bytes) {
  for (int k = 0; k < dtype_count; ++k) {
    const auto t = static_cast<DType>(k);
    if (t == DType::bf16) continue;  // NumPy has no such type
    const char letter = kind_of(t) == Kind::boolean            ? 'b'
                        : kind_of(t) == Kind::signed_integer   ? 'i'
                        : kind_of(t) == Kind::unsigned_integer ? 'u'
                                                               : 'f';
    if (kind == letter && bytes == static_cast<char>('0' + bytes_of(t))) return t;
  }
  return {};
}

constexpr const char* types = "bool, i1 to i8, u1 to u8, f2, f4, f8, c8 and c16";

// "<U10", "|S5": the bytes of a text become a last axis.
bool set_text(const std::string& descr, DenseArray& array) {
  const bool wide = descr.starts_with("<U");
  if (!wide && !descr.starts_with("|S")) return false;
  uint32_t n = 0;
  const char* const end = descr.data() + descr.size();
  const auto [stop, error] = std::from_chars(descr.data() + 2, end, n);
  if (error != std::errc() || stop != end || n == 0) return false;
  if (array.shape.rank() <= 1) array.fortran = false;
  array.dtype = DType::u8;
  array.text = descr[1];
  array.shape.push_back(static_cast<int64_t>(n) * (wide ? 4 : 1));
  return true;
}

// "<c8", "<c16": returns false for any other type.
bool set_complex(const File& file, const std::string& descr, Planes planes, DenseArray& array) {
  const std::string_view order = "<>=",
                         type = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  if (descr.empty() || order.find(descr[0]) == order.npos || (type != "c8" && type != "c16")) {
    return false;
  }
  if (planes == Planes::none) {
    file.fail(ErrorCode::unsupported, why_complex);
  }
  array.dtype = type == "c8" ? DType::f32 : DType::f64;
  array.swapped = descr[0] == '>';
  array.planes = planes;
  if (planes == Planes::both) array.shape.push_back(2);
  return true;
}

// Says what to do about types of which NumPy writes only the size of an element.
std::string hint_of_bytes(const std::string& descr) {
  if (descr.ends_with("V1")) {
    return "; NumPy writes float8, int4 and other types of ml_dtypes like this, without their "
           "names; save x.astype('f4'), or in Python pass "
           "numpy.load(FILE).view(ml_dtypes.float8_e4m3fn)";
  }
  if (descr.ends_with("f1")) {
    return "; NumPy writes float8_e5m2 like this, but cannot read it back; save x.astype('f4')";
  }
  if (descr.ends_with("V2")) {
    return "; NumPy writes bfloat16 like this, without its name; save x.astype('f4'), or "
           "x.tofile(\"x.bin\") and fold that with --dtype bf16";
  }
  return "";
}

void set_type(const File& file, const std::string& descr, DenseArray& array) {
  const bool plain = descr.size() == 3 && std::strchr("<>|=", descr[0]) != nullptr;
  const std::optional<DType> t = plain ? find_type(descr[1], descr[2]) : std::nullopt;
  if (t) {
    array.dtype = *t;
    array.swapped = descr[0] == '>' && bytes_of(*t) > 1;
    if (descr[0] == '|' && bytes_of(*t) > 1) {
      file.fail(ErrorCode::bad_header, "the header gives no byte order for type " + descr);
    }
    return;
  }
  std::string shown;
  for (const char c : descr.substr(0, 20)) shown += c >= ' ' && c <= '~' ? c : '?';
  const bool known = descr.size() >= 2 && std::strchr("<>|=", descr[0]) != nullptr &&
                     std::strchr("?biufcmMOSUVat", descr[1]) != nullptr;
  file.fail(known ? ErrorCode::unsupported : ErrorCode::bad_header,
            "elements of type '" + shown + "' cannot be folded; " + types + " can" +
                hint_of_bytes(descr));
}

DenseArray open(File& file, const InputOptions& options) {
  const auto cut = [&] {
    file.fail(ErrorCode::truncated, "the file ends within its header, after " +
                                        std::to_string(file.position()) + " bytes");
  };
  unsigned char start[12];
  const std::size_t got = file.read(start, 10);
  if (std::memcmp(start, "\x93NUMPY", std::min<std::size_t>(got, 6)) != 0) {
    file.fail(ErrorCode::bad_header,
              "it does not begin as an .npy file does; for another format, pass --format");
  }
  if (got < 10) cut();
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0) {
    file.fail(ErrorCode::unsupported, ".npy version " + std::to_string(major) + "." +
                                          std::to_string(minor) +
                                          " is not supported; only 1.0, 2.0 and 3.0 are supported");
  }
  std::size_t length = start[8] + std::size_t{start[9]} * 256;
  if (major > 1) {
    if (file.read(start + 10, 2) < 2) cut();
    length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  }
  if (length > longest_header) {
    file.fail(ErrorCode::bad_header, "the header claims to have " + std::to_string(length) +
                                         " bytes; at most " + std::to_string(longest_header) +
                                         " are read");
  }
  std::string text(length, ' ');
  if (file.read(text.data(), length) < length) cut();

  NpyDict dict;
  std::string why;
  if (!parse_npy_dict(text, dict, why)) {
    file.fail(ErrorCode::bad_header, "the header is invalid: " + why);
  }
  if (dict.structured) {
    file.fail(ErrorCode::unsupported,
              std::string("elements of a structured type cannot be folded; ") + types + " can");
  }
  DenseArray array;
  array.shape = dict.shape;
  array.fortran = dict.fortran_order;
  array.offset = file.position();
  if (!set_complex(file, dict.descr, options.planes, array) &&
      (!options.labels || !set_text(dict.descr, array))) {
    set_type(file, dict.descr, array);
  }
  if (array.shape.rank() > max_rank) {
    file.fail(ErrorCode::unsupported,
              "the array has " + std::to_string(array.elements().rank()) + " dimensions; at most " +
                  (array.is_complex() ? "15 of complex numbers" : "16") + " are possible");
  }
  if (options.dtype && (array.is_complex() || *options.dtype != array.dtype)) {
    file.fail(ErrorCode::type_mismatch, std::string("the file holds ") + array.type_name() +
                                            ", but --dtype asks for " + name_of(*options.dtype) +
                                            "; leave --dtype out");
  }
  if (options.shape || options.offset != 0) {
    file.fail(ErrorCode::bad_option, std::string(options.shape ? "--shape" : "--offset") +
                                         " applies only to raw files; leave it out");
  }
  data_bytes(file, array, ErrorCode::bad_header);
  check_length(file, array, "the header");
  return array;
}

constexpr std::string_view extensions[] = {".npy"};

}  // namespace

namespace format {
extern const Format npy;
const Format npy{.name = "npy", .extensions = extensions, .magic = "\x93NUMPY", .open = open};
}  // namespace format

}  // namespace onefold::io
